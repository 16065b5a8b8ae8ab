"""Derivatives of the signals of a run by parameters and starts: how every result answers to a small change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.results.layout import unit_problem
from linkwork.results.signals import Signal, Units
from linkwork.units import SI, parse_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels
    from linkwork.results.run import Run


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """What a run was differentiated by.

    units : SI units by name; make : function that gives the derivatives of all signals by one of them, as a run whose
        signals have the names of what they are derivatives of
    ends : function that gives the derivatives of variables, of rates and of named states at the end, each
        (parameters, ...), without making all other signals; None of what was loaded
    """

    units: Mapping[str, str]
    make: Callable[[str], Run]
    ends: Callable[[], tuple[Any, Any, Any]] | None = None
    _made: dict[str, Run] = field(default_factory=dict)

    def of(self, run: Run, signal: str, by: str) -> Signal:
        """The derivative of a signal of a run; InputError for a name that stands for nothing."""
        plain = run.signal(signal)
        if by not in self.units:
            hint = did_you_mean(str(by), list(self.units))
            if not self.units:
                hint = f"simulate with sensitive_to=['{by}']"
            raise InputError(Problem(f"the run was not differentiated by '{by}'", hint=hint), run.name)
        self.slopes(by)
        return _signal(run, plain, self._found(run, plain, by), by, self.units[by])

    def slopes(self, by: str) -> Run:
        """Derivatives of all signals by one of them."""
        if by not in self._made:
            self._made[by] = self.make(by)
        return self._made[by]

    def kept(self) -> Sensitivities:
        """The same with everything made, so that it can be pickled and saved."""
        return Sensitivities(self.units, {by: self.slopes(by) for by in self.units}.__getitem__)

    def _found(self, run: Run, plain: Signal, by: str) -> Any:
        slopes, reference = self._made[by], run._names.find(plain.name)
        if reference is None or not reference.magnitude:
            if plain.name not in slopes:
                text = f"'{plain.name}' tells how the run was made, and has no derivative"
                raise InputError(Problem(text, hint="ask for what moves"), run.name)
            return slopes.signal(plain.name).values
        vector, slope = (r.signal(reference.variable).values for r in (run, slopes))
        length = np.linalg.norm(vector, axis=-1)
        return np.divide((vector * slope).sum(axis=-1), length, out=np.full(length.shape, np.nan), where=length > 0.0)


def _signal(run: Run, plain: Signal, values: Any, by: str, unit: str) -> Signal:
    name = f"d({plain.name})/d({by})"
    own = SI.symbol(parse_unit(plain.unit)[1] / parse_unit(unit)[1]) or "1"
    assert unit_problem(own, name) is None
    data = plain.labelled.like(values, {"units": own, "long_name": f"{plain.attrs['long_name']} by {by}"})

    def plot(name: str, *, units: Units, x: str, against: Any, ax: Axes | None) -> Panels:
        from linkwork.results.plots import Series, describe_over

        if against:
            raise InputError(Problem("derivatives are not overlaid on those of other runs", "against"), run.name)
        return describe_over([Series([found], run.signal(x))], units=units, title=run.name).draw(ax)

    found = Signal(name, data, plot)
    return found

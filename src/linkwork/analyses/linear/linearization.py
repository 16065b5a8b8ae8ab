"""Small motions of a machine about a set point, by name: matrices, modes, response over frequency and time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.equilibrium.equilibrium import Equilibrium
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.linear.first_order import assert_mass, first_order
from linkwork.analyses.linear.set_points import Held, set_point
from linkwork.analyses.linear.signals import Input, Output, Signals
from linkwork.analyses.linear.state_space import StateSpace, state_space
from linkwork.errors import InputError, MissingExtra, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.linear.frequency import FrequencyResponse
    from linkwork.analyses.linear.modes import Modes
    from linkwork.analyses.linear.random_vibration import RandomResponse
    from linkwork.analyses.linear.sensitivities import Sensitivity
    from linkwork.analyses.machine import Machine
    from linkwork.results import Result


@dataclass(frozen=True, eq=False)
class Matrices:
    """M ξ'' + D ξ' + K ξ + X x = forces, x' = f_psi ξ + f_w ξ' + f_x x, SI; rows and columns by name.

    coordinates : of M, D, K; the free independent rates
    states : named states, of X and f_x
    M, D, K : mass, damping with gyroscopic part, stiffness with circulatory part
    X, f_psi, f_w, f_x : what named states do, and how they change
    """

    coordinates: tuple[str, ...]
    states: tuple[str, ...]
    M: Array
    D: Array
    K: Array
    X: Array
    f_psi: Array
    f_w: Array
    f_x: Array

    @property
    def A(self) -> Array:
        """Of z' = A z with z = (ξ, ξ', x)."""
        return first_order(self.M, self.D, self.K, self.X, self.f_psi, self.f_w, self.f_x)


class Linearization:
    """A machine linearised about a set point; made by `Machine.linearize`."""

    def __init__(self, point: Held) -> None:
        self._point = point
        self._signals = Signals(point)
        self.warnings = point.warnings
        """What should be known."""

    # ---------------------------------------------------------------- what it is

    @property
    def machine(self) -> Machine:
        """The machine."""
        return self._point.machine

    @cached_property
    def posture(self) -> Posture:
        """Where it is."""
        return Posture(self.machine.loops, self._point.at.y[: self.machine.plan.ny])

    @property
    def efforts(self) -> dict[str, float]:
        """What holds it there [N, N m], by variable; those of variables that are held, and what balances the others."""
        return dict(self._point.efforts)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The free independent rates: rows and columns of the matrices."""
        return self._point.at.loops.names(self._point.at.columns[self._free])

    @property
    def held(self) -> tuple[str, ...]:
        """Independent rates that are held, whose motion may be an input."""
        return self._point.at.loops.names(self._point.at.columns[self._point.held])

    @property
    def states(self) -> tuple[str, ...]:
        """Named states."""
        return tuple(plan.name for plan in self._point.at.loops.plan.states)

    @property
    def inputs(self) -> tuple[str, ...]:
        """What may be an input, by name."""
        return tuple(dict.fromkeys(self._signals.known_inputs))

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of outputs; expressions of these are outputs too."""
        return tuple(dict.fromkeys(self._signals.known_outputs))

    @property
    def _free(self) -> NDArray[np.intp]:
        return np.flatnonzero(~self._point.held)

    @cached_property
    def matrices(self) -> Matrices:
        """Mass, damping, stiffness, and what named states do, of the free coordinates."""
        c, free = self._point.c, self._free
        own = np.ix_(free, free)
        parts = c.M[own], c.D[own], c.K[own], c.X[free], c.f_psi[:, free], c.f_w[:, free], c.f_x
        return Matrices(self.coordinates, self.states, *parts)

    @property
    def static_stiffness(self) -> Array:
        """Stiffness without what rates and accelerations of the set point add to it, as textbooks have it.

        At rest it is the stiffness itself.
        """
        from dataclasses import replace

        from linkwork.analyses.linear.coefficients import coefficients

        at = self._point.at
        still = np.zeros_like(at.w)
        K = coefficients(replace(at, w=still, dw=still)).K
        found: Array = K[np.ix_(self._free, self._free)]
        return found

    @property
    def scale(self) -> Array:
        """By free coordinate, 1 for an angle and the machine's size for a length: what makes them comparable."""
        at = self._point.at
        found: Array = at.loops.column_scale[at.columns][self._free]
        return found

    def __str__(self) -> str:
        at, m = self._point.at, self.matrices
        lines = [f"{self.machine.name} linearised: {len(m.coordinates)} free coordinates, {len(m.states)} states"]
        held = f"; held: {', '.join(self.held)}" if self.held else ""
        lines.append(f"  free: {', '.join(m.coordinates) or 'none'}{held}")
        moving = [f"{n} {x:.6g}" for n, x in zip(at.loops.names(at.columns), at.w[at.columns], strict=True) if x]
        lines += [f"  moving: {', '.join(moving)}"] if moving else []
        lines += [f"  {name} is held by {value:.6g}" for name, value in self.efforts.items()]
        for name, X in (("M", m.M), ("D", m.D), ("K", m.K)):
            size = float(np.abs(X).max(initial=0.0))
            kind = "symmetric" if np.abs(X - X.T).max(initial=0.0) <= 1e-9 * size else "unsymmetric"
            lines.append(f"  {name} {'zero' if not size else f'{kind}, largest entry {size:.6g}'}")
        return "\n".join([*lines, *(f"  warning: {w}" for w in self.warnings)])

    __repr__ = __str__

    # ---------------------------------------------------------------- questions

    def modes(self, *, lock: str | Sequence[str] = ()) -> Modes:
        """Natural modes: frequencies, damping ratios, what moves, who holds the energy.

        Parameters
        ----------
        lock : variables that are locked besides: the modes of the machine with these joints fixed
        """
        from linkwork.analyses.linear.modes import modes_of

        return modes_of(self.locked(lock) if lock else self)

    def sensitivity(self, *parameters: str) -> Sensitivity:
        """Derivatives of the matrices, and of every eigenvalue and shape of `modes`, by numbers of the model; exact.

        A set point at rest, or a steady motion that nothing but the model holds, moves with the numbers. One that
        efforts hold stays where it is.

        Parameters
        ----------
        parameters : by name; all but parts of rotations by default, and those without which loops would not close
        """
        from linkwork.analyses.linear.sensitivities import sensitivity_of

        return sensitivity_of(self, parameters)

    def locked(self, names: str | Sequence[str]) -> Linearization:
        """The same with more variables held.

        Parameters
        ----------
        names : variables that are held where they are
        """
        from linkwork.analyses.forces.drives import as_names, columns_of

        point, loops = self._point, self._point.at.loops
        columns = columns_of(loops, as_names(names))
        held = np.isin(np.arange(loops.columns), [*point.at.columns[point.held], *columns])
        from linkwork.analyses.linear.set_points import held_at

        at = point.at
        return Linearization(held_at(point.machine, loops, at.y, at.w, held, at.effort, at.x, at.t))

    def frequency_response(
        self, inputs: str | Sequence[str], outputs: str | Sequence[str], frequencies: Any = None
    ) -> FrequencyResponse:
        """Outputs over inputs at frequencies, by solving the equations themselves at each of them.

        Parameters
        ----------
        inputs : efforts (`A.effort`), loads, numbers of loads, forces on points (`P.fx`),
            coordinates that are held and their rates and accelerations (`X`, `X.rate`, `X.acceleration`)
        outputs : what a run has of motion (`A`, `A.rate`, `P.x`, `P.ay`), loads, states, efforts of what is held,
            expressions (`P.x - Q.x`)
        frequencies : [Hz]; chosen by the modes, finer about resonances, unless given
        """
        from linkwork.analyses.linear.frequency import frequency_response

        return frequency_response(self, inputs, outputs, frequencies)

    def bode(self, inputs: str, outputs: str | Sequence[str], frequencies: Any = None) -> FrequencyResponse:
        """The frequency response from one input, whose plot shows magnitude and phase.

        Parameters
        ----------
        inputs : one input, as of `frequency_response`
        outputs, frequencies : as of `frequency_response`
        """
        return self.frequency_response(inputs, outputs, frequencies)

    def random(
        self, inputs: Mapping[str, Any], outputs: str | Sequence[str], frequencies: Any = None
    ) -> RandomResponse:
        """Random vibration: spectra of outputs and their effective values, from spectra of independent inputs.

        Parameters
        ----------
        inputs : one-sided spectral densities [unit²/Hz] by input: a number for white noise of all frequencies, or
            frequencies and densities, `([10, 200], [0.1, 0.1])`, with power laws between
        outputs : names as of `frequency_response`
        frequencies : [Hz] of the result; chosen by the modes and spectra unless given, of no matter for `rms`
        """
        from linkwork.analyses.linear.random_vibration import random_response

        return random_response(self, inputs, outputs, frequencies)

    def response(
        self,
        inputs: Mapping[str, Any] | None = None,
        outputs: str | Sequence[str] = (),
        *,
        until: float,
        samples: int = 501,
        start: Mapping[str, float] | None = None,
        rates: Mapping[str, float] | None = None,
    ) -> Result:
        """Small motions in time under inputs that follow laws, exact for steps, polynomials and harmonics.

        Parameters
        ----------
        inputs : laws of time by input: drives, numbers (steps), texts such as "harmonic(0, 5 N m, 3Hz)"
        outputs : names as of `frequency_response`; all independent coordinates and states by default
        until : end [s]
        samples : how many, evenly spaced
        start, rates : displacements from the set point and rates at the beginning, by free coordinate or state
        """
        from linkwork.analyses.linear.response import response

        return response(self, inputs or {}, outputs, until, samples, start or {}, rates or {})

    def step(self, inputs: str, outputs: str | Sequence[str] = (), *, until: float | None = None) -> Result:
        """What a unit step of an input does.

        Parameters
        ----------
        inputs : one input; outputs : names, as of `frequency_response`
        until : end [s]; by default when the slowest mode has died away, or has swung five times
        """
        from linkwork.analyses.linear.response import response, usual_duration

        return response(self, {inputs: 1.0}, outputs, usual_duration(self) if until is None else until, 501, {}, {})

    def impulse(self, inputs: str, outputs: str | Sequence[str] = (), *, until: float | None = None) -> Result:
        """What a unit impulse of an input does.

        Parameters
        ----------
        inputs : one input; outputs : names, as of `frequency_response`
        until : end [s], as of `step`
        """
        from linkwork.analyses.linear.response import impulse_response, usual_duration

        return impulse_response(self, inputs, outputs, usual_duration(self) if until is None else until, 501)

    def state_space(self, inputs: str | Sequence[str], outputs: str | Sequence[str]) -> StateSpace:
        """z' = A z + B u, y = C z + D u, with signal names.

        Parameters
        ----------
        inputs : of forces, loads and numbers; coordinates that are driven bring u' and u'' with them
        outputs : names, as of `frequency_response`
        """
        return state_space(self.matrices, self._point, *self.asked(inputs, outputs))

    def control(self, inputs: str | Sequence[str], outputs: str | Sequence[str]) -> Any:
        """The same as `control.StateSpace`, of the library `control`, with signal names; dots become underscores.

        Parameters
        ----------
        inputs, outputs : names, as of `state_space`
        """
        found = self.state_space(inputs, outputs)
        try:
            import control  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ImportError:
            raise MissingExtra("control", "control", "a linear system of python-control") from None
        named = {
            what: [name.replace(".", "_").replace(" ", "") for name in names]
            for what, names in (("inputs", found.inputs), ("outputs", found.outputs), ("states", found.coordinates))
        }
        return control.ss(found.A, found.B, found.C, found.D, **named)

    def asked(self, inputs: str | Sequence[str], outputs: str | Sequence[str]) -> tuple[list[Input], list[Output]]:
        """Inputs and outputs by name, all problems at once.

        Parameters
        ----------
        inputs, outputs : names
        """
        from linkwork.errors import Gathered

        told = Gathered(self.machine.name)
        found: tuple[list[Input], list[Output]] = ([], [])
        with told:
            found[0].extend(self._signals.inputs(inputs))
        with told:
            found[1].extend(self._signals.outputs(outputs))
        told.tell()
        return found[0], self._signals.with_direct(*found)

    def assert_mass(self) -> None:
        """Raise an error that names freedoms without mass, if there are any."""
        assert_mass(self.matrices.M, self.scale, self.coordinates, self.machine.name)


def linearization_of(
    machine: Machine,
    where: Equilibrium | Posture | Mapping[str, Any] | None,
    hold: Mapping[str, Any] | str | Iterable[str] | None,
    rates: Mapping[str, Any] | None,
    efforts: Mapping[str, Any] | None,
    states: Mapping[str, Any] | None,
    t: float | None,
) -> Linearization:
    """See `Machine.linearize`."""
    if where is not None and not isinstance(where, Equilibrium | Posture | Mapping):
        hint = "give what `equilibrium` or `at` gave, or values of variables by name"
        raise InputError(Problem(f"a {type(where).__name__} is no set point", "at", hint), machine.name)
    return Linearization(set_point(machine, where, hold, rates, efforts, states, t))

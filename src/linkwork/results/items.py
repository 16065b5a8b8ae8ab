"""A joint, a place or a load of a run: everything that is known of it, under one name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.lib.mixins import NDArrayOperatorsMixin

from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.results.layout import PLACE_UNITS
from linkwork.results.names import OF_VARIABLES
from linkwork.results.signals import Signal, Units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels
    from linkwork.results.result import Result
    from linkwork.results.run import Run


REACTION = ("force", "moment")
OF_ARRAYS = (
    "max",
    "min",
    "mean",
    "rms",
    "argmax",
    "argmin",
    "to",
    "unit",
    "time",
    "shape",
    "ndim",
    "size",
    "dtype",
    "dims",
    "attrs",
    "axes",
)
"""What is asked of arrays: of what has a single value it is asked of that."""


class Item(NDArrayOperatorsMixin):
    """Something of a result that has signals: its attributes are signals, under the names that follow its own.

    `run["P"].x` is `run["P.x"]`, `run["B"].fx` is `run["B.fx"]`, `run["P"]["velocity.x"]` is `run["P.velocity.x"]`.
    What has a single value, a joint of one freedom or a state, also stands for that: `run["A"].max()`, `2 * run["A"]`.
    """

    name: str
    signals: dict[str, Signal]
    _run: Result

    def __getattr__(self, quantity: str) -> Any:
        own: dict[str, Any] = self.__dict__  # not filled yet while an item is copied
        if quantity.startswith("_") or "_run" not in own:
            raise AttributeError(quantity)
        if (found := own["signals"].get(f"{own['name']}.{quantity}")) is not None:
            return found
        if f"{own['name']}.{quantity}" in own["_run"]:
            return own["_run"].signal(f"{own['name']}.{quantity}")
        value = self._alone()
        if value is not None and quantity in OF_ARRAYS:
            return getattr(value, quantity)
        text = f"the {own['_run']._word} has no {quantity} of {own['name']}; {_there(own['signals'])}"
        hint = own["_run"]._names.unknown(f"{own['name']}.{quantity}").hint
        raise AttributeError(f"{text}; {hint}" if hint else text)

    def __getitem__(self, quantity: Any) -> Any:
        """A signal by what follows the name, 'velocity.x'; numbers of what has a single value."""
        if isinstance(quantity, str):
            return self._run.signal(f"{self.name}.{quantity}")
        return self._value()[quantity]

    @property
    def quantities(self) -> tuple[str, ...]:
        """What it has: ('tension', 'power') of a load, ('position', 'velocity') of a point."""
        return tuple(n.removeprefix(f"{self.name}.") for n in self.signals)

    def _ipython_key_completions_(self) -> list[str]:
        return [n.removeprefix(f"{self.name}.") for n in self._run._names.of(self.name)]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(n for n in self._ipython_key_completions_() if n.isidentifier())]

    def _alone(self) -> Signal | None:
        """The signal that it stands for, if it has a single value."""
        found = (
            self._run._names.expand(self.name) if self._run._names.kinds.get(self.name) in ("joint", "state") else ()
        )
        return self._run.signal(found[0].name) if len(found) == 1 else None

    def _value(self) -> Signal:
        found = self._alone()
        if found is None:
            names = ", ".join(f"{self.name}.{q}" for q in self.quantities[:6])
            raise InputError(Problem(f"'{self.name}' has several signals", hint=f"ask for one of them: {names}"))
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._value().__array__(dtype, copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*(i._value() if isinstance(i, Item) else i for i in inputs), **options)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self.name}'{self._told()})\n  {', '.join(self.signals)}"

    def _told(self) -> str:
        """What stands beside the name."""
        return ""

    def _repr_html_(self) -> str:
        from linkwork.results.report import html_table

        rows = [
            (name.removeprefix(f"{self.name}."), repr(s).partition("[")[2][:-1]) for name, s in self.signals.items()
        ]
        return html_table(self.name, [(key, f"[{text}") for key, text in rows])


@dataclass(frozen=True, eq=False, repr=False)
class JointItem(Item):
    """A joint of a run.

    name : of the joint
    variables, speeds : ('angle',), and for joints that turn freely the speeds ('wx', 'wy', 'wz')
    signals : everything of it, by full name
    """

    name: str
    variables: tuple[str, ...]
    speeds: tuple[str, ...]
    signals: dict[str, Signal]
    _run: Run

    @property
    def kind(self) -> str:
        """'joint'."""
        return "joint"

    @property
    def value(self) -> Signal:
        """The variable of a joint that has one."""
        return self._single("value")

    @property
    def rate(self) -> Signal:
        """Its rate."""
        return self._single("rate")

    @property
    def acceleration(self) -> Signal:
        """Its second derivative."""
        return self._single("acceleration")

    @property
    def jerk(self) -> Signal:
        """Its third derivative."""
        return self._single("jerk")

    @property
    def values(self) -> dict[str, Signal]:
        """All variables by their short names."""
        return self._several("value")

    @property
    def rates(self) -> dict[str, Signal]:
        """All rates; speeds where the joint turns freely."""
        return self._several("rate")

    @property
    def accelerations(self) -> dict[str, Signal]:
        """Derivatives of the rates."""
        return self._several("acceleration")

    @property
    def jerks(self) -> dict[str, Signal]:
        """Second derivatives of the rates."""
        return self._several("jerk")

    @property
    def effort(self) -> Signal:
        """Torque [N m] or force [N] that drives the variable of a joint that has one."""
        return self._single("effort")

    @property
    def power(self) -> Signal:
        """Power [W] of that effort."""
        return self._single("power")

    @property
    def efforts(self) -> dict[str, Signal]:
        """Efforts of all variables that are driven or held."""
        return self._several("effort")

    @property
    def powers(self) -> dict[str, Signal]:
        """Their powers [W]."""
        return self._several("power")

    @property
    def force(self) -> Signal:
        """Force [N] (time, axis) of the first body on the second, along the axes of the joint's frame on the second.

        Components are NaN where they are indeterminate.
        """
        return self._reaction("force")

    @property
    def moment(self) -> Signal:
        """Moment [N m] (time, axis) of the first body on the second at the origin of that frame, along its axes."""
        return self._reaction("moment")

    @property
    def indeterminate(self) -> tuple[str, ...]:
        """Components among fx fy fz mx my mz of its reaction that statics leaves open at some sample."""
        return self._run.indeterminate.get(self.name, ())

    def plot(
        self,
        *quantities: str,
        units: Units = None,
        x: str = "time",
        against: Mapping[str, Run] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot its variables, what drives them, or its reaction.

        Parameters
        ----------
        quantities : 'value', 'rate', 'acceleration', 'jerk', 'effort', 'power', 'force', 'moment'; the value where none
            is given, the force of a joint without variables
        units, x, against, ax : as in `Run.plot`
        """
        asked = quantities or ("value" if self.variables or self.speeds else "force",)
        _known(asked, ("value", *OF_VARIABLES, *REACTION), self.name)
        names = [f"{self.name}.{n}" for q in asked for n in self._names(q)]
        if not names:
            raise InputError(Problem(f"the run has no {' and no '.join(asked)}", self.name, _there(self.signals)))
        return self._run.plot(*names, units=units, x=x, against=against, ax=ax)

    def phase(
        self,
        *,
        units: Units = None,
        against: Mapping[str, Run] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot the rates over the variables, the phase plane.

        Parameters
        ----------
        units, against, ax : as in `Run.phase`
        """
        return self._run.phase(*(f"{self.name}.{v}" for v in self.variables), units=units, against=against, ax=ax)

    def hodograph(
        self,
        of: str = "force",
        *,
        units: Units = None,
        plane: str | None = None,
        against: Mapping[str, Run] | None = None,
        ax: Axes | None = None,
    ) -> Panels:
        """Plot the way of the tip of its reaction, the polar diagram of a bearing's load, with equal axes.

        Parameters
        ----------
        of : 'force' or 'moment'
        units, plane, against, ax : as in `Run.hodograph`
        """
        return self._run.hodograph(self.name, of=of, units=units, plane=plane, against=against, ax=ax)

    def _names(self, quantity: str) -> list[str]:
        """Names of variables, of the derivatives and efforts of what moves, or of a reaction, after the joint's own."""
        if quantity == "value":
            return list(self.variables)
        if quantity in REACTION:
            return [quantity] if f"{self.name}.{quantity}" in self.signals else []
        moving = [(v, f"{v}.{quantity}") for v in self.variables]
        moving += [(v, v if quantity == "rate" else f"{v}.{quantity}") for v in self.speeds]
        return [n for _, n in moving if f"{self.name}.{n}" in self.signals]

    def _several(self, quantity: str) -> dict[str, Signal]:
        return {n.partition(".")[0]: self.signals[f"{self.name}.{n}"] for n in self._names(quantity)}

    def _single(self, quantity: str) -> Signal:
        if len(self.variables) != 1:
            hint = f"ask for .{quantity}s, or by name: {', '.join(self.signals)}"
            raise InputError(Problem(f"the joint has {len(self.variables)} variables", self.name, hint))
        found = self._several(quantity)
        if not found:
            raise InputError(Problem(f"the run has no {quantity}", self.name, _there(self.signals)))
        return found[self.variables[0]]

    def _reaction(self, vector: str) -> Signal:
        if not self._names(vector):
            raise InputError(Problem(f"the run has no {vector}", self.name, _there(self.signals)))
        return self.signals[f"{self.name}.{vector}"]


@dataclass(frozen=True, eq=False, repr=False)
class StateItem(Item):
    """A named state of a run: a current, the integral of a controller, a temperature.

    name : of the state
    signals : everything of it, by full name
    """

    name: str
    signals: dict[str, Signal]
    _run: Run

    @property
    def kind(self) -> str:
        """'state'."""
        return "state"

    @property
    def unit(self) -> str:
        """SI unit of its value."""
        return self.signals[f"{self.name}.value"].unit

    @property
    def value(self) -> Signal:
        """The state (time)."""
        return self.signals[f"{self.name}.value"]

    @property
    def rate(self) -> Signal:
        """Its change a second (time), in its unit/s."""
        found = self.signals.get(f"{self.name}.value.rate")
        if found is None:
            raise InputError(Problem("the run has no rate", self.name, _there(self.signals)))
        return found

    def plot(
        self,
        *quantities: str,
        units: Units = None,
        x: str = "time",
        against: Mapping[str, Run] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot the state, or its rate.

        Parameters
        ----------
        quantities : 'value', 'rate'; the value where none is given
        units, x, against, ax : as in `Run.plot`
        """
        asked = quantities or ("value",)
        _known(asked, ("value", "rate"), self.name)
        return self._run.plot(*(f"{self.name}.{q}" for q in asked), units=units, x=x, against=against, ax=ax)

    def _told(self) -> str:
        return f", {self.unit}"


@dataclass(frozen=True, eq=False, repr=False)
class PlaceItem(Item):
    """A body, frame or point of a run, in world axes.

    name, kind : its name; 'body', 'frame' or 'point'
    signals : everything of it, by full name
    """

    name: str
    kind: str
    signals: dict[str, Signal]
    _run: Run

    @property
    def position(self) -> Signal:
        """Position [m] (time, axis)."""
        return self._of("position")

    @property
    def velocity(self) -> Signal:
        """Velocity [m/s] (time, axis)."""
        return self._of("velocity")

    @property
    def acceleration(self) -> Signal:
        """Acceleration [m/s^2] (time, axis)."""
        return self._of("acceleration")

    @property
    def jerk(self) -> Signal:
        """Jerk [m/s^3] (time, axis)."""
        return self._of("jerk")

    @property
    def rotation(self) -> Signal:
        """Rotation matrix R_WB (time, row, column) of a body or frame."""
        return self._of("rotation")

    @property
    def angular_velocity(self) -> Signal:
        """Angular velocity [rad/s] (time, axis) of a body or frame."""
        return self._of("angular_velocity")

    @property
    def angular_acceleration(self) -> Signal:
        """Angular acceleration [rad/s^2] (time, axis) of a body or frame."""
        return self._of("angular_acceleration")

    @property
    def angular_jerk(self) -> Signal:
        """Angular jerk [rad/s^3] (time, axis) of a body or frame."""
        return self._of("angular_jerk")

    def plot(
        self,
        *quantities: str,
        units: Units = None,
        x: str = "time",
        against: Mapping[str, Run] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot x, y and z.

        Parameters
        ----------
        quantities : 'position', 'velocity', 'acceleration', 'angular_velocity' ...; the position where none is given
        units, x, against, ax : as in `Run.plot`
        """
        asked = quantities or ("position",)
        _known(asked, tuple(PLACE_UNITS), self.name)
        for quantity in asked:
            self._of(quantity)  # says what there is when it is missing
        names = [f"{self.name}.{q}" for q in asked]
        return self._run.plot(*names, units=units, x=x, against=against, ax=ax)

    def path(
        self,
        *,
        units: Units = None,
        plane: str | None = None,
        against: Mapping[str, Run] | None = None,
        ax: Axes | None = None,
    ) -> Panels:
        """Plot the path of the origin, the coupler curve of a point, with equal axes.

        Parameters
        ----------
        units : units of length to show, {"length": "mm"}
        plane : 'xy', 'xz', 'yz' or 'xyz'; without, the plane in which it moves, space where there is none
        against : other runs to overlay, by the name that tells them apart
        ax : axes to draw into; a new figure without
        """
        self._of("position")
        return self._run.path(self.name, units=units, plane=plane, against=against, ax=ax)

    def hodograph(
        self,
        of: str = "velocity",
        *,
        units: Units = None,
        plane: str | None = None,
        against: Mapping[str, Run] | None = None,
        ax: Axes | None = None,
    ) -> Panels:
        """Plot the way of the tip of a vector that starts in the origin, with equal axes.

        Parameters
        ----------
        of : 'velocity', 'acceleration', 'jerk', 'angular_velocity', 'angular_acceleration' or 'angular_jerk'
        units, plane, against, ax : as of `path`
        """
        return self._run.hodograph(self.name, of=of, units=units, plane=plane, against=against, ax=ax)

    def _of(self, quantity: str) -> Signal:
        found = self.signals.get(f"{self.name}.{quantity}")
        if found is None:
            raise InputError(Problem(f"the run has no {quantity}", self.name, _there(self.signals)))
        return found

    def _told(self) -> str:
        return f", {self.kind}"


@dataclass(frozen=True, eq=False, repr=False)
class GroupItem(Item):
    """Anything else that has signals: a load, or the machine as a whole.

    `run["coil"].tension` is the labelled array of 'coil.tension'.

    name : of the load, or 'machine'
    signals : everything of it, by full name
    """

    name: str
    signals: dict[str, Signal]
    _run: Result

    @property
    def kind(self) -> str:
        """'group'."""
        return "group"

    def plot(
        self,
        *quantities: str,
        units: Units = None,
        x: str = "",
        against: Mapping[str, Any] | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> Panels:
        """Plot what it has.

        Parameters
        ----------
        quantities : such as 'tension', 'power'; all where none is given
        units, x, against, ax : as in `Run.plot` and `Result.plot`
        """
        asked = quantities or self.quantities
        _known(asked, self.quantities, self.name)
        return self._run.plot(*(f"{self.name}.{q}" for q in asked), units=units, x=x, against=against, ax=ax)


def _known(asked: tuple[str, ...], known: tuple[str, ...], where: str) -> None:
    problems = [
        Problem(f"'{q}' cannot be plotted", where, did_you_mean(str(q), known)) for q in asked if q not in known
    ]
    if problems:
        raise InputError(problems)


def _there(signals: dict[str, Signal]) -> str:
    return f"there is: {', '.join(signals)}" if signals else "it recorded nothing of it"

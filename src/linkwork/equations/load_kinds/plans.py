"""What plans of loads are made of: what they act on by index, where amounts find their arguments, names of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from linkwork.equations.vectors import Vector
from linkwork.model.amounts import ELONGATION, ELONGATION_RATE, TIME, Amount, Formula, Steady, Tabulated, variable_in
from linkwork.model.loads import Direction, InSpace, Load, OnBody
from linkwork.model.loads.load import Acts, AlongVariable, BetweenPoints
from linkwork.model.variables import full_name
from linkwork.units import SI

Source = tuple[Literal["t", "y", "w", "x", "v", "state", "number", "size"], int]
"""Time, a variable, a rate, a spring's own elongation and its rate, a named state, a number of one, or a dimension."""
SIZE = "let."
"""Before the name of a dimension in that of a load's parameter: `gas.let.bore`."""


@dataclass(frozen=True)
class AmountPlan:
    """A formula or a table and where its arguments come from; without one, the amount is a parameter."""

    law: Formula | Tabulated | None
    sources: tuple[Source, ...] = ()
    sizes: tuple[str, ...] = ()
    """Dimensions (`let`) that the formula names."""

    @property
    def numbers(self) -> tuple[str, ...]:
        """Its parameters."""
        return ("amount",) if self.law is None else tuple(f"{SIZE}{name}" for name in self.sizes)


@dataclass(frozen=True)
class Along:
    """A joint variable: its places among all variables and among all rates."""

    y: int
    w: int


@dataclass(frozen=True)
class Stretch:
    """What is stretched: a variable, or the distance of two marks."""

    along: Along | None
    first: int = -1
    second: int = -1


@dataclass(frozen=True)
class DirectionPlan:
    """A direction in space (link -1), in a link, or from one point to another (indices of marks)."""

    link: int = -1
    start: int = -1
    end: int = -1

    @property
    def between(self) -> bool:
        """Whether two points tell it."""
        return self.start >= 0


@dataclass(frozen=True)
class Places:
    """What loads refer to, by name: variables, points and links; states, and numbers of states."""

    joints: Mapping[str, Any]
    along: Mapping[str, Along]
    marks: Mapping[str, int]
    links: Mapping[str, int]
    states: Mapping[str, int] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)

    def variable(self, name: str) -> Along:
        """A variable by the name that a load has for it."""
        return self.along[full_name(self.joints, name)]

    def stretch(self, acts: Acts) -> Stretch:
        """What a load stretches."""
        if isinstance(acts, AlongVariable):
            return Stretch(self.variable(acts.variable))
        assert isinstance(acts, BetweenPoints), acts
        return Stretch(None, self.marks[acts.first], self.marks[acts.second])

    def amount(self, amount: Amount, opened: bool = True) -> AmountPlan:
        """An amount with its arguments found.

        opened : whether dimensions that it names are parameters, and not only their values
        """
        if isinstance(amount, Steady):
            return AmountPlan(None)
        sources: list[Source] = []
        sizes = amount.sizes if opened and isinstance(amount, Formula) else ()
        for name in amount.names:
            if name in self.numbers:
                sources.append(("number", self.numbers[name]))
            elif name in self.states:
                sources.append(("state", self.states[name]))
            elif name == TIME and full_name(self.joints, name) not in self.along:
                sources.append(("t", 0))
            elif name in (ELONGATION, ELONGATION_RATE) and full_name(self.joints, name) not in self.along:
                sources.append(("x", 0) if name == ELONGATION else ("v", 0))
            else:
                variable = variable_in(name)
                place = self.variable(variable)
                sources.append(("y", place.y) if variable == name else ("w", place.w))
        if sizes and isinstance(amount, Formula):
            return AmountPlan(amount.opened, (*sources, *(("size", k) for k in range(len(sizes)))), sizes)
        return AmountPlan(amount, tuple(sources))

    def direction(self, direction: Direction) -> DirectionPlan:
        """A direction with what it is tied to found."""
        if isinstance(direction, InSpace):
            return DirectionPlan()
        if isinstance(direction, OnBody):
            return DirectionPlan(self.links[direction.body])
        return DirectionPlan(-1, self.marks[direction.start], self.marks[direction.end])


@dataclass(frozen=True)
class LoadConstants:
    """Numbers of a load in the order of its plan's `numbers`, and its direction (in a link's frame if it is tied)."""

    numbers: tuple[Any, ...]
    direction: Vector


@dataclass(frozen=True)
class Done:
    """The magnitude of a load, and the power that it puts into the machine [W]."""

    magnitude: Any
    power: Any


class State(Protocol):
    """A state of the machine, and what has been put on it so far, as rules of loads see it: `equations.loads`."""

    y: Sequence[Any]
    w: Sequence[Any]
    tree: Any
    forces: dict[int, Vector]
    along: dict[int, Any]

    @property
    def poses(self) -> Sequence[Any]:
        """Poses of all links in the world."""

    @property
    def twists(self) -> Sequence[Any]:
        """Velocities and angular velocities of all links in the world."""

    def on(self, x: Any) -> Any:
        """What a load would do, as far as it is switched on."""

    def pose(self, link: int) -> Any:
        """Pose of a link in the world; of ground for -1."""

    def place(self, mark: int) -> tuple[Vector, Vector]:
        """Position and velocity of a mark in the world."""

    def spin(self, link: int) -> Vector:
        """Angular velocity of a link in the world."""

    def stretched(self, what: Stretch) -> tuple[Any, Any, Vector]:
        """A variable or a distance, its rate, and the direction from the first point to the second."""

    def direction(self, plan: DirectionPlan, given: Vector) -> Vector:
        """A unit direction in the world."""

    def amount(self, plan: AmountPlan, steady: Any, x: Any = 0.0, v: Any = 0.0) -> Any:
        """The value of an amount."""

    def slip(self) -> Any:
        """The way in which the next friction that holds slips; None where the sign of the rate tells."""

    def push(self, mark: int, force: Vector) -> None:
        """A force on a mark, along the world's axes."""

    def turn(self, link: int, moment: Vector) -> None:
        """A moment on a link, along its own axes."""

    def work(self, along: Along, force: Any) -> Done:
        """A force along a variable."""

    def pull(self, what: Stretch, tension: Any, direction: Vector) -> None:
        """A tension that shortens a distance, or lowers a variable."""

    def store(self, energy: Any, rate: Any) -> None:
        """Energy that a load keeps [J], and how it grows [W]."""


class LoadPlan:
    """Base of what the equations know of a load: indices and structure, no numbers.

    record : the kind of load that it plans; none for the laws of gravity
    stores : whether it keeps energy; carries : whether it adds inertia; drives : whether it is there to drive a joint
    """

    record: ClassVar[type[Load] | None]
    stores: ClassVar[bool] = False
    carries: ClassVar[bool] = False
    drives: ClassVar[bool] = False
    if TYPE_CHECKING:  # every plan has it, as its own field

        @property
        def name(self) -> str: ...

    @property
    def signal(self) -> str:
        """The name of its magnitude among signals; empty for the laws of gravity."""
        return "" if self.record is None else f"{self.name}.{self.record.magnitude}"

    def unit(self, efforts: Sequence[str]) -> str:
        """The SI unit of its magnitude; efforts : units of what acts along each rate."""
        if self.acts_along is not None:
            return efforts[self.acts_along.w]
        return "" if self.record is None else SI.symbol(self.record.measure)

    @classmethod
    def of(cls, load: Any, places: Places) -> LoadPlan:
        """The plan of a record."""
        raise AssertionError(cls.__name__)  # every kind gives its own

    @property
    def numbers(self) -> tuple[str, ...]:
        """Its parameters, `amount` among them where an amount is a number."""
        return tuple(dict.fromkeys(key for amount in self.amounts for key in amount.numbers))

    @property
    def amounts(self) -> tuple[AmountPlan, ...]:
        """Its amounts."""
        return ()

    @property
    def acts_along(self) -> Along | None:
        """The variable that it acts along, if any."""
        return None

    @property
    def stretch(self) -> Stretch | None:
        """What it stretches, where its amounts may speak of an elongation."""
        return None

    @property
    def way(self) -> DirectionPlan | None:
        """The direction that its record gives, if any."""
        return None

    @property
    def losing(self) -> tuple[str, ...] | None:
        """Numbers by which it takes energy out of the machine; None where it does work of its own."""
        return None

    def act(self, state: State, given: LoadConstants) -> Done:
        """What it does to links and joints at a state."""
        raise AssertionError(self.name)  # every kind gives its own

    def rotor(self, given: LoadConstants) -> Any:
        """Inertia that it adds to the rate of its variable."""
        return 0.0

    def named(self, given: LoadConstants) -> dict[str, Any]:
        """Its numbers by name."""
        return dict(zip(self.numbers, given.numbers, strict=True))

"""What a kind of load is: a plain record, and a declaration from which all rooms know how to treat it.

A kind says where it acts, how its numbers are called and what they measure, the word for its magnitude, and its symbol.
Model files both ways, editors' schemas, units, parameters, tables and pictures follow from that; what it does to a
machine stands in `equations/load_kinds/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from linkwork.errors import ModelError, Problem
from linkwork.model.amounts import Amount, Steady
from linkwork.model.loads.directions import Direction
from linkwork.model.variables import JointVariable, Owner, find_variable
from linkwork.units import FORCE, LENGTH, NUMBER, SI, TIME, Dimension
from linkwork.units.dimensions import described

if TYPE_CHECKING:
    from collections.abc import Iterable

Symbol = Literal["", "coil", "dashpot", "arrow", "bow"]
"""How a load is drawn: a wire that winds between points or about a pin, a cylinder with a rod, a straight arrow, a
curved one; or not at all."""


# ---------------------------------------------------------------- where a load acts


@dataclass(frozen=True)
class AlongVariable:
    """Along a joint variable: positive, the magnitude tends to increase it, or as the kind says."""

    variable: str


@dataclass(frozen=True)
class BetweenPoints:
    """On two points along their line: positive, the magnitude pulls them together."""

    first: str
    second: str


@dataclass(frozen=True)
class OnPoint:
    """A force on a point."""

    point: str
    along: Direction


@dataclass(frozen=True)
class OnWholeBody:
    """A torque on a body."""

    body: str
    about: Direction


Acts = AlongVariable | BetweenPoints | OnPoint | OnWholeBody


# ---------------------------------------------------------------- what its numbers measure


@dataclass(frozen=True)
class Scope:
    """What a load acts along, and what acts along that: a variable, or the distance of two points."""

    quantity: Dimension = LENGTH
    effort: Dimension = FORCE

    @property
    def rate(self) -> Dimension:
        """What the rate of the variable measures."""
        return self.quantity / TIME


Measure = Dimension | Callable[[Scope], Dimension]
"""What a number measures: always the same, or by what the load acts along."""


def of_effort(scope: Scope) -> Dimension:
    """A force along a length, a torque about an angle."""
    return scope.effort


def of_quantity(scope: Scope) -> Dimension:
    """What the variable measures."""
    return scope.quantity


def of_rate(scope: Scope) -> Dimension:
    """What the rate of the variable measures."""
    return scope.rate


def of_stiffness(scope: Scope) -> Dimension:
    """Effort over variable."""
    return scope.effort / scope.quantity


def of_damping(scope: Scope) -> Dimension:
    """Effort over rate."""
    return scope.effort / scope.rate


# ---------------------------------------------------------------- keys: what users and files call its parts


@dataclass(frozen=True)
class Tied:
    """Two points (key `between` in files, fields first and second), or a joint (field variable)."""

    key: ClassVar[str] = "between"


@dataclass(frozen=True)
class OnJoint:
    """A joint's variable (key `joint`, field variable)."""

    key: ClassVar[str] = "joint"


@dataclass(frozen=True)
class Named:
    """A point or a body, by name."""

    key: str


@dataclass(frozen=True)
class Way:
    """A direction: `key` with `on`, or `toward`; `turns` says what turns with a body."""

    key: str
    turns: str


@dataclass(frozen=True)
class Number:
    """A number, which is a parameter of the machine.

    word : in tables; the key itself unless given
    least, positive : bounds; never_zero : why zero is wrong
    """

    key: str
    measures: Measure
    word: str = ""
    least: float | None = None
    positive: bool = False
    never_zero: str = ""


@dataclass(frozen=True)
class Levels:
    """One number for both ways of a motion or one for each, zero or more; `fields` of the record keep both."""

    key: str
    measures: Measure
    fields: tuple[str, str]
    word: str = ""


@dataclass(frozen=True)
class Much:
    """An amount: a number, a formula or a table. A number is the parameter `amount`.

    elongation : whether it may speak of the elongation x of what the load acts along, and of its rate v
    """

    key: str
    measures: Measure
    word: str = ""
    elongation: bool = False


@dataclass(frozen=True)
class Choice:
    """One of several words."""

    key: str
    options: tuple[str, ...]


Key = Tied | OnJoint | Named | Way | Number | Levels | Much | Choice


@dataclass(frozen=True)
class Section:
    """A section of model files: the method of Mechanism that adds an entry, what it is, and those of its keys that
    stand there (all unless given)."""

    name: str
    method: str
    about: str
    only: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """What one of its loads is called."""
        return self.name.removesuffix("s")


# ---------------------------------------------------------------- a kind


class Load:
    """Base of every kind of load.

    sections : where it stands in model files; most have one
    keys : what users and files call its parts, in the order of files
    shown : keys in the order of tables, where that differs
    magnitude : the word for its signal, `coil.tension`
    measure : what the magnitude measures where it acts along no variable
    table : of the Mechanism, that holds it
    """

    sections: ClassVar[tuple[Section, ...]]
    keys: ClassVar[tuple[Key, ...]]
    shown: ClassVar[tuple[str, ...]] = ()
    magnitude: ClassVar[str]
    measure: ClassVar[Dimension] = FORCE
    table: ClassVar[Literal["loads", "motors"]] = "loads"

    if TYPE_CHECKING:  # every record has them, as its own fields

        @property
        def name(self) -> str: ...

        @property
        def description(self) -> str: ...

    @property
    def acts(self) -> Acts:
        """Where it acts."""
        raise AssertionError(type(self).__name__)  # every kind gives its own

    @property
    def section(self) -> Section:
        """Where this record stands in model files."""
        return self.sections[0]

    @property
    def symbol(self) -> Symbol:
        """How it is drawn."""
        return _SYMBOLS[type(self.acts)]

    @property
    def rest(self) -> float | None:
        """Value or distance from which elongations count; None for that of the layout."""
        return None

    def idle(self) -> str:
        """Why it can have no effect, by its numbers; empty where it has one."""
        return ""

    def concerns(self, along: JointVariable | None) -> Iterable[Problem]:
        """What is wrong or doubtful about it in a whole model, beyond names and places; `where` is a key of its own.

        along : the variable it acts along, where that is known
        """
        return ()


_SYMBOLS: dict[type[Acts], Symbol] = {AlongVariable: "", BetweenPoints: "coil", OnPoint: "arrow", OnWholeBody: "bow"}


def measured(measures: Measure, scope: Scope) -> Dimension:
    """What a number measures in a scope."""
    return measures if isinstance(measures, Dimension) else measures(scope)


def scope_of(load: Load, joints: Mapping[str, Owner]) -> Scope:
    """What a load acts along; the distance of points for one that acts along no variable."""
    found = find_variable(joints, load.acts.variable) if isinstance(load.acts, AlongVariable) else None
    return Scope() if found is None else Scope(found.quantity, found.effort)


def assert_unit_fits(load: Load, joints: Mapping[str, Owner]) -> None:
    """ModelError where an amount was given as text with a unit of something else: '5 kN' of a torque."""
    for key in load.keys:
        amount = getattr(load, key.key) if isinstance(key, Much) else None
        if not isinstance(key, Much) or not isinstance(amount, Steady) or amount.measures is None:
            continue
        wanted = measured(key.measures, scope_of(load, joints))
        if not wanted.accepts(amount.measures):
            hint = f"{described(wanted)} is wanted, such as '{f'5 {SI.symbol(wanted)}'.strip()}'"
            where = f"{load.section.name}.{load.name}.{key.key}"
            raise ModelError(Problem(f"'{amount.told}' is {described(amount.measures)}", where, hint))


def numbers_of(kind: type[Load]) -> dict[str, Number]:
    """The numbers of a kind by the field of its record."""
    found: dict[str, Number] = {}
    for key in kind.keys:
        if isinstance(key, Number):
            found[key.key] = key
        elif isinstance(key, Levels):
            found |= {field: Number(field, key.measures, least=0.0) for field in key.fields}
    return found


def usual_values(kind: type[Load]) -> dict[str, Any]:
    """Values of fields that a record has unless others are given."""
    return {f.name: f.default for f in fields(kind)}  # type: ignore[arg-type]


def amounts_of(load: Load) -> dict[str, Amount]:
    """The amounts of a load, by the key under which they are given."""
    given = {key.key: getattr(load, key.key) for key in load.keys if isinstance(key, Much)}
    return {key: amount for key, amount in given.items() if amount is not None}


def parameter_measures(load: Load, key: str, scope: Scope) -> Dimension | None:
    """What a parameter of a load measures; None where it has none of this name."""
    if (number := numbers_of(type(load)).get(key)) is not None:
        return measured(number.measures, scope)
    if key == "amount":
        return next((measured(k.measures, scope) for k in load.keys if isinstance(k, Much)), None)
    has_way = any(isinstance(k, Way) for k in load.keys)
    return NUMBER if has_way and key.partition(".")[0] == "along" else None

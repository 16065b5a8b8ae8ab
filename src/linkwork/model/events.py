"""What happens while a machine moves, as plain records: stops that it runs into, conditions, and given times. SI.

    stop    low <= what <= high, kept by an impact or by an elastic force
    when    actions where an expression crosses zero
    at      actions at a given time

Expressions speak of joint variables (`A`, `C.slide`), of the time `t`, and of coordinates of points, frames and bodies
in the world (`tip.z`); those of `when` also of rates (`rate(A)`, `rate(tip.z)`). `event_checks` compares the names with
a mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_args

from linkwork.errors import InputError, ModelError, Problem, did_you_mean
from linkwork.expressions import names_in
from linkwork.expressions.comparisons import compared, comparison, limit_value
from linkwork.expressions.names import differentiated
from linkwork.model.amounts import TIME
from linkwork.model.parts import checked_name
from linkwork.model.text_values import in_si, looks_like_number
from linkwork.model.vectors import number
from linkwork.units import TIME as SECONDS
from linkwork.units import Dimension
from linkwork.units.quantities import parse_free

Direction = Literal["both", "rising", "falling"]
Names = str | Iterable[str]
Made = TypeVar("Made")


@dataclass(frozen=True, repr=False)
class Stop:
    """A limit on one side or on both: low <= what <= high; made by `stop`.

    what : an expression of joint variables, coordinates and time
    low, high : [rad, m]; None where there is no limit
    restitution : rate after an impact by rate before it, 0 to 1; of rigid stops
    stiffness [N/m, N m/rad], damping [N s/m, N m s/rad] : of elastic stops, whose force never pulls; None, 0 of rigid
        ones
    measured : what the units of the limits measure that were given as text; None of bare ones, which are in SI
    """

    what: str
    low: float | None = None
    high: float | None = None
    restitution: float = 0.0
    stiffness: float | None = None
    damping: float = 0.0
    name: str = ""
    measured: Dimension | None = field(default=None, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """What it depends on."""
        return names_in(self.what)

    @property
    def elastic(self) -> bool:
        """Whether it yields; else it is rigid."""
        return self.stiffness is not None

    def __str__(self) -> str:
        low = "" if self.low is None else f"{self.low:g} <= "
        high = "" if self.high is None else f" <= {self.high:g}"
        kind = f"restitution {self.restitution:g}"
        if self.stiffness is not None:
            kind = f"stiffness {self.stiffness:g}" + (f", damping {self.damping:g}" if self.damping else "")
        return f"{_titled(self.name)}stop {low}{self.what}{high}, {kind}"

    __repr__ = __str__


@dataclass(frozen=True)
class Actions:
    """What an event does.

    lock, release : joint variables; on, off : loads by name; set : new values of parameters by name [SI]
    stop : the simulation ends; from_rest : what `set` adds to the masses was at rest, and is taken along by an impact
    """

    lock: tuple[str, ...] = ()
    release: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    set: tuple[tuple[str, float], ...] = ()
    stop: bool = False
    from_rest: bool = False

    def __str__(self) -> str:
        parts = [f"{key} {', '.join(names)}" for key in _LISTS if (names := getattr(self, key))]
        if self.set:
            parts.append("set " + ", ".join(f"{name} = {value:g}" for name, value in self.set))
        parts += ["from rest"] if self.from_rest else []
        parts += ["end"] if self.stop else []
        return "; ".join(parts) or "record it"


_LISTS = ("lock", "release", "on", "off")


@dataclass(frozen=True, repr=False)
class When:
    """Something that is done where a condition crosses zero; made by `when`.

    condition : an expression of joint variables, coordinates, their rates, and time
    direction : which crossings count: "both", "rising" (from below to above zero) or "falling"
    once : only the first crossing counts
    measured : what the unit of the number measures that was compared with; None of a bare one, which is in SI
    """

    condition: str
    actions: Actions
    direction: Direction = "both"
    once: bool = False
    name: str = ""
    measured: Dimension | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What the condition depends on."""
        return names_in(self.condition)

    def __str__(self) -> str:
        way = {"both": "crosses zero", "rising": "rises above zero", "falling": "falls below zero"}[self.direction]
        once = " for the first time" if self.once else ""
        return f"{_titled(self.name)}when {self.condition} {way}{once}: {self.actions}"

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class At:
    """Something that is done at a given time [s]; made by `at`."""

    time: float
    actions: Actions
    name: str = ""

    def __str__(self) -> str:
        return f"{_titled(self.name)}at {self.time:g} s: {self.actions}"

    __repr__ = __str__


Event = Stop | When | At


def _titled(name: str) -> str:
    return f"{name}: " if name else ""


# ---------------------------------------------------------------- how they are made


def stop(
    what: str,
    *,
    low: float | str | None = None,
    high: float | str | None = None,
    restitution: float = 0.0,
    stiffness: float | str | None = None,
    damping: float | str | None = None,
    name: str = "",
) -> Stop:
    """A limit of travel: low <= what <= high.

    A rigid stop throws back by an impact, with all joints and loops taking part; when it no longer bounces the machine
    rests on it until something lifts it off. An elastic one (with a stiffness) pushes beyond the limit only, by
    stiffness · depth + damping · rate of depth, and never pulls.

    Parameters
    ----------
    what : a joint variable such as "A" or "C.slide", a coordinate such as "tip.z", or an expression of both and of t;
        or the whole stop as text, "0 <= A <= 60deg; restitution 0.5"
    low, high : limits [rad, m], or with a unit, "170 deg"; one of them may be left out
    restitution : rate after the impact by rate before it, from 0 (no bounce) to 1 (no loss)
    stiffness : of an elastic stop [N/m, N m/rad]
    damping : of an elastic stop [N s/m, N m s/rad]
    name : under which it is recorded
    """
    if isinstance(what, str) and compared(what)[1]:
        return _stop_of_text(what, low, high, restitution, stiffness, damping, name)
    part = _Gather("stop", name)
    text = part(_position, what, part.at("what")) or ""
    measured: Dimension | None = None
    ends: list[float | None] = []
    for key, x in (("low", low), ("high", high)):
        found = None if x is None else part(_measured_number, x, part.at(key))
        ends.append(None if found is None else found[0])
        measured = measured if found is None or found[1] is None else found[1]
    if low is None and high is None:
        part.wrong("neither a lowest nor a highest value is given", hint="give `low`, `high` or both")
    if ends[0] is not None and ends[1] is not None and ends[0] >= ends[1]:
        part.wrong(f"low is {ends[0]:g}, high is {ends[1]:g}", hint="low must be below high")
    bounce = part(number, restitution, part.at("restitution")) or 0.0
    if not 0.0 <= bounce <= 1.0:
        part.wrong(f"the restitution is {bounce:g}", "restitution", "write a number from 0 to 1")
    stiffness, damping = (
        x if not isinstance(x, str) else (part(_measured_number, x, part.at(key)) or (1.0, None))[0]
        for key, x in (("stiffness", stiffness), ("damping", damping))
    )
    stiff = None if stiffness is None else part(number, stiffness, part.at("stiffness"))
    if stiff is not None and stiff <= 0.0:
        part.wrong(f"the stiffness is not positive: {stiff:g}", "stiffness", "leave it out for a rigid stop")
    damp = 0.0 if damping is None else part(number, damping, part.at("damping")) or 0.0
    if damp < 0.0:
        part.wrong(f"the damping is negative: {damp:g}", "damping", "write 0 or more")
    if damping is not None and stiffness is None:
        part.wrong("damping without stiffness", "damping", "give `stiffness`, too, or `restitution` of a rigid stop")
    if stiffness is not None and bounce:
        part.wrong("restitution besides stiffness", "restitution", "an elastic stop loses energy by its `damping`")
    part.done()
    return Stop(text, ends[0], ends[1], bounce, stiff, damp, name, measured)


def _stop_of_text(text: str, *others: Any) -> Stop:
    """A stop from "0 <= A <= 60deg; restitution 0.5", which says everything."""
    from linkwork.model.event_texts import read_stop

    if others != (None, None, 0.0, None, None, ""):
        hint = "say it within the text: 'A <= 60deg; restitution 0.5; name top'"
        raise InputError(Problem("a stop as text, and more besides", "stop", hint))
    return read_stop(text)


def _measured_number(value: Any, where: str) -> tuple[float, Dimension | None]:
    """A number in SI, and what its unit measures where it is text with one."""
    if not isinstance(value, str) or not looks_like_number(value):
        return number(value, where), None
    try:
        return parse_free(value)
    except ModelError as error:
        raise InputError([Problem(p.what, where, p.hint) for p in error.problems]) from None


def when(
    condition: str,
    *,
    direction: Direction = "both",
    lock: Names = (),
    release: Names = (),
    on: Names = (),
    off: Names = (),
    set: Mapping[str, float] | None = None,
    stop: bool = False,
    once: bool = False,
    name: str = "",
    from_rest: bool = False,
) -> When:
    """Something to do where an expression crosses zero.

    With a name and nothing to do, the crossings are recorded.

    Parameters
    ----------
    condition : an expression such as "tip.z - 0.1" or "rate(A)", of joint variables, coordinates, their rates, and t;
        or a comparison with a number, "A > 0.3" or "tip.z <= 100mm", which counts where it becomes true; with actions
        behind ':' it says everything, "tip.z < 100mm: lock B; once"
    direction : which crossings count: "both", "rising" or "falling"
    lock : joint variables that are held from now on, such as "B" or ["B", "C.slide"]
    release : joint variables that are free again
    on, off : loads that are switched on and off, by name; all act from the start
    set : new values of parameters, such as {"load.mass": 2.0} [SI]
    stop : True ends the simulation
    once : True for the first crossing alone
    name : under which it is recorded
    from_rest : True where what `set` adds to the masses was at rest: the machine takes it along by an impact without
        bounce, and slows down; else it is taken to move along already
    """
    if isinstance(condition, str) and ":" in condition:
        from linkwork.model.event_texts import read_when

        given = (direction, lock, release, on, off, set, stop, once, name, from_rest)
        if given != ("both", (), (), (), (), None, False, False, "", False):
            hint = "say it within the text: 'tip.z < 100mm: lock B; once'"
            raise InputError(Problem("actions as text, and more besides", "when", hint))
        return read_when(condition)
    part = _Gather("when", name)
    text, way, measured = part(_crossing, condition, direction, part.at("condition")) or ("", direction, None)
    if direction not in get_args(Direction):
        hint = did_you_mean(str(direction)[:30], get_args(Direction))
        part.wrong(f"{str(direction)[:30]!r} is not a direction", "direction", hint)
    actions = part(_actions, part.where, lock, release, on, off, set, stop, from_rest)
    if actions == Actions() and not name:
        hint = "lock, release, switch loads on or off, set, stop; or give a name to record it under"
        part.wrong("nothing is to be done", hint=hint)
    first = part.yes_or_no(once, "once")
    part.done()
    return When(text, actions or Actions(), way, first, name, measured)


def at(
    time: float | str,
    *,
    lock: Names = (),
    release: Names = (),
    on: Names = (),
    off: Names = (),
    set: Mapping[str, float] | None = None,
    stop: bool = False,
    name: str = "",
    from_rest: bool = False,
) -> At:
    """Something to do at a given time.

    Parameters
    ----------
    time : [s], 0 or later, or with a unit, "50 ms"; with actions behind ':' it says everything, "2.5s: off coil"
    lock, release, on, off, set, stop, name, from_rest : as those of `when`
    """
    if isinstance(time, str) and ":" in time:
        from linkwork.model.event_texts import read_at

        if (lock, release, on, off, set, stop, name, from_rest) != ((), (), (), (), None, False, "", False):
            hint = "say it within the text: '2.5s: off coil; set tool.mass = 2kg'"
            raise InputError(Problem("actions as text, and more besides", "at", hint))
        return read_at(time)
    part = _Gather("at", name)
    moment = part(_seconds, time, part.at("time")) or 0.0
    if moment < 0.0:
        part.wrong(f"the time is {moment:g} s", "time", "a simulation begins at 0 s")
    actions = part(_actions, part.where, lock, release, on, off, set, stop, from_rest)
    if actions == Actions():
        part.wrong("nothing is to be done", hint="lock, release, switch loads on or off, set or stop")
    part.done()
    return At(moment, actions or Actions(), name)


def _seconds(value: Any, where: str) -> float:
    """A time [s]."""
    return number(in_si(value, SECONDS, where), where)


class _Gather:
    """Takes several steps in spite of errors, and raises the problems of all of them at its end."""

    def __init__(self, where: str, name: Any = "") -> None:
        self.problems: list[Problem] = []
        if name != "":
            self(checked_name, name, f"{where}.name")
        self.where = f"{where}.{name}" if name and not self.problems else where

    def __call__(self, make: Callable[..., Made], *given: Any) -> Made | None:
        try:
            return make(*given)
        except ModelError as error:
            self.problems += error.problems
            return None

    def at(self, key: str) -> str:
        return f"{self.where}.{key}"

    def wrong(self, what: str, key: str = "", hint: str = "") -> None:
        self.problems.append(Problem(what, self.at(key) if key else self.where, hint))

    def yes_or_no(self, value: Any, key: str) -> bool:
        if not isinstance(value, bool):
            self.wrong(f"{key} is {value!r}", key, "write True or False")
        return value is True

    def done(self) -> None:
        if self.problems:
            raise InputError(self.problems)


def _expression(text: Any, where: str) -> str:
    """The text of an expression that depends on something."""
    try:
        names = names_in(text)
    except ModelError as error:
        raise InputError([Problem(p.what, where, p.hint) for p in error.problems]) from None
    plain = " ".join(text.split())
    if not names:
        raise InputError(Problem(f"'{plain}' depends on nothing", where, "name a joint variable or a coordinate"))
    return plain


def _crossing(text: Any, direction: Direction, where: str) -> tuple[str, Direction, Dimension | None]:
    """An expression whose zero counts, which crossings do, and what the unit of a number beside it measures."""
    try:
        found = comparison(" ".join(text.split())) if isinstance(text, str) else None
        read = 0.0 if found is None else limit_value(found.limit, parse_free)
        value, measured = (read, None) if isinstance(read, float) else read
    except ModelError as error:
        raise InputError([Problem(p.what, where, p.hint) for p in error.problems]) from None
    if found is None:
        return _expression(text, where), direction, None
    if direction != "both":
        raise InputError(Problem("a comparison tells the direction itself", where, "leave `direction` out"))
    _expression(found.what, where)
    return *found.crossing(value), measured


def _position(text: Any, where: str) -> str:
    """An expression of positions and of time."""
    plain = _expression(text, where)
    names = names_in(plain)
    rates = [name for name in names if differentiated(name) is not None]
    if rates:
        hint = "leave rates out, or watch for them with `when`"
        raise InputError(Problem(f"a stop limits positions, not {', '.join(rates)}", where, hint))
    if names == (TIME,):
        raise InputError(Problem("time cannot be stopped", where, "name a joint variable or a coordinate"))
    return plain


def _actions(
    where: str, lock: Any, release: Any, on: Any, off: Any, changed: Any, stop: Any, from_rest: Any
) -> Actions:
    part = _Gather(where)
    lists = {key: _names(part, given, key) for key, given in zip(_LISTS, (lock, release, on, off), strict=True)}
    for one, other in (("lock", "release"), ("on", "off")):
        for name in sorted({*lists[one]} & {*lists[other]}):
            part.wrong(f"'{name}' under {one} and under {other}", hint="keep one of them")
    values = _values(part, {} if changed is None else changed)
    taken = part.yes_or_no(from_rest, "from_rest")
    if taken and not changed:
        part.wrong("nothing is set that could come from rest", "from_rest", "give `set`, or leave `from_rest` out")
    end = part.yes_or_no(stop, "stop")
    part.done()
    return Actions(**lists, set=values, stop=end, from_rest=taken)


def _names(part: _Gather, given: Any, key: str) -> tuple[str, ...]:
    try:
        names = (given,) if isinstance(given, str) else tuple(given)
    except TypeError:
        names = (given,)
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if wrong or isinstance(given, Mapping):
        part.wrong(f"{wrong[0] if wrong else given!r} is not a name", key, "write a name, or a list of names")
        return ()
    for name in sorted({name for name in names if names.count(name) > 1}):
        part.wrong(f"'{name}' is given twice", key)
    return names


def _values(part: _Gather, given: Any) -> tuple[tuple[str, float], ...]:
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        part.wrong("parameters are set by name", "set", "write {'load.mass': 2.0}")
        return ()
    found = []
    for name, value in given.items():
        free = part(_measured_number, value, part.at(f"set.{name}"))
        x = None if free is None else free[0]
        if x is not None and x < 0.0 and name.endswith(".mass"):
            part.wrong(f"the mass is negative: {x:g} kg", f"set.{name}")
        found.append((name, x or 0.0))
    return tuple(found)

"""Where a machine rests, and whether it stays there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.asked import Asked, asked
from linkwork.analyses.equilibrium.balance import Balance, Chart
from linkwork.analyses.equilibrium.search import LIMIT, LOST, REST, UNBOUNDED, Found, searched
from linkwork.analyses.equilibrium.spring_energy import potential_energies, without_energy
from linkwork.analyses.equilibrium.verdict import Judged, Verdict, judged
from linkwork.analyses.forces.finite import loads_must_be_finite
from linkwork.analyses.forces.over_run import SPEEDS, effort_names, effort_units
from linkwork.analyses.forces.statics import Statics, statics_at
from linkwork.analyses.kinematics.failures import NoFreedom
from linkwork.analyses.kinematics.joint_limits import SLACK, JointLimit, joint_limits
from linkwork.analyses.kinematics.loops import Mask
from linkwork.analyses.kinematics.motion import reached
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.preference import preference
from linkwork.equations.load_plans import exact_frictions
from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.units.efforts import EffortTexts

if TYPE_CHECKING:
    from linkwork.analyses.equilibrium.friction import FrictionShare, Holding, Interval
    from linkwork.analyses.equilibrium.stiffness import PlaceStiffness
    from linkwork.analyses.linear.linearization import Linearization
    from linkwork.analyses.machine import Machine

STEADY = 1e-6
"""Part of the forces at hand by which they may change along a steady motion."""
TURN = 0.7
"""How far along it that is looked for [rad, or parts of the machine's size]."""
ROUNDS = 12
"""How often stops may be met or left on the way."""


class NoEquilibrium(ModelError):
    """No posture of rest was found; `reached` is the posture at which the search ended.

    reached : the last posture; None where there is none
    """

    def __init__(
        self, problems: Iterable[Problem] | Problem | str = (), source: str = "", reached: Posture | None = None
    ) -> None:
        self.reached = reached
        super().__init__(problems, source)


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A machine at rest with nothing left of the forces along its freedoms; `print` shows all.

    posture : where it rests
    verdict : "stable", "unstable", "neutral", "undecided", or "held" where nothing is free; reason : why, if not plain
    efforts : what holds the variables that are held [N, N m], by name
    stops : what stops at limits of travel push with [N, N m], by variable
    given : efforts that were given [N, N m], by variable
    states : named states at rest
    energies : potential energy of "gravity" and of "springs", their laws among them [J]
    coordinates : the rates that are free, rows and columns of `K`; K : minus the derivative of the forces along them
        by their coordinates [N/m, N m/rad, ...]
    neutral : by direction that nothing resists, the joints that move with it
    residual : largest force that is left along a free coordinate [N, N m]; scale : what forces there are, to compare
    steps : strides of the search
    warnings : what should be known
    stays : whether it was asked to stay where it starts, held by its exact frictions
    """

    posture: Posture
    verdict: Verdict
    reason: str
    efforts: dict[str, float]
    stops: dict[str, float]
    given: dict[str, float]
    states: dict[str, float]
    energies: dict[str, float]
    coordinates: tuple[str, ...]
    K: Array
    neutral: tuple[tuple[str, ...], ...]
    residual: float
    scale: float
    steps: int
    warnings: tuple[str, ...]
    stays: bool
    _machine: Machine
    _asked: Asked
    _held: Mask
    _stops: dict[int, int]

    def __getitem__(self, name: str) -> Any:
        """A variable at rest by name, as of its posture; a named state."""
        return self.states[name] if name in self.states else self.posture[name]

    @property
    def rates(self) -> dict[str, float]:
        """What moves steadily, by variable [rad/s, m/s]."""
        given = self._asked
        names = effort_names(given.loops)
        return {} if given.rates is None else {names[c]: float(given.rates[c]) for c in np.flatnonzero(given.rates)}

    @property
    def stable(self) -> bool:
        """Whether it stays there after a small push."""
        return self.verdict in ("stable", "held")

    @cached_property
    def statics(self) -> Statics:
        """What every joint carries there, and the loads; its efforts hold the machine, those given included."""
        if self._asked.rates is not None:
            text = "it moves steadily, which is no matter of statics"
            raise InputError(Problem(text, "statics", "ask `forces` of a motion with these rates"), self._machine.name)
        own = self._machine._with_states(self.states) if self.states else self._machine
        posture = own._posture(self.posture, {})
        drives = set(own.loops.drivable(posture._roles.independent))
        given = {name: value for name, value in self.given.items() if name not in drives and name in posture.values}
        return statics_at(own.loops, posture, None, given or None, None, None, None, None, self._asked.t)

    # ---------------------------------------------------------------- friction

    @cached_property
    def _holding(self) -> Holding:
        from linkwork.analyses.equilibrium.friction import Holding

        if self._asked.rates is not None:
            raise InputError(Problem("friction holds nothing in a steady motion", "interval"), self._machine.name)
        given, y = self._asked, self._asked.posture.y.copy()
        y[: self._machine.plan.ny] = self.posture.y
        x = np.array(list(self.states.values()))
        return Holding(given.loops, y, x, given.effort, given.t, given.held, self._stops)

    @cached_property
    def friction(self) -> dict[str, FrictionShare]:
        """What each exact friction does there, by name: its force, what it can exert, the share that is used.

        Nothing where the machine rests without friction; where it `stays` they hold it. Smooth friction is not there.
        """
        from linkwork.analyses.equilibrium.friction import shares_of

        return shares_of(self._holding)[0]

    @cached_property
    def self_locking(self) -> bool:
        """Whether exact friction alone keeps the machine there when what holds it is let go."""
        from linkwork.analyses.equilibrium.friction import Holding, shares_of

        own = self._holding
        free = Holding(own.loops, own.y, own.x, own.effort, own.t, np.zeros_like(own.held), own.stops)
        return bool(free.grips.names) and shares_of(free)[1] <= 1.0 + 1e-9

    def interval(self, name: str) -> Interval:
        """Between which values of something the machine stays at rest, held by its exact frictions.

        Of an effort or a number of the model at this posture, of a variable under the loads that are there. An effort
        of what is held is the one that holds it.

        Parameters
        ----------
        name : an effort ("A.effort"), a number of the model ("weight.amount", "lid.mass"), or a variable
        """
        from linkwork.analyses.equilibrium.friction import interval_of

        return interval_of(self, name)

    # ---------------------------------------------------------------- stiffness

    @cached_property
    def _linear(self) -> Linearization:
        return self._machine.linearize(self)

    def stiffness(self, place: str) -> PlaceStiffness:
        """How stiff the machine is at a place: forces and moments over displacements and turns, world axes.

        What the equilibrium holds is rigid. Directions that are rigid or free are told by the result, not part of its
        numbers.

        Parameters
        ----------
        place : a body or frame (6 x 6, about its origin), or a point (3 x 3)
        """
        from linkwork.analyses.equilibrium.stiffness import place_stiffness

        return place_stiffness(self, place, "stiffness")

    def compliance(self, place: str) -> PlaceStiffness:
        """How much a place gives way: displacements and turns over forces and moments, world axes.

        Parameters
        ----------
        place : a body or frame (6 x 6, about its origin), or a point (3 x 3)
        """
        from linkwork.analyses.equilibrium.stiffness import place_stiffness

        return place_stiffness(self, place, "compliance")

    def deflection(self, loads: Mapping[str, float], outputs: str | Sequence[str] = ()) -> dict[str, float]:
        """How much everything moves when loads change, to first order; what is held stays.

        Raises NothingResists where they push along a direction that nothing holds.

        Parameters
        ----------
        loads : changes by name of an input of `linearize`: `tip.fx`, `tool.mz`, `A.effort`, `wind`, `coil.free`; of
            what is held its displacement [SI]
        outputs : names of outputs of `linearize`; all variables by default
        """
        from linkwork.analyses.equilibrium.stiffness import deflection

        return deflection(self, loads, outputs)

    # ---------------------------------------------------------------- text

    def __str__(self) -> str:
        loops = self.posture.loops
        texts = EffortTexts.among(
            loops.system.layout.units,
            [x for n, x in self._forces if self._unit(n) == "N"],
            [x for n, x in self._forces if self._unit(n) != "N"] + list(self.energies.values()),
            loops.length,
        )
        how = "is held" if self.verdict == "held" else f"rests, {self.verdict}"
        lines = [f"{self._machine.name} {how}" + (f": {self.reason}" if self.reason else "")]
        for name in dict.fromkeys([*loops.drivable(self.posture._roles.independent), *self.efforts, *self.stops]):
            if name in self.posture.values:
                lines.append(f"  {name} = {loops.shown(name, self.posture.values[name])}")
        for name, value in self.rates.items():
            lines.append(f"  {name} goes on with {value:.6g} {SPEEDS[self._unit(name)]}")
        lines += [f"  {name} = {value:.6g}" for name, value in self.states.items()]
        for name, value in self.efforts.items():
            lines.append(f"  {name} is held by {texts.text(value, self._unit(name))}")
        for name, value in self.stops.items():
            lines.append(f"  {name} rests on its stop, which pushes with {texts.text(value, self._unit(name))}")
        for own in self.friction.values() if self.stays else ():
            force, most = texts.text(own.force, self._unit(own.variable)), own.high if own.force > 0.0 else own.low
            can = texts.text(most, self._unit(own.variable))
            lines.append(f"  {own.name} holds {own.variable} with {force}, {own.share:.0%} of the {can} that it can")
        for joints in self.neutral:
            lines.append(f"  neutral: nothing resists {', '.join(joints[:8])}{', ...' if len(joints) > 8 else ''}")
        energies = ", ".join(f"{texts.text(x, 'J')} in {name}" for name, x in self.energies.items())
        lines.append(f"  potential energy {energies}")
        left = self.residual / self.scale if self.scale else 0.0
        strides = f"{self.steps} stride{'' if self.steps == 1 else 's'}"
        lines.append(
            f"  forces left over {left:.0e} of those at hand, loops closed to {self.posture.residual:.0e}, {strides}"
        )
        return "\n".join([*lines, *(f"  warning: {w}" for w in self.warnings)])

    __repr__ = __str__

    @property
    def _forces(self) -> list[tuple[str, float]]:
        return [*self.efforts.items(), *self.stops.items()]

    def _unit(self, name: str) -> str:
        loops = self._asked.loops
        return dict(zip(effort_names(loops), effort_units(loops), strict=True)).get(name, "N")

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "values": self.posture.values,
            "states": self.states,
            "rates": self.rates,
            "efforts": self.efforts,
            "stops": self.stops,
            "energies": self.energies,
            "coordinates": list(self.coordinates),
            "stiffness": self.K.tolist(),
            "neutral": [list(names) for names in self.neutral],
            "residual": self.residual,
            "scale": self.scale,
            "loop_error": self.posture.residual,
            "steps": self.steps,
            "warnings": list(self.warnings),
            "friction": {}
            if self.rates
            else {
                name: {"force": own.force, "low": own.low, "high": own.high, "share": own.share}
                for name, own in self.friction.items()
            },
        }


def equilibrium_of(
    machine: Machine,
    hold: Mapping[str, Any] | str | Iterable[str] | None,
    efforts: Mapping[str, Any] | None,
    start: Mapping[str, Any] | Posture | None,
    kind: str,
    states: Mapping[str, Any] | None,
    t: float | None,
    rates: Mapping[str, Any] | None,
) -> Equilibrium:
    """The posture at which the machine rests; see `Machine.equilibrium`."""
    return rest_from(machine, asked(machine, hold, efforts, start, kind, states, t, rates), kind)


def rest_from(machine: Machine, given: Asked, kind: str) -> Equilibrium:
    """The posture at which the machine rests, from where the search is asked to begin."""
    loops = given.loops
    if not given.posture.mobility:
        text = "mobility zero: the machine stands wherever it is"
        raise NoFreedom(Problem(text, hint="`statics` tells what its joints carry"), machine.name, given.posture)
    when = np.array([[given.t]])
    loads_must_be_finite(loops, given.posture.y[np.newaxis], np.zeros((1, loops.columns)), when, given.x)
    if kind == "stay":
        return _staying(machine, given)
    settled = _settled(given, kind)
    return told_of(machine, given, settled.balance, settled.chart, settled.found, settled.steps)


def _staying(machine: Machine, given: Asked) -> Equilibrium:
    """The machine where it starts, what has exact friction sticking there; NoEquilibrium where that cannot hold it."""
    from linkwork.analyses.equilibrium.friction import shares_of

    loops, y = given.loops, given.posture.y
    columns = [own.along.w for own in exact_frictions(loops.plan.loads)]
    if not columns:
        problem = Problem("there is no exact friction that could hold it", "kind", 'give a friction form="exact"')
        raise NoEquilibrium(problem, loops.plan.name, given.posture)
    prefer = preference(loops).copy()
    prefer[columns] += 10
    independent = loops.chosen(y, given.held, prefer).independent
    stuck: Mask = np.isin(np.arange(loops.columns), columns) & np.isin(np.arange(loops.columns), independent)
    stuck &= ~given.held
    settled = _settled(replace(given, held=given.held | stuck), "stable")
    rest = told_of(machine, given, settled.balance, settled.chart, settled.found, settled.steps, stuck)
    _, most = shares_of(rest._holding)
    if not most <= 1.0 + 1e-9:
        names = ", ".join(own.name for own in exact_frictions(loops.plan.loads))
        text = f"it does not stay there: {names} cannot hold it"
        text += f", it takes {most:.4g} times what they can" if np.isfinite(most) else ""
        hint = "start elsewhere, or ask where it rests without friction: kind='stable'"
        raise NoEquilibrium(Problem(text, "start", hint), loops.plan.name, rest.posture)
    return rest


def told_of(
    machine: Machine, given: Asked, balance: Balance, chart: Chart, found: Found, steps: int, stuck: Mask | None = None
) -> Equilibrium:
    """Everything about a posture of rest that was found.

    stuck : rates that exact friction holds, where it is asked to
    """
    loops = given.loops
    y, x = found.Y[0], found.X[0]
    size = float(found.size[0])
    sticking = np.zeros_like(given.held) if stuck is None else stuck
    told = verdict_at(replace(given, held=given.held | sticking), balance, chart, y, x, size)
    if sticking.any():
        reason = "friction holds it" + ("" if told.verdict == "held" else "; what has none is " + told.verdict)
        told = replace(told, verdict="held" if told.verdict in ("held", "stable") else told.verdict, reason=reason)
    F = balance.along_all(chart, y, x, given.effort)
    forces = balance.forces(chart, y[np.newaxis], x[np.newaxis], given.effort)
    scale = loops.column_scale[chart.columns][chart.free]
    names = effort_names(loops)
    holding = {int(c): -float(f) for c, f in zip(chart.columns, F, strict=True) if balance.held[c]}
    on_stops = {c: value for c, value in holding.items() if not given.held[c] and not sticking[c]}
    stops = {c: 1 if value < 0.0 else -1 for c, value in on_stops.items()}
    energies = potential_energies(loops, y, x, given.t)
    specified = np.flatnonzero(given.held[: machine.loops.columns])
    posture = Posture(machine.loops, y[: machine.plan.ny], specified.tolist())
    return Equilibrium(
        posture,
        told.verdict,
        told.reason,
        {names[c]: value for c, value in holding.items() if given.held[c]},
        {names[c]: value for c, value in on_stops.items()},
        {names[c]: float(given.effort[c]) for c in np.flatnonzero(given.effort)},
        dict(zip((own.name for own in machine.plan.states), x.tolist(), strict=True)),
        energies,
        loops.names(chart.columns[chart.free]),
        forces.K[0] / (scale[:, np.newaxis] * scale),
        told.neutral,
        float(np.abs(forces.F[0] / scale).max(initial=0.0)),
        size,
        steps,
        tuple(_warnings(machine, posture, stuck is not None)),
        stuck is not None,
        machine,
        given,
        balance.held,
        stops,
    )


def verdict_at(given: Asked, balance: Balance, chart: Chart, y: Array, x: Array, size: float) -> Judged:
    """Whether a posture of rest lasts, with what is held and the stops that it rests on."""
    told = judged(balance, chart, y, x, given.effort, size)
    if given.rates is not None and told.verdict != "held":
        moving = _by_motion(given, balance, chart, y, x, told)  # what swings may be held by its spin, or driven by it
        return told if moving.verdict == "undecided" and told.verdict == "stable" else moving
    if not told.has_potential and told.verdict != "held":
        told = _by_motion(given, balance, chart, y, x, told)
    if told.verdict == "held" and balance.held.sum() > given.held.sum():
        told = Judged("stable", "its stops leave it nowhere to go", told.curvatures, True, ())
    return told


# ---------------------------------------------------------------- stops


@dataclass(frozen=True, eq=False)
class _Settled:
    """The end of a search: with what was held, stops too, in which chart, and how many strides it took."""

    balance: Balance
    chart: Chart
    found: Found
    steps: int


def _settled(given: Asked, kind: Any) -> _Settled:
    """Search; where a limit of travel is met the machine rests on it as long as it is pushed there."""
    loops = given.loops
    limits = joint_limits(loops)
    y, x, steps = given.posture.y, given.x, 0
    stops: dict[int, tuple[JointLimit, int]] = {}
    columns = {slot.q.start + k: slot.v.start + k for slot in loops.plan.slots for k in range(slot.plain)}
    for _ in range(ROUNDS):
        held = given.held.copy()
        held[list(stops)] = True
        balance = Balance(loops, held, given.t, rates=given.rates)
        watched = [limit for limit in limits if not held[columns[limit.place]] and _within(given, limit, y)]
        found = searched(balance, y[np.newaxis], x, given.effort, kind, watched)
        y, x, steps = found.Y[0], found.X, steps + int(found.steps[0])
        status = int(found.status[0])
        if status == LIMIT:
            limit, side = watched[int(found.limit[0])], int(found.side[0])
            bound = limit.high if side > 0 else limit.low
            y = _onto(given, y, held, limit, bound)
            stops[columns[limit.place]] = (limit, side)
            continue
        if status != REST:
            raise _not_found(given, found, steps)
        _states_must_rest(balance, found, given)
        chart = balance.charts[int(found.charts[0])]
        _must_be_steady(balance, chart, found, given)
        pulled = _pulled_off(balance, chart, found, given, stops)
        if not pulled:
            return _Settled(balance, chart, found, steps)
        for column in pulled:
            del stops[column]
    names = ", ".join(limit.variable for limit, _ in stops.values())
    text = f"the search came to its stops again and again ({names})"
    problem = Problem(text, "start", "start from another posture")
    raise NoEquilibrium(problem, loops.plan.name, Posture(loops, y))


def _within(given: Asked, limit: JointLimit, y: Array) -> bool:
    return bool(limit.beyond(given.loops, y[limit.place]) <= SLACK)


def _onto(given: Asked, y: Array, held: Mask, limit: JointLimit, bound: float) -> Array:
    """The posture with a variable at its limit, what is held staying where it is."""
    loops = given.loops
    names = loops.drivable(np.flatnonzero(held))
    values = {name: float(y[loops.plan.variables.index(name)]) for name in names}
    there = reached(loops.of_places, Posture(loops, y), {**values, limit.variable: bound}, measured=True)
    return there.y


def _pulled_off(
    balance: Balance, chart: Chart, found: Found, given: Asked, stops: Mapping[int, tuple[JointLimit, int]]
) -> list[int]:
    """Stops from which the machine is pulled away: they cannot pull themselves."""
    if not stops:
        return []
    F = balance.along_all(chart, found.Y[0], found.X[0], given.effort) * given.loops.column_scale[chart.columns]
    least = 1e-9 * float(found.size[0])
    along = dict(zip(chart.columns.tolist(), F.tolist(), strict=True))
    return [column for column, (_, side) in stops.items() if side * along[column] < -least]


def _must_be_steady(balance: Balance, chart: Chart, found: Found, given: Asked) -> None:
    """NoEquilibrium where forces change along the steady motion of what is held, so that nothing stays as it is."""
    if given.rates is None or not given.rates.any():
        return
    everything = replace(chart, free=np.arange(len(chart.columns)))
    along = given.rates[chart.columns] / given.loops.column_scale[chart.columns]
    along = along / max(float(np.abs(along).max()), 1e-300)
    Y, closed = balance.moved(everything, found.Y, TURN * along[np.newaxis])
    ends = [balance.forces(everything, own, found.X, given.effort).F[0] for own in (found.Y, Y)]
    if not closed.all() or np.abs(ends[1] - ends[0]).max(initial=0.0) > STEADY * float(found.size[0]):
        text = "no steady motion: forces change along it, so that nothing stays as it is"
        hint = "rest in a rotating frame needs loads that do not change as it turns, as gravity along its axis"
        raise NoEquilibrium(Problem(text, "rates", hint), given.loops.plan.name, Posture(given.loops, found.Y[0]))


def _states_must_rest(balance: Balance, found: Found, given: Asked) -> None:
    """NoEquilibrium for named states that go on changing at the posture that was found."""
    plan = given.loops.plan
    if not plan.states:
        return
    chart = balance.charts[int(found.charts[0])]
    forces = balance.forces(chart, found.Y, found.X, given.effort)
    usual = 1.0 + np.abs(found.X[0]) + np.abs(forces.by[2][0]) @ np.abs(found.X[0])
    restless = np.flatnonzero(np.abs(forces.f[0]) > 1e-7 * usual)
    size = float(found.size[0]) or 1.0
    pushed = float(np.abs(forces.F[0]).max(initial=0.0)) > 1e-6 * size
    if restless.size or pushed:
        names = [plan.states[k].name for k in restless]
        what = ", ".join(f"{n} changes by {forces.f[0][k]:.4g} a second" for n, k in zip(names, restless, strict=True))
        text = f"no state of rest: {what}" if names else "no state of rest: forces are left where the states rest"
        hint = "give it a law with a rest of its own, or hold what it depends on elsewhere"
        raise NoEquilibrium(Problem(text, "states", hint), plan.name, Posture(given.loops, found.Y[0]))


def _not_found(given: Asked, found: Found, steps: int) -> ModelError:
    loops, y = given.loops, found.Y[0]
    last = Posture(loops, y)
    if found.status[0] == UNBOUNDED:
        way = np.abs((y - given.posture.y) * loops.variable_scale)
        name = loops.plan.variables[int(way.argmax())]
        text = f"the energy falls without end along {name}: nothing stops it"
        hint = "give the joint limits, or a spring, or hold it: hold=['" + name + "']"
        return NoEquilibrium(Problem(text, name, hint), loops.plan.name, last)
    if found.status[0] == LOST:
        text = "the search came to a posture from which it could not go on: a singular one, or loads without a value"
        return NoEquilibrium(Problem(text, "start", "start from another posture"), loops.plan.name, last)
    text = f"no equilibrium was found within {steps} strides"
    hint = "start from another posture, or ask for kind='nearest'"
    return NoEquilibrium(Problem(text, "start", hint), loops.plan.name, last)


# ---------------------------------------------------------------- what else is told


def _by_motion(given: Asked, balance: Balance, chart: Chart, y: Array, x: Array, told: Judged) -> Judged:
    """The verdict from the eigenvalues of the linearised machine, where loads have no potential or there are states."""
    from linkwork.analyses.linear.stability import verdict_of_motion

    verdict, reason = verdict_of_motion(balance, chart, y, x, given.effort)
    return Judged(verdict, reason, told.curvatures, False, told.neutral if verdict == "neutral" else ())


def _warnings(machine: Machine, posture: Posture, stays: bool) -> list[str]:
    warnings = list(posture.beyond_limits)
    if strange := without_energy(machine.loops):
        warnings.append(f"the laws of {', '.join(strange)} know more than an elongation: they have no energy to tell")
    dry = [load.name for load in exact_frictions(machine.plan.loads)]
    if dry and not stays:
        warnings.append(
            f"{', '.join(dry)} can hold it at other postures too (`interval` tells how far); here nothing is left for "
            "friction to hold"
        )
    if posture.singular:
        warnings.append("the posture is singular: the machine has more freedoms there than elsewhere")
    return warnings

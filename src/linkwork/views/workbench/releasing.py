"""What a visitor wishes when they let the machine go, and the machine that obeys: friction and payloads added."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.drives import Drive
from linkwork.errors import InputError, LinkworkError, ModelError, Problem
from linkwork.expressions import names_in
from linkwork.geometry import Array
from linkwork.model.amounts import TIME as CLOCK
from linkwork.model.effort_texts import Effort, read_effort
from linkwork.model.event_texts import Happenings
from linkwork.model.events import Event, When, stop
from linkwork.model.measures import effort_along
from linkwork.units import Dimension, UnitSystem
from linkwork.units.efforts import effort_units
from linkwork.views.placed_layout import masses_of

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.model.mechanism import Mechanism

HAPPENINGS = {
    "when": "conditions, one a line: tip.z < 100mm: stop, rate(A) > 30rpm: lock B",
    "at": "times, one a line: 1.5s: off coil, 1s: set tool.mass = 2kg",
}
"""Kinds of events besides stops, with what is written of them."""
INERTIA = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


@dataclass(frozen=True)
class Ends:
    """Where a variable or coordinate is stopped [SI]; None: nowhere."""

    low: float | None = None
    high: float | None = None
    restitution: float = 0.0


@dataclass(frozen=True)
class Rubbing:
    """Friction along a variable [SI]: dry, and by the rate."""

    dry: float = 0.0
    viscous: float = 0.0


@dataclass
class Wish:
    """What happens when the machine is let go, all in SI.

    rates : at the start; drives : laws of time; efforts : numbers, laws or formulas, by variable
    happenings : conditions and times, by kind
    stops, friction : by variable; payloads : masses by point, frame or body
    """

    rates: dict[str, float] = field(default_factory=dict)
    drives: dict[str, Drive | None] = field(default_factory=dict)
    efforts: dict[str, Any] = field(default_factory=dict)
    happenings: dict[str, list[Event]] = field(default_factory=dict)
    stops: dict[str, Ends] = field(default_factory=dict)
    friction: dict[str, Rubbing] = field(default_factory=dict)
    payloads: dict[str, float] = field(default_factory=dict)

    def events(self) -> list[Event]:
        """Stops, conditions and times, as a simulation takes them."""
        wanted = {n: e for n, e in self.stops.items() if e.low is not None or e.high is not None}
        stops = [stop(n, low=e.low, high=e.high, restitution=e.restitution) for n, e in wanted.items()]
        return [*stops, *(event for events in self.happenings.values() for event in events)]


def effort_of(m: Mechanism, text: str, dimension: Dimension, units: UnitSystem) -> Effort | None:
    """An effort along a variable from text: '5 N m', 'harmonic(0, 5, 2Hz)', '-0.2*rate(A)'; None of an empty one.

    dimension : what the variable measures
    """
    return read_effort(m, text, effort_along(dimension), effort_units(units)) if text.strip() else None


def happenings_of(kind: str, text: str, machine: Machine, units: UnitSystem) -> list[Event]:
    """Events from text, one a line; InputError with all that is wrong. `kind` : "when" or "at"."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = Happenings(machine.mechanism, machine.parameters, units)
    found.read([], lines if kind == "when" else [], lines if kind == "at" else [], None, where="{}")
    if found.problems:
        raise InputError([replace(p, what=f"{p.where.removeprefix(kind).strip()}: {p.what}") for p in found.problems])
    return found.events


def ready_to_go(machine: Machine, wish: Wish) -> Machine:
    """The machine with the friction and the payloads that are wished; ModelError or InputError with what is wrong."""
    rubbing = {n: r for n, r in wish.friction.items() if r.dry or r.viscous}
    if rubbing:
        m = copy.deepcopy(machine.mechanism)
        for name, own in rubbing.items():
            m.friction(
                unused(m, "friction-of-visitor"),
                name,
                level=own.dry,
                viscous=own.viscous,
                form="exact" if own.dry else "smooth",
            )
        machine = rebuilt(machine, m)
    loaded = {n: mass for n, mass in wish.payloads.items() if mass}
    return machine.with_parameters(_loaded(machine, loaded)) if loaded else machine


def rebuilt(machine: Machine, m: Mechanism) -> Machine:
    """Another mechanism with the same bodies and joints, assembled with the numbers that this machine has."""
    fresh = m.assemble()
    given = {n: v for n, v in machine.parameters.items() if n in fresh.parameters and fresh.parameters[n] != v}
    return fresh.with_parameters(given) if given else fresh


def unused(m: Mechanism, name: str) -> str:
    """A name like this one that nothing has yet."""
    known = {*m.bodies, *m.joints, *m.points, *m.frames, *m.loads}
    return next(n for k in range(len(known) + 1) if (n := f"{name}-{k}") not in known)


def _loaded(machine: Machine, payloads: Mapping[str, float]) -> dict[str, float]:
    """Parameters of the bodies with point masses upon them: mass, centre, inertia about it by the parallel axes."""
    masses, problems = masses_of(machine), list[Problem]()
    given: dict[str, float] = {}
    for name, extra in payloads.items():
        body, place = _seat(machine, name)
        known = masses.get(body)
        if known is None or f"{body}.mass" not in machine.parameters:
            what = f"'{body}' has no mass that can be changed"
            problems.append(Problem(what, name, "give it a mass in the text, however small"))
            continue
        total = known.mass + extra
        if total <= 0.0:
            problems.append(Problem(f"a payload of {extra:g} kg leaves {total:g} kg", name, "give a larger one"))
            continue
        at = known.com if place is None else place
        com = (known.mass * known.com + extra * at) / total
        inertia = known.inertia + _moved(known.mass, known.com - com) + _moved(extra, at - com)
        masses[body] = type(known)(total, com, inertia)
        given |= {f"{body}.mass": total}
        given |= {f"{body}.com.{c}": float(x) for c, x in zip("xyz", com, strict=True)}
        given |= {f"{body}.inertia.{e}": float(inertia[ij]) for e, ij in INERTIA.items()}
    if problems:
        raise InputError(problems)
    return given


def _moved(mass: float, r: Array) -> Array:
    """Inertia of a point mass at r: m (r² E - r rᵀ)."""
    found: Array = mass * (float(r @ r) * np.eye(3) - np.outer(r, r))
    return found


def _seat(machine: Machine, name: str) -> tuple[str, Array | None]:
    """The body of a point, frame or body, and where it is on it; None at its centre of mass."""
    m = machine.mechanism
    if name in m.bodies:
        return name, None
    place = m.points.get(name) or m.frames.get(name)
    if place is None:
        raise InputError(Problem(f"there is no point, frame or body '{name}'"))
    known = machine.parameters
    if f"{name}.at.x" in known:
        return place.body, np.array([known[f"{name}.at.{c}"] for c in "xyz"])
    X_WB = machine.layout.X_WB[place.body]
    X_WP = machine.home.pose(name)
    own: Array = X_WB[:3, :3].T @ (X_WP[:3, 3] - X_WB[:3, 3])
    return place.body, own


def depends_on_time(machine: Machine, wish: Wish) -> list[str]:
    """What changes with the time by itself, by name: such a machine is no other when it is let go anew."""
    found = [f"the drive of {name}" for name, law in wish.drives.items() if law is not None]
    for name, effort in wish.efforts.items():
        law = effort is not None and not isinstance(effort, (int, float))
        names = names_in(effort) if isinstance(effort, str) else getattr(effort, "names", (CLOCK,))
        if law and CLOCK in names:
            found.append(f"the effort along {name}")
    for name, load in machine.mechanism.loads.items():
        amounts = [getattr(load, key, None) for key in ("amount", "law", "normal")]
        if any(CLOCK in getattr(a, "names", ()) for a in amounts):
            found.append(name)
    # What a condition changes lasts, as time does: pieces of a simulation begin without it.
    found += [f"'{kind}'" for kind, events in wish.happenings.items() if any(not _only_ends(e) for e in events)]
    return [*found, *(["gravity"] if machine.mechanism.gravity_laws else [])]


def _only_ends(event: Event) -> bool:
    """Whether a condition does nothing but end it."""
    own = event.actions if isinstance(event, When) and CLOCK not in event.names else None
    return own is not None and own.stop and not any((own.lock, own.release, own.on, own.off, own.set))


def asked(machine: Machine, posture: Posture, wish: Wish) -> dict[str, Any]:
    """Arguments of `simulate` for a wish, from a posture of the machine as it is without friction and payloads."""
    efforts = {n: e for n, e in wish.efforts.items() if e is not None}
    drives = {n: law for n, law in wish.drives.items() if law is not None}
    rates = {n: rate for n, rate in wish.rates.items() if n not in drives}  # those follow from the law
    return {
        "start": np.array(posture.y), "rates": rates, "drives": drives or None, "efforts": efforts,
        "events": wish.events(),
    }  # fmt: skip


def place_of_trouble(error: LinkworkError, names: Iterable[str]) -> dict[str, str]:
    """What is wrong by the variable that it is about; what is about none of them under ''."""
    found: dict[str, str] = {}
    known = list(names)
    for p in error.problems:
        where = next((n for n in known if p.where.endswith(n) or p.where.startswith(f"loads.{_effort_name(n)}")), "")
        words = f"{p.what}; {p.hint}" if p.hint else p.what
        found[where] = f"{found[where]}; {words}" if where in found else words
    return found


def _effort_name(variable: str) -> str:
    """The load that a formula along a variable becomes in a simulation."""
    return "effort_" + variable.replace(".", "_")


__all__ = ["Ends", "ModelError", "Rubbing", "Wish", "asked", "depends_on_time", "effort_of", "ready_to_go"]

"""What one visitor works on: a model's text, its machine, the posture it stands in, the run it made. No page here.

Whatever is asked for and cannot be had leaves everything as it was, and says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from linkwork.analyses.check import check
from linkwork.analyses.kinematics.failures import CannotReach, ClosureError
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.machine import Machine
from linkwork.errors import InputError, LinkworkError, ModelError, Problem
from linkwork.files.read import loads
from linkwork.geometry import Array
from linkwork.results import Run
from linkwork.units import ANGLE, LENGTH, NUMBER, Dimension, UnitSystem, format_quantity
from linkwork.views.default_motion import drivable
from linkwork.views.placed_layout import layout_at
from linkwork.views.scene import Scene, scene_of
from linkwork.views.workbench.dials import Dial, dial_of
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.runs import Progress, case_run, laws_of, let_go, moved

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.closures import Closures
    from linkwork.results.simulation import Simulation
    from linkwork.views.workbench.releasing import Wish

FARTHEST = 1e4
"""Way that is walked in one step at most [rad, or sizes of the machine]: loops are followed all the way."""
R = TypeVar("R", bound=Run)
CLOSED = 1e-6
"""How far loops may be open where a run stands, in parts of the machine's size and in radians."""
ROUNDING = 1e-12
"""What counts as zero [rad, or parts of the machine's size] where a coordinate is shown."""


@dataclass(frozen=True)
class Answer:
    """The posture to show, and why it is not the one that was asked for, if it is not."""

    posture: Posture
    complaint: str = ""


class Bench:
    """A machine to be moved and asked.

    Parameters
    ----------
    opened : what to begin with
    """

    def __init__(self, opened: Opened) -> None:
        self.mechanism, self.text, self.folder = opened.mechanism, opened.text, opened.folder
        self.machine: Machine | None = opened.machine
        self.posture: Posture | None = None
        """The last posture from which the machine can go on: not one at a dead end."""
        self.run: Run | None = opened.run
        self.found: Closures | None = None
        self.problems, self.trouble = opened.problems, ""
        self._ways: dict[str, tuple[float, float]] = {}
        """How far each variable was found to go [SI]; of the machine at hand."""
        if self.machine is not None:
            self.posture = self.machine.home
            if self.run is not None and self.run.machine is None:  # it comes from a file
                self.run = Run(self.run.arrays, self.machine)

    # ---------------------------------------------------------------- the model

    @property
    def units(self) -> UnitSystem:
        """Units of the page: those of the model's file; degrees where it says nothing."""
        return UnitSystem(angle="deg") if self.mechanism.source is None else self.mechanism.source.units

    def assemble(self) -> str:
        """Close the loops; why that fails, or nothing."""
        if self.machine is not None:
            return ""
        if self.problems:
            return str(ModelError(self.problems))
        try:
            check(self.mechanism).raise_if_unsound()
            self.machine = self.mechanism.assemble()
        except LinkworkError as error:
            return str(error)
        self.posture = self.machine.home
        return ""

    def edit(self, text: str) -> list[Problem]:
        """Another model in place of this one; its problems, and everything stays as it was, if there are any."""
        try:
            m = loads(text, source=self.mechanism.name, folder=self.folder)
            problems = [m.source.locate(p) if m.source else p for p in check(m).errors]
            machine = None if problems else m.assemble()
        except ModelError as error:
            return list(error.problems)
        except ClosureError as error:
            return [error.problem]
        if machine is None:
            return problems
        self.mechanism, self.text, self.machine, self.posture = m, text, machine, machine.home
        self.run, self.found, self.problems, self._ways = None, None, (), {}
        return []

    def scene(self, even: bool = True, of: Machine | None = None) -> Scene:
        """What is seen, in the posture that is held, or in the layout before the loops are closed.

        even : bars of nearly one width
        of : another machine than the one on the bench, at home
        """
        if of is not None:
            return scene_of(of.mechanism, layout_at(of), even=even)
        if self.machine is None:
            return scene_of(self.mechanism, even=even)
        return scene_of(self.machine.mechanism, layout_at(self.machine, self.posture), even=even)

    def seen_in(self, run: Run) -> Machine | None:
        """The machine of a run, where it has other lengths than the one on the bench, as a case may have."""
        own, other = self.machine, run.machine
        if own is None or other is None or other is own:
            return None
        m, known = own.mechanism, own.parameters
        drawn = {*m.joints, *m.points, *m.frames}
        differ = (n for n, x in other.parameters.items() if n.partition(".")[0] in drawn and known.get(n, x) != x)
        return None if next(differ, None) is None else other

    # ---------------------------------------------------------------- postures

    def _ready(self) -> tuple[Machine, Posture]:
        if self.machine is None or self.posture is None:
            raise InputError(Problem("the machine is not assembled yet", hint="wait a moment"), self.mechanism.name)
        return self.machine, self.posture

    def poses(self, posture: Posture) -> dict[str, Array]:
        """X_WB of every moving body."""
        machine, _ = self._ready()
        return dict(zip(machine.bodies, np.asarray(machine.poses(posture.q)), strict=True))

    def dimensions(self) -> dict[str, Dimension]:
        """Of the variables that are numbers by themselves; parts of quaternions are left out."""
        machine, _ = self._ready()
        slots = machine.plan.slots
        return {f"{slot.owner}.{v.name}": v.quantity for slot in slots for v in slot.law.variables[: slot.plain]}

    def dials(self) -> list[Dial]:
        """A slider for every independent variable that is a plain number."""
        machine, posture = self._ready()
        limits = {f"{j}.{n}": (a, b) for j, joint in machine.mechanism.joints.items() for n, a, b in joint.limits}
        plain = self.dimensions()
        everywhere = (-np.inf, np.inf)
        found = []
        for name in drivable(machine):
            if name in plain:
                (a, b), (c, d) = zip(limits.get(name, everywhere), self._ways.get(name, everywhere), strict=True)
                known = max(a, b), min(c, d)
                size = machine.layout.size
                found.append(dial_of(name, plain[name], self.units, float(posture[name]), size, known))
        return found

    def explore(self, seconds: float = 2.0, most: int = 12) -> bool:
        """Find out how far the dials can go, for their sliders; whether something new was learned.

        seconds : after which no more are tried; most : how many at most
        """
        machine, posture = self._ready()
        started, end = machine.starting_from(posture), time.monotonic() + seconds
        known: dict[str, tuple[float, float]] = {}
        for dial in self.dials()[:most]:
            if time.monotonic() > end:
                break
            try:
                travel = started.travel(dial.variable)
            except LinkworkError:
                continue
            if not travel.full_turn:
                low, high = (float(x) for x in travel.within)
                known[dial.variable] = (low, high)
        if self.machine is not machine:
            return False
        changed, self._ways = known != self._ways, known
        return changed and bool(known)

    def drag(self, variable: str, value: float) -> Answer:
        """A variable at a value [SI], the other dials as they are, loops closed."""
        from linkwork.analyses.kinematics.motion import reached

        machine, posture = self._ready()
        dimension = self.dimensions()[variable]
        farthest = FARTHEST * (machine.layout.size if dimension == LENGTH else 1.0)
        if not abs(value - float(posture[variable])) <= farthest:
            what = f"{self.shown(value, dimension)} is too far to go in one step"
            return Answer(posture, f"{what}; give a value within {self.shown(farthest, dimension)} of where it is")
        held = {d.variable: float(posture[d.variable]) for d in self.dials()}
        return self._follow(lambda: reached(machine.loops, posture, held | {variable: value}))

    def pull(self, name: str, place: Array, rotation: Array | None = None) -> Answer:
        """A point, frame or body pulled to a place [m], and perhaps to an attitude."""
        machine, posture = self._ready()
        far = float(np.abs(np.asarray(place) - posture.position(name)).max())
        if not far <= FARTHEST * machine.layout.size:
            return Answer(posture, f"the place is {self.shown(far, LENGTH)} away, which is out of all reach")
        return self._follow(lambda: machine.reach(name, place, rotation=rotation, start=posture))

    def _follow(self, ask: Callable[[], Posture]) -> Answer:
        _, posture = self._ready()
        try:
            found = ask()
        except ClosureError as error:
            shown = posture if error.reached is None else error.reached
            self._keep(shown)
            return Answer(shown, error.problem.what if isinstance(error, CannotReach) else str(error.problem))
        self._keep(found)
        return Answer(found, "; ".join(found.beyond_limits))

    def _keep(self, posture: Posture) -> None:
        """A posture at a dead end is shown, but the next step starts from the one before it."""
        if not posture.singular and posture.conditioning > 1e-3:
            self.posture = posture

    def stand(self, posture: Posture) -> None:
        """Stand in a posture that was chosen."""
        self.posture = posture

    def home(self) -> Posture:
        """Back to where it started."""
        machine, _ = self._ready()
        self.posture = machine.home
        return machine.home

    def closures(self, progress: Progress | None = None) -> Closures | None:
        """All ways to assemble it with the dials where they are; None if it is another machine by now."""
        machine, posture = self._ready()
        values = {d.variable: float(posture[d.variable]) for d in self.dials()}
        found = machine.closures(values, progress=progress)
        if self.machine is not machine:
            return None
        self.found = found
        return found

    def change(self, parameters: Mapping[str, float]) -> str:
        """Other numbers of the model [SI]; why that fails, or nothing."""
        machine, posture = self._ready()
        try:
            changed = machine.starting_from(posture).with_parameters(dict(parameters))
        except (LinkworkError, ValueError) as error:
            return str(error)
        self.mechanism, self.machine, self.posture = changed.mechanism, changed, changed.home
        self.run, self.found, self._ways = None, None, {}
        return ""

    def named_dimensions(self) -> list[tuple[str, float, Dimension]]:
        """Dimensions that the model names (`let`) and that nothing else gives: name, value [SI], what it measures."""
        if self.machine is None:
            return []
        lets = self.machine.mechanism.lets
        return [(n, value, lets[n].measures or NUMBER) for n, value in self.machine.dimensions.items()]

    # ---------------------------------------------------------------- runs

    def cases(self) -> dict[str, str]:
        """Cases that the model has, with what they say of themselves."""
        return {name: case.description for name, case in self.mechanism.cases.items()}

    def run_case(self, name: str, progress: Progress | None = None) -> Run | None:
        """Ask a case of the model; None if it is another machine by now."""
        machine, _ = self._ready()
        return self._kept(machine, case_run(machine, name, progress))

    def move(
        self, texts: Mapping[str, str], samples: int, progress: Progress | None = None, forces: bool = False
    ) -> Run | None:
        """Drive the machine from the posture it stands in, perhaps with the forces that this takes.

        None if it is another machine by now.
        """
        machine, posture = self._ready()
        laws = laws_of(texts, self.dimensions(), self.units)
        return self._kept(machine, moved(machine.starting_from(posture), laws, samples, progress, forces))

    def simulate(self, wish: Wish, until: float, samples: int, progress: Progress | None = None) -> Simulation | None:
        """Let the machine go from the posture it stands in; None if it is another machine by now."""
        machine, posture = self._ready()
        return self._kept(machine, let_go(machine, posture, wish, until, samples, progress))

    def _kept(self, machine: Machine, run: R) -> R | None:
        """A run of the machine that is still on the bench."""
        if self.machine is not machine:
            return None
        self.run = run
        return run

    def stand_at(self, sample: int) -> Posture | None:
        """Stand where the run is at a sample; None where it has none."""
        machine, _ = self._ready()
        run = self.run
        if run is None or not 0 <= sample < len(run) or any(n not in run for n in machine.variables):
            return None
        y = np.array([float(run.signal(n).values[sample]) for n in machine.variables])
        if not np.isfinite(y).all():
            return None
        posture = Posture(machine.loops, y)
        if not posture.residual <= CLOSED:  # a case may have other dimensions than the machine on the bench
            return None
        self._keep(posture)
        return posture

    def shown(self, value: float, dimension: Dimension) -> str:
        """A quantity as text."""
        return format_quantity(self.tidy(value, dimension), dimension, self.units, 5)

    def tidy(self, value: float, dimension: Dimension) -> float:
        """A coordinate; 0 where it is rounding."""
        size = self.machine.layout.size if self.machine is not None and dimension == LENGTH else 1.0
        return 0.0 if dimension in (LENGTH, ANGLE) and abs(value) < ROUNDING * size else value

    def readings(self, posture: Posture) -> list[tuple[str, str]]:
        """Every joint variable with its value as text; those of quaternions are left out."""
        return [(n, self.shown(float(posture[n]), d)) for n, d in self.dimensions().items()]

    def places(self, posture: Posture) -> list[tuple[str, str, str, str]]:
        """Every point and frame that was named, and where it is, as text."""
        names = (*self.mechanism.points, *self.mechanism.frames)
        found = []
        for name in names:
            x, y, z = (self.shown(float(c), LENGTH) for c in posture.position(name))
            found.append((name, x, y, z))
        return found

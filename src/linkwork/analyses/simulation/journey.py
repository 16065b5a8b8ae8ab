"""A simulation on its way: its plant, active set, journal and listener, and what all its parts do to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.simulation.active_set import ActiveSet
from linkwork.analyses.simulation.course import Course
from linkwork.analyses.simulation.eliminations import others, write_known
from linkwork.analyses.simulation.engine import Engine, Equipment, engine_of
from linkwork.analyses.simulation.hurdles import is_conservative
from linkwork.analyses.simulation.journal import Journal
from linkwork.analyses.simulation.listeners import Listener, jump_of
from linkwork.analyses.simulation.question import FIXED, Asked
from linkwork.analyses.simulation.trail import Trail
from linkwork.geometry import Array
from linkwork.numerics.stepping import methods
from linkwork.numerics.stepping.active_rows import JUMPED, PAUSES, write_watches
from linkwork.numerics.stepping.instants import refresh

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.equations.closed_dynamics import Elimination

WAYS = {
    "explicit": "Explicit", "radau": "Radau", "exponential": "Exponential", "exponential-static": "Static",
    "variational": "Variational", "variational-4": "Composed",
}  # fmt: skip
"""Methods by name, as `numerics.stepping.methods` calls them."""
TANGENTS = ("radau", "exponential", "exponential-static")
"""Methods that need derivatives."""
CHANGED = ("slip", "switch", "given_effort", "effort", "held", "side")
"""What events change in a plant: it goes over into the next one."""


class Journey(Course):
    """A simulation between its beginning and its end, as data, with the few things that everybody does to it.

    asked : the question; machine : as it is now; modes, active : what may be on, and what is
    is_quiet : whether nothing can ever be on: no rows, no watches, no corners of laws, and nobody to be told
    method, methods : by which steps are taken now, and were so far
    journal : what happened; listener : who is told of it; warnings : what should be known of the run
    engine, stepper, store : kernels, and the method with room of its own
    chapters : since when [s] which energies count, and with which loads on: masses and loads may change
    target : where the loop is bound for [s]; evaluations : by plants that are no longer in use
    elimination, least_independence, searched_at : see `eliminations`; judged : step at which stiffness was looked at
    """

    def __init__(self, asked: Asked, modes: ActiveSet, listener: Listener | None) -> None:
        self.asked, self.modes, self.listener = asked, modes, listener
        self.is_quiet = modes.is_idle and listener is None
        self.machine: Machine = asked.machine
        self.method = "explicit" if asked.method == "auto" else asked.method
        self.methods: list[str] = []
        self.warnings: list[str] = list(asked.warnings)
        self.trails = Trail()
        self.evaluations = 0
        self.chapters: list[tuple[float, Engine, Array]] = []
        self.target = self.judged = 0.0
        self.journal = Journal(modes, asked.loops)
        self.elimination = asked.machine._forward_dynamics.elimination
        self.least_independence, self.searched_at = 1.0, -1.0

    def needs(self) -> Equipment:
        """What the simulation needs of the machine besides its motion."""
        asked, modes = self.asked, self.modes
        if asked.is_free and not modes.grips:
            return self._least_needs()
        switched = {n for e in asked.events if hasattr(e, "actions") for n in (*e.actions.on, *e.actions.off)}
        moved = bool(asked.driven or asked.pushed or asked.pushing or asked.controller or modes.soft)
        return Equipment(
            efforts="all" if modes.uses_cuts() else "tree",
            switched=frozenset(switched),
            watched=modes.conditions,
            gaps=modes.gaps,
            tangents=self.method in TANGENTS,
            momenta=self.method in FIXED,
            jumps=modes.switches > 0,
            counted=moved or modes.are_moved() or not is_conservative(self.machine, asked.events),
            energies=bool(asked.events or asked.driven or modes.grips),
        )

    def _least_needs(self) -> Equipment:
        """The same where nothing can be on: one for all of a machine."""
        kept, key = self.machine.loops.problems, ("needs", self.method, self.modes.switches)
        if key not in kept:
            kept[key] = Equipment(
                tangents=self.method in TANGENTS,
                momenta=self.method in FIXED,
                jumps=self.modes.switches > 0,
                counted=not is_conservative(self.machine, ()),
            )
        found: Equipment = kept[key]
        return found

    @property
    def known(self) -> tuple[Elimination, ...]:
        """Eliminations that the compiled loop may change between."""
        return (self.engine.elimination, *self.engine.others)

    def engage(self) -> None:
        """Kernels and arrays for the machine and the method as they are now."""
        asked, modes, loops = self.asked, self.modes, self.machine.loops
        self.engine = engine_of(loops, self.elimination, self.needs(), others(loops, self.elimination))
        before = getattr(self, "p", None)
        self.p = self.engine.problem(
            asked.rtol,
            asked.atol,
            asked.laws,
            asked.pushed,
            modes.most_rows,
            asked.efforts if asked.pushing else None,
            modes.elastic,
        )
        write_known(self.machine, self.p)
        if before is not None:
            self.evaluations += int(before.evaluations[0])
            for name in CHANGED:
                getattr(self.p, name)[:] = getattr(before, name)
        else:
            self.active = modes.arrays(self.p.n)
        self.active.counts[PAUSES] = asked.method == "auto" and self.method == "radau"  # to look whether it is eased
        self.stepper, size = methods.method_of(getattr(methods, WAYS[self.method]), self.p.n)
        self.store = np.zeros(size)
        if self.method not in self.methods:
            self.methods.append(self.method)
        if self.listener is not None:
            self.listener.engaged()
        self.begin_chapter(self.t, self.p.switch if self.is_quiet else self.p.switch.copy())

    def begin_chapter(self, t: float, switch: Array) -> None:
        """From a time on energies are those of the machine and the loads as they are."""
        self.chapters.append((t, self.engine, switch))
        if self.listener is not None:
            self.listener.chapter(t, switch)

    def heard(self) -> None:
        """Take over what compiled functions have logged, and tell of it."""
        for t, *switch in self.journal.take(self.active):
            self.begin_chapter(t, np.array(switch))
        if self.active.counts[JUMPED]:
            self.active.counts[JUMPED] = 0
            if self.listener is not None:
                self.listener.jumped(jump_of(self.active))

    def turned(self) -> None:
        """Tell that something was changed at a given time."""
        if self.listener is not None:
            self.listener.turned()

    def refresh(self) -> None:
        """Rows and watches of the active set into fresh arrays."""
        refresh(self.p, self.active, self.state, self.z)

    def watch(self) -> None:
        """The rows of the active set, and what ends it."""
        write_watches(self.p, self.active, self.t, self.z)

    def energies(self) -> tuple[float, float]:
        """Kinetic and potential now [J]."""
        y, w, x = self.p.layout.split(self.z)
        states = [x] if x.size else []
        kinetic, potential, _ = self.engine.energies(y, w, np.array([self.t]), self.p.slip, self.p.switch, *states)
        return float(kinetic), float(potential)

    def ends_at(self, target: float) -> bool:
        """Whether the run ends at a time, and nothing would change the forces there if it went on."""
        return target == self.asked.until and not self.asked.laws

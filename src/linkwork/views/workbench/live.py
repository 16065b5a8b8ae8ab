"""A machine that is let go while one watches: it goes on in real time, and a hand may pull at a body.

It is simulated piece by piece, each from the state in which the one before ended. The hand is a spring with a damper
between the place where the body was taken and the mouse, by the mass that this place has: light and heavy machines
follow alike.
"""

from __future__ import annotations

import copy
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.geometry import Array
from linkwork.views.workbench.lanes import Cancelled
from linkwork.views.workbench.releasing import Wish, asked, ready_to_go, rebuilt, unused

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.results import Run

FRAME = 1.0 / 30.0
"""Seconds between two pictures."""
LAG = 0.1
"""Seconds that one picture may make up for at most: a machine that takes longer to compute is shown slower."""
PULLING = 1.0 / 120.0
"""Seconds of a piece while a hand pulls: its force is held meanwhile."""
TRIAL = 1e-3
"""Seconds of the two trials that tell which mass the hand feels."""
FIRM, DAMPED = 2.0 * math.pi * 1.5, 0.5
"""Of the hand: circular frequency of the mass that it feels on its spring [rad/s], and part of critical damping."""
MOST_BODIES = 10
"""Bodies that are given a hand at once; of larger machines the one that is taken."""
FINE = 1.0 / 60.0
"""Seconds between two points of the energies at most."""
MEMORY = 1200
"""Points of the energy plot."""


@dataclass
class Grip:
    """A hand at a body: where it took it, in the body's frame, and where it is [m]; the mass it feels [kg].

    before : when its place was looked at last [s], and where it was [m]
    """

    body: str
    place: Array
    target: Array
    mass: float = 0.0
    before: tuple[float, Array] | None = None


class Live:
    """A machine on its way.

    Parameters
    ----------
    machine : as it is, without friction and payloads; `posture` : where it starts
    wish : what acts
    show : called with every posture, in the thread of the machine
    ended : called when it stands still, with the reason if there is one
    """

    def __init__(
        self,
        machine: Machine,
        posture: Posture,
        wish: Wish,
        show: Callable[[Posture], None],
        ended: Callable[[str], None],
    ) -> None:
        self.own = machine
        self._plain = ready_to_go(machine, wish)
        self.bodies = {body: k for k, body in enumerate(machine.bodies)}
        self._hands: tuple[str, ...] = ()
        self._machine = self._plain
        self._with_hands(tuple(machine.bodies) if len(machine.bodies) <= MOST_BODIES else ())
        self._arguments = asked(machine, posture, wish)
        self._states: Array | None = None
        self._show, self._ended = show, ended
        self.time, self.speed = 0.0, 1.0
        self.grip: Grip | None = None
        self.energies: deque[tuple[float, float, float]] = deque(maxlen=MEMORY)
        """Time [s], kinetic and potential energy [J]."""
        self._going = threading.Event()
        self._pausing = threading.Event()
        self._thread: threading.Thread | None = None

    # ---------------------------------------------------------------- go, pause

    @property
    def going(self) -> bool:
        """Whether it is on its way."""
        return self._thread is not None and self._thread.is_alive()

    def go(self) -> None:
        """On from where it is."""
        if not self.going:
            self._pausing.clear()
            self._thread = threading.Thread(target=self._run, name="linkwork let go", daemon=True)
            self._thread.start()

    def pause(self, wait: float = 5.0) -> None:
        """Stand still; it can go on later."""
        self._pausing.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(wait)

    def _run(self) -> None:
        trouble = ""
        try:
            before = time.monotonic()
            while not self._pausing.is_set() and not trouble:
                now = time.monotonic()
                trouble = self._ahead(min(max(now - before, FRAME), LAG) * self.speed)
                before = now
                self._pausing.wait(max(0.0, FRAME - (time.monotonic() - now)))
        except Cancelled:
            pass
        except Exception as error:  # noqa: BLE001  # told on the page: a thread has nobody else to tell
            trouble = str(error)
        self._ended(trouble)

    def _ahead(self, span: float) -> str:
        """So many seconds of the machine's time; why it cannot go on, if so."""
        pieces = max(1, math.ceil(span / PULLING)) if self.grip is not None else 1
        for _ in range(pieces):
            run = self._piece(span / pieces, self._push())
            self._arguments |= {"start": run.y[-1], "rates": run.w[-1]}
            self._states = run.x[-1] if run.x.shape[1] else None
            self.time += span / pieces
            if run.status != "complete":
                return str(run.message)
            kinetic, potential = (run[f"machine.{e}_energy"].values for e in ("kinetic", "potential"))
            times = self.time - span / pieces + run.t
            self.energies.extend(zip(*(a[1:].tolist() for a in (times, kinetic, potential)), strict=True))
        self._show(Posture(self.own.loops, np.array(self._arguments["start"])))
        return ""

    def _piece(self, span: float, push: dict[str, float]) -> Any:
        machine = self._machine.with_parameters(push) if push else self._machine
        more: dict[str, Any] = {} if self._states is None else {"states": self._states}
        return machine.simulate(
            span, **self._arguments, **more, samples=max(2, 1 + math.ceil(span / FINE)), progress=self._looked
        )

    def foreseen(self, span: float) -> Run:
        """Where it goes within so many seconds if nobody pulls."""
        more: dict[str, Any] = {} if self._states is None else {"states": self._states}
        return self._plain.simulate(span, **self._arguments, **more, samples=31)

    def _looked(self, *_: float) -> None:
        if self._pausing.is_set():
            raise Cancelled

    # ---------------------------------------------------------------- the hand

    def _with_hands(self, bodies: tuple[str, ...]) -> None:
        """Points and forces by which these bodies can be pulled; they push with nothing."""
        if not bodies or set(bodies) <= set(self._hands):
            return
        m = copy.deepcopy(self._plain.mechanism)
        self._names = {}
        for body in bodies:
            point = unused(m, "hand-of-visitor")
            m.point(point, body, (0.0, 0.0, 0.0))
            forces = []
            for axis in "xyz":
                forces.append(unused(m, f"push-of-visitor-{axis}"))
                m.force(forces[-1], point, along=axis, amount=0.0)
            self._names[body] = (point, tuple(forces))
        self._machine, self._hands = rebuilt(self._plain, m), bodies

    def take(self, body: str, place: Array, target: Array) -> None:
        """Take a body at a place in its own frame [m], and pull it to a target [m]."""
        if body in self.bodies:
            self.grip = Grip(body, place, target)

    def _push(self) -> dict[str, float]:
        """The parameters by which the hand acts for the next piece."""
        grip = self.grip
        if grip is None:
            return {}
        self._with_hands(self._hands if grip.body in self._hands else (*self._hands, grip.body))
        at, speed = self._motion_of(grip)
        way = np.asarray(grip.target) - at
        distance = float(np.linalg.norm(way))
        if not grip.mass and distance > 0.0:
            grip.mass = self._felt(grip, way / distance)
        return self._force(grip, grip.mass * FIRM * (FIRM * way - 2.0 * DAMPED * speed))

    def _force(self, grip: Grip, force: Array) -> dict[str, float]:
        point, names = self._names[grip.body]
        given = {f"{point}.at.{c}": float(x) for c, x in zip("xyz", grip.place, strict=True)}
        return given | {f"{n}.amount": float(f) for n, f in zip(names, force, strict=True)}

    def _motion_of(self, grip: Grip) -> tuple[Array, Array]:
        """Where the place on the body is [m], and its velocity [m/s], from the last piece."""
        at = self._place(grip, np.asarray(self._arguments["start"]))
        before, grip.before = grip.before, (self.time, at)
        if before is None or self.time <= before[0]:
            return at, np.zeros(3)
        return at, (at - before[1]) / (self.time - before[0])

    def _place(self, grip: Grip, y: Array) -> Array:
        X: Array = np.asarray(self.own.poses(Posture(self.own.loops, np.array(y)).q))[self.bodies[grip.body]]
        place: Array = X[:3, :3] @ grip.place + X[:3, 3]
        return place

    def _felt(self, grip: Grip, way: Array) -> float:
        """The mass that a force at the place feels along a way [kg]: by how much it moves it within a short time."""
        force = 10.0 * max(sum(v for n, v in self._machine.parameters.items() if n.endswith(".mass")), 1e-9)
        free = self._place(grip, self._piece(TRIAL, self._force(grip, np.zeros(3))).y[-1])
        pulled = self._place(grip, self._piece(TRIAL, self._force(grip, force * way)).y[-1])
        moved = float((pulled - free) @ way)
        heaviest = force / 10.0
        return min(force * TRIAL**2 / (2.0 * moved), 10.0 * heaviest) if moved > 0.0 else heaviest

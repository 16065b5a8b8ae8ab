"""The cases of `simulate_cases.py` in Exudyn: bodies of all coordinates, or kinematic trees, and constraints.

Exudyn is taken in its build without range checks. *bodies*: every link of a plane has three coordinates, every joint
is a constraint. *trees*: links that hang on ground by pins, sliders and Hooke's joints are kinematic trees in the
angles and slides; a link on a ball is a body of six coordinates. Settings are a form and a method: generalised-alpha
of index 3 at a spectral radius, or trapezoidal of index 2.
"""

from __future__ import annotations

import importlib
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from peers import AXES, Array
from simulate_cases import SAMPLES, Case
from simulate_peers import Outcome

NEWTON = 1e-8
"""Tolerance of Newton's method."""
DENSE = 30
"""Coordinates up to which the dense solver is faster than the sparse one."""


class Model:
    """A system of Exudyn with the start of a case, sensors on what is observed, and pairs of points that coincide."""

    def __init__(self, case: Case) -> None:
        sys.exudynFast = True  # type: ignore[attr-defined]
        self.exudyn = importlib.import_module("exudyn")
        self.items = importlib.import_module("exudyn.itemInterface")
        self.case = case
        self.system = self.exudyn.SystemContainer().AddSystem()
        self.pairs: list[tuple[int, int]] = []
        self.sensors: list[tuple[int, int, float]] = []
        """Sensor, its column, and what is added to it, of each observed coordinate."""
        self.ground = self.system.AddObject(self.items.ObjectGround())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # names that change from version to version
            self.build()
            self.system.Assemble()

    def build(self) -> None:
        """Add everything."""
        raise NotImplementedError

    def sensor(self, node: int, column: int, offset: float) -> None:
        """Look at a coordinate of a node."""
        made = self.system.AddSensor(
            self.items.SensorNode(
                nodeNumber=node,
                outputVariableType=self.exudyn.OutputVariableType.Coordinates,
                storeInternal=True,
                writeToFile=False,
            )
        )
        self.sensors.append((made, column, offset))

    def run(self, steps: int, method: str) -> Outcome:
        """A whole run from the start."""
        exu, case = self.exudyn, self.case
        settings = exu.SimulationSettings()
        how = settings.timeIntegration
        how.numberOfSteps, how.endTime, how.verboseMode = steps, case.until, 0
        how.newton.relativeTolerance = how.newton.absoluteTolerance = NEWTON
        how.newton.useModifiedNewton = True
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = case.until / SAMPLES
        settings.parallel.numberOfThreads = 1
        size = len(self.system.systemData.GetODE2Coordinates())
        dense = exu.LinearSolverType.EXUdense if size <= DENSE else exu.LinearSolverType.EigenSparse
        settings.linearSolverType = dense
        solver = exu.DynamicSolverType.TrapezoidalIndex2
        if method != "trapezoidal":
            how.generalizedAlpha.spectralRadius = float(method)
            solver = exu.DynamicSolverType.GeneralizedAlpha
        began = time.process_time()
        done = self.system.SolveDynamic(settings, solverType=solver)
        cpu = time.process_time() - began
        if done is False:
            raise RuntimeError("Exudyn gives up")
        found = np.empty((SAMPLES, len(self.sensors)))
        for k, (sensor, column, offset) in enumerate(self.sensors):
            found[:, k] = self.system.GetSensorStoredData(sensor)[-SAMPLES:, 1 + column] + offset
        where = exu.OutputVariableType.Position
        gaps = [np.subtract(*(np.array(self.system.GetMarkerOutput(m, where)) for m in pair)) for pair in self.pairs]
        return Outcome(cpu, case.error(found), float(np.abs(gaps).max()))


class Bodies(Model):
    """A planar machine in coordinates of all bodies."""

    def build(self) -> None:
        """Bodies placed at the start; the frame of each has its origin at the centre of mass."""
        system, items, case = self.system, self.items, self.case
        m = case.loops
        q, v = case.start
        motion = m.motion(q[None], v[None], np.zeros((1, m.nv)))
        bodies: list[int] = []
        angles: list[float] = []

        def marker(link: int, at: Array, kind: str = "Position") -> int:
            body, local = (self.ground, at) if link < 0 else (bodies[link], at - m.links[link].com)
            made: int = system.AddMarker(getattr(items, f"MarkerBody{kind}")(bodyNumber=body, localPosition=[*local]))
            return made

        def pinned(tail: int, at_tail: Array, head: int, at_head: Array) -> None:
            self.pairs.append((marker(tail, at_tail), marker(head, at_head)))
            system.AddObject(items.RevoluteJoint2D(markerNumbers=[*self.pairs[-1]]))

        for i, (name, link) in enumerate(zip(m.names, m.links, strict=True)):
            p, u, _ = motion.point(i, link.com)
            above = angles[link.parent] if link.parent >= 0 else 0.0
            angles.append(above + (q[m.starts[0][i]] if link.kind == "revolute" else 0.0))
            node = system.AddNode(
                items.NodeRigidBody2D(
                    referenceCoordinates=[*p[0, :2], angles[-1]], initialVelocities=[*u[0, :2], motion.w[i][0, 2]]
                )
            )
            body = items.ObjectRigidBody2D(physicsMass=link.mass, physicsInertia=link.inertia[2, 2], nodeNumber=node)
            bodies.append(system.AddObject(body))
            if any(m.gravity):
                weight = [link.mass * g for g in m.gravity]
                system.AddLoad(items.Force(markerNumber=marker(i, link.com), loadVector=weight))
            if name in case.torques:
                at = marker(i, link.com, "Rigid")
                system.AddLoad(items.Torque(markerNumber=at, loadVector=[0, 0, case.torques[name]]))
            if name in case.observed:
                assert link.parent < 0 and link.kind == "revolute"
                self.sensor(node, 2, angles[-1])
            if link.kind == "revolute":
                pinned(link.parent, link.at, i, np.zeros(3))
            else:
                ends = [marker(link.parent, link.at, "Rigid"), marker(i, np.zeros(3), "Rigid")]
                along = AXES[link.axis][:, 2]
                normal = [-along[1], along[0], 0]
                guide = items.PrismaticJoint2D(markerNumbers=ends, axisMarker0=[*along], normalMarker1=normal)
                system.AddObject(guide)
        for c in m.closures:
            pinned(c.tail, c.at_tail, c.head, c.at_head)
        if case.pull is not None:
            p = case.pull
            ends = [marker(-1, np.array([*p.ground, 0])), marker(m.names.index(p.link), np.array([*p.point, 0]))]
            spring = items.SpringDamper(markerNumbers=ends, referenceLength=p.free, stiffness=p.stiffness)
            system.AddObject(spring)


class Trees(Model):
    """A machine in coordinates of its joints, as far as they are pins and sliders."""

    def build(self) -> None:
        """A tree for each link on ground with all that hangs on it; a link on a ball is a body of its own."""
        system, items, m, p = self.system, self.items, self.case.loops, self.case.pull
        self.at: dict[int, tuple[str, int, int]] = {}
        """Object and number in it of each link."""
        for i, link in enumerate(m.links):
            if link.parent < 0:
                self._tree([k for k in range(len(m.links)) if self._root(k) == i])
        for i, link in enumerate(m.links):
            if link.kind == "spheric":
                self._body(i)
                self._ball(self._marker(link.parent, link.at), self._marker(i, np.zeros(3)))
        for c in m.closures:
            ends = [self._marker(c.tail, c.at_tail), self._marker(c.head, c.at_head)]
            if c.kind == "spheric" or m.planar:
                self._ball(*ends)
            else:
                self.pairs.append((ends[0], ends[1]))
                # A pin along an axis of a machine like Bricard's: the redundant row is left out by hand.
                axes = AXES[c.axis]
                joint = items.GenericJoint(
                    markerNumbers=ends,
                    constrainedAxes=[*PINNED],
                    rotationMarker0=axes,
                    rotationMarker1=axes,
                )
                system.AddObject(joint)

        if p is not None:
            ends = [
                self._marker(-1, np.array([*p.ground, 0])),
                self._marker(m.names.index(p.link), np.array([*p.point, 0])),
            ]
            system.AddObject(items.SpringDamper(markerNumbers=ends, referenceLength=p.free, stiffness=p.stiffness))

    def _root(self, i: int) -> int:
        """The link on ground that carries link i, or -1 for links on balls."""
        link = self.case.loops.links[i]
        if link.kind == "spheric":
            return -1
        return i if link.parent < 0 else self._root(link.parent)

    def _tree(self, links: list[int]) -> None:
        exu, items, case = self.exudyn, self.items, self.case
        m = case.loops
        q, v = case.start
        kinds, parents, masses, place, rate, free, stiff = [], [], [], [], [], [], []
        turns, offset, coms, inertias = exu.Matrix3DList(), exu.Vector3DList(), exu.Vector3DList(), exu.Matrix3DList()
        number: dict[int, int] = {}
        watched: list[tuple[int, int]] = []
        for i in links:
            link = m.links[i]
            parent = number.get(link.parent, -1)
            axes = AXES[link.axis]
            letters = ["XYZ"[int(np.argmax(axes[:, c]))] for c in ((2, 0) if link.kind == "universal" else (2,))]
            word = "Prismatic" if link.kind == "prismatic" else "Revolute"
            for j, letter in enumerate(letters):
                last = j == len(letters) - 1
                kinds.append(getattr(exu.JointType, f"{word}{letter}"))
                parents.append(parent if j == 0 else len(kinds) - 2)
                turns.Append(link.turn if j == 0 else np.eye(3))
                offset.Append([*link.at] if j == 0 else [0, 0, 0])
                masses.append(link.mass if last else 0.0)
                coms.Append([*link.com] if last else [0, 0, 0])
                inertias.Append(link.inertia if last else np.zeros((3, 3)))
                place.append(q[m.starts[0][i] + j])
                rate.append(v[m.starts[1][i] + j])
                spring = case.slack is not None and m.names[i] in case.slack.links
                stiff.append(case.slack.stiffness if spring else 0.0)
                free.append(case.slack.free[case.slack.links.index(m.names[i])] if spring else 0.0)
            number[i] = len(kinds) - 1
            if m.names[i] in case.observed:
                watched.append((case.observed.index(m.names[i]), number[i]))
        node = self.system.AddNode(
            items.NodeGenericODE2(
                referenceCoordinates=[0.0] * len(kinds),
                initialCoordinates=place,
                initialCoordinates_t=rate,
                numberOfODE2Coordinates=len(kinds),
            )
        )
        given: dict[str, Any] = {}
        if case.slack is not None:
            given = {"jointPControlVector": stiff, "jointPositionOffsetVector": free}
        if any(m.names[i] in case.torques for i in links):
            force = np.zeros(len(kinds))
            for i in links:
                force[number[i]] = case.torques.get(m.names[i], 0.0)
            given["jointForceVector"] = [*force]
        made = self.system.AddObject(
            items.ObjectKinematicTree(
                nodeNumber=node, jointTypes=kinds, linkParents=parents, jointTransformations=turns, jointOffsets=offset,
                linkInertiasCOM=inertias, linkCOMs=coms, linkMasses=masses, gravity=[*m.gravity], **given,
            )
        )  # fmt: skip
        for i in links:
            self.at[i] = ("tree", made, number[i])
        for _, column in sorted(watched):
            self.sensor(node, column, 0.0)

    def _body(self, i: int) -> None:
        items, case = self.items, self.case
        m, link = case.loops, case.loops.links[i]
        q, v = case.start
        motion = m.motion(q[None], v[None], np.zeros((1, m.nv)))
        p, u, _ = (x[0] for x in motion.point(i, link.com))
        R, w = motion.R[i][0], motion.w[i][0]
        assert np.abs(R - np.eye(3)).max() < 1e-12, "angles of the platform count from where it starts"
        node = self.system.AddNode(
            items.NodeRigidBodyRxyz(referenceCoordinates=[*p, 0, 0, 0], initialVelocities=[*u, *w])
        )
        J = link.inertia
        tensor = [J[0, 0], J[1, 1], J[2, 2], J[1, 2], J[0, 2], J[0, 1]]
        body = self.system.AddObject(
            items.ObjectRigidBody(physicsMass=link.mass, physicsInertia=tensor, nodeNumber=node)
        )
        self.at[i] = ("body", body, i)
        weight = [link.mass * g for g in m.gravity]
        self.system.AddLoad(items.Force(markerNumber=self._marker(i, link.com), loadVector=weight))

    def _marker(self, link: int, at: Array) -> int:
        items = self.items
        if link < 0:
            made = items.MarkerBodyRigid(bodyNumber=self.ground, localPosition=[*at])
        else:
            kind, where, number = self.at[link]
            if kind == "tree":
                made = items.MarkerKinematicTreeRigid(objectNumber=where, linkNumber=number, localPosition=[*at])
            else:
                local = at - self.case.loops.links[link].com
                made = items.MarkerBodyRigid(bodyNumber=where, localPosition=[*local])
        found: int = self.system.AddMarker(made)
        return found

    def _ball(self, tail: int, head: int) -> None:
        self.pairs.append((tail, head))
        axes = [1, 1, 0] if self.case.loops.planar else [1, 1, 1]
        joint = self.items.SphericalJoint(markerNumbers=[tail, head], constrainedAxes=axes)
        self.system.AddObject(joint)


PINNED = (1, 1, 1, 1, 0, 0)
"""Rows of the pin that closes Bricard's mechanism, its own axis third: with all five the Jacobian loses rank."""


class Exudyn:
    """A case in Exudyn."""

    name = "Exudyn"
    module = "exudyn"

    def __init__(self, case: Case) -> None:
        self.case = case
        self.forms = {"bodies": Bodies, "trees": Trees} if case.loops.planar else {"trees": Trees}

    def settings(self) -> Iterator[Any]:
        """Forms and methods."""
        for form in self.forms:
            for method in ("trapezoidal", "0.95", "0.8"):
                yield form, method

    def run(self, steps: int, setting: Any) -> Outcome:
        """A whole run of a new system."""
        form, method = setting
        return self.forms[form](self.case).run(steps, method)

"""The machines with loops of `closed_machines.py` in Pinocchio, MuJoCo and Exudyn: forward and inverse dynamics.

*Forward*: accelerations of the tree from q, v and tau. *Inverse*: efforts of the driven joints from q, v and an a that
the loops allow. Each peer answers in the cheapest way that we know:

- Pinocchio: forward `constraintDynamics` and `lcaba`, with point constraints, two along a pin in space. It has no
  inverse dynamics of loops: `rnea` of the tree, `getConstraintsJacobian`, and LAPACK's `gesv` on rows that are
  independent at home. In C++ (`pinocchio_loop.cpp`) the same, with Eigen's LU.
- MuJoCo: forward `mj_forward`, and `Batch.forward` on one thread, with `connect` constraints. They are soft, so this is
  not exactly the same job: at the stiffest that it allows (`solimp` 0.9999) accelerations differ by 1e-5 to 1e-2, and
  by more where many loops hang together. That the models agree is shown by extrapolation to hard constraints.
  Inverse: `mj_inverse` gives efforts of all tree joints beside forces of the soft constraints; efforts of the driven
  joints take the same solve as above, for which the Jacobian and `mj_rne` are enough.
- Exudyn: the initial accelerations of its implicit solver (`InitializeSolverInitialConditions`), which solve for
  accelerations and multipliers in the coordinates of all bodies. It has no inverse dynamics.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import importlib.util
import os
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg
from closed_machines import Index, Loops
from peers import AXES, Array, Task

HERE = Path(__file__).parent
DEFINES = (
    "-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
"""As Pinocchio's own package file has them."""
STIFF = 0.9999
"""MuJoCo's largest impedance."""


def independent_rows(J: Array) -> Index:
    """Rows of J (rows, dependent rates) that are independent, as many as it has columns."""
    _, upper, order = scipy.linalg.qr(J.T, pivoting=True, mode="economic")
    rank = int((np.abs(np.diag(upper)) > 1e-9 * abs(upper[0, 0])).sum())
    assert rank == J.shape[1], "the driven joints do not determine the rest"
    return np.sort(order[:rank])


class Projection:
    """Efforts u of the driven joints from those of the tree: tau = Sᵀ u + Jᵀ lambda."""

    def __init__(self, machine: Loops, J: Array) -> None:
        """J : at home."""
        self.driven, self.dependent = machine.driven_rates, machine.dependent
        self.rows = independent_rows(J[:, self.dependent])
        # Places in J of its transposed blocks: `take` and LAPACK itself are the quickest that numpy and scipy offer.
        self.square = self.rows * machine.nv + self.dependent[:, None]
        self.side = self.rows * machine.nv + self.driven[:, None]

    def __call__(self, J: Array, tau: Array) -> Array:
        """lambda from the dependent rows, then u."""
        _, _, force, singular = scipy.linalg.lapack.dgesv(J.take(self.square), tau.take(self.dependent))
        assert singular == 0
        found: Array = tau.take(self.driven) - J.take(self.side) @ force
        return found


# ------------------------------------------------------------------------------------------------------------ Pinocchio


class Pinocchio:
    """The machine in Pinocchio."""

    name = "Pinocchio"
    tolerance = 1e-6
    settings = (1e-12, 1e-10, 10)
    """Accuracy, mu and most iterations of the proximal solver of `constraintDynamics`."""
    articulated = (1e-12, 1e-4, 10)
    """Of `lcaba`, which loses digits with smaller mu."""

    def __init__(self, machine: Loops) -> None:
        self.pin = importlib.import_module("pinocchio")
        self.machine = machine
        self.order = np.arange(machine.nq)
        for k in machine.quaternions:
            self.order[k : k + 4] = k + np.array([1, 2, 3, 0])
        self.model = self._tree()
        self.data = self.model.createData()
        self.constraints, self.stores = self._closed()
        self.pairs = tuple(zip(self.constraints, self.stores, strict=True))
        self.project = Projection(machine, self._jacobian(machine.home[self.order]))

    def _tree(self) -> Any:
        """Joint i + 1 carries link i; links come branch by branch, which Pinocchio's factorisation relies on."""
        pin, model = self.pin, self.pin.Model()
        model.gravity.linear = np.array(self.machine.gravity)
        for i, link in enumerate(self.machine.links):
            if link.kind == "universal":
                law = pin.JointModelUniversal(AXES[link.axis][:, 2].copy(), AXES[link.axis][:, 0].copy())
            elif link.kind == "spheric":
                law = pin.JointModelSpherical()
            else:
                law = getattr(pin, f"JointModel{link.kind[0].upper()}{link.axis.upper()}")()
            model.addJoint(link.parent + 1, law, pin.SE3(link.turn, link.at), self.machine.names[i])
            model.appendBodyToJoint(i + 1, pin.Inertia(link.mass, link.com, link.inertia), pin.SE3.Identity())
        return model

    def _closed(self) -> tuple[Any, Any]:
        """Constraints and their data."""
        pin = self.pin
        models, stores = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for c in self.machine.closures:
            for tail, head in c.points(self.machine.planar):
                ends = [c.tail + 1, pin.SE3(np.eye(3), tail), c.head + 1, pin.SE3(np.eye(3), head)]
                made = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, *ends, pin.LOCAL)
                models.append(made)
                stores.append(made.createData())
        return models, stores

    def _jacobian(self, q: Array) -> Array:
        self.pin.computeJointJacobians(self.model, self.data, q)
        for model, store in self.pairs:
            model.calc(self.model, self.data, store)
        found: Array = self.pin.getConstraintsJacobian(self.model, self.data, self.constraints, self.stores)
        return found

    @cached_property
    def loop(self) -> CompiledLoop | None:
        """The same in C++, where it can be compiled."""
        library = compiled_pinocchio()
        return None if library is None else CompiledLoop(self, library)

    def forward_call(self, q: Array, v: Array, tau: Array) -> Task:
        """One call of `constraintDynamics`."""
        pin, data, (models, stores) = self.pin, self.model.createData(), self._closed()
        pin.initConstraintDynamics(self.model, data, models, stores)
        settings = pin.ProximalSettings(*self.settings)
        return partial(pin.constraintDynamics, self.model, data, q[self.order], v, tau, models, stores, settings)

    def forward_articulated(self, q: Array, v: Array, tau: Array) -> Task:
        """One call of `lcaba`, on data of its own: it leaves them in a state that `constraintDynamics` cannot use."""
        pin, data, (models, stores) = self.pin, self.model.createData(), self._closed()
        pin.computeJointMinimalOrdering(self.model, data, models)
        settings = pin.ProximalSettings(*self.articulated)
        return partial(pin.lcaba, self.model, data, q[self.order], v, tau, models, stores, settings)

    def inverse_call(self, q: Array, v: Array, a: Array) -> Task:
        """`rnea`, Jacobian and solve."""
        rnea, model, data, q = self.pin.rnea, self.model, self.data, q[self.order]
        project, jacobian = self.project, self._jacobian

        def inverse() -> Array:
            tau = rnea(model, data, q, v, a)
            return project(jacobian(q), tau)

        return inverse

    def ways(self, quantity: str) -> dict[str, Callable[..., Task]]:
        """Calls for one state, by name."""
        if quantity == "inverse":
            return {"rnea + J + solve": self.inverse_call}
        return {"constraintDynamics": self.forward_call, "lcaba": self.forward_articulated}

    def batches(self, quantity: str) -> dict[str, Callable[..., Task]]:
        """Calls for many states, by the same names: a loop in C++, where it was built."""
        if self.loop is None:
            return {}
        names = ("inverse",) if quantity == "inverse" else ("forward", "articulated")
        return {w: partial(self.loop.task, name) for w, name in zip(self.ways(quantity), names, strict=True)}


class CompiledLoop:
    """States by the thousand through `pinocchio_loop.cpp`."""

    def __init__(self, peer: Pinocchio, library: ctypes.CDLL) -> None:
        self.machine, self.order = peer.machine, peer.order
        self.library = library
        library.create.restype, library.create.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int]
        self.handles = {}
        for name, settings in (
            ("forward", peer.settings),
            ("articulated", peer.articulated),
            ("inverse", peer.settings),
        ):
            text = self._described(settings, peer.project.rows).encode()
            self.handles[name] = library.create(text, int(name == "articulated"))
            function = getattr(library, name)
            function.restype, function.argtypes = None, [ctypes.c_void_p, ctypes.c_long, *[ctypes.c_void_p] * 4]

    def _described(self, settings: tuple[float, float, int], rows: Index) -> str:
        """The model as numbers between spaces, in the order in which `create` reads them."""
        m = self.machine
        words: list[Any] = [len(m.links), *m.gravity]
        for link in m.links:
            kind = ["revolute", "prismatic", "universal", "spheric"].index(link.kind)
            words += [link.parent + 1, kind, *link.at, link.mass, *link.com, *link.inertia.ravel()]
            words += [*AXES[link.axis][:, 2], *AXES[link.axis][:, 0]]
        pairs = [(c, p) for c in m.closures for p in c.points(m.planar)]
        words.append(len(pairs))
        for c, (tail, head) in pairs:
            words += [c.tail + 1, *tail, c.head + 1, *head]
        words += [*settings, len(m.driven), *m.driven_rates, *rows]
        return " ".join(format(w, ".17g") if isinstance(w, float) else str(w) for w in words)

    def task(self, name: str, q: Array, v: Array, x: Array) -> Task:
        """All states, one after the other; returns the array of results."""
        inputs = [np.ascontiguousarray(array) for array in (q[:, self.order], v, x)]
        out = np.zeros((len(q), len(self.machine.driven) if name == "inverse" else self.machine.nv))
        run, handle = getattr(self.library, name), self.handles[name]

        def task() -> Array:
            run(handle, len(out), *(a.ctypes.data for a in (*inputs, out)))
            return out

        return task


def compiled_pinocchio(build: bool = False) -> ctypes.CDLL | None:
    """`pinocchio_loop.cpp` as it was built against this Pinocchio, or None; it is kept in the cache.

    build : compile it if it is not there, which takes minutes. That needs a compiler (g++ or $CXX), and Eigen's headers
        beside Pinocchio (`pip install cmeel-eigen`), in $EIGEN_INCLUDE or in /usr/include/eigen3.
    """
    pin = importlib.import_module("pinocchio")
    prefix = next((p for p in Path(str(pin.__file__)).parents if p.name == "cmeel.prefix"), None)
    if prefix is None:  # not the wheel
        return None
    source = HERE / "pinocchio_loop.cpp"
    digest = hashlib.sha256(source.read_bytes() + f"{pin.__version__} {prefix}".encode()).hexdigest()[:16]
    folder = Path(os.environ.get("LINKWORK_CACHE", tempfile.gettempdir()))
    built = folder / f"pinocchio_loop_{digest}.so"
    if build and not built.exists():
        folder.mkdir(parents=True, exist_ok=True)
        fresh = built.with_suffix(f".{os.getpid()}")
        places = [os.environ.get("EIGEN_INCLUDE", ""), str(prefix / "include" / "eigen3"), "/usr/include/eigen3"]
        includes = [x for place in (str(prefix / "include"), *places) if place for x in ("-isystem", place)]
        libraries = [f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}", "-lpinocchio_default"]
        flags = ["-std=c++17", "-O2", "-DNDEBUG", "-shared", "-fPIC", "-w", *DEFINES]
        compiler = os.environ.get("CXX", "g++")
        subprocess.run([compiler, *flags, *includes, str(source), *libraries, "-o", str(fresh)], check=True)
        fresh.rename(built)
    return ctypes.CDLL(str(built)) if built.exists() else None


# --------------------------------------------------------------------------------------------------------------- MuJoCo


class MuJoCo:
    """The machine in MuJoCo."""

    name = "MuJoCo"
    tolerance = 1e-3
    """Of its soft accelerations."""
    hard = 1e-6
    """Of accelerations extrapolated to hard constraints."""

    def __init__(self, machine: Loops) -> None:
        self.mujoco = importlib.import_module("mujoco")
        self.machine = machine
        self.model = self._model()
        self.dense = self._model()
        self.dense.opt.jacobian = self.mujoco.mjtJacobian.mjJAC_DENSE
        self.data = self.mujoco.MjData(self.model)
        self.scratch = self.mujoco.MjData(self.dense)
        self.project = Projection(machine, self._jacobian(machine.home))

    def _model(self) -> Any:
        model = self.mujoco.MjModel.from_xml_string(mjcf(self.machine))
        # Anchors are taken at q = 0, where the loops are open: set both.
        pairs = [p for c in self.machine.closures for p in c.points(self.machine.planar)]
        for k, (tail, head) in enumerate(pairs):
            model.eq_data[k, :6] = [*tail, *head]
        return model

    def _jacobian(self, q: Array) -> Array:
        mj, model, data = self.mujoco, self.dense, self.scratch
        data.qpos[:] = q
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_makeConstraint(model, data)
        found: Array = data.efc_J.reshape(-1, model.nv)
        return found

    def forward_call(self, q: Array, v: Array, tau: Array) -> Callable[[], Array]:
        """State in, `mj_forward`, accelerations out."""
        forward, model, data = self.mujoco.mj_forward, self.model, self.data
        qpos, qvel, applied, qacc = data.qpos, data.qvel, data.qfrc_applied, data.qacc

        def task() -> Array:
            qpos[:] = q
            qvel[:] = v
            applied[:] = tau
            forward(model, data)
            found: Array = qacc
            return found

        return task

    def forward_hard(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations at seven softnesses, extrapolated to none."""
        softness = np.arange(1, 8) * (1 - STIFF)
        found = []
        kept = self.model.eq_solimp.copy()
        for s in softness:
            self.model.eq_solimp[:, :2] = 1 - s
            found.append(self.forward_call(q, v, tau)().copy())
        self.model.eq_solimp[:] = kept
        # The regulariser is proportional to (1 - d) / d.
        x = softness / (1 - softness)
        weights = np.array([np.prod([y / (y - w) for y in x if y != w]) for w in x])
        hard: Array = weights @ np.array(found)
        return hard

    def inverse_call(self, q: Array, v: Array, a: Array) -> Task:
        """Positions, Jacobian, `mj_rne` and solve."""
        mj, model, data, project = self.mujoco, self.dense, self.scratch, self.project
        tau, n = np.zeros(model.nv), model.nv

        def task() -> Array:
            data.qpos[:] = q
            data.qvel[:] = v
            data.qacc[:] = a
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_makeConstraint(model, data)
            mj.mj_comVel(model, data)
            mj.mj_rne(model, data, 1, tau)
            return project(data.efc_J.reshape(-1, n), tau)

        return task

    def forward_batch(self, q: Array, v: Array, tau: Array) -> Task:
        """All states through `Batch.forward` on one thread; from MuJoCo 4 on."""
        batch = importlib.import_module("mujoco.batch").Batch(self.model, nsim=len(q), nthread=1)
        found = batch.bind("qacc")
        fields = [(batch.bind(name), x) for name, x in (("qpos", q), ("qvel", v), ("qfrc_applied", tau))]

        def task() -> Array:
            for field, x in fields:
                field[:] = x
            batch.forward()
            answer: Array = found
            return answer

        return task

    def ways(self, quantity: str) -> dict[str, Callable[..., Task]]:
        """Calls for one state, by name."""
        return {"mj_rne + J + solve": self.inverse_call} if quantity == "inverse" else {"mj_forward": self.forward_call}

    def batches(self, quantity: str) -> dict[str, Callable[..., Task]]:
        """Calls for many states, by the same names."""
        if quantity == "inverse" or importlib.util.find_spec("mujoco.batch") is None:
            return {}
        return {"mj_forward": self.forward_batch}


def mjcf(machine: Loops) -> str:
    """The machine as MuJoCo's XML; anchors of the closures are set afterwards."""
    joints = {
        "revolute": '<joint type="hinge" axis="{w}"/>',
        "prismatic": '<joint type="slide" axis="{w}"/>',
        "universal": '<joint type="hinge" axis="{w}"/><joint type="hinge" axis="{u}"/>',
        "spheric": '<joint type="ball"/>',
    }
    children: dict[int, list[int]] = {}
    for i, link in enumerate(machine.links):
        children.setdefault(link.parent, []).append(i)

    def text(values: Any) -> str:
        return " ".join(format(float(x), ".17g") for x in values)

    def body(i: int) -> str:
        link = machine.links[i]
        six = [link.inertia[j, k] for j, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        axes = AXES[link.axis]
        return (
            f'<body name="{machine.names[i]}" pos="{text(link.at)}">'
            + joints[link.kind].format(w=text(axes[:, 2]), u=text(axes[:, 0]))
            + f'<inertial pos="{text(link.com)}" mass="{link.mass:.17g}" fullinertia="{text(six)}"/>'
            + "".join(map(body, children.get(i, ())))
            + "</body>"
        )

    def named(i: int) -> str:
        return machine.names[i] if i >= 0 else "world"

    pairs = [c for c in machine.closures for _ in c.points(machine.planar)]
    connects = "".join(
        f'<connect body1="{named(c.tail)}" body2="{named(c.head)}" anchor="0 0 0" solref="0 0" '
        f'solimp="{STIFF} {STIFF} 0.001"/>'
        for c in pairs
    )
    return (
        '<mujoco><compiler angle="radian"/>'
        f'<option gravity="{text(machine.gravity)}" tolerance="1e-10"><flag contact="disable"/></option>'
        f"<worldbody>{''.join(map(body, children[-1]))}</worldbody><equality>{connects}</equality></mujoco>"
    )


# --------------------------------------------------------------------------------------------------------------- Exudyn


class Exudyn:
    """A planar machine in Exudyn: bodies of three coordinates each, every joint a constraint.

    Spatial machines are left out: they would each need a model of their own, with legs as kinematic trees for the
    Stewart platform, and for Bricard with the row to drop picked by hand.
    """

    name = "Exudyn"
    tolerance = 1e-5
    """It differentiates the velocities of its constraints numerically."""

    def __init__(self, machine: Loops) -> None:
        assert machine.planar
        self.exudyn = importlib.import_module("exudyn")
        self.items = importlib.import_module("exudyn.itemInterface")
        self.machine = machine
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # names that change from version to version
            self._built()

    def _built(self) -> None:
        exu, items, m = self.exudyn, self.items, self.machine
        system = self.system = exu.SystemContainer().AddSystem()
        ground = system.AddObject(items.ObjectGround())
        bodies: list[int] = []
        self.torques: dict[int, int] = {}

        def marker(link: int, at: Array, kind: str = "Position") -> int:
            """At a point of a link, whose frame has its origin at the centre of mass."""
            body, local = (ground, at) if link < 0 else (bodies[link], at - m.links[link].com)
            made: int = system.AddMarker(getattr(items, f"MarkerBody{kind}")(bodyNumber=body, localPosition=[*local]))
            return made

        for i, link in enumerate(m.links):
            node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[0, 0, 0]))
            body = items.ObjectRigidBody2D(physicsMass=link.mass, physicsInertia=link.inertia[2, 2], nodeNumber=node)
            bodies.append(system.AddObject(body))
            weight = [link.mass * g for g in m.gravity]
            system.AddLoad(items.Force(markerNumber=marker(i, link.com), loadVector=weight))
            if m.names[i] in m.driven:
                assert link.parent < 0 and link.kind == "revolute"
                at = marker(i, link.com, "Rigid")
                load = items.Torque(markerNumber=at, loadVector=[0, 0, 0])
                self.torques[m.starts[1][i]] = system.AddLoad(load)
            if link.kind == "revolute":
                ends = [marker(link.parent, link.at), marker(i, np.zeros(3))]
                system.AddObject(items.RevoluteJoint2D(markerNumbers=ends))
            else:
                ends = [marker(link.parent, link.at, "Rigid"), marker(i, np.zeros(3), "Rigid")]
                along = AXES[link.axis][:, 2]
                normal = [-along[1], along[0], 0]
                guide = items.PrismaticJoint2D(markerNumbers=ends, axisMarker0=[*along], normalMarker1=normal)
                system.AddObject(guide)
        for c in m.closures:
            pins = [marker(c.tail, c.at_tail), marker(c.head, c.at_head)]
            system.AddObject(items.RevoluteJoint2D(markerNumbers=pins))
        system.Assemble()
        settings = self.settings = exu.SimulationSettings()
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        dense, sparse = exu.LinearSolverType.EXUdense, exu.LinearSolverType.EigenSparse
        settings.linearSolverType = dense if len(m.links) < 6 else sparse
        self.solver = exu.MainSolverImplicitSecondOrder()
        place, _ = self._placed(m.home, np.zeros(m.nv))  # where all bodies coincide, constraints would be singular
        system.systemData.SetODE2Coordinates(place, exu.ConfigurationType.Initial)
        assert self.solver.InitializeSolver(system, settings)

    def _placed(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Coordinates of all bodies and their rates."""
        m, absolute, spin = self.machine, [], []
        still = np.zeros((1, m.nv))
        motion = m.motion(q[None], v[None], still)
        angles: list[float] = []
        for i, link in enumerate(m.links):
            p, u, _ = motion.point(i, link.com)
            above = angles[link.parent] if link.parent >= 0 else 0.0
            angles.append(above + (q[m.starts[0][i]] if link.kind == "revolute" else 0.0))
            absolute += [*p[0, :2], angles[-1]]
            spin += [*u[0, :2], motion.w[i][0, 2]]
        return np.array(absolute), np.array(spin)

    def forward_call(self, q: Array, v: Array, tau: Array) -> Task:
        """State and loads in, initial accelerations out, in the coordinates of the bodies."""
        system, solver, settings = self.system, self.solver, self.settings
        data, initial = system.systemData, self.exudyn.ConfigurationType.Initial
        place, rate = self._placed(q, v)
        loads = [(load, [0.0, 0.0, float(tau[k])]) for k, load in self.torques.items()]

        def task() -> Array:
            data.SetODE2Coordinates(place, initial)
            data.SetODE2Coordinates_t(rate, initial)
            for load, torque in loads:
                system.SetLoadParameter(load, "loadVector", torque)
            solver.InitializeSolverInitialConditions(system, settings)
            found: Array = data.GetODE2Coordinates_tt()
            return found

        return task

    def joint_accelerations(self, found: Array) -> Array:
        """Accelerations of the tree from those of the bodies."""
        m = self.machine
        turn, sides = found[2::3], found.reshape(-1, 3)[:, :2]
        rows = []
        for i, link in enumerate(m.links):
            if link.kind == "revolute":
                rows.append(turn[i] - (turn[link.parent] if link.parent >= 0 else 0.0))
            else:
                rows.append(sides[i] @ AXES[link.axis][:2, 2])
        return np.array(rows)

    def ways(self, quantity: str) -> dict[str, Callable[..., Task]]:
        """Calls for one state, by name."""
        return {} if quantity == "inverse" else {"initial accelerations": self.forward_call}

    def batches(self, quantity: str) -> dict[str, Callable[..., Task]]:
        """It has no batch path."""
        return {}


PEERS: dict[str, type[Pinocchio] | type[MuJoCo] | type[Exudyn]] = {
    "pinocchio": Pinocchio,
    "mujoco": MuJoCo,
    "exudyn": Exudyn,
}
"""By the module that each needs."""

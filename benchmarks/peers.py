"""The machines of the benchmark, written down once, and built alike for Linkwork, Pinocchio and MuJoCo.

A link is placed by its frame in the frame of its parent when all its variables are zero. Its joint moves it about or
along an axis of that frame; mass, centre of mass and inertia are given in it. Links come parent first and branch by
branch, so the coordinates of all three libraries have the same order. What differs is the quaternion (Pinocchio writes
w last) and the rates of a free body (Pinocchio takes its velocity along its own axes): see `Pinocchio`.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import pi
from typing import Any

import numpy as np
import numpy.typing as npt

import linkwork as lw

Array = npt.NDArray[np.float64]
Task = Callable[[], object]

GRAVITY = 9.81
SIZES = {
    "revolute": (1, 1),
    "prismatic": (1, 1),
    "cylindric": (2, 2),
    "universal": (2, 2),
    "spheric": (4, 3),
    "free": (7, 6),
}
"""Coordinates and rates of a joint."""
AXES = {"x": np.eye(3)[:, [1, 2, 0]], "y": np.eye(3)[:, [2, 0, 1]], "z": np.eye(3)}
"""Axes u, v, w of a joint's frame, w along the named axis of the link."""


@dataclass(frozen=True)
class Link:
    """A body with the joint that carries it; `parent` is an index, -1 for ground."""

    parent: int
    kind: str
    turn: Array
    at: Array
    mass: float
    com: Array
    inertia: Array
    axis: str = "z"


@dataclass(frozen=True)
class Machine:
    """A tree of links."""

    name: str
    links: tuple[Link, ...]

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(SIZES[link.kind][0] for link in self.links)

    @property
    def nv(self) -> int:
        """Number of rates."""
        return sum(SIZES[link.kind][1] for link in self.links)

    @property
    def quaternions(self) -> list[int]:
        """Where in q a quaternion begins."""
        starts, at = [], 0
        for link in self.links:
            size = SIZES[link.kind][0]
            if size >= 4:
                starts.append(at + size - 4)
            at += size
        return starts

    def samples(self, count: int, seed: int = 1) -> tuple[Array, Array, Array]:
        """Random q, v, a, one sample a row."""
        rng = np.random.default_rng(seed)
        q, v, a = (rng.uniform(-1, 1, (count, n)) for n in (self.nq, self.nv, self.nv))
        for k in self.quaternions:
            q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
        return q, v, a


# ------------------------------------------------------------------------------------------------------------- machines


def about_x(angle: float) -> Array:
    """Rotation about x; right angles are exact."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]]).round(15) + 0.0


def puma6() -> Machine:
    """PUMA 560 as in the Robotics Toolbox, made acceptable to every library.

    Link 1 has a mass of 1 kg and inertia about all axes; Iyy of link 3 is 0.078 kg m^2, since the published 0.086
    breaks the triangle inequality. A link's frame is that of the joint before its D-H transform.
    """
    right = pi / 2
    rows = (  # d, a, alpha, mass, centre of mass, inertia after the D-H transform
        (0.67183, 0, right, 1.0, (0, 0, 0), (0.2, 0.35, 0.2)),
        (0, 0.4318, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
        (0.15005, 0.0203, -right, 4.8, (-0.0203, -0.0141, 0.07), (0.066, 0.078, 0.0125)),
        (0.4318, 0, right, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3)),
        (0, 0, -right, 0.34, (0, 0, 0), (3e-4, 4e-4, 3e-4)),
        (0, 0, 0, 0.09, (0, 0, 0.032), (1.5e-4, 1.5e-4, 4e-5)),
    )
    links, turn, at = [], np.eye(3), np.zeros(3)
    for i, (d, a, alpha, mass, com, inertia) in enumerate(rows):
        R, p = about_x(alpha), np.array([a, 0, d])
        links.append(Link(i - 1, "revolute", turn, at, mass, R @ com + p, R @ np.diag(inertia) @ R.T))
        turn, at = R, p
    return Machine("puma6", tuple(links))


def panda7() -> Machine:
    """Franka Panda: modified D-H placements and identified inertias, dense."""
    right = pi / 2
    rows = (  # d, a, alpha, mass, centre of mass, inertia xx yy zz xy xz yz
        (0.333, 0, 0, 4.970684, (0.003875, 0.002081, 0),
         (0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169)),
        (0, 0, -right, 0.646926, (-0.003141, -0.02872, 0.003495),
         (0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704)),
        (0.316, 0, right, 3.228604, (0.027518, 0.039252, -0.066502),
         (0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805)),
        (0, 0.0825, right, 3.587895, (-0.05317, 0.104419, 0.027454),
         (0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641)),
        (0.384, -0.0825, -right, 1.225946, (-0.011953, 0.041065, -0.038437),
         (0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229)),
        (0, 0, right, 1.666555, (0.060149, -0.014117, -0.010517),
         (0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341)),
        (0.107, 0.088, right, 0.735522, (0.010517, -0.004252, -0.045403),
         (0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741)),
    )  # fmt: skip
    links = []
    for i, (d, a, alpha, mass, com, (xx, yy, zz, xy, xz, yz)) in enumerate(rows):
        R = about_x(alpha)
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        links.append(Link(i - 1, "revolute", R, np.array([a, 0, 0]) + d * R[:, 2], mass, np.array(com), tensor))
    return Machine("panda7", tuple(links))


def chain(n: int) -> Machine:
    """A chain of n links that turn about x, y and z by turns; all inertias differ."""
    rng = np.random.default_rng(0)
    links = []
    for i in range(n):
        A = 0.02 * rng.normal(size=(3, 3))
        inertia = np.diag([0.01, 0.02, 0.015]) + 0.1 * A @ A.T
        at, com = np.array([0, 0, 0.1 if i else 0.0]), np.array([0.01, 0.005, 0.05])
        links.append(Link(i - 1, "revolute", np.eye(3), at, 1.0, com, inertia, "xyz"[i % 3]))
    return Machine(f"chain{n}", tuple(links))


TREE = (
    # A trunk on a free base, two arms with a ball at the shoulder, three legs of sliders, sleeves and Hooke's joints.
    ("free", -1), ("revolute", 0), ("universal", 1),
    ("spheric", 2), ("revolute", 3), ("cylindric", 4), ("revolute", 5),
    ("spheric", 2), ("revolute", 7), ("prismatic", 8), ("universal", 9),
    ("universal", 0), ("prismatic", 11), ("revolute", 12),
    ("revolute", 0), ("cylindric", 14), ("spheric", 15),
    ("prismatic", 0), ("revolute", 17), ("revolute", 18),
)  # fmt: skip


def tree20() -> Machine:
    """A branched tree of 20 bodies on a free base with joints of all kinds that the three libraries share."""
    rng = np.random.default_rng(20)
    links = []
    for kind, parent in TREE:
        turn = np.eye(3) if kind == "free" else _random_turn(rng)
        at = np.zeros(3) if kind == "free" else rng.uniform(-0.3, 0.3, 3)
        mass, com = rng.uniform(0.5, 2.0), rng.uniform(-0.1, 0.1, 3)
        A = rng.normal(size=(3, 3))
        # ∫ r rᵀ dm of a real body is positive definite; its inertia is the trace minus that.
        second = mass * 0.002 * (A @ A.T + np.eye(3))
        links.append(Link(parent, kind, turn, at, mass, com, np.trace(second) * np.eye(3) - second))
    return Machine("tree20", tuple(links))


def _random_turn(rng: np.random.Generator) -> Array:
    """Every other time a turn by right angles, as machines mostly have; else any rotation."""
    if rng.random() < 0.5:
        return AXES["xyz"[rng.integers(3)]]
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn: Array = Q * np.linalg.det(Q)
    return turn


MACHINES: dict[str, Callable[[], Machine]] = {
    "puma6": puma6,
    "panda7": panda7,
    "chain30": partial(chain, 30),
    "chain100": partial(chain, 100),
    "tree20": tree20,
}


# ------------------------------------------------------------------------------------------------------------- Linkwork


def mechanism(machine: Machine) -> lw.Mechanism:
    """The machine for Linkwork, laid out with all variables at zero; joint Ji carries body Bi."""
    m = lw.Mechanism(machine.name, gravity=(0.0, 0.0, -GRAVITY))
    poses: list[tuple[Array, Array]] = []
    for i, link in enumerate(machine.links):
        R, p = poses[link.parent] if link.parent >= 0 else (np.eye(3), np.zeros(3))
        R, p = R @ link.turn, R @ link.at + p
        poses.append((R, p))
        place = partial(lw.placement, p.tolist())
        m.body(
            f"B{i}",
            mass=link.mass,
            com=link.com.tolist(),
            inertia=link.inertia.tolist(),
            frame=place(matrix=R.tolist()),
        )
        add = getattr(m, link.kind)
        tail = m.ground if link.parent < 0 else f"B{link.parent}"
        add(f"J{i}", tail, f"B{i}", frame=place(matrix=(R @ AXES[link.axis]).tolist()))
    return m


# ------------------------------------------------------------------------------------------------------------ Pinocchio


CALLS = {
    "id": "rnea",
    "wrench": "rnea",
    "mass": "crba",
    "fd": "aba",
    "did": "computeRNEADerivatives",
    "dfd": "computeABADerivatives",
}
"""Pinocchio's functions."""


class Pinocchio:
    """The machine in Pinocchio.

    The answers come from a model in which free bodies, sleeves and Hooke's joints are made of two joints with nothing
    between them, so that rates correspond one to one. Free bodies of Pinocchio's own kind (their velocities are along
    their own axes) and its universal joints are a tenth faster, so these are timed; but not for derivatives, since
    those of Pinocchio 4.1 are wrong for its universal joint, as differences of its own `rnea` show.
    """

    name = "Pinocchio"
    quantities = ("id", "wrench", "mass", "fd", "did", "dfd")

    def __init__(self, machine: Machine) -> None:
        self.pin = importlib.import_module("pinocchio")
        self.machine = machine
        self.model, self.ends = self.build(machine, native=False)
        self.timed, _ = self.build(machine, native=True)
        self.order = np.arange(machine.nq)
        for k in machine.quaternions:
            self.order[k : k + 4] = k + np.array([1, 2, 3, 0])

    def build(self, machine: Machine, native: bool) -> tuple[Any, list[int]]:
        """The model, and the joint at whose outer end each link sits."""
        pin, model = self.pin, self.pin.Model()
        ends: list[int] = []
        model.gravity.linear = np.array([0, 0, -GRAVITY])
        for i, link in enumerate(machine.links):
            joint, X = 0 if link.parent < 0 else ends[link.parent], pin.SE3(link.turn, link.at)
            for k, law in enumerate(self.joints(link, native)):
                joint = model.addJoint(joint, law, X, f"J{i}.{k}")
                X = pin.SE3.Identity()
            model.appendBodyToJoint(joint, pin.Inertia(link.mass, link.com, link.inertia), X)
            ends.append(joint)
        return model, ends

    def joints(self, link: Link, native: bool) -> list[Any]:
        """Pinocchio's joints for a link."""
        pin, axis = self.pin, link.axis.upper()
        if link.kind == "revolute":
            return [getattr(pin, f"JointModelR{axis}")()]
        if link.kind == "prismatic":
            return [getattr(pin, f"JointModelP{axis}")()]
        if link.kind == "cylindric":
            return [pin.JointModelRZ(), pin.JointModelPZ()]
        if link.kind == "universal":
            axes = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
            return [pin.JointModelUniversal(*axes)] if native else [pin.JointModelRZ(), pin.JointModelRX()]
        if link.kind == "spheric":
            return [pin.JointModelSpherical()]
        return [pin.JointModelFreeFlyer()] if native else [pin.JointModelTranslation(), pin.JointModelSpherical()]

    def answers(self, quantity: str, q: Array, v: Array, x: Array) -> tuple[Array, ...]:
        """Results as Linkwork gives them, one sample a row. `x` are accelerations or joint forces."""
        data = self.model.createData()
        rows = []
        for inputs in zip(q[:, self.order], v, x, strict=True):
            found = self.bound(self.model, data, quantity, inputs)()
            found = found if isinstance(found, tuple) else (found,)
            if quantity == "wrench":
                found = (*found, np.array([data.f[j].vector for j in self.ends]))
            rows.append([np.array(f) for f in found])
        return tuple(np.stack(column) for column in zip(*rows, strict=True))

    def bound(self, model: Any, data: Any, quantity: str, inputs: tuple[Array, ...]) -> Task:
        """The call of one quantity."""
        inputs = tuple(np.ascontiguousarray(x) for x in inputs[: 1 if quantity == "mass" else 3])
        return partial(getattr(self.pin, CALLS[quantity]), model, data, *inputs)

    def call(self, quantity: str, q: Array, v: Array, x: Array) -> Task:
        """One call from Python."""
        model = self.model if quantity in ("did", "dfd") else self.timed
        return self.bound(model, model.createData(), quantity, (q[self.order], v, x))

    def overhead(self, quantity: str) -> list[tuple[float, Task]]:
        """What a call costs besides its kernel, as a weighted sum of calls.

        The same call on a model without joints is all binding and no kernel. Where a mass matrix is returned, the
        binding also mirrors (and for crba copies) it: n² work, which is found as the second difference of crba on n,
        2 n and no joints that hang on ground side by side, since the kernel's own work there is linear in n. That takes
        away rather too much, hence favours Pinocchio.
        """
        empty = (1.0, self.star(0, quantity))
        if quantity in ("id", "wrench", "fd"):
            return [empty]
        n = self.machine.nv
        return [empty, (0.5, self.star(2 * n, "mass")), (-1.0, self.star(n, "mass")), (0.5, self.star(0, "mass"))]

    def star(self, n: int, quantity: str) -> Task:
        """A call on n sliders side by side."""
        link = Link(-1, "prismatic", np.eye(3), np.zeros(3), 1.0, np.zeros(3), np.eye(3))
        model, _ = self.build(Machine("star", (link,) * n), native=True)
        return self.bound(model, model.createData(), quantity, (np.zeros(n),) * 3)

    def batch(self, quantity: str, q: Array, v: Array, x: Array) -> Task | None:
        """Pinocchio's own batch path on one thread, where it has one."""
        run = {"id": "rneaInParallel", "wrench": "rneaInParallel", "fd": "abaInParallel"}.get(quantity)
        if run is None or not hasattr(self.pin, run):
            return None
        columns = [np.asfortranarray(a.T) for a in (q[:, self.order], v, x)]
        out = np.zeros_like(columns[1], order="F")
        return partial(getattr(self.pin, run), 1, self.pin.ModelPool(self.timed, 1), *columns, out)


# --------------------------------------------------------------------------------------------------------------- MuJoCo


class MuJoCo:
    """The machine in MuJoCo: for each quantity the fewest of its functions that give it."""

    name = "MuJoCo"
    quantities = ("id", "mass", "fd")

    def __init__(self, machine: Machine) -> None:
        self.mujoco = importlib.import_module("mujoco")
        self.machine = machine
        self.model = self.mujoco.MjModel.from_xml_string(mjcf(machine))

    def answers(self, quantity: str, q: Array, v: Array, x: Array) -> tuple[Array, ...]:
        """Results as Linkwork gives them, one sample a row."""
        return (np.stack([self.task(self.model, quantity, s, dense=True)()[0] for s in zip(q, v, x, strict=True)]),)

    def task(self, model: Any, quantity: str, inputs: tuple[Array, ...], dense: bool = False) -> Callable[[], Array]:
        """State in, functions called, one row out. The sparse mass matrix counts as the answer unless `dense`."""
        mj, data = self.mujoco, self.mujoco.MjData(model)
        q, v, x = inputs
        rest, out = np.zeros(model.nv), np.zeros((1, model.nv))
        full = np.zeros((1, model.nv, model.nv))

        def inverse() -> Array:
            data.qpos[:] = q
            data.qvel[:] = v
            data.qacc[:] = x
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_comVel(model, data)
            mj.mj_rne(model, data, 1, out[0])
            return out

        def mass() -> Array:
            data.qpos[:] = q
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_makeM(model, data)
            if dense:
                mj.mj_fullM(model, data, full[0])
            return full

        def forward() -> Array:
            data.qpos[:] = q
            data.qvel[:] = v
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_makeM(model, data)
            mj.mj_factorM(model, data)
            mj.mj_comVel(model, data)
            mj.mj_rne(model, data, 0, rest)
            np.subtract(x, rest, rest)
            mj.mj_solveM(model, data, out, rest[None])
            return out

        return {"id": inverse, "mass": mass, "fd": forward}[quantity]

    def call(self, quantity: str, q: Array, v: Array, x: Array) -> Task:
        """One evaluation from Python."""
        return self.task(self.model, quantity, (q, v, x))

    def overhead(self, quantity: str) -> list[tuple[float, Task]]:
        """What the calls cost besides their kernels: the same calls on an empty world."""
        empty = self.mujoco.MjModel.from_xml_string(mjcf(Machine("empty", ())))
        return [(1.0, self.task(empty, quantity, (np.zeros(0),) * 3))]

    def batch(self, quantity: str, q: Array, v: Array, x: Array) -> Task | None:
        """MuJoCo has no batch path for single quantities."""
        return None


def mjcf(machine: Machine) -> str:
    """The machine as MuJoCo's XML."""
    joints = {
        "revolute": '<joint type="hinge" axis="{axis}"/>',
        "prismatic": '<joint type="slide" axis="{axis}"/>',
        "cylindric": '<joint type="hinge" axis="0 0 1"/><joint type="slide" axis="0 0 1"/>',
        "universal": '<joint type="hinge" axis="0 0 1"/><joint type="hinge" axis="1 0 0"/>',
        "spheric": '<joint type="ball"/>',
        "free": "<freejoint/>",
    }
    children: dict[int, list[int]] = {}
    for i, link in enumerate(machine.links):
        children.setdefault(link.parent, []).append(i)

    def text(values: Any) -> str:
        return " ".join(format(float(x), ".17g") for x in values)

    def body(i: int) -> str:
        link = machine.links[i]
        inner = "".join(map(body, children.get(i, ())))
        six = [link.inertia[j, k] for j, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        return (
            f'<body pos="{text(link.at)}" xyaxes="{text((*link.turn[:, 0], *link.turn[:, 1]))}">'
            + joints[link.kind].format(axis=text(AXES[link.axis][:, 2]))
            + f'<inertial pos="{text(link.com)}" mass="{link.mass:.17g}" fullinertia="{text(six)}"/>{inner}</body>'
        )

    return (
        f'<mujoco><compiler angle="radian"/><option gravity="0 0 {-GRAVITY}">'
        '<flag contact="disable" constraint="disable"/></option>'
        f"<worldbody>{''.join(map(body, children.get(-1, ())))}</worldbody></mujoco>"
    )


def available() -> list[type[Pinocchio] | type[MuJoCo]]:
    """The peers that are installed."""
    wanted: tuple[tuple[str, type[Pinocchio] | type[MuJoCo]], ...] = (("pinocchio", Pinocchio), ("mujoco", MuJoCo))
    return [peer for module, peer in wanted if importlib.util.find_spec(module)]

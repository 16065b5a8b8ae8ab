"""What acts on a machine: coils and dampers between points, spirals about pins, arrows of forces and torques."""

from __future__ import annotations

import math

import numpy as np

from linkwork.colours import FORCE, Tint
from linkwork.model.loads import Load
from linkwork.model.loads.load import AlongVariable
from linkwork.views.followers import Follower, follower_of, lifted
from linkwork.views.scene.parts import Label, Mesh
from linkwork.views.scene.plan import Plan
from linkwork.views.scene.shapes import arrow, cylinder, joined, tube
from linkwork.views.scene.wires import coil_path, curved_arrow, spiral_path, wire

SPRING: Tint = "metal"
LONG = 0.14  # length of a force's arrow, by the size of the machine
BOW = 0.07  # radius of a torque's arrow, by the size of the machine
SHAFT = 0.0065  # radius of both, by the size of the machine
WIDE = 0.045  # of a coil or damper, by the size of the machine
HOUSING = 0.5  # length of a damper's cylinder, in parts of its length in the layout


def put_loads(plan: Plan) -> None:
    """A shape for every load that has a place; those along a joint's variable show on pins only.

    Parameters
    ----------
    plan : what is drawn; takes the parts and the frames that they ride on
    """
    for load in plan.m.loads.values():
        follower = follower_of(plan.m, plan.layout, load, plan.normal)
        if follower is None or not load.symbol:
            _put_spiral(plan, load)
            continue
        if plan.layered and plan.normal is not None:
            follower = lifted(follower, plan.layout.X_WB, plan.offsets, plan.normal)
        plan.followers[follower.name] = follower
        if follower.stretched:
            _put_spring(plan, load, follower)
        else:
            size = plan.size
            if load.symbol == "bow":
                mesh = curved_arrow(BOW * size, 1.5 * math.pi, SHAFT * size)
            else:
                mesh = arrow(np.array([0.0, 0.0, -LONG * size]), np.zeros(3), SHAFT * size)
            plan.put(follower.name, "load", load.name, mesh, FORCE, smooth=True)


def load_labels(plan: Plan) -> list[Label]:
    """Names of loads: beside the middle of a spring, at the tail of a force, at the rim of a torque.

    Parameters
    ----------
    plan : what is drawn, loads included
    """
    found = []
    for load in plan.m.loads.values():
        follower = plan.followers.get(f"load.{load.name}")
        if follower is None:
            continue
        at = np.array([0.0, 0.0, 0.5]) if follower.stretched else np.array([0.0, 0.0, -LONG * plan.size])
        if load.symbol == "bow":
            at = np.array([-BOW * plan.size, 0.0, 0.0])
        found.append(Label(load.name, follower.name, at, "load"))
    return found


def _put_spring(plan: Plan, load: Load, follower: Follower) -> None:
    """Shapes along z from 0 to 1, which are stretched to the distance of the points."""
    way = follower.end.world(plan.layout.X_WB) - follower.start.world(plan.layout.X_WB)
    length = math.sqrt(float(way @ way)) or 0.1 * plan.size
    width = min(WIDE * plan.size, length / 5)
    if load.symbol != "dashpot":
        turns = int(np.clip(round(length / (0.8 * width)), 5, 14))
        mesh = wire(coil_path(length, 0.55 * width, turns), 0.1 * width)
        plan.put(follower.name, "load", load.name, _along_one(mesh, length), SPRING, smooth=True)
        return
    # The rod goes through: what is inside of the cylinder is hidden, however far it is pushed in.
    rod = cylinder(0.14 * width, length).moved(_up(length / 2))
    plan.put(follower.name, "load", load.name, _along_one(rod, length), SPRING, smooth=True)
    housing = Follower(f"{follower.name}.housing", follower.origin, follower.start, follower.end, follower.towards)
    plan.followers[housing.name] = housing
    long = HOUSING * length
    shell = cylinder(0.42 * width, 0.9 * long).moved(_up(0.15 * long + 0.45 * long))
    rim = tube(0.5 * width, 0.2 * width, 0.08 * long).moved(_up(1.01 * long))
    plan.put(housing.name, "load", load.name, joined([shell, rim]), "stone")


def _put_spiral(plan: Plan, load: Load) -> None:
    """A spring about a pin, as a spiral before it."""
    if load.symbol != "coil" or not isinstance(load.acts, AlongVariable):
        return
    joint = plan.m.joints.get(load.acts.variable.rpartition(".")[0])
    seat = None if joint is None else plan.seat(joint)
    if joint is None or seat is None or joint.law.symbol != "pin" or joint.tail not in plan.layout.X_WB:
        return
    width = plan.width(joint.tail, joint.head)
    mesh = wire(spiral_path(0.6 * width, 1.7 * width, 3.0), 0.09 * width)
    side = 1.0 if plan.normal is None or float(seat.X_WF[:3, 2] @ plan.normal) > 0.0 else -1.0
    high = max(plan.offsets.get(b, 0.0) for b in (joint.tail, joint.head)) + 0.75 * width
    plan.put(joint.tail, "load", load.name, mesh.moved(seat.X_TF @ _up(side * high)), SPRING, smooth=True)


def _along_one(mesh: Mesh, length: float) -> Mesh:
    """Lengths along z in parts of a length."""
    return Mesh(mesh.vertices / [1.0, 1.0, length], mesh.faces, mesh.closed)


def _up(z: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    X = np.eye(4)
    X[2, 3] = z
    return X

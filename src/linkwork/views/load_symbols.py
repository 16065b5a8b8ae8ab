"""Loads as lines, as textbooks draw them: zigzag springs, dampers, spirals about pins, arrows of forces and torques."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.geometry import Array
from linkwork.model.layout import Layout
from linkwork.model.loads import Load
from linkwork.model.loads.load import AlongVariable
from linkwork.model.mechanism import Mechanism
from linkwork.views.followers import follower_of

WIDE = 0.035  # half of what a zigzag takes across, by the size of the machine, at most a quarter of its length
TEETH = 6
LONG = 0.14  # length of a force's arrow, by the size of the machine
BOW = 0.06  # radius of a torque's arrow, by the size of the machine
BARB = 0.025  # length of an arrow's barbs, by the size of the machine


@dataclass(frozen=True, eq=False)
class LoadSymbol:
    """A load as lines.

    lines : (n, 3) each [m, world]; at : where its name stands [m, world]
    arrow : whether it shows a force or a torque, rather than a part of the machine
    """

    name: str
    lines: tuple[Array, ...]
    at: Array
    arrow: bool


def load_symbols(m: Mechanism, layout: Layout, normal: Array | None) -> list[LoadSymbol]:
    """Symbols of all loads that have a place; of those along joint variables, springs about pins only.

    Parameters
    ----------
    m : the mechanism
    layout : its layout in any posture
    normal : of the plane of a planar machine, None of a spatial one
    """
    found = (_symbol(m, layout, load, normal) for load in m.loads.values())
    return [symbol for symbol in found if symbol is not None]


def _symbol(m: Mechanism, layout: Layout, load: Load, normal: Array | None) -> LoadSymbol | None:
    size = layout.size
    follower = follower_of(m, layout, load, normal)
    if follower is None or not load.symbol:
        return _spiral(m, layout, load)
    X = follower.pose(layout.X_WB)
    if follower.stretched:
        length = float(np.linalg.norm(X[:3, 2]))
        half = min(WIDE * size, length / 4)
        lines = damper_lines(half) if load.symbol == "dashpot" else [zigzag(half)]
        return LoadSymbol(load.name, _placed(lines, X), X[:3, 3] + X[:3, 2] / 2, False)
    if load.symbol == "bow":
        lines, at = bow_lines(BOW * size, BARB * size), np.array([-BOW * size, 0.0, 0.0])
    else:
        lines, at = arrow_lines(LONG * size, BARB * size), np.array([0.0, 0.0, -LONG * size])
    return LoadSymbol(load.name, _placed(lines, X), X[:3, :3] @ at + X[:3, 3], True)


def zigzag(half: float) -> Array:
    """A spring along z from 0 to 1: straight, teeth across x, straight."""
    teeth = 2 * TEETH
    z = np.concatenate([[0.0, 0.15], 0.15 + 0.7 * (np.arange(teeth) + 0.5) / teeth, [0.85, 1.0]])
    x = np.concatenate([[0.0, 0.0], half * (-1.0) ** np.arange(teeth), [0.0, 0.0]])
    return np.column_stack([x, np.zeros_like(z), z])


def damper_lines(half: float) -> list[Array]:
    """A damper along z from 0 to 1: a cup that is open toward the end, and a piston on a rod in it."""
    cup = [(half, 0.65), (half, 0.3), (-half, 0.3), (-half, 0.65)]
    flat = [[(0.0, 0.0), (0.0, 0.3)], cup, [(-0.8 * half, 0.5), (0.8 * half, 0.5)], [(0.0, 0.5), (0.0, 1.0)]]
    return [np.array([(x, 0.0, z) for x, z in line]) for line in flat]


def arrow_lines(length: float, barb: float) -> list[Array]:
    """An arrow along z whose tip is at the origin."""
    return [np.array([(0.0, 0.0, -length), (0.0, 0.0, 0.0)]), _head(np.zeros(3), np.array([0.0, 0.0, 1.0]), barb)]


def bow_lines(radius: float, barb: float) -> list[Array]:
    """Three quarters of a circle about z, the right-handed way, with a head."""
    t = np.linspace(0.0, 1.5 * math.pi, 37)
    arc = radius * np.column_stack([np.cos(t), np.sin(t), np.zeros_like(t)])
    return [arc, _head(arc[-1], np.array([1.0, 0.0, 0.0]), barb, np.array([0.0, 1.0, 0.0]))]


def _head(tip: Array, way: Array, barb: float, across: Array | None = None) -> Array:
    side = np.array([1.0, 0.0, 0.0]) if across is None else across
    return np.array([tip - barb * (way + 0.45 * side), tip, tip - barb * (way - 0.45 * side)])


def _spiral(m: Mechanism, layout: Layout, load: Load) -> LoadSymbol | None:
    """A spring about a pin."""
    if load.symbol != "coil" or not isinstance(load.acts, AlongVariable):
        return None
    joint = load.acts.variable.rpartition(".")[0]
    seat = layout.seats.get(joint)
    if seat is None or m.joints[joint].law.symbol != "pin":
        return None
    t = np.linspace(0.0, 5.0 * math.pi, 91)
    r = layout.size * (0.018 + 0.03 * t / t[-1])
    own = np.column_stack([r * np.cos(t), r * np.sin(t), np.zeros_like(t)])
    (line,) = _placed([own], seat.X_WF)
    return LoadSymbol(load.name, (line,), line[-1], False)


def _placed(lines: list[Array], X: Array) -> tuple[Array, ...]:
    return tuple(line @ X[:3, :3].T + X[:3, 3] for line in lines)

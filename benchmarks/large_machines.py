"""Large machines by rule, beside the chain and the row of four-bars that come with the program (`files.generators`)."""

from __future__ import annotations

import math

import numpy as np

import linkwork as lw

GRAVITY = 9.81


def track(links: int = 300, wheels: int = 6) -> lw.Mechanism:
    """A closed belt of links round a row of wheels that stand on ground; every wheel has one of the links by a pin.

    One loop goes round all links, wheels - 1 more from wheel to wheel. In its plane the belt has links - wheels
    freedoms. Pins: P0 ... round the belt, W0 ... of wheels on ground, T0 ... where wheels carry a link.

    Parameters
    ----------
    links : links of the belt
    wheels : wheels in a row, at most half as many as there are links
    """
    m = lw.Mechanism("track", gravity=(0.0, -GRAVITY, 0.0), description=f"{links} links round {wheels} wheels")
    length = 0.1
    turn = 2.0 * np.pi / links
    radius = 0.5 * length / math.sin(0.5 * turn)
    corners = [(radius * math.cos(k * turn), 0.6 * radius * math.sin(k * turn), 0.0) for k in range(links)]
    for k in range(links):
        m.body(f"link{k}", mass=0.5, com=_middle(corners[k], corners[(k + 1) % links]), inertia=(1e-4, 1e-3, 1e-3))
    carried = [round(i * links / wheels) for i in range(wheels)]
    hubs = [tuple(0.8 * c for c in _middle(corners[k], corners[(k + 1) % links])) for k in carried]
    for i, hub in enumerate(hubs):
        m.body(f"wheel{i}", mass=2.0, com=hub, inertia=(0.01, 0.01, 0.02))
    for i, hub in enumerate(hubs):
        m.revolute(f"W{i}", m.ground, f"wheel{i}", at=hub, axis="z")
    for i, k in enumerate(carried):
        m.revolute(f"T{i}", f"wheel{i}", f"link{k}", at=_middle(corners[k], corners[(k + 1) % links]), axis="z")
    for k in range(links):
        m.revolute(f"P{k}", f"link{k}", f"link{(k + 1) % links}", at=corners[(k + 1) % links], axis="z")
    return m


def net(side: int = 30, turned: float = 0.3) -> lw.Mechanism:
    """A net of side x side square plates, pinned together at their corners and turned to and fro: rotating squares.

    It moves with one freedom although it has far too many pins: its plane alone leaves 3 side² - 4 side (side - 1)
    freedoms, fewer than none. The plate in the corner turns on ground.

    Parameters
    ----------
    side : plates along each side
    turned : by how much plates are turned, alternately [rad]
    """
    m = lw.Mechanism("net", gravity=(0.0, -GRAVITY, 0.0), description=f"a net of {side} x {side} rotating squares")
    half = 0.05
    pitch = 2.0 * half * math.cos(turned) + 2.0 * half * abs(math.sin(turned))
    reach = half * math.sqrt(2.0)

    def centre(i: int, j: int) -> tuple[float, float, float]:
        return i * pitch, j * pitch, 0.0

    # Corners of neighbours meet at the middle between their centres, where diagonals stand to and fro.
    slant = 0.25 * np.pi - turned
    pitch = 2.0 * reach * math.cos(slant)
    for i in range(side):
        for j in range(side):
            m.body(_plate(i, j), mass=0.2, com=centre(i, j), inertia=(1e-4, 1e-4, 2e-4))
    m.revolute("O", m.ground, _plate(0, 0), at=centre(0, 0), axis="z")
    across = reach * math.sin(slant)
    for i in range(side):
        for j in range(side):
            x, y, _ = centre(i, j)
            way = across if (i + j) % 2 == 0 else -across
            if i + 1 < side:
                m.revolute(f"X{i}_{j}", _plate(i, j), _plate(i + 1, j), at=(x + pitch / 2, y + way, 0), axis="z")
            if j + 1 < side:
                m.revolute(f"Y{i}_{j}", _plate(i, j), _plate(i, j + 1), at=(x - way, y + pitch / 2, 0), axis="z")
    return m


def _plate(i: int, j: int) -> str:
    return f"plate{i}_{j}"


def _middle(a, b):
    return tuple(0.5 * (x + y) for x, y in zip(a, b, strict=True))

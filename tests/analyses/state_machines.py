"""Machines with named states, and what they do by closed forms and by other people's integrators."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import linkwork as lw

Array = np.ndarray
MOTOR = {"u": 12.0, "R": 1.2, "k": 0.5, "L": 0.01}
INERTIA = 0.02


def turning(name: str, inertia: float = INERTIA) -> lw.Mechanism:
    m = lw.Mechanism(name)
    m.body("rotor", mass=1.0, inertia=(0.05, 0.05, inertia))
    m.revolute("A", "ground", "rotor", axis="z")
    return m


def low_pass(lag: float = 0.2) -> lw.Machine:
    """x' = (sin 3t - x) / lag, beside a rotor that nothing turns."""
    m = turning("low-pass")
    m.state("x1", rate="(sin(3*t) - x1)/lag", start=0.7, unit="V", parameters={"lag": lag})
    return m.assemble()


def low_pass_values(t: Array, lag: float = 0.2, start: float = 0.7) -> Array:
    size = 1.0 + (3.0 * lag) ** 2
    steady = (np.sin(3.0 * t) - 3.0 * lag * np.cos(3.0 * t)) / size
    return steady + (start + 3.0 * lag / size) * np.exp(-t / lag)


def dc_motor(**other: float) -> lw.Machine:
    """A rotor, and the current behind resistance and inductance that turns it."""
    m = turning("motor")
    numbers = MOTOR | other
    m.state("i", rate="(u - R*i - k*rate(A))/L", unit="A", parameters=numbers, description="current of the armature")
    m.load("motor", "A", amount="i.k*i")
    return m.assemble()


def dc_motor_values(t: Array, start: tuple[float, float, float] = (0.0, 0.0, 0.0), **other: float) -> Array:
    """Angle, speed and current by the matrix exponential, (times, 3)."""
    own = MOTOR | {"J": INERTIA} | other
    M = np.zeros((4, 4))
    M[0, 1], M[1, 2] = 1.0, own["k"] / own["J"]
    M[2, 1:] = np.array([-own["k"], -own["R"], own["u"]]) / own["L"]
    return np.array([(expm(M * x) @ [*start, 1.0])[:3] for x in t])


def pid(goal: float = 0.4) -> lw.Machine:
    """A cart of 2 kg that a controller by formula brings to a place, against a push of 3 N."""
    m = lw.Mechanism("pid")
    m.body("cart", mass=2.0)
    m.prismatic("X", "ground", "cart", axis="x")
    m.state("integral", rate="goal - X", unit="m s", parameters={"goal": goal})
    m.load("control", "X", amount="40*(integral.goal - X) + 60*integral - 12*rate(X)")
    m.load("push", "X", amount=-3.0)
    return m.assemble()


def pid_values(t: Array, goal: float = 0.4) -> Array:
    """Place, speed and integral, (times, 3)."""
    M = np.zeros((4, 4))
    M[0, 1] = 1.0
    M[1] = np.array([-40.0, -12.0, 60.0, 40.0 * goal - 3.0]) / 2.0
    M[2, 0], M[2, 3] = -1.0, goal
    return np.array([(expm(M * x) @ [0.0, 0.0, 0.0, 1.0])[:3] for x in t])


CRANK, COUPLER, LENGTH, G = 0.004, 0.8, 0.12, 9.81


def parallelogram(cut: tuple[str, ...] = ("B",), load: str = "A") -> lw.Machine:
    """Two cranks of one length that carry a coupler, all hanging; a motor on one of the cranks, its current a state.

    The coupler does not turn, so that the machine is a pendulum of one coordinate with known inertia and weight.
    """
    m = lw.Mechanism("parallelogram", gravity=(0.0, -G, 0.0))
    for name in ("first", "second"):
        m.body(name, mass=0.3, com=(0.0, 0.0, 0.0), inertia=(CRANK, CRANK, CRANK), frame=lw.placement(at=_foot(name)))
    m.body(
        "coupler",
        mass=COUPLER,
        com=(0.0, 0.0, 0.0),
        inertia=(0.01, 0.01, 0.01),
        frame=lw.placement(at=(0.0, -LENGTH, 0.0)),
    )
    m.revolute("A", "ground", "first", at=_foot("first"), axis="z")
    m.revolute("B", "ground", "second", at=_foot("second"), axis="z")
    m.revolute("C", "first", "coupler", at=(0.0, -LENGTH, 0.0), axis="z")
    m.revolute("D", "second", "coupler", at=(0.3, -LENGTH, 0.0), axis="z")
    numbers = {"u": 3.0, "R": 2.0, "k": 0.4, "L": 0.02}
    m.state("i", rate=f"(u*cos(8*t) - R*i - k*rate({load}))/L", start=0.5, unit="A", parameters=numbers)
    m.state("way", rate=f"{load}**2 + 0.1*i", unit="rad s")
    m.load("motor", load, amount="i.k*i")
    return m.assemble(cut=cut)


def _foot(name: str) -> tuple[float, float, float]:
    return (0.0 if name == "first" else 0.3, 0.0, 0.0)


@cache
def parallelogram_values() -> tuple[Array, Array]:
    """Times, and angle, speed, current and way, by DOP853 on the one coordinate."""
    J, weight = 2.0 * CRANK + COUPLER * LENGTH**2, COUPLER * G * LENGTH

    def change(t: float, z: Array) -> list[float]:
        angle, speed, i, _ = z
        return [
            speed,
            (0.4 * i - weight * np.sin(angle)) / J,
            (3.0 * np.cos(8.0 * t) - 2.0 * i - 0.4 * speed) / 0.02,
            angle**2 + 0.1 * i,
        ]

    t = np.linspace(0.0, 0.9, 10)
    found: Any = solve_ivp(change, (0.0, 0.9), [0.0, 0.0, 0.5, 0.0], "DOP853", t, rtol=1e-12, atol=1e-13, max_step=0.01)
    return t, found.y.T

"""Tasks 12 to 16 of sixteen: what a teacher shows in class. Every answer is checked against its formula."""

from itertools import pairwise

import numpy as np

import linkwork as lw
from linkwork.units import deg, s
from linkwork.units import m as metre

G = 9.81


def mean(a, b):
    """Arithmetic-geometric mean, by which the pendulum's period is known exactly."""
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, np.sqrt(a * b)
    return a


m = lw.Mechanism("pendulum", gravity=(0, -G, 0))
bob = m.body("bob", mass=1.0, com=(0, -1, 0), inertia=(0, 0, 0))
m.revolute("A", m.ground, bob, axis="z")
m.point("P", bob, at=(0, -1, 0))
pendulum = m.assemble()

# 12. The period of a pendulum that is let go at 90 degrees: not 2 pi sqrt(l/g), but 18 % longer.
period = 2 * np.pi / np.sqrt(G) / mean(1.0, np.cos(45 * deg))
run = pendulum.simulate(period, start={"A": 90 * deg}, samples=181, rtol=1e-11, atol=1e-12)
assert abs(run["A"][-1] - 90 * deg) < 1e-8 and abs(run["A"].rate.values[-1]) < 1e-7
print(f"12. a period takes {period:.6f} s; of small swings {2 * np.pi / np.sqrt(G):.6f} s")

# 13. Energy: at the bottom v² = 2 g h, and nothing is lost on the way.
energy = run["machine.kinetic_energy"] + run["machine.potential_energy"]
assert np.ptp(energy) < 1e-8 and np.abs(run["P"].speed ** 2 + run["P"].y * (metre / s**2) * (2 * G)).max() < 1e-7
print(f"13. fastest {run['P'].speed.max():.4f} m/s; sqrt(2 g h) is {np.sqrt(2 * G):.4f} m/s")

# 14. A ladder that slides down a wall, the trammel of Archimedes: every point of it draws an ellipse.
m = lw.Mechanism("ladder")
ladder, foot, head = m.body("ladder", mass=1.0), m.body("foot", mass=0.1), m.body("head", mass=0.1)
x, y = 2.0 * np.cos(50 * deg), 2.0 * np.sin(50 * deg)
m.prismatic("floor", m.ground, foot, at=(x, 0, 0), axis="x")
m.prismatic("wall", m.ground, head, at=(0, y, 0), axis="y")
m.revolute("F", foot, ladder, at=(x, 0, 0), axis="z")
m.revolute("H", head, ladder, at=(0, y, 0), axis="z")
m.point("P", ladder, at=(0.75 * x, 0.25 * y, 0))
trammel = m.assemble()
start = trammel.home["floor"]
run = trammel.motion(floor=lw.ramp(start, start - 1.0, duration=1.0), samples=61)
ellipse = (run["P"].x / 1.5) ** 2 + (run["P"].y / 0.5) ** 2
assert np.abs(ellipse - 1.0).max() < 1e-12
print(f"14. (x/1.5)² + (y/0.5)² stays 1 to {np.abs(ellipse - 1.0).max():.0e}")

# 15. A mass on a spring with a damper: every swing is smaller by the same factor.
k, c = 40.0, 0.8
m = lw.Mechanism("oscillator")
cart = m.body("cart", mass=1.0)
m.prismatic("S", m.ground, cart, axis="x")
m.spring("spring", joint="S", stiffness=k, damping=c, free=0.0)
run = m.assemble().simulate(3.0, start={"S": 0.1}, samples=301, rtol=1e-10, atol=1e-12)
w = np.sqrt(k - c**2 / 4)
exact = 0.1 * np.exp(-c / 2 * run.time) * (np.cos(w * run.time) + c / (2 * w) * np.sin(w * run.time))
assert np.abs(run["S"].value - exact).max() < 1e-9
print(f"15. {w / 2 / np.pi:.4f} swings a second, each {np.exp(-c * np.pi / w):.4f} of the one before")

# 16. A ball that bounces with e = 0.8: the nth bounce reaches e^(2n) of the height.
m = lw.Mechanism("ball", gravity=(0, -G, 0))
ball = m.body("ball", mass=0.2)
m.prismatic("S", m.ground, ball, axis="y")
run = m.assemble().simulate(3.0, start={"S": 1.0}, events=lw.stop("S", low=0.0, restitution=0.8))
times = np.array([event.time for event in run.events])[:4]
fall = np.sqrt(2.0 / G)
assert np.abs(times - [fall * (1 + 2 * sum(0.8**j for j in range(1, n + 1))) for n in range(4)]).max() < 1e-9
heights = [G * (b - a) ** 2 / 8 for a, b in pairwise(times)]
assert np.abs(np.array(heights) - [0.8 ** (2 * n) for n in (1, 2, 3)]).max() < 1e-8
print(f"16. bounces at {np.round(times, 4)} s, heights {np.round(heights, 4)} m")

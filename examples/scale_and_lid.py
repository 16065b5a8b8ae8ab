"""Where machines rest: a spring scale and its dial, a lid with a gas spring, friction, and an arch that snaps.

python examples/scale_and_lid.py
"""

import math

import numpy as np

import linkwork as lw
from linkwork.units import deg

# A weighing scale: crank AB and bar CBE of equal arms l, a spring in the slide D, the weight W at E.
length, stiffness = 0.15, 2000.0
psi = -30 * deg
B = length * np.array([math.cos(psi), math.sin(psi), 0.0])
m = lw.Mechanism("scale")
m.body("crank", mass=0.1), m.body("bar", mass=0.1), m.body("slider", mass=0.2, com=(2 * B[0], 0, 0))
m.revolute("A", "ground", "crank", axis="z", value=psi)
m.revolute("B", "crank", "bar", at=B, axis="z")
m.revolute("C", "bar", "slider", at=(2 * B[0], 0, 0), axis="z")
m.prismatic("D", "ground", "slider", axis="x", value=2 * B[0])
m.point("E", "bar", (0, 2 * B[1], 0))
m.spring("coil", joint="D", stiffness=stiffness, free=4 * length)
m.force("W", "E", amount=0.0, along="-y")
scale = m.assemble()

# The dial: which weight stands at which angle. W = 2 k l (sin psi - 2 tan psi)
dial = scale.equilibrium_path("A", "-80 deg", "-5 deg", balanced_by="W.amount", samples=16)
exact = 2 * stiffness * length * (np.sin(dial.values) - 2 * np.tan(dial.values))
print(dial)
assert np.abs(dial.numbers / exact - 1.0).max() < 1e-11 and set(dial.verdicts) == {"stable"}
(at,) = dial.at(-30 * deg)
print(f"-30 deg shows {exact[np.argmin(abs(dial.values + 30 * deg))]:.3f} N, {at.K[0, 0]:.3f} N m/rad")

# A lid of 12 kg on a gas spring: how heavy it is in the hand, where it stays, what its hinge may carry.
lid = lw.Mechanism("lid", gravity=(0, -9.81, 0))
lid.body("lid", mass=12, com=(0.4, 0, 0), inertia=(0, 0.6, 0.6))
lid.revolute("A", "ground", "lid", axis="z", limits=(0, 80 * deg))
lid.point("P", "lid", (0.3, 0, 0))
lid.point("Q", "ground", (0.25, -0.35, 0))
lid.point("grip", "lid", (0.8, 0, 0))
lid.spring("gas", "P", "Q", free=0, law=lw.tabulated([0.35, 0.70], [-140, -100], over="x"))
lid.friction("hinge", "A", level=6.0, form="exact")
s = lid.assemble()
opening = s.equilibrium_path("A", 0, 80 * deg)
torque = opening["A.effort"].values
alone = np.interp(0.0, -torque, opening.values)  # beyond it opens itself
print(f"to open it takes {torque.max() / 0.8:.2f} N at the grip, up to {alone / deg:.2f} deg")
(shut,) = opening.at(0.0)
long = math.hypot(0.05, 0.35)
gas = 140 - (long - 0.35) * 40 / 0.35
assert abs(shut.efforts["A.angle"] - (12 * 9.81 * 0.4 - gas * 0.3 * 0.35 / long)) < 1e-9

balance = s.equilibrium(start={"A": alone}, kind="nearest")
where = balance.interval("A")  # the hinge holds it there and beside
print(f"{balance.verdict}, but the hinge holds {where}")
assert abs(balance["A"] - alone) < 1e-3 and balance.verdict == "unstable" and balance["A"] in where
wide = s.equilibrium(start={"A": 80 * deg})
print(f"wide open its stop carries {-wide.stops['A.angle']:.2f} N m; it stays so with {wide.interval('lid.mass')}")
heavy = s.equilibrium_path("lid.mass", 12.0, 24.0, start={"A": 80 * deg})
print(heavy)  # how much more it bears without friction

c, sn = math.cos(80 * deg), math.sin(80 * deg)
long = math.hypot(0.3 * c - 0.25, 0.3 * sn + 0.35)
gas = 140 - (long - 0.35) * 40 / 0.35
assert abs(heavy.stops[0].value - 0.3 * (0.35 * c + 0.25 * sn) * gas / long / (9.81 * 0.4 * c)) < 1e-9

# An arch that snaps: the load grows until the fold, where l³ = l0.
arch = lw.Mechanism("arch")
arch.body("block", mass=1.0, com=(0, 0.5, 0))
arch.prismatic("Y", "ground", "block", axis="y", value=0.5)
arch.point("P", "block", (0, 0.5, 0))
arch.point("Q", "ground", (1, 0, 0))
arch.spring("coil", "P", "Q", stiffness=100.0)
arch.load("push", "Y", amount=0.0)
snap = arch.assemble().equilibrium_path("push.amount", 0.0, -20.0)
l0 = math.hypot(1.0, 0.5)
y = math.sqrt(l0 ** (2 / 3) - 1.0)
assert abs(snap.folds[0].value + 100.0 * (l0 - math.hypot(1.0, y)) * y / math.hypot(1.0, y)) < 1e-12
print(f"the arch snaps at {-snap.folds[0].value:.6f} N")

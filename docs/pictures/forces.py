"""Draws forces.svg: torque of a crank and force in its pin over a turn, with the machine of docs/forces.md."""

from pathlib import Path

import matplotlib as mpl

import linkwork as lw
from linkwork.units import deg, mm, rpm

HERE = Path(__file__).parent
mpl.rcParams |= {"svg.hashsalt": "linkwork"}

m = lw.Mechanism("pump", gravity=(0, -9.81, 0))
m.body("crank", mass=0.80, com=(25 * mm, 0, 0), inertia=(1e-4, 4e-4, 4e-4))
m.body("rod", mass=0.55, com=(125 * mm, 0, 0), inertia=(1e-4, 2e-3, 2e-3))
m.body("piston", mass=0.70, com=(250 * mm, 0, 0), inertia=(3e-4, 4e-4, 4e-4))
m.revolute("A", "ground", "crank", axis="z")
m.revolute("B", "crank", "rod", at=(50 * mm, 0, 0), axis="z")
m.revolute("C", "rod", "piston", at=(250 * mm, 0, 0), axis="z")
m.prismatic("D", "ground", "piston", at=(250 * mm, 0, 0), axis="x")
m.point("face", "piston", at=(270 * mm, 0, 0))
m.force("gas", "face", along="-x", amount="where(rate(D) > 0, 2000, 100)")
s = m.assemble()
f = s.forces(s.motion(A=lw.ramp(0, 360 * deg, speed=600 * rpm)))
f.plot("A.effort", "B.force", x="A", units={"angle": "deg"}).save(HERE / "forces.svg")

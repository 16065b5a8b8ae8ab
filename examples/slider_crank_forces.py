"""What a small compressor takes: torque of its drive, forces of its joints, stress in its rod, motor and energy.

The slider-crank of the gallery compresses the air in its closed cylinder and lets it expand again, at 600 rpm.
"""

from pathlib import Path

import numpy as np

import linkwork as lw
from linkwork.model.loads import Motor
from linkwork.units import MPa, deg, mm, rpm

r, L, c, speed, g = 50 * mm, 200 * mm, 75 * mm, 600 * rpm, 9.81
m = lw.example("slider-crank")
m.friction("rings", "D", level=40.0, form="exact")
m.motor("drive", "A", ratio=3, rotor_inertia=8e-3, damping=1e-3, efficiency=0.95, stall=160, no_load=3e3 * rpm, peak=60)
s = m.assemble()

# One turn of the crank. The joint A drives because it did in the motion.
run = s.motion(A=lw.ramp(0, 360 * deg, speed=speed), samples=721)
f = s.forces(run)
print(f)
found = f.evidence.forces
assert found.power_error < 1e-12 * found.largest_power

# The torque by hand: virtual power of weights, inertia, gas and friction, per unit of crank speed. The rod's angle is φ
# below the line of the cylinder, its centre of mass lies c from the crank pin; ' is a derivative by the crank angle.
A = run["A.angle"].values
sin, cos = np.sin(A), np.cos(A)
phi = np.arcsin(r * sin / L)
dphi = r * cos / (L * np.cos(phi))
ddphi = (-r * sin + L * np.sin(phi) * dphi**2) / (L * np.cos(phi))
x, dx = run["D.slide"].values, -r * sin - L * np.sin(phi) * dphi
ddx = -r * cos - L * np.cos(phi) * dphi**2 - L * np.sin(phi) * ddphi
rod = np.stack([-r * sin - c * np.sin(phi) * dphi, r * cos - c * np.cos(phi) * dphi])
drod = np.stack([-r * cos - c * (np.cos(phi) * dphi**2 + np.sin(phi) * ddphi),
                 -r * sin + c * (np.sin(phi) * dphi**2 - np.cos(phi) * ddphi)])  # fmt: skip
gas = -503 * ((0.11 / (0.01 - x)) ** 1.35 - 1)
rings = -40.0 * np.sign(run["D.rate"].values)
inertia = speed**2 * (0.55 * (rod * drod).sum(axis=0) + 2350e-6 * dphi * ddphi + 0.70 * dx * ddx)
weight = g * (0.80 * 25 * mm * cos + 0.55 * rod[1])
by_hand = inertia + weight - (gas + rings) * dx + 3**2 * 1e-3 * speed
assert np.allclose(f["A"].effort, by_hand, rtol=0.0, atol=1e-9)
assert np.allclose(f["gas"].effort, gas, rtol=1e-12) and np.allclose(f["rings"].friction, rings)
print(f"torque at the crank: {by_hand.min():.1f} .. {by_hand.max():.1f} N m")

# The wrist pin C: what the rod exerts on the piston, along the piston's axes. The cylinder D carries the side force
# and what acts along it, gas and friction.
assert np.allclose(f["C.fx"], 0.70 * speed**2 * ddx - gas - rings, rtol=0.0, atol=1e-8)
side = f["D"].force.sel(axis="x").values  # D's frame has its axis as z, so x and y lie across the cylinder
assert np.allclose(np.abs(side), np.abs(0.70 * g - f["C.fy"].values), rtol=0.0, atol=1e-8)
assert np.allclose(f["D"].force.sel(axis="z"), gas + rings, rtol=1e-12)
largest = float(np.hypot(f["C.fx"], f["C.fy"]).max())
print(f"wrist pin: up to {largest:.0f} N; side force of the piston up to {np.abs(side).max():.0f} N")

# Across the plane nothing tells who carries what: parallel pins are redundant there, and it is said, not guessed.
assert f.indeterminate["C"] == ("fz", "mx", "my") and np.isnan(f["C"].force.sel(axis="z")).all()

# Stress in the rod, a flat bar of steel that stands upright in the plane of motion.
bar = lw.RectangleSection(width=12 * mm, height=18 * mm)
steel = lw.Allowable(normal=355 * MPa, safety=3)
strain = lw.stress(f, "rod", ("B", "C"), bar, steel, up="y", assume_zero=True)  # across the plane, nothing loads it
print(strain)
upper = -(f["C.fx"] * np.cos(phi) - f["C.fy"] * np.sin(phi))  # of the piston on the rod, along the rod
assert np.allclose(strain.axial[:, 1], upper, rtol=0.0, atol=1e-8)
assert strain.safe and abs(strain.worst.normal - largest / bar.area) < 0.01 * strain.worst.normal

# The motor: torque over speed at its own shaft, against what it can give.
motor = lw.torque_speed(f, "drive")
print(motor)
assert motor.feasible and np.allclose(motor.speed, 3 * speed)
through = by_hand.max() - 3**2 * 1e-3 * speed  # what passes the gear; the rotor turns at an even speed
assert abs(motor.torque.max() - (through / (0.95 * 3) + 1e-3 * 3 * speed)) < 1e-9
weaker = lw.torque_speed(f, Motor("half", "A.angle", ratio=3, efficiency=0.95, stall=80, no_load=3000 * rpm))
assert not weaker.feasible
print(f"half the motor: {weaker.message}")

# Energy of a turn: compression costs, expansion gives back; what remains is what friction has eaten.
lost = 40.0 * 4 * r + 3**2 * 1e-3 * speed * 2 * np.pi
for share in (0.0, 0.6, 1.0):
    cost = lw.energy(f, recuperation=share)
    print(f"recuperation {share:.0%}: {cost.cost:.1f} J a turn")
    assert np.isclose(cost.cost, cost.drawn - share * cost.returned)
assert abs(cost.net - lost) < 1e-3 * cost.drawn

# The same torque as a force that acts: the crank turns on at the same speed, without acceleration.
on = s.accelerations(A=60 * deg, rates={"A": speed}, efforts={"A": float(by_hand[120])})
print(f"given {by_hand[120]:.2f} N m at 60 deg, the crank gains {on['A']:.1e} rad/s²")
assert abs(on["A"]) < 1e-8 * speed**2

try:
    import matplotlib  # noqa: F401
except ImportError:
    print("no picture: matplotlib is not there")
else:
    out = Path("out")
    out.mkdir(exist_ok=True)
    panels = f.plot("A.effort", "C.force", x="A", units={"angle": "deg"})
    print(f"wrote {panels.save(out / 'slider-crank-forces.svg')}")

"""Tasks 1 to 6 of sixteen: a linkage on paper. Every answer is checked against its formula."""

import numpy as np

import linkwork as lw
from linkwork.units import deg, kg, mm, rpm

# The drawing: a four-bar of 200, 60, 180 and 120 mm, its crank at 60 degrees.
base, crank, coupler, rocker = 200 * mm, 60 * mm, 180 * mm, 120 * mm
B = crank * np.array([np.cos(60 * deg), np.sin(60 * deg), 0.0])
D = np.array([base, 0.0, 0.0])


def pin_between(B, sign=1.0):
    """Where coupler and rocker meet: two circles."""
    far = np.hypot(*(D - B)[:2])
    along = (coupler**2 - rocker**2 + far**2) / (2 * far)
    u = (D - B) / far
    return B + along * u + sign * np.sqrt(coupler**2 - along**2) * np.array([-u[1], u[0], 0.0])


m = lw.Mechanism("four-bar", gravity=(0, -9.81, 0))
for name in ("crank", "coupler", "rocker"):
    m.body(name, mass=0.2)
m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis="z")
m.revolute("B", "crank", "coupler", at=B, axis="z")
m.revolute("C", "coupler", "rocker", at=pin_between(B), axis="z")
m.revolute("D", m.ground, "rocker", at=D, axis="z")
m.point("pin", "rocker", at=pin_between(B))
four_bar = m.assemble()

# 1. Where does the rocker stand while the crank turns? Two circles tell it too.
run = four_bar.motion(A=lw.ramp(0, 360 * deg, duration=1.0), samples=73)
turned = run["A"].value.values + 60 * deg  # angles of joints are counted from the drawing
exact = np.array([pin_between(crank * np.array([np.cos(a), np.sin(a), 0.0])) for a in turned])
assert np.abs(run["pin"].position - exact).max() < 1e-12
print(f"1. the rocker's pin goes from x = {run['pin'].x.to('mm').min():.2f} to {run['pin'].x.to('mm').max():.2f} mm")

# 2. Grashof: shortest and longest are together shorter than the other two, so that the shortest turns.
(bar,) = four_bar.four_bars()
assert crank + base < coupler + rocker and str(bar.kind) == "four-bar" and "crank-rocker" in str(bar.verdict)
print(f"2. {bar}")

# 3. The transmission angle, by the law of cosines; it is worst where the crank lies along the base.
mu = four_bar.transmission(run)
across = base**2 + crank**2 - 2 * base * crank * np.cos(turned)
angle = np.arccos((coupler**2 + rocker**2 - across) / (2 * coupler * rocker))
folded = np.minimum(angle, np.pi - angle)
assert np.abs(mu.folded - folded).max() < 1e-12
print(f"3. transmission angle at worst {folded.min() / deg:.2f} deg")

# A slider-crank of 50 and 160 mm that turns with 600 rpm; the piston weighs 0.7 kg, the rest nothing.
r, rod, mass, speed = 50 * mm, 160 * mm, 0.7, 600 * rpm
m = lw.Mechanism("slider-crank")
m.body("crank")
m.body("rod")
m.body("piston", mass=mass)
m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis="z")
m.revolute("B", "crank", "rod", at=(r, 0, 0), axis="z")
m.revolute("C", "rod", "piston", at=(r + rod, 0, 0), axis="z")
m.prismatic("D", m.ground, "piston", at=(r + rod, 0, 0), axis="x")
engine = m.assemble()
run = engine.forces(engine.motion(A=lw.ramp(0, 360 * deg, speed=speed), samples=361))
a = run["A"].value.values
q = np.sqrt(rod**2 - (r * np.sin(a)) ** 2)
slope = -r * np.sin(a) - r**2 * np.sin(a) * np.cos(a) / q  # dx/da
bend = -r * np.cos(a) - r**2 * np.cos(2 * a) / q - r**4 * (np.sin(a) * np.cos(a)) ** 2 / q**3  # d²x/da²

# 4. Stroke, largest speed and acceleration of the piston.
assert abs(np.ptp(run["D"].value) - 2 * r) < 1e-12
assert (
    np.abs(run["D"].rate - slope * speed).max() < 1e-12 and np.abs(run["D"].acceleration - bend * speed**2).max() < 1e-9
)
fastest, hardest = run["D"].rate.max(), run["D"].acceleration.max()
print(f"4. stroke {np.ptp(run['D'].value) / mm:.1f} mm, {fastest:.3f} m/s, {hardest:.1f} m/s²")

# 5. What the crank must give to carry the piston's mass to and fro: m x'' x'/w.
torque = run["A"].effort
assert np.abs(torque - mass * bend * slope * speed**2).max() < 1e-10
inertia = mass * (kg * run["D"].acceleration)  # [N]: a plain number has no unit, kg has one
assert np.abs(torque * run["A"].rate - inertia * run["D"].rate).max() < 1e-9  # the same power [W]
print(f"5. torque {torque.min():.3f} to {torque.max():.3f} N m, rms {torque.rms():.3f} N m")

# 6. Held against 1 kN on the piston with the crank at 60 degrees: by virtual work F dx/da.
held = engine.statics(engine.at(A=60 * deg), external={"piston": [-1000.0, 0, 0]})["A.angle"]
there = 60 * deg
q = np.sqrt(rod**2 - (r * np.sin(there)) ** 2)
assert abs(held - 1000.0 * (-r * np.sin(there) - r**2 * np.sin(there) * np.cos(there) / q)) < 1e-9
print(f"6. {held:.3f} N m hold 1 kN at 60 deg")

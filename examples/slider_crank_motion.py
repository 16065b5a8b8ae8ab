"""A slider-crank at 3000 rpm: way, speed and acceleration of its piston against the closed form; dead centres."""

from pathlib import Path

import numpy as np

import linkwork as lw
from linkwork.units import deg, mm, rpm

# The engine of the gallery: a crank of 50 mm, a rod of 200 mm, drawn with both in line.
r, L, speed = 50 * mm, 200 * mm, 3000 * rpm
s = lw.example("slider-crank").assemble()
print(s)
assert s.home.mobility == 1 and s.home.redundant == 3

# One turn of the crank in 20 ms.
run = s.motion(A=lw.ramp(0, 360 * deg, speed=speed), samples=721)
print(run)
assert run.status == "complete" and run.evidence.worst_residual < 1e-12

# The closed form: x = r cos A + sqrt(L² - r² sin² A), counted from the outer dead centre, and its derivatives in time.
angle = run["A.angle"].values
root = np.sqrt(L**2 - (r * np.sin(angle)) ** 2)
x = r * np.cos(angle) + root - (r + L)
dx = -r * np.sin(angle) - r**2 * np.sin(2 * angle) / (2 * root)
ddx = -r * np.cos(angle) - r**2 * np.cos(2 * angle) / root - r**4 * np.sin(2 * angle) ** 2 / (4 * root**3)
assert np.abs(run["D.slide"] - x).max() < 1e-15
assert np.abs(run["D.rate"] - speed * dx).max() < 1e-12
assert np.abs(run["D.acceleration"] - speed**2 * ddx).max() < 1e-9

# Numbers of the textbook: stroke 2r, acceleration r w² (1 ± r/L) at the dead centres.
fastest, at_outer, at_inner = (float(v) for v in (np.abs(run["D.rate"]).max(), *run["D.acceleration"][[0, 360]]))
print(
    f"piston: up to {fastest:.2f} m/s; {at_outer:.0f} m/s² at the outer dead centre, {at_inner:.0f} m/s² at the inner"
)
assert abs(fastest - 16.1930676) < 1e-3
assert abs(at_outer + r * speed**2 * (1 + r / L)) < 1e-9 and abs(at_inner - r * speed**2 * (1 - r / L)) < 1e-9

# The crank turns all the way; the piston can drive it from anywhere but the dead centres.
travel = s.travel("A")
print(travel)
assert travel.full_turn and abs(travel.strokes["D.slide"].length - 2 * r) < 1e-12
try:
    s.at(D=-50 * mm)
except lw.DeadCentre as error:
    print(error)
else:
    raise AssertionError
p = s.starting_from({"A": 60 * deg}).at(D=-50 * mm)
reach = r + L - 50 * mm
assert abs(p["A"] - np.arccos((reach**2 + r**2 - L**2) / (2 * reach * r))) < 1e-12

# A longer rod by its parameter, without another model.
longer = s.with_parameters({"C.tail.at.x": 300 * mm})
smoother = longer.home.accelerations({"A": speed})["D.slide"]
print(f"with a rod of 250 mm: {smoother:.0f} m/s² at the outer dead centre")
assert abs(smoother + r * speed**2 * (1 + r / (250 * mm))) < 1e-9

try:
    import matplotlib  # noqa: F401
except ImportError:
    print("no picture: matplotlib is not there")
else:
    out = Path("out")
    out.mkdir(exist_ok=True)
    panels = run.plot("D.slide", "D.rate", "D.acceleration", x="A", units={"angle": "deg", "D.slide": "mm"})
    print(f"wrote {panels.save(out / 'slider-crank-motion.svg')}")

"""A press by named dimensions: its cases, a longer crank, what one millimetre of each dimension changes.

python examples/toggle_press.py
"""

import numpy as np

import linkwork as lw

m = lw.example("toggle-press")
s = m.assemble()
print(s.dimensions)

idle = s.case("idle").motion()
stroke = np.ptp(idle["slide.slide"].values)
print(f"stroke {stroke * 1e3:.3f} mm")

# Other dimensions are other machines: everything that follows from them is laid out anew.
longer = s.with_parameters({"crank": "31 mm"})
by_hand = m.resized(crank=0.031).assemble()
assert abs(longer.at(shaft=1.0)["slide"] - by_hand.at(shaft=1.0)["slide"]) < 1e-15

# What a millimetre of each dimension does to the place of the ram, the loops kept closed: exact derivatives.
posture = s.at(shaft="30 deg")
for name in ("crank", "knee", "link"):
    slope = s.derivative("variables", name, through="closure")(posture.y)[list(s.variables).index("slide.slide")]
    up, down = (s.with_parameters({name: s.dimensions[name] + h}).at(shaft="30 deg")["slide"] for h in (1e-5, -1e-5))
    print(f"{name}: {slope:+.4f} mm a mm")
    assert abs(slope - (up - down) / 2e-5) < 1e-6

# The cases are data of the model: what they drive, what acts, what happens.
press, heavy = s.case("press"), s.case("heavy")
torque = press.forces()["shaft.effort"].to("kN m")
print(f"torque of the shaft from {torque.min():.3f} to {torque.max():.3f} kN m")
assert abs(heavy.machine.dimensions["crank"] - 0.036) < 1e-15
assert np.ptp(heavy.motion()["slide.slide"].values) > stroke
assert lw.loads(lw.dumps(m)) == m

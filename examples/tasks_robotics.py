"""Tasks 7 to 11 of sixteen: an arm and a Stewart platform. Every answer is checked against its formula."""

import numpy as np

import linkwork as lw
from linkwork import geometry as geo
from linkwork.units import deg

G = 9.81
# An arm of three joints: a column of 300 mm, an upper arm of 400 mm, a forearm of 300 mm; point masses at their ends.
h, l1, l2, m1, m2 = 0.3, 0.4, 0.3, 2.0, 1.0
m = lw.Mechanism("arm", gravity=(0, 0, -G))
m.body("column", mass=4.0, com=(0, 0, 0.15), inertia=(0.02, 0.02, 0.02))
m.body("upper", mass=m1, com=(l1, 0, h), inertia=(0, 0, 0))
m.body("fore", mass=m2, com=(l1 + l2, 0, h), inertia=(0, 0, 0))
m.revolute("waist", m.ground, "column", at=(0, 0, 0), axis="z")
m.revolute("shoulder", "column", "upper", at=(0, 0, h), axis="-y")
m.revolute("elbow", "upper", "fore", at=(l1, 0, h), axis="-y")
m.point("tip", "fore", at=(l1 + l2, 0, h))
arm = m.assemble()

# 7. Where is the tip? A thousand postures at once.
rng = np.random.default_rng(7)
q = rng.uniform(-np.pi / 2, np.pi / 2, (1000, 3))
reach = l1 * np.cos(q[:, 1]) + l2 * np.cos(q[:, 1] + q[:, 2])
height = h + l1 * np.sin(q[:, 1]) + l2 * np.sin(q[:, 1] + q[:, 2])
exact = np.stack([reach * np.cos(q[:, 0]), reach * np.sin(q[:, 0]), height], axis=1)
assert np.abs(arm.position("tip", q) - exact).max() < 1e-14
print(f"7. a thousand places of the tip, off by {np.abs(arm.position('tip', q) - exact).max():.0e} m")

# 8. How does it get to a place? The law of cosines knows the elbow.
place = np.array([0.3, 0.25, 0.45])
found = arm.reach("tip", place, start=arm.at(elbow=-60 * deg))
far2 = place[0] ** 2 + place[1] ** 2 + (place[2] - h) ** 2
assert np.abs(found.position("tip") - place).max() < 1e-9
assert abs(np.cos(found["elbow"]) - (far2 - l1**2 - l2**2) / (2 * l1 * l2)) < 1e-8  # it came to a nanometre
assert abs(found["waist"] - np.arctan2(place[1], place[0])) < 1e-8
print(
    f"8. waist {found['waist'] / deg:.2f}, shoulder {found['shoulder'] / deg:.2f}, elbow {found['elbow'] / deg:.2f} deg"
)

# 9. What holds it there with 3 kg in the hand?
held = arm.statics(found, external={"tip": [0, 0, -3.0 * G]})
s1, s12 = found["shoulder"], found["shoulder"] + found["elbow"]
elbow = (m2 + 3.0) * G * l2 * np.cos(s12)
assert abs(held["elbow.angle"] - elbow) < 1e-11
assert abs(held["shoulder.angle"] - (elbow + (m1 + m2 + 3.0) * G * l1 * np.cos(s1))) < 1e-11
assert abs(held["waist.angle"]) < 1e-12
print(f"9. shoulder {held['shoulder.angle']:.3f} N m, elbow {held['elbow.angle']:.3f} N m")

# 10. The mass matrix of the two links in their plane, as in every textbook of robotics.
M = arm.mass_matrix(q)
c2 = np.cos(q[:, 2])
assert np.abs(M[:, 1, 1] - ((m1 + m2) * l1**2 + m2 * (l2**2 + 2 * l1 * l2 * c2))).max() < 1e-13
assert np.abs(M[:, 1, 2] - m2 * (l2**2 + l1 * l2 * c2)).max() < 1e-13 and np.abs(M[:, 2, 2] - m2 * l2**2).max() < 1e-14
assert np.abs(M[:, 0, 0] - (0.02 + m1 * (l1 * np.cos(q[:, 1])) ** 2 + m2 * reach**2)).max() < 1e-13
print(f"10. a thousand mass matrices; the largest entry is {M.max():.4f} kg m²")

# 11. A Stewart platform: how long are its legs where the platform shall be, and what do they carry there?
s = lw.example("stewart-platform").assemble()
at, R = np.array([0.05, -0.03, 0.9]), geo.rot_z(0.1) @ geo.rot_y(-0.05) @ geo.rot_x(0.08)
base = np.array([s.layout.seats[f"U{i}"].X_WF[:3, 3] for i in range(1, 7)])
tops = at + np.array([s.layout.seats[f"S{i}"].X_HM[:3, 3] for i in range(1, 7)]) @ R.T
length = np.linalg.norm(tops - base, axis=1)
there = s.reach("C", at, rotation=R)
legs = [f"P{i}" for i in range(1, 7)]
assert np.abs(np.array([there[leg] for leg in legs]) - length).max() < 1e-8  # it came to some nanometres
back = s.at(dict(zip(legs, length.tolist(), strict=True)))
assert np.abs(back.position("C") - at).max() < 1e-12
# With legs that weigh nothing, six forces along them carry the platform: six equations for six numbers.
parts = [f"{part}{i}.{number}" for part in ("lower", "upper") for i in range(1, 7)
         for number in ("mass", "inertia.xx", "inertia.yy")]  # fmt: skip
light = s.with_parameters(dict.fromkeys(parts, 0.0))
held = light.statics(light.at(dict(zip(legs, length.tolist(), strict=True))), drives=legs)
push, along = np.array([held[f"{leg}.slide"] for leg in legs]), (tops - base) / length[:, np.newaxis]
J = np.vstack([along.T, np.cross(tops - at, along).T])
exact = np.linalg.solve(J, [0, 0, 10.0 * G, 0, 0, 0])
assert np.abs(push - exact).max() < 1e-9
print(f"11. legs of {np.round(length, 4)} m carry {np.round(push, 2)} N")

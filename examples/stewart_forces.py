"""What a Stewart platform takes: leg forces at rest and in motion, without and with the legs' mass; the way back."""

import numpy as np

import linkwork as lw
from linkwork import geometry as geo

s = lw.example("stewart-platform").assemble()
legs = [f"P{i}" for i in range(1, 7)]
weight = 10.0 * 9.81

# The motion of the platform at one instant: pose, velocities and accelerations, in the world.
at = np.array([0.05, -0.03, 0.9])
R = geo.rot_z(0.1) @ geo.rot_y(-0.05) @ geo.rot_x(0.08)
V, W = np.array([0.2, -0.1, 0.05]), np.array([0.1, 0.2, -0.3])
dV, dW = np.array([0.5, 0.4, -0.6]), np.array([-0.5, 0.3, 0.7])

# The same motion as lengths of the legs: a leg runs from its base joint to the top that the platform carries along.
base = np.array([s.layout.seats[f"U{i}"].X_WF[:3, 3] for i in range(1, 7)])
arm = np.array([s.layout.seats[f"S{i}"].X_HM[:3, 3] for i in range(1, 7)]) @ R.T
along = at + arm - base
length = np.linalg.norm(along, axis=1)
along /= length[:, np.newaxis]
speed = V + np.cross(W, arm)
gain = dV + np.cross(dW, arm) + np.cross(W, np.cross(W, arm))
rate = (speed * along).sum(axis=1)
acceleration = (gain * along).sum(axis=1) + ((speed**2).sum(axis=1) - rate**2) / length
given, rates, accelerations = (dict(zip(legs, x.tolist(), strict=True)) for x in (length, rate, acceleration))
assert np.allclose(s.at(given).position("C"), at, atol=1e-12)

# At rest and without the mass of the legs they carry the platform's weight alone.
parts = [f"{part}{i}.{number}" for part in ("lower", "upper") for i in range(1, 7)
         for number in ("mass", "inertia.xx", "inertia.yy")]  # fmt: skip
light = s.with_parameters(dict.fromkeys(parts, 0.0))
rest = light.statics(light.at(given), drives=legs)
print(f"at rest, legs without mass: {np.round([rest.efforts[f'{leg}.slide'] for leg in legs], 3)} N")
expected = [23.4106595125, 20.8353163633, 18.1925957493, 18.2398724624, 24.5951799932, 16.2650090911]
assert np.allclose([rest.efforts[f"{leg}.slide"] for leg in legs], expected, rtol=0.0, atol=2e-9)
assert abs(expected @ along[:, 2] - weight) < 1e-8
assert not any(reaction.indeterminate for reaction in rest.reactions.values())  # no loop is redundant

# In motion: the efforts of the drives as plain arrays. Numbers of two other methods, virtual power and multipliers.
expected = {
    "without": [18.3565520238, 18.8235465685, 18.0094821154, 15.0329932680, 24.5452802975, 19.5901794017],
    "with": [30.3763557769, 30.8830410515, 28.3767647508, 25.4027934351, 39.7643793652, 31.5999339559],
}
for machine, mass in ((light, "without"), (s, "with")):
    moved = machine.solve(given, rates, accelerations)
    push = machine.drive_efforts(moved.variables, moved.rates, moved.accelerations, drives=legs)
    print(f"in motion, legs {mass} mass: {np.round(push[0], 3)} N")
    assert np.allclose(push, expected[mass], rtol=0.0, atol=2e-9)

# The way back: these forces, and nothing else, give the platform the accelerations from which we set out.
there = s.accelerations(given, rates=rates, efforts=dict(zip(legs, expected["with"], strict=True)))
assert np.allclose(there.body("C"), [*dV, *dW], rtol=0.0, atol=1e-8)

# Two seconds of motion from home and back, with everything that it takes.
home = s.home["P1"]
drives = {
    leg: lw.sequence(lw.cycloidal(home, x, duration=1), lw.cycloidal(x, home, duration=1)) for leg, x in given.items()
}
f = s.forces(s.motion(drives, samples=201))
print(f)
found = f.evidence.forces
assert found.indeterminate == () and found.power_error < 1e-12 * found.largest_power

# It comes back the way it went, to rest: the legs have given as much as they took.
cost = lw.energy(f)
print(cost)
assert abs(cost.net) < 1e-12 * cost.drawn

# What the balls press on the platform is all that holds it: mass times acceleration of its centre, less its weight.
held = np.zeros((len(f), 3))
for i in range(1, 7):  # along the axes of the ball's frame on the platform, turned into the world
    axes = f["platform"].rotation.values @ s.layout.seats[f"S{i}"].X_HM[:3, :3]
    held += np.einsum("tij,tj->ti", axes, f[f"S{i}"].force.values)
assert np.allclose(held, 10.0 * f["C.acceleration"].values + [0.0, 0.0, weight], rtol=0.0, atol=1e-9)

"""A PUMA 560 carries a tool from one posture to another: torques, masses, a check, and what a heavier tool costs."""

import numpy as np
from scipy.integrate import simpson

import linkwork as lw
from linkwork.units import deg, mm

# The arm of the gallery with a tool of 2 kg, 100 mm in front of its flange.
m = lw.example("puma-560-craig")
m.body("tool", mass=2.0, com=(0, 0, 100 * mm), frame=lw.placement((0, 0, 0), within="link6"))
m.rigid("grip", "link6", "tool")
arm = lw.System(m)
print(arm)

# A motion of two seconds that begins and ends at rest: 10,000 samples of q, v, a.
start = arm.posture()
goal = arm.posture({"waist": 60 * deg, "shoulder": -45 * deg, "elbow": 30 * deg, "wrist_bend": 50 * deg})
duration = 2.0
t = np.linspace(0.0, duration, 10_000)
x = (t / duration)[:, np.newaxis]
way = goal - start
q = start + way * (10 * x**3 - 15 * x**4 + 6 * x**5)
v = way * (30 * x**2 - 60 * x**3 + 30 * x**4) / duration
a = way * (60 * x - 180 * x**2 + 120 * x**3) / duration**2

# Torques along the motion, all samples in one call.
tau = arm.inverse_dynamics(q, v, a)
shoulder = arm.rates.index("shoulder.angle")
largest = np.abs(tau).max(axis=0)
print(f"largest torques: {largest.round(2)} N m")
assert np.allclose(largest[:5], [5.387868, 48.161019, 4.767368, 0.094732, 1.141562], rtol=0.0, atol=1e-6)  # Pinocchio

# At the start the arm stands still, so the shoulder carries the weights on their levers and nothing else.
levers = {"link2": 0.068, "link3": 0.4318, "link4": 0.4115, "link5": 0.4115, "link6": 0.4115, "tool": 0.4115}
weight = sum(arm.parameters[f"{body}.mass"] * 9.81 * lever for body, lever in levers.items())
assert abs(tau[0, shoulder] + weight) < 1e-12 * weight
assert abs(tau[0, shoulder] + 45.05944) < 1e-5

# What the motors put in is what the arm has gained.
work = simpson((tau * v).sum(axis=1), x=t)
energy = arm.kinetic_energy(q, v) + arm.potential_energy(q)
print(f"work of the motors {work:.4f} J, energy gained {energy[-1] - energy[0]:.4f} J")
assert abs(work - (energy[-1] - energy[0])) < 1e-9 * abs(work)

# Mass matrices are symmetric and positive, and the way back gives the same accelerations.
M = arm.mass_matrix(q)
assert M.shape == (10_000, 6, 6)
assert np.array_equal(M, M.swapaxes(1, 2)) and np.linalg.eigvalsh(M).min() > 0.0
assert np.allclose(arm.forward_dynamics(q, v, tau), a, rtol=0.0, atol=1e-9)

# What one kilogram more at the tool costs the shoulder, exactly. Torques are linear in masses, so that twice the tool
# takes twice as much more.
by_mass = arm.derivative("inverse_dynamics", "tool.mass")(q, v, a)
worst = int(np.abs(by_mass[:, shoulder]).argmax())
print(f"shoulder: {by_mass[worst, shoulder]:.3f} N m per kg at t = {t[worst]:.3f} s")
assert abs(by_mass[0, shoulder] + 9.81 * 0.4115) < 1e-12
heavier = arm.with_parameters({"tool.mass": 4.0})
assert np.allclose(heavier.inverse_dynamics(q, v, a), tau + 2.0 * by_mass, rtol=0.0, atol=1e-11)

# The tool as a number of each sample: the largest holding torque of the shoulder over 100 tools at 100 postures.
tools = np.linspace(0.0, 5.0, 100)
holding = arm.gravity_forces(q[::100, np.newaxis], parameters={"tool.mass": tools})
assert holding.shape == (100, 100, 6)
print(f"a tool of 5 kg: up to {np.abs(holding[:, -1, shoulder]).max():.1f} N m to hold it")

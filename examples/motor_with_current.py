"""A motor whose current is a state of the model: against the matrix exponential, in a pump, and as a thousand motors.

A winding with resistance R and inductance L at the voltage u feels the shaft as k rate(A), and turns it by k i:

    L i' = u - R i - k rate(A),      J A'' = k i
"""

import numpy as np
from scipy.linalg import expm

import linkwork as lw

# Alone, the motor is linear: its run must be the matrix exponential.
J, u, R, k, L = 2e-4, 12.0, 0.8, 0.05, 1.6e-3
m = lw.Mechanism("motor")
m.body("rotor", mass=0.3, inertia=(2e-4, 2e-4, J))
m.revolute("A", "ground", "rotor", axis="z")
m.state("i", rate="(u - R*i - k*rate(A))/L", unit="A", parameters={"u": u, "R": R, "k": k, "L": L})
m.load("motor", "A", amount="i.k*i")
s = m.assemble()
run = s.simulate(1.0, rtol=1e-12, atol=1e-13, samples=101)
print(run)
M = np.array([[0, k / J, 0], [-k / L, -R / L, u / L], [0, 0, 0]])
speed, current = np.array([(expm(M * t) @ [0, 0, 1])[:2] for t in run.time]).T
off = np.abs(run["A.rate"].values - speed).max() / speed.max() + np.abs(run["i.value"].values - current).max()
print(f"largest current {run['i.value'].to('A').max():.6f} A, speed at the end {run['A.rate'].to('rpm')[-1]:.3f} rpm")
print(f"off the matrix exponential by {off:.1e}")
assert off < 1e-9
assert abs(run["A.rate"][-1] - u / k) < 1e-3 * u / k  # no load: the voltage of the shaft is that of the battery

# In a pump, with a loop: what the battery gives is heat, work and what the coil holds.
pump = lw.example("motor-pump").assemble()
run = pump.simulate(1.0, rtol=1e-9, atol=1e-11)
print(run)
drawn, heated, turned = (run[f"{name}.value"].values for name in ("drawn", "heated", "turned"))
held = 0.5 * L * run["i.value"].values ** 2
print(f"of {drawn[-1]:.4f} J drawn, {heated[-1]:.4f} J are heat and {turned[-1]:.4f} J turn the shaft")
assert np.abs(drawn - heated - turned - held).max() < 1e-8 * drawn[-1]
told = run.evidence.simulation
assert told is not None and told.energy_error < 1e-7 * told.energy_scale
forces = pump.forces(run)  # with the current of the run
assert np.abs(forces["motor.effort"].values - 0.05 * run["i.value"].values).max() < 1e-12
print(f"largest force along the rod {np.abs(forces['C.fx'].values).max():.4f} N")

# How the peak current answers to the resistance: exact derivatives, and a thousand motors at once.
peak = run.time[np.argmax(run["i.value"].values)]
exact = pump.simulate(peak, samples=2, sensitive_to=["i.R"], rtol=1e-9, atol=1e-11).sensitivity("i", "i.R")[-1]
many = pump.simulate_many(0.05, parameters={"i.R": np.linspace(0.4, 1.2, 1000)}, samples=51)
peaks = many["i.value"].max("time").values
print(f"d(peak current)/dR = {exact:.4f} A/ohm; peaks from {peaks.min():.3f} A to {peaks.max():.3f} A")
assert many.complete.all() and (np.diff(peaks) < 0.0).all() and exact < 0.0

"""Let go: a row of four-bars that runs through its singular posture, a hammer that bounces, a thousand starts at once.

The row is the benchmark of the IFToMM with N = 2: five rods of 1 m and 1 kg, upright at first, the top moving at 1 m/s.
Twice a turn all rods lie in one line, where the mobility jumps from 1 to 3.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

# The row of four-bars.
m = lw.Mechanism("four-bars", gravity=(0, -9.81, 0))
for k in range(3):
    m.body(f"crank{k}", com=(k, 0.5, 0), mass=1.0, inertia=(1 / 12, 0, 1 / 12))
    m.revolute(f"A{k}", "ground", f"crank{k}", at=(k, 0, 0), axis="z")
for k in range(2):
    m.body(f"bar{k}", com=(k + 0.5, 1, 0), mass=1.0, inertia=(0, 1 / 12, 1 / 12))
    m.revolute(f"L{k}", f"crank{k}", f"bar{k}", at=(k, 1, 0), axis="z")
    m.revolute(f"R{k}", f"bar{k}", f"crank{k + 1}", at=(k + 1, 1, 0), axis="z")
m.point("B", "crank0", (0, 1, 0))
s = m.assemble()
print(s)

run = s.simulate(10.0, rates={"A0": -1.0}, times=[0, 0.5, 1, 5, 10], rtol=1e-11, atol=1e-12)
print(run)
published = [0.0, 0.69528663316, -0.19502030195, -0.81131046100, 0.32845811154]
assert np.abs(run["B.x"].values - published).max() < 1e-9
told = run.evidence.simulation
assert told is not None and told.energy_error < 1e-8 and run["closure.residual"].values.max() < 1e-13
print(f"at 10 s: B.x = {run['B.x'].values[-1]:.10f}, {told.steps} steps, energy to {told.energy_error:.0e} J")

# A hammer falls onto an anvil, bounces, and comes to rest after infinitely many bounces in finite time.
m = lw.Mechanism("hammer", gravity=(0, -9.81, 0))
m.body("hammer", mass=2.0, com=(0.5, 0, 0), inertia=(0.001, 0.04, 0.04))
m.revolute("A", "ground", "hammer", axis="z")
m.point("head", "hammer", (0.6, 0, 0))
hammer = m.assemble()
anvil = lw.stop("head.y", low=0.0, restitution=0.5, name="anvil")
run = hammer.simulate(2.0, start={"A": 0.8}, events=anvil)
print(run)
first, second = run.events[0], run.events[1]
print(f"strikes at {first.time:.6f} s and {second.time:.6f} s; {run.events[-1]}")
inertia = 0.04 + 2.0 * 0.5**2
speed = -np.sqrt(2 * 2.0 * 9.81 * 0.5 * np.sin(0.8) / inertia)  # energy, from rest to the anvil
lost = run.evidence.simulation
assert lost is not None and abs(lost.impact_loss - 0.5 * inertia * speed**2) < 1e-6  # in the end all of it is gone
assert abs(run["A"].value.values[-1]) < 1e-9

# A thousand starts: how long does the first swing to the bottom take?
pendulum = lw.Mechanism("pendulum", gravity=(0, -9.81, 0))
pendulum.body("bob", mass=1.0, com=(0, -1, 0), inertia=(0, 0, 0))
pendulum.revolute("A", "ground", "bob", axis="z")
angles = np.linspace(0.01, 3.0, 1000)
runs = pendulum.assemble().simulate_many(3.0, start={"A": angles}, samples=301)
print(runs)
assert runs.complete.all()
crossed = runs.t[np.argmax(runs["A"].values < 0.0, axis=1)]
assert abs(crossed[0] - np.pi / 2 / np.sqrt(9.81)) < 0.011 and (np.diff(crossed) >= 0.0).all()
runs.save(Path("starts.nc"))

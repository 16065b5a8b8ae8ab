"""A Stewart platform: all postures for the same six leg lengths, then a motion of the legs, checked by the way back."""

import numpy as np

import linkwork as lw

s = lw.example("stewart-platform").assemble()
print(s)
assert s.home.mobility == 6 and s.home.redundant == 0
legs = [f"P{i}" for i in range(1, 7)]
length = s.home["P1"]

# Forward kinematics: every pose of the platform with these legs, alternately 30 mm shorter and longer than at home.
given = {leg: length + 0.03 * (-1) ** i for i, leg in enumerate(legs, start=1)}
found = s.closures(given, of="platform")
print(f"{len(found)} postures from {found.starts} starts; {found.verdict()}")
for p in found:
    print(f"  {p.name}: centre at {np.round(p.position('C'), 4)} m, found {found.hits[int(p.name) - 1]} times")
assert len(found) == 8 and min(found.hits) >= 6 and found.estimate_unseen == 0.0
assert found.bound == 40 and not found.complete  # forty is the most there can be, so eight are not proven to be all
assert all(p.residual < 1e-10 and p.mobility == 6 for p in found)

# The legs of all of them are as long as they should be, measured between their ends; half of them stand below the base.
base = {leg: s.layout.seats[leg.replace("P", "U")].X_WF[:3, 3] for leg in legs}
tops = {leg: s.layout.seats[leg.replace("P", "S")].X_HM[:3, 3] for leg in legs}
for p in found:
    X = p.pose("platform")
    for leg in legs:
        assert abs(np.linalg.norm(X[:3, :3] @ tops[leg] + X[:3, 3] - base[leg]) - given[leg]) < 1e-9
heights = np.array([p.position("C")[2] for p in found])
assert np.allclose(np.sort(heights), np.sort(-heights))

# The nearest to home is what the legs reach by moving there.
assert np.allclose(s.at(given).position("C"), found[0].position("C"))

# A motion of the legs: two seconds, from home to those lengths and back.
drives = {
    leg: lw.sequence(lw.cycloidal(length, x, duration=1), lw.cycloidal(x, length, duration=1))
    for leg, x in given.items()
}
run = s.motion(drives, samples=201)
print(run)
assert run.status == "complete" and run.evidence.worst_residual < 1e-10
assert np.allclose(run["C.position"][-1], run["C.position"][0])
assert np.allclose(run["C.position"][100], found[0].position("C"))

# Speeds of the legs from the platform's motion: the velocity of a leg's top along the leg.
R, V, W = run["platform.rotation"].values, run["platform.velocity"].values, run["platform.angular_velocity"].values
for leg in legs:
    arm = R @ tops[leg]
    along = run["platform.position"].values + arm - base[leg]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    assert np.allclose(((V + np.cross(W, arm)) * along).sum(axis=1), run[f"{leg}.rate"], atol=1e-12)
print(f"the centre moves with up to {run['C.speed'].values.max():.4f} m/s")

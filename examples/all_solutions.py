"""All solutions of inverse kinematics: an arm by closed form, a general one by elimination, a delta leg by leg."""

import numpy as np

import linkwork as lw
from linkwork import goals
from linkwork.units import deg

# The Stanford arm: eight solutions, of which four have the slide on its right side.
stanford = lw.example("stanford-arm").assemble()
X = stanford.at(J1=23 * deg, J2=52 * deg, J3=0.7, J4=-34 * deg, J5=63 * deg, J6=115 * deg).pose("tool")
found = stanford.reach("tool", X, all=True)
print(found)
assert found.complete and len(found) == 8 and len(found.within) == 4
assert max(np.abs(p.pose("tool") - X).max() for p in found) < 1e-12

# An arm without any such axes: every neighbouring pair is askew, and up to sixteen solutions are found.
alpha, a = (80, 50, 70, 65, 85, 0), (0.3, 1.0, 0.2, 0.9, 0.1, 0.0)
rows = [{"joint": f"J{k}", "body": f"L{k}", "alpha": alpha[k] * deg, "a": a[k], "d": 0.1 * k} for k in range(6)]
m = lw.Mechanism("askew-arm")
m.dh_chain(rows)
askew = m.assemble()
X = askew.at({f"J{k}": 0.4 * k - 0.7 for k in range(6)}).pose("L5")
found = askew.reach("L5", X, all=True)
print(found)
assert found.complete and found.method == "elimination" and len(found) % 2 == 0
assert any(abs(p["J3"] - 0.5) < 1e-9 for p in found)

# A seventh joint is swept: curves of solutions.
iiwa = lw.example("iiwa14").assemble()
X = iiwa.at(A1=0.3, A2=0.5, A3=-0.4, A4=-1.2, A5=0.6, A6=0.9, A7=0.2).pose("tool")
swept = iiwa.reach("tool", X, goals.joints(A3=np.linspace(-0.5, -0.3, 3)), all=True)
assert len(swept.curves()) == 8

# A delta: each arm has two ways to hold its rods.
delta = lw.example("delta").assemble()
print(delta.reach("tool", (0.05, 0.02, -0.68), all=True))

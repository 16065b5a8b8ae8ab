"""Who owns coordinates: joints, bodies that float, places that are measured; laid out, named and integrated alike."""

from __future__ import annotations

import numpy as np

import linkwork as lw
from linkwork.equations.measures import with_measures


def floating() -> lw.Machine:
    """A box that floats, with a flap on it: the six freedoms are the box's own."""
    m = lw.Mechanism("floating", floating=True)
    m.body("box", mass=2.0, com=(0, 0, 0), inertia=(0.1, 0.2, 0.3))
    m.body("flap", mass=0.5, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
    m.revolute("A", "box", "flap", axis="z")
    m.state("spun", rate="abs(rate(A))")
    return m.assemble()


def test_links_hold_slots_of_their_joint_and_of_their_body() -> None:
    m = lw.Mechanism("inner", gravity=(0, -9.81, 0))
    m.body("boom", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.3))
    m.body("hand", mass=1.0, com=(1.2, 0, 0), inertia=(0.1, 0.2, 0.3))
    m.stretch("reach", "boom", (0, 0, 0), (1, 0, 0))
    m.revolute("A", m.ground, "boom", axis="z")
    m.revolute("B", "boom", "hand", at=(1, 0, 0), axis="z")
    m.point("P", "boom", at=(1, 0, 0))
    plan = lw.System(m).plan
    boom, hand = plan.links
    assert [slot.owner for slot in boom.slots] == ["A", "reach"]
    assert [slot.of for slot in boom.slots] == ["joint", "inner"]
    assert plan.coordinates == ("A.angle", "B.angle", "reach.slide")
    assert (boom.rates, hand.rates) == ((0, 2), (1,))
    assert (plan.moving(0), plan.moving(1), plan.moving(2)) == ((0, 2), (2, 1), (2,))
    assert [(station.name, station.parent) for station in plan.stations] == [("P", 0)]
    assert plan.path(plan.points[0].link) == [2, 0]


def test_a_slot_is_owned_by_a_body() -> None:
    s = floating()
    slots = {slot.owner: slot for slot in s.plan.slots}
    assert {name: slot.of for name, slot in slots.items()} == {"box": "body", "A": "joint"}
    box, flap = slots["box"], slots["A"]
    assert (box.q.stop - box.q.start, box.v.stop - box.v.start, box.plain) == (7, 6, 3)
    assert (flap.q.stop - flap.q.start, flap.v.stop - flap.v.start) == (1, 1)
    covered = sorted(k for slot in slots.values() for k in range(slot.q.start, slot.q.stop))
    assert covered == list(range(s.plan.ny))
    assert [name for name in s.variables if name.startswith("box.")] == [
        "box.x", "box.y", "box.z", "box.qw", "box.qx", "box.qy", "box.qz",
    ]  # fmt: skip
    assert all(s.variables[slot.q.start].startswith(f"{name}.") for name, slot in slots.items())


def test_what_a_body_owns_is_integrated() -> None:
    s = floating()
    run = s.simulate(0.5, rates={"box.vx": 0.4, "box.wz": 2.0, "A": 1.0}, samples=6, rtol=1e-10, atol=1e-12)
    momentum = s.momentum(run.y, run.w)
    assert np.abs(momentum - momentum[0]).max() < 1e-10
    moved = s.centre_of_mass(run.y)
    exact = moved[0] + np.outer(run.time, momentum[0, :3] / 2.5)
    assert np.abs(moved - exact).max() < 1e-11
    lengths = np.linalg.norm(np.column_stack([run[f"box.q{c}"].values for c in "wxyz"]), axis=1)
    assert np.abs(lengths - 1.0).max() < 1e-13
    assert abs(run["spun.value"][-1] - abs(run["A.angle"][-1])) < 1e-9  # states stand beside what bodies own


def test_a_slot_is_owned_by_a_place() -> None:
    m = lw.Mechanism("arm")
    m.body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", "ground", "arm", axis="z")
    m.point("P", "arm", (1, 0, 0))
    plan = with_measures(m.assemble().plan, {"P.x": 1.0, "P.y": 0.0})
    slot = plan.slots[-1]
    assert (slot.owner, slot.of, slot.q, slot.v) == ("P", "place", slice(1, 3), slice(1, 3))
    assert plan.variables == ("A.angle", "P.x", "P.y")

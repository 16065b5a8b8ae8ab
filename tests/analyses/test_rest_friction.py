"""Exact friction at rest: shares, intervals of efforts, numbers and positions, self-locking."""

from __future__ import annotations

import math

import pytest
from test_equilibrium import G, chain, sprung_four_bar

import linkwork as lw
from linkwork.units import deg


def pendulum(level: float = 2.0, **more: object) -> lw.Machine:
    m = lw.Mechanism("pendulum", gravity=(0, -G, 0))
    m.body("rod", mass=1.0, com=(0, -1, 0))
    m.revolute("A", "ground", "rod", axis="z")
    m.friction("pin", "A", level=level, **more)  # type: ignore[arg-type]
    m.load("push", "A", amount=0.0)
    return m.assemble()


def test_a_pendulum_stays_as_far_as_its_friction_reaches() -> None:
    far = math.asin(2.0 / G)
    rest = pendulum(form="exact").equilibrium()
    assert rest.stable and rest.friction["pin"].share == 0.0 and "interval" in rest.warnings[-1]
    where = rest.interval("A")
    assert (where.low, where.high) == pytest.approx((-far, far), abs=1e-10) and where.high_by == ("pin",)
    assert 0.2 in where and 0.21 not in where
    aside = pendulum(form="exact").equilibrium(start={"A": 0.1}, kind="stay")
    moment = G * math.sin(0.1)
    assert aside["A"] == 0.1 and aside.verdict == "held" and aside.stable and "friction holds it" in aside.reason
    own = aside.friction["pin"]
    assert own.force == pytest.approx(moment) and own.share == pytest.approx(moment / 2.0)
    assert (own.least, own.most) == pytest.approx((moment, moment))
    for name in ("push.amount", "A.effort"):
        found = aside.interval(name)
        assert (found.low, found.high) == pytest.approx((moment - 2.0, moment + 2.0), abs=1e-9)
    assert aside.interval("A").high == pytest.approx(far, abs=1e-10)
    assert aside.interval("rod.mass").high == pytest.approx(2.0 / (G * math.sin(0.1)), rel=1e-9)
    grip = aside.interval("pin.backward")
    assert grip.low == pytest.approx(moment, rel=1e-9) and grip.high == math.inf
    up = pendulum(form="exact").equilibrium(start={"A": math.pi - 0.05}, kind="stay")
    assert up.interval("A").low == pytest.approx(math.pi - far, abs=1e-10)
    assert "it can" in str(aside)


def test_static_and_two_sided_levels_count() -> None:
    machine = pendulum((2.0, 1.0), form="exact", static=1.5)  # type: ignore[arg-type]
    where = machine.equilibrium().interval("A")
    assert (where.low, where.high) == pytest.approx((-math.asin(3.0 / G), math.asin(1.5 / G)), abs=1e-10)
    with pytest.raises(lw.NoEquilibrium, match=r"takes 1\.308 times what they can"):
        pendulum(form="exact").equilibrium(start={"A": math.asin(2.616 / G)}, kind="stay")
    with pytest.raises(lw.NoEquilibrium, match="there is no exact friction"):  # smooth friction holds nothing
        pendulum().equilibrium(start={"A": 0.1}, kind="stay")


def test_what_is_held_may_lock_itself() -> None:
    machine = pendulum(form="exact")
    light, heavy = machine.equilibrium(hold={"A": 0.15}), machine.equilibrium(hold={"A": 0.5})
    assert light.self_locking and not heavy.self_locking
    for rest, angle in ((light, 0.15), (heavy, 0.5)):
        found, moment = rest.interval("A.effort"), G * math.sin(angle)
        assert (found.low, found.high) == pytest.approx((moment - 2.0, moment + 2.0), abs=1e-9)
        assert rest.efforts["A.angle"] == pytest.approx(moment)


def test_friction_that_grows_with_the_load_locks_at_any_load() -> None:
    """A block on a slope: μ N cos against N sin; with μ over tan it stays whatever is put on it."""
    slope = 0.3
    for mu, locks in ((0.4, True), (0.25, False)):
        m = lw.Mechanism("slope", gravity=(0, -G, 0))
        m.body("block", mass=2.0)
        m.prismatic("X", "ground", "block", axis=(math.cos(slope), math.sin(slope), 0))
        m.load("weight", "X", amount=0.0)
        m.friction("foot", "X", coefficient=mu, normal=2.0 * G * math.cos(slope), form="exact")
        machine = m.assemble()
        if locks:
            rest = machine.equilibrium(kind="stay")
            assert rest.friction["foot"].share == pytest.approx(math.tan(slope) / mu, rel=1e-12)
            grip, drag = mu * 2 * G * math.cos(slope), 2 * G * math.sin(slope)
            found = rest.interval("X.effort")
            assert (found.low, found.high) == pytest.approx((drag - grip, drag + grip), abs=1e-9)
            assert rest.interval("foot.coefficient").low == pytest.approx(math.tan(slope), rel=1e-9)
            mass = rest.interval("X")  # nothing changes along the slope: it stays anywhere
            assert mass.low == -math.inf and mass.high == math.inf
        else:
            with pytest.raises(lw.NoEquilibrium, match=r"foot cannot hold it, it takes 1\.237"):
                machine.equilibrium(kind="stay")


def test_joints_of_a_loop_share_what_they_hold_and_slip_where_simulations_say() -> None:
    """Intervals end where accelerations, found by complementarity, begin."""
    m = lw.loads(lw.dumps(sprung_four_bar().mechanism))
    m.friction("fA", "A", level=1.0, form="exact")
    m.friction("fC", "C", level=(0.7, 1.5), form="exact")
    m.friction("fD", "D", level=0.3, form="exact", static=1.2)
    machine = m.assemble()
    rest = machine.equilibrium(start={"A": 0.1}, kind="stay")
    shares = [own.share for own in rest.friction.values()]
    assert max(shares) == pytest.approx(min(shares), rel=1e-9) and all(o.least < o.most for o in rest.friction.values())
    effort = rest.interval("A.effort")
    for value in (effort.low, effort.high):
        out = math.copysign(1e-6, value)
        assert machine.accelerations({"A": 0.1}, efforts={"A": value - out})["A"] == 0.0
        assert abs(machine.accelerations({"A": 0.1}, efforts={"A": value + out})["A"]) > 0.05
    where = rest.interval("A")
    for value, out in ((where.low, -1e-6), (where.high, 1e-6)):
        assert machine.accelerations({"A": value - out})["A"] == 0.0
        assert abs(machine.accelerations({"A": value + out})["A"]) > 0.05
    assert set(where.low_by) == {"fA", "fC", "fD"}


def test_positions_of_several_freedoms() -> None:
    """Two rods: |G cos(a + b)| <= 2 and |2 G cos a + G cos(a + b)| <= 3."""
    m = chain(1.0, 1.0).mechanism
    m.friction("f0", "J0", level=3.0, form="exact"), m.friction("f1", "J1", level=2.0, form="exact")
    rest = m.assemble().equilibrium()
    first, second = rest.interval("J0"), rest.interval("J1")
    far = math.asin(5.0 / (2 * G))
    assert (first.low, first.high) == pytest.approx((-90 * deg - far, -90 * deg + far), abs=1e-9)
    both = far + math.asin(2.0 / G)
    assert (second.low, second.high) == pytest.approx((-both, both), abs=1e-9)
    m.leave_out("f1")
    one = m.assemble().equilibrium(start={"J0": -82 * deg}, kind="stay")
    assert one["J0"] == pytest.approx(-82 * deg) and one["J0"] + one["J1"] == pytest.approx(-90 * deg, abs=1e-9)
    assert one.verdict == "held" and "what has none is stable" in one.reason


def test_stops_push_and_limits_end_intervals() -> None:
    m = chain(1.0, limits=(-60 * deg, 60 * deg)).mechanism
    m.friction("pin", "J0", level=1.0, form="exact")
    rest = m.assemble().equilibrium()
    assert rest["J0"] == pytest.approx(-60 * deg) and rest.stops
    effort = rest.interval("J0.effort")
    assert effort.low == -math.inf and effort.high == pytest.approx(G * 0.5 + 1.0, abs=1e-9)
    assert effort.high_by == ("pin", "stop of J0.angle")


def test_what_has_no_interval_is_told() -> None:
    rest = pendulum(form="exact").equilibrium()
    with pytest.raises(lw.InputError, match=r"did you mean 'push\.amount'"):
        rest.interval("push.amont")
    slipped = pendulum(form="exact").equilibrium(hold={"A": 0.5})
    assert slipped.interval("A").low == slipped.interval("A").high == 0.5
    m = lw.loads(lw.dumps(sprung_four_bar().mechanism))
    m.friction("fA", "A", level=1.0, form="exact")
    with pytest.raises(lw.InputError, match="moves joints apart"):
        m.assemble().equilibrium().interval("C.tail.at.x")

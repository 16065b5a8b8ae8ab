"""Events as data: made and checked by themselves, printed, and compared with a mechanism."""

from __future__ import annotations

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwork as lw
from linkwork.model.events import Actions

PARAMETERS = {
    "rod.mass", "rod.com.x", "rod.inertia.xx", "gravity.z", "coil.stiffness", "coil.along.x", "drive.ratio",
    "A.tail.at.x", "tip.at.x",
}  # fmt: skip


def machine() -> lw.Mechanism:
    m = lw.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("rod", mass=1.0)
    m.body("tool", mass=0.5)
    m.revolute("A", "ground", "rod", axis="y")
    m.cylindric("C", "rod", "tool", at=(0, 0, -0.5), axis="z")
    m.body("ball", mass=1.0)
    m.spheric("S", "tool", "ball", at=(0, 0, -1.0))
    m.point("tip", "tool", (0, 0, -0.9))
    m.point("peg", "ground", (0.3, 0, 0))
    m.frame("grip", "tool", lw.placement((0, 0, -0.8)))
    m.spring("coil", joint="A", stiffness=10.0)
    m.motor("drive", "A", ratio=5.0)
    return m


def told(*events: object, parameters: object = None) -> list[str]:
    """Errors and warnings of events in the machine."""
    return [str(problem) for problem in lw.check_events(machine(), events, parameters)]  # type: ignore[arg-type]


def refusals(make: object, *given: object, **options: object) -> list[str]:
    """What is wrong with an event by itself."""
    with pytest.raises(lw.ModelError) as error:
        make(*given, **options)  # type: ignore[operator]
    return [str(problem) for problem in error.value.problems]


# ---------------------------------------------------------------- what they are


def test_stops() -> None:
    rigid = lw.stop("A", high=1.2, restitution=0.5)
    assert rigid == lw.Stop("A", None, 1.2, 0.5)
    assert not rigid.elastic
    assert rigid.names == ("A",)
    assert str(rigid) == repr(rigid) == "stop A <= 1.2, restitution 0.5"
    elastic = lw.stop("2*tip.x -  tip.z", low=-1, high=3, stiffness=1e5, damping=20, name="bumper")
    assert elastic.elastic
    assert elastic.names == ("tip.x", "tip.z")
    assert str(elastic) == "bumper: stop -1 <= 2*tip.x - tip.z <= 3, stiffness 100000, damping 20"
    assert str(lw.stop("C.slide", low=0, stiffness=5)) == "stop 0 <= C.slide, stiffness 5"


def test_conditions_and_times() -> None:
    event = lw.when("tip.z - 0.1", direction="falling", lock="B", set={"load.mass": 2}, from_rest=True, once=True)
    assert event.actions == Actions(lock=("B",), set=(("load.mass", 2.0),), from_rest=True)
    assert event.names == ("tip.z",)
    text = "when tip.z - 0.1 falls below zero for the first time: lock B; set load.mass = 2; from rest"
    assert str(event) == repr(event) == text
    assert str(lw.when("rate(A)", name="turn")) == "turn: when rate(A) crosses zero: record it"
    assert str(lw.when("t - sin(A)", direction="rising", on=["a", "b"])) == "when t - sin(A) rises above zero: on a, b"
    assert str(lw.at(2, off=["gas"], release=("A", "C.slide"), stop=True)) == "at 2 s: release A, C.slide; off gas; end"
    assert lw.at(0, lock="A") == lw.At(0.0, Actions(lock=("A",)))


def test_events_are_plain_data() -> None:
    events = [lw.stop("A", low=0), lw.when("A", stop=True), lw.at(1.5, set={"rod.mass": 2.0})]
    assert pickle.loads(pickle.dumps(events)) == events
    assert len({*events, *events}) == 3


@given(st.floats(-10, 10), st.floats(0.001, 5), st.floats(0, 1))
def test_any_limits_and_restitution(low: float, width: float, restitution: float) -> None:
    event = lw.stop("A", low=low, high=low + width, restitution=restitution)
    assert (event.low, event.high, event.restitution) == (low, low + width, restitution)


# ---------------------------------------------------------------- each by itself


def test_stops_that_make_no_sense_say_everything_at_once() -> None:
    found = refusals(lw.stop, "rate(A)", low=2, high=1, restitution=1.5, stiffness=-1, damping=-2, name="a b")
    assert len(found) == 7
    for words, line in zip(
        (
            "'a b' is not a name",
            "a stop limits positions, not rate(A)",
            "low is 2, high is 1; low must be below high",
            "the restitution is 1.5; write a number from 0 to 1",
            "the stiffness is not positive: -1",
            "the damping is negative: -2",
            "restitution besides stiffness",
        ),
        found,
        strict=True,
    ):
        assert words in line
    assert refusals(lw.stop, "A") == ["stop: neither a lowest nor a highest value is given; give `low`, `high` or both"]
    assert "stop.rest.low: 'x' is not a number" in refusals(lw.stop, "A", low="x", name="rest")
    assert "damping without stiffness" in refusals(lw.stop, "A", low=0, damping=3.0)[0]
    assert "low must be below high" in refusals(lw.stop, "A", low=1, high=1)[0]
    assert "nan is not finite" in refusals(lw.stop, "A", low=float("nan"))[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 + 2", "'1 + 2' depends on nothing"),
        ("t", "time cannot be stopped"),
        (3.0, "an expression must be text"),
        ("A +", "breaks off or goes wrong"),
        ("A^2", "write a power as **"),
        ("__import__('os')", "is not known"),
        ("a.b.c", "not allowed"),
        ("", "the expression is empty"),
    ],
)
def test_expressions_of_stops(text: object, words: str) -> None:
    (line,) = refusals(lw.stop, text, low=0.0)
    assert line.startswith("stop.what: ")
    assert words in line


def test_actions_that_make_no_sense_say_everything_at_once() -> None:
    found = refusals(
        lw.when, "A", direction="up", lock=["B", "B"], release="B", on="x", off="x", stop="A", once=1,
        set={"a.mass": -1, "b": "q"},
    )  # fmt: skip
    for words, line in zip(
        (
            "when.direction: 'up' is not a direction",
            "when.lock: 'B' is given twice",
            "'B' under lock and under release",
            "'x' under on and under off",
            "when.set.a.mass: the mass is negative: -1 kg",
            "when.set.b: 'q' is not a number",
            "when.stop: stop is 'A'; write True or False",
            "when.once: once is 1; write True or False",
        ),
        found,
        strict=True,
    ):
        assert words in line
    assert "nothing is to be done" in refusals(lw.when, "A")[0]
    assert "nothing is to be done" in refusals(lw.at, 1.0, name="tick")[0]
    assert "at.time: the time is -1 s" in refusals(lw.at, -1, stop=True)[0]
    assert "'soon' is not a number" in refusals(lw.at, "soon", stop=True)[0]
    assert "nothing is set that could come from rest" in refusals(lw.at, 1, stop=True, from_rest=True)[0]
    assert "write a name, or a list of names" in refusals(lw.at, 1, lock=3)[0]
    assert "write a name, or a list of names" in refusals(lw.at, 1, lock={"A": 1})[0]
    assert "parameters are set by name" in refusals(lw.at, 1, set=[1])[0]


# ---------------------------------------------------------------- in a mechanism


def test_sound_events_are_sound() -> None:
    assert (
        told(
            lw.stop("A", high=1.0),
            lw.stop("C.slide + 0.1*t", low=0.0),
            lw.stop("tip.z - peg.z", low=-2.0, stiffness=1e4),
            lw.when("rate(tip.x)*rate(A) + ball.y", lock=["A", "C.angle"], set={"rod.mass": 1.0, "gravity.z": 0.0}),
            lw.when("grip.x", release="C.slide", set={"coil.stiffness": 3.0, "drive.ratio": 2.0}),
            lw.when("sin(t)", name="tick"),
            lw.at(0.0, off="coil"),
            lw.at(2.0, on="coil", set={"tool.inertia.xy": 0.1}),
        )
        == []
    )
    assert lw.check_events(machine(), lw.stop("A.angle", low=0)) == []


def test_names_that_are_not_there() -> None:
    found = told(lw.when("B + tap.z + rod + tip.w + A.slide + S.angle + C + rate(t)", lock=["Q", "C", "S"], on="col"))
    for words, line in zip(
        (
            "there is nothing called 'B'",
            "there is nothing called 'tap.z'; did you mean 'tip.z'?",
            "'rod' is a place; say rod.x, rod.y or rod.z",
            "'tip' has no 'w'; say tip.x, tip.y or tip.z",
            "the revolute joint 'A' has no variable 'slide'",
            "the spheric joint 'S' has no variable 'angle'",
            "the cylindric joint 'C' has several variables; say which: C.angle, C.slide",
            "time has no rate",
            "lock: there is no joint 'Q'",
            "lock: the cylindric joint 'C' has several variables",
            "lock: the spheric joint 'S' has several variables",
            "on: there is no load 'col'; did you mean 'coil'?",
        ),
        found,
        strict=True,
    ):
        assert words in line


def test_parameters_that_may_not_change() -> None:
    wrong = {"rod.mas": 1, "Rod.mass": 1, "A.tail.at.x": 2, "tip.at.x": 0, "rod.com.q": 1, "gravity.w": 0}
    places = (
        "tells where parts are, and they would jump; masses, gravity and the numbers of loads may change on the way"
    )
    assert [line.partition(": ")[2] for line in told(lw.at(1, set=wrong))] == [
        "there is no parameter 'rod.mas'; a body has mass, com.x, ..., inertia.xx, ...",
        "there is no parameter 'Rod.mass'; did you mean 'rod'?",
        f"'A.tail.at.x' {places}",
        f"'tip.at.x' {places}",
        "there is no parameter 'rod.com.q'; a body has mass, com.x, ..., inertia.xx, ...",
        "there is no parameter 'gravity.w'; did you mean 'gravity'?",
    ]
    found = told(lw.at(1, set=wrong), parameters=PARAMETERS)
    assert ["there is no parameter" in line for line in found] == [True, True, False, False, True, True]
    assert "did you mean 'rod.mass'?" in found[0]
    assert told(lw.at(1, set={"coil.stifness": 1.0})) == []  # of loads, only a machine's parameters tell
    assert "did you mean 'coil.stiffness'?" in told(lw.at(1, set={"coil.stifness": 1.0}), parameters=PARAMETERS)[0]


def test_the_parameters_of_a_machine_are_known() -> None:
    m = lw.example("slider-crank")
    events = [lw.at(1, set={"crank.mass": 2.0, "gravity.y": 0.0}), lw.when("D", set={"rod.inertia.zz": 1.0})]
    assert lw.check_events(m, events, m.assemble().parameters) == []


def test_what_is_doubtful_about_all_of_them() -> None:
    found = told(
        3,
        lw.when("peg.x + ground.z", stop=True),
        lw.when("A", stop=True, name="same"),
        lw.stop("A", low=0, name="same"),
        lw.at(1, on=["coil", "drive"]),
    )
    for words, line in zip(
        (
            "events[0]: this is of type int, not an event",
            "events[1]: peg.x, ground.z: they belong to ground and never change",
            "events[4].on: 'drive' is a motor, not a load",
            "events.same: 2 events are called 'same'",
            "'coil' acts from the start, and nothing switches it off; switch it off at first: at(0, off='coil')",
        ),
        found,
        strict=True,
    ):
        assert words in line
    severities = [p.severity for p in lw.check_events(machine(), [lw.at(1, on="coil")])]
    assert severities == ["warning"]


def test_a_mechanism_without_loads() -> None:
    (problem,) = lw.check_events(lw.example("four-bar"), lw.at(1, off="spring"))
    assert str(problem) == "events[0].off: there is no load 'spring'; the mechanism has no loads"


def test_conditions_as_comparisons() -> None:
    """`when` takes what the command line takes: a comparison with a number, bare in SI or with a unit."""
    for text, condition, direction in (
        ("A > 0.3", "A - 0.3", "rising"),
        ("0.3 < A", "A - 0.3", "rising"),
        ("A <= 30deg", f"{math.radians(30.0)!r} - A", "rising"),
        ("tip.z ≥ 100 mm", "tip.z - 0.1", "rising"),
        ("rate(A) > 60rpm", f"rate(A) - {2.0 * math.pi!r}", "rising"),
        ("A + B = 2", "(A + B) - 2.0", "both"),
        ("A - 0.3", "A - 0.3", "both"),
    ):
        event = lw.when(text, stop=True)
        assert event.direction == direction
        head, sign, last = event.condition.partition(" - ")
        wanted = condition.partition(" - ")
        assert sign == wanted[1]
        for own, expected in ((head, wanted[0]), (last, wanted[2])):
            assert own == expected or float(own) == pytest.approx(float(expected), rel=1e-15)
    for text, told in (
        ("A > B", "neither 'A' nor 'B' is a number"),
        ("1 < A < 2", "is no condition"),
        ("A > 3 furlings", "there is no unit .furlings."),
    ):
        with pytest.raises(lw.InputError, match=told):
            lw.when(text, stop=True)
    with pytest.raises(lw.InputError, match="a comparison tells the direction itself"):
        lw.when("A > 0.3", direction="rising", stop=True)


def test_a_condition_is_compared_with_what_it_measures() -> None:
    s = lw.example("slider-crank").assemble()
    with pytest.raises(lw.InputError) as caught:
        s.simulate(0.1, events=[lw.when("A > 3 kg", name="heavy"), lw.when("A + D > 3 m", name="mixed")])
    assert [str(p) for p in caught.value.problems] == [
        "events.heavy: an angle is compared with a mass; write a number in rad, or with such a unit",
        "events.mixed: what names of several units make is compared with a length; write numbers in SI",
    ]
    run, same = (
        s.simulate(1.0, rates={"A": 10.0}, events=lw.when(text, direction=way, name="half"))
        for text, way in (("A > 180deg", "both"), (f"A - {math.pi!r}", "rising"))
    )
    assert len(run.events) > 0 and run.events == same.events

"""One book of names: what a name stands for, and one wording for what is not there, in every room."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.model.name_book import MachineNames
from linkwork.names import Name, NameBook, joint_names, no_such, variable_book

LAWS = {
    "A": ("revolute", ("angle",), 1),
    "C": ("cylindric", ("angle", "slide"), 2),
    "S": ("spheric", ("qw", "qx", "qy", "qz"), 0),
    "F": ("free", ("x", "y", "z", "qw", "qx", "qy", "qz"), 3),
    "W": ("rigid", (), 0),
}
PLACES = {"A": (0, 0), "C": (1, 1), "S": (3, 3), "F": (7, 6), "W": (14, 12)}
RATES = ["A.angle", "C.angle", "C.slide", "S.wx", "S.wy", "S.wz", "F.vx", "F.vy", "F.vz", "F.wx", "F.wy", "F.wz"]


@cache
def book() -> NameBook:
    return NameBook([*joint_names(LAWS, PLACES, RATES), Name("crank", "body"), Name("tip", "point")])


@pytest.mark.parametrize(
    ("said", "kinds", "name", "place", "column"),
    [
        ("A", ("variable",), "A.angle", 0, 0),
        ("A", ("rate",), "A.angle", 0, 0),
        ("A.angle", ("variable",), "A.angle", 0, 0),
        ("C.slide", ("variable", "rate"), "C.slide", 2, 2),
        ("S.wy", ("variable", "rate"), "S.wy", 4, 4),
        ("F.z", ("variable",), "F.z", 9, 8),
        ("F.vz", ("rate",), "F.vz", 8, 8),
        ("W", ("joint",), "W", -1, -1),
        ("crank", ("point", "body"), "crank", -1, -1),
    ],
)
def test_what_names_stand_for(said: str, kinds: tuple[str, ...], name: str, place: int, column: int) -> None:
    found = book().find(said, *kinds)
    assert found is not None and (found.name, found.place, found.column) == (name, place, column)


@pytest.mark.parametrize(
    ("said", "kinds", "text"),
    [
        ("C", ("variable",), "C: the cylindric joint 'C' has several variables; say which: C.angle, C.slide"),
        ("S", ("variable",), "S: the spheric joint 'S' has several variables; a joint that turns freely has no single"),
        ("W", ("variable",), "W: 'W' is a rigid joint and does not move; name another joint"),
        ("S.qx", ("variable",), "S.qx: 'S.qx' is a part of a quaternion, which is given as a whole; give all of S: qw"),
        ("C.slid", ("variable",), "C.slid: the cylindric joint 'C' has no variable 'slid'; did you mean 'C.slide'?"),
        ("B", ("variable",), "there is no joint 'B'; there is: A, C, S, F, A.angle, C.angle, C.slide, F.x"),
        ("crnk", ("body",), "there is no body 'crnk'; did you mean 'crank'?"),
        ("tup", ("body", "frame", "point"), "there is no body, frame or point 'tup'; did you mean 'tip'?"),
        (3, ("variable",), "there is no joint '3'"),
    ],
)
def test_what_is_not_there(said: object, kinds: tuple[str, ...], text: str) -> None:
    assert book().find(said, *kinds) is None
    assert str(book().unknown(said, *kinds)).startswith(text)


def test_all_at_once() -> None:
    with pytest.raises(lw.InputError) as caught:
        book().look_up(["A", "B", "C", "C.slide", "Q.x"], "variable", source="m")
    assert [p.what for p in caught.value.problems] == [
        "there is no joint 'B'", "the cylindric joint 'C' has several variables", "there is no joint 'Q.x'",
    ]  # fmt: skip
    assert [n.place for n in book().look_up(["C.slide", "A"], "variable")] == [2, 0]
    plain = variable_book(["A.angle", "C.angle", "C.slide"])
    assert plain.look_up(["A", "C.slide"], "variable")[1].place == 2 and len(plain.variables_of("C")) == 2
    assert "..." in no_such("body", "x" * 100, ["a"]).what and len(no_such("body", "x" * 100, ["a"]).what) < 90


def test_the_book_of_a_mechanism() -> None:
    m = lw.example("slider-crank")
    names = MachineNames(m)
    assert names.find("A", "variable") == names.find("A.angle", "variable")
    assert names.find("P.x", "coordinate") is not None and names.find("P", "point") is not None
    assert names.find("rod", "body") is not None and names.find("rod", "point") is None
    assert names.is_known("rate(A)") and names.is_known("P.y") and not names.is_known("P.q")


def with_a_load_on_nothing() -> lw.Machine:
    m = lw.example("slider-crank")
    m.load("L", "Q", amount=1.0)
    return m.assemble()


def test_one_wording_in_every_room() -> None:
    """The same name, wrong in the same way, is told in the same words wherever it is said."""
    s = lw.example("slider-crank").assemble()
    run = s.motion(A=(0.0, 1.0), samples=3)
    sweep = s.solve({"A": np.linspace(0.0, 1.0, 3)})
    asks: list[Callable[[], object]] = [
        lambda: s.at(Q=0.1), lambda: s.motion(Q=(0, 1)), lambda: s.solve({"Q": [0.1]}), lambda: s.travel("Q"),
        lambda: s.closures(Q=0.1), lambda: s.home["Q"], lambda: s.home.velocities({"Q": 1.0}),
        lambda: s.forces(run, drives=["Q"]), lambda: s.accelerations(rates={"Q": 1.0}), lambda: sweep.value("Q"),
        lambda: sweep.rate("Q"), lambda: sweep.plot("Q"),
        lambda: s.simulate(1.0, start={"Q": 0.1}), lambda: s.solve({"A": [0.1]}, {"Q": [1.0]}),
        with_a_load_on_nothing,
    ]  # fmt: skip
    for ask in asks:
        with pytest.raises(lw.ModelError) as caught:
            ask()
        assert any(p.what == "there is no joint 'Q'" for p in caught.value.problems), str(caught.value)
    for ask in (lambda: s.at({"A.slide": 0.1}), lambda: s.forces(run, drives=["A.slide"]), lambda: s.travel("A.slide")):
        with pytest.raises(lw.ModelError, match=r"the revolute joint 'A' has no variable 'slide'; there is: A\.angle"):
            ask()


def told_of(ask: Callable[[], object]) -> list[str]:
    with pytest.raises(lw.InputError) as caught:
        ask()
    return [f"{p.where}: {p.what}" for p in caught.value.problems]


def test_a_simulation_tells_of_every_name_at_once() -> None:
    """Start, rates, efforts, drives, events, states and what it is differentiated by: one answer for one question."""
    s = lw.example("slider-crank").assemble()
    found = told_of(
        lambda: s.simulate(
            1.0, start={"Q": 1.0, "A": "x"}, rates={"R": 1.0, "A": np.nan}, efforts={"E": 1.0}, drives={"D.x": 1.0},
            events=[lw.stop("Z", high=1.0), lw.at(0.5, off="coil")], states={"i": 1.0}, method="radua",
            sensitive_to=["rod.mas", "start.Q"],
        )
    )  # fmt: skip
    assert found == [
        "method: there is no method 'radua'",
        "events[0]: there is nothing called 'Z'",
        "events[1].off: there is no load 'coil'",
        "efforts.E: there is no joint 'E'",
        "drives.D.x: the prismatic joint 'D' has no variable 'x'",
        "states.i: there is no state 'i'",
        "start: there is no joint 'Q'",
        "start.A: 'x' is not a number or an array of numbers",
        "rates: there is no joint 'R'",
        "rates.A: one finite number is wanted",
        "sensitive_to: there is no parameter, start or rate 'rod.mas'",
        "sensitive_to: start.Q: there is no joint 'Q'",
    ]


def test_many_simulations_tell_of_their_parameters_too() -> None:
    s = lw.example("slider-crank").assemble()
    found = told_of(
        lambda: s.simulate_many(
            1.0, start={"Q": [1.0, 2.0]}, rates={"R": 1.0}, parameters={"rod.mas": [1.0, 2.0], "x": 1.0},
            efforts={"E": 1.0}, states={"i": 1.0},
        )
    )  # fmt: skip
    assert found == [
        "parameters: there is no parameter 'rod.mas'",
        "parameters: there is no parameter 'x'",
        "efforts.E: there is no joint 'E'",
        "states.i: there is no state 'i'",
        "start: there is no joint 'Q'",
        "rates: there is no joint 'R'",
    ]


def test_signals_of_results_are_told_in_the_same_words() -> None:
    m = lw.Mechanism("lift", gravity=(0.0, 0.0, 0.0))
    arm = m.body("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.cylindric("C", m.ground, arm, at=(0, 0, 0), axis="z")
    m.point("tip", arm, at=(0.1, 0, 0))
    run = m.assemble().simulate(0.1, samples=3)
    for name, text in (
        ("C.rate", "the joint 'C' has several variables; say which: C.angle.rate, C.slide.rate"),
        ("C.speed", "the joint 'C' has several variables; say which: C.angle.rate, C.slide.rate"),
        ("tup.x", "there is no signal 'tup.x'; did you mean 'tip.x'?"),
        ("C.angle.velocity", "there is no signal 'C.angle.velocity'; did you mean 'C.angle.rate'?"),
    ):
        with pytest.raises(lw.InputError) as caught:
            run.signal(name)
        assert str(caught.value.problems[0]) == text


@pytest.mark.parametrize("ask", ["at", "motion", "solve", "simulate"])
def test_coordinates_of_places_that_are_not_there_are_told_as_such(ask: str) -> None:
    """Where coordinates of places may be specified, they are among what was meant."""
    s = lw.example("stewart-platform").assemble()
    said = {"platform.xx": 1.0, "platfrm.z": 1.0, "C": 1.0, "P1.slid": 0.2, "nonsense": 0.0}
    call = {"simulate": lambda given: s.simulate(0.1, drives=given)}.get(ask, getattr(s, ask))
    with pytest.raises(lw.InputError) as caught:
        call(said)
    found = [(p.what, p.hint) for p in caught.value.problems]
    wrong = "is no coordinate of a place, which are x, y and z in the world"
    assert found[:3] == [
        (f"'platform.xx' {wrong}", "say platform.x, platform.y or platform.z"),
        ("there is no joint or place 'platfrm'", "did you mean 'platform.z'?"),
        (f"'C' {wrong}", "say C.x, C.y or C.z"),
    ]
    assert found[3][1] == "did you mean 'P1.slide'?" and found[4][0] == "there is no joint 'nonsense'"


def test_a_constraint_of_nothing_is_told_plainly() -> None:
    m = lw.Mechanism("arm")
    m.body("a", mass=1.0)
    m.revolute("A", m.ground, "a", axis="z")
    m.constrain("c", "0.3")
    with pytest.raises(lw.ModelError) as caught:
        m.assemble()
    assert [(p.where, p.what) for p in caught.value.problems] == [("constraints.c", "it names nothing that moves")]


def test_the_command_line_knows_coordinates_of_places() -> None:
    words = [
        "motion",
        "stewart-platform",
        "--drive",
        "platform.xx=0:1mm",
        "--drive",
        "platfrm.z=0:1mm",
        "--drive",
        "zz=2",
    ]
    said = " ".join(CliRunner().invoke(app, words).output.split())
    assert "--drive platform.xx: 'platform.xx' is no coordinate of a place" in said
    assert "--drive platfrm.z: there is no joint or place 'platfrm'; did you mean 'platform.z'?" in said
    assert "--drive zz: there is no joint 'zz'" in said


def with_a_state() -> lw.Machine:
    m = lw.example("slider-crank")
    m.state("i", rate="-i")
    return m.assemble()


def test_forces_tell_of_every_name_at_once() -> None:
    """States, values, drives, efforts, preload, weights, forces from outside and contacts."""
    s = with_a_state()
    run = s.motion(A=(0.0, 1.0), samples=3)
    asked = {
        "drives": ["Q"], "efforts": {"E": 1.0, "D": "x"}, "preload": {"V": 1.0}, "weights": {"W": 1.0},
        "external": {"tip": (0, 0, 1)}, "contact": {"A": 1.0}, "states": {"j": 1.0},
    }  # fmt: skip
    named = [
        ": there is no joint 'Q'",
        "efforts.E: there is no joint 'E'",
        "efforts.D: {} wanted",
        "external: there is no body, point or frame 'tip'",
        "contact.A: 'A' is a revolute joint",
        "preload.V: there is no joint 'V'",
        "weights.W: there is no joint 'W'",
    ]
    many, one = (
        [text.format(count) for text in named] for count in ("a number or 3 finite numbers are", "one finite number is")
    )
    assert told_of(lambda: s.forces(run, **asked)) == ["states.j: there is no state 'j'", *many]
    rest = told_of(lambda: s.statics({"Q": 1.0, "A": "x"}, **asked, t="soon"))
    values = [": there is no joint 'Q'", "A: 'x' is not a number or an array of numbers", "t: 'soon' is not a time"]
    assert rest == ["states.j: there is no state 'j'", *values, *one]
    let_go = s.simulate(0.1, samples=3)
    assert told_of(lambda: s.forces(let_go, **asked)) == ["states: the run has states of its own", *many]


def test_accelerations_tell_of_every_name_at_once() -> None:
    s = with_a_state()
    found = told_of(
        lambda: s.accelerations(
            {"Q": 1.0}, {"R": 1.0}, {"E": 1.0}, external={"tip": (0, 0, 1)}, states={"j": 1.0, "i": np.nan}, t="soon"
        )
    )
    assert found == [
        "states.j: there is no state 'j'",
        "states.i: one finite number is wanted",
        ": there is no joint 'Q'",
        "rates: there is no joint 'R'",
        "efforts.E: there is no joint 'E'",
        "external: there is no body, point or frame 'tip'",
        "t: 'soon' is not a time",
    ]


def test_arrays_of_many_simulations_are_told_with_their_names() -> None:
    s = lw.example("slider-crank").assemble()
    found = told_of(
        lambda: s.simulate_many(
            1.0, start={"Q": [1.0, 2.0]}, rates={"A": ["x", "y"], "R": [1.0, np.nan]},
            parameters={"rod.mas": [1.0, 2.0, 3.0]}, efforts={"E": 1.0}, method="radua",
        )
    )  # fmt: skip
    assert found == [
        "rates.A: one finite number for each run is wanted",
        "rates.R: one finite number for each run is wanted",
        ": arrays of different lengths: start.Q has 2, parameters.rod.mas has 3",
        "parameters: there is no parameter 'rod.mas'",
        "method: there is no method 'radua'",
        "efforts.E: there is no joint 'E'",
        "start: there is no joint 'Q'",
        "rates: there is no joint 'R'",
    ]


def test_closures_tell_of_every_name_at_once() -> None:
    s = lw.example("slider-crank").assemble()
    found = told_of(lambda: s.closures({"Q": 1.0, "R": 1.0}, of=["rd", "pston"], starts=0))
    assert found == [
        ": there is no body, point or frame 'rd'",
        ": there is no body, point or frame 'pston'",
        ": there is no joint 'Q'",
        ": there is no joint 'R'",
        "starts: 0 starts",
    ]

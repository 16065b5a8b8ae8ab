"""Errors share one base and list their problems; a wrong argument is told apart from an unsound model."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError, LinkworkError, MissingExtra, ModelError, Problem
from linkwork.kernels.batch import ArgumentError

SIGNALS = {"Halt", "Unclear", "Ending", "Misfit"}
"""End a simulation, a proof by formulas, work in the background or the quick way into a loop; they never leave it."""


def own_exceptions() -> list[type[Exception]]:
    """Every exception class of the package; private ones and wishes to stop (KeyboardInterrupt) left out."""
    found = []
    for info in pkgutil.walk_packages(lw.__path__, "linkwork."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, thing in vars(module).items():
            if inspect.isclass(thing) and issubclass(thing, Exception) and thing.__module__ == info.name:
                assert name == thing.__name__
                found.append(thing)
    return [e for e in found if not e.__name__.startswith("_") and e.__name__ not in SIGNALS]


def test_every_exception_shares_the_base_and_lists_problems() -> None:
    found = own_exceptions()
    names = {e.__name__ for e in found}
    assert {"ModelError", "InputError", "MissingExtra", "ClosureError", "LimitOfTravel", "DeadCentre"} <= names
    assert {"TooFewDrives", "ArgumentError", "TapeError", "Weightless"} <= names
    for kind in found:
        assert issubclass(kind, LinkworkError), kind
        taken = inspect.signature(kind).parameters
        given = {"problem": Problem("what", "where", "try")}
        wanted = [p for p in taken.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        error = kind(*(given.get(p.name, "text") for p in wanted)) if wanted else kind("text")
        assert isinstance(error.problems, tuple) and len(error.problems) == 1
        assert all(isinstance(p, Problem) for p in error.problems)
        assert error.problems[0].what in str(error)


def test_problems_are_one_many_or_text() -> None:
    one, two = Problem("far", "A", "go near"), Problem("wide")
    assert ModelError("far").problems == (Problem("far"),)
    assert InputError(one, "crank").problems == (one,) and str(InputError(one, "crank")) == "crank: A: far; go near"
    assert str(ModelError([one, two], "crank")) == "crank: 2 problems\n  1. A: far; go near\n  2. wide"
    extra = MissingExtra("viser", "view", "The workbench")
    assert str(extra) == "The workbench needs viser: pip install 'linkwork[view]'"
    assert extra.problems == (Problem("The workbench needs viser", hint="pip install 'linkwork[view]'"),)


@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_errors_are_pickled_whole(again: Callable[[LinkworkError], LinkworkError]) -> None:
    problems = [Problem("far", "A", "go near", 3), Problem("wide", severity="warning")]
    for error in (
        InputError(problems, "crank"),
        lw.TooFewDrives(problems, "crank"),
        MissingExtra("viser", "view", "The workbench"),
        lw.LimitOfTravel(problems[0], "crank", limit={"A.angle": 0.3}),
    ):
        other = again(error)
        assert type(other) is type(error) and str(other) == str(error)
        assert other.problems == error.problems and other.source == error.source
        assert other.__dict__ == error.__dict__


def machine() -> lw.Machine:
    return lw.example("four-bar").assemble()


WRONG_ARGUMENTS: dict[str, Callable[[], object]] = {
    "no such variable": lambda: machine().at(O9=0.1),
    "no such drive": lambda: machine().motion(O9=(0, 1)),
    "a variable given twice": lambda: machine().at({"O2": 0.1}, O2=0.2),
    "no such signal": lambda: machine().motion(O2=(0, 1), samples=3)["O9"],
    "no such unit": lambda: machine().motion(O2=(0, 1), samples=3)["O2.rate"].to("furlongz"),
    "no such method": lambda: machine().simulate(0.1, method="euler"),
    "a time that is none": lambda: machine().simulate(float("nan")),
    "no such body": lambda: machine().position("O9", machine().home.q),
    "no such parameter": lambda: machine().with_parameters({"crank.maas": 1.0}),
    "no such quantity": lambda: machine().derivative("mas_matrix", "q"),
    "no such joint to cut": lambda: lw.graph_of(lw.example("four-bar"), cut=["O9"]),
    "no such tree": lambda: lw.graph_of(lw.example("four-bar"), tree="deep"),
    "no such example": lambda: lw.example("four-baar"),
    "a law without length": lambda: lw.ramp(0, 1, duration=-1.0),
    "a law that is none": lambda: lw.parse_drive("0:360deg in 2 apples", lw.units.ANGLE, "A"),
    "a frame without an axis": lambda: lw.geometry.frame_from_axis((0, 0, 0), (0, 0, 0)),
    "a stop on neither side": lambda: lw.stop("O2"),
    "a section that is none": lambda: lw.TubeSection(0.01, 0.02),
}


@pytest.mark.parametrize("name", WRONG_ARGUMENTS)
def test_a_wrong_argument_is_an_input_error(name: str) -> None:
    with pytest.raises(InputError) as caught:
        WRONG_ARGUMENTS[name]()
    assert caught.value.problems and isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ModelError)  # as it was caught before there was a word for it


def test_arrays_that_do_not_fit_a_kernel() -> None:
    arm = lw.System(lw.example("puma-560-craig"))
    with pytest.raises(ArgumentError) as caught:
        arm.mass_matrix(np.zeros(5))
    assert isinstance(caught.value, InputError) and caught.value.problems


UNSOUND: dict[str, Callable[[], object]] = {
    "negative mass": lambda: lw.Mechanism("m").body("a", mass=-1.0),
    "no such body": lambda: lw.loads("linkwork: 1\nbodies: {a: {}}\njoints: {A: {revolute: [ground, b]}}\n").assemble(),
    "no such unit": lambda: lw.loads("linkwork: 1\nbodies: {a: {mass: 3 apples}}\n"),
    "no arithmetic": lambda: lw.loads(
        "linkwork: 1\nbodies: {a: {mass: 1}}\njoints: {A: {revolute: [ground, a]}}\n"
        "loads: {L: {joint: A, amount: {formula: 3 +* 2}}}\n"
    ),
    "nothing resists": lambda: weightless().accelerations(A=0.0),
}


def weightless() -> lw.Machine:
    m = lw.Mechanism("pendulum")
    m.revolute("A", m.ground, m.body("a"), at=(0, 0, 0), axis="z")
    return m.assemble()


@pytest.mark.parametrize("name", UNSOUND)
def test_an_unsound_model_is_no_wrong_argument(name: str) -> None:
    with pytest.raises(ModelError) as caught:
        UNSOUND[name]()
    assert type(caught.value) is ModelError and caught.value.problems

"""Every kind of load and of joint has all its parts; a new one needs no more than the recipes of CONTRIBUTING say."""

from __future__ import annotations

import functools
import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from laws import CASES

import linkwork as lw
from linkwork.analyses.parameter_units import parameter_unit
from linkwork.equations.load_kinds import PLANS
from linkwork.files.entries import JOINTS, LOADS
from linkwork.model import joints
from linkwork.model.joints import Law
from linkwork.model.layout import lay_out
from linkwork.model.loads import KINDS, Load
from linkwork.model.loads.load import (
    Choice,
    Levels,
    Much,
    Named,
    Number,
    OnJoint,
    Scope,
    Tied,
    Way,
    measured,
    numbers_of,
    usual_values,
)
from linkwork.model.loads.load import Symbol as LoadSymbol
from linkwork.model.measures import parameter_measures
from linkwork.model.mechanism import JointOptions, Mechanism
from linkwork.units import ANGLE, SI, TORQUE, Dimension
from linkwork.views.load_symbols import load_symbols
from linkwork.views.scene import scene_of

TESTS = Path(__file__).parent.parent
DOCS = TESTS.parent / "docs"
BY_LOAD = [pytest.param(kind, id=kind.__name__) for kind in KINDS]
BY_JOINT = [pytest.param(law, id=kind) for kind, law in joints.KINDS.items()]


def parameters_of(method: str) -> set[str]:
    return set(inspect.signature(getattr(Mechanism, method)).parameters)


def fields_of(kind: type[Load]) -> set[str]:
    """The fields of a record that its keys speak of."""
    found: set[str] = set()
    for key in kind.keys:
        match key:
            case Tied():
                found |= {"first", "second", "variable"}
            case OnJoint():
                found.add("variable")
            case Levels():
                found |= set(key.fields)
            case Named() | Way() | Number() | Much() | Choice():
                found.add(key.key)
    return found


@pytest.mark.parametrize("kind", BY_LOAD)
def test_a_load_has_an_entry_for_every_section_and_a_method_that_takes_all_of_it(kind: type[Load]) -> None:
    for section in kind.sections:
        entry = LOADS[section.name]
        keys = {key.key for key in kind.keys if not section.only or key.key in section.only}
        assert keys <= set(entry.model_fields)
        assert entry.__doc__ == section.about and section.about.endswith(".")
        taken = set(entry.model_fields) - {"between"}
        assert taken <= parameters_of(section.method)
    assert {section.name for kind in KINDS for section in kind.sections} == set(LOADS)


@pytest.mark.parametrize("kind", BY_LOAD)
def test_nothing_of_a_load_is_lost_in_files(kind: type[Load]) -> None:
    assert fields_of(kind) == {f.name for f in fields(kind)} - {"name", "description"}  # type: ignore[arg-type]
    shown = set(kind.shown or [key.key for key in kind.keys])
    assert shown <= {key.key for key in kind.keys}
    assert set(usual_values(kind)) >= fields_of(kind)


@pytest.mark.parametrize("kind", BY_LOAD)
def test_every_number_of_a_load_has_a_unit_and_its_magnitude_a_word(kind: type[Load]) -> None:
    for scope in (Scope(), Scope(ANGLE, TORQUE)):
        for number in numbers_of(kind).values():
            assert isinstance(measured(number.measures, scope), Dimension)
    assert kind.magnitude and isinstance(kind.measure, Dimension)
    # No two kinds tell different things by one word.
    assert sum(other.magnitude == kind.magnitude for other in KINDS) == 1


@pytest.mark.parametrize("kind", BY_LOAD)
def test_a_load_has_a_plan_whose_numbers_it_declares(kind: type[Load]) -> None:
    plan = PLANS[kind]
    assert plan.record is kind
    assert "act" in vars(plan) and "of" in vars(plan)
    source = inspect.getsource(plan)
    for text in re.findall(r'own\["(\w+)"\]', source):
        assert text in numbers_of(kind)


def one_of_each() -> lw.Mechanism:
    m = lw.Mechanism()
    m.body("arm", mass=1.0, com=(0.5, 0, 0))
    m.revolute("A", "ground", "arm", axis="z")
    m.point("P", "arm", (1, 0, 0))
    m.point("Q", "ground", (1, -1, 0))
    m.spring("spring", "P", "Q", stiffness=1.0)
    m.spring("clock", joint="A", stiffness=1.0)
    m.damper("damper", "P", "Q", damping=1.0)
    m.friction("friction", "A", level=1.0)
    m.motor("motor", "A")
    m.force("force", "P", along="x", amount=1.0)
    m.torque("torque", "arm", about="z", amount=1.0)
    m.load("load", "A", amount=1.0)
    return m


def test_every_parameter_of_every_load_has_a_unit() -> None:
    m = one_of_each()
    m.spring("constant", "P", "Q", law=5.0)
    m.friction("pressed", "A", coefficient=0.1, radius=0.02, normal=3.0)
    s = m.assemble()
    own = [name for name in s.parameters if name.partition(".")[0] in (*m.loads, *m.motors)]
    units = {name: parameter_unit(s.loops, name) for name in own}
    for name in own:
        measured_as = parameter_measures(m, name)
        assert measured_as is not None and units[name] == (SI.symbol(measured_as) or "1")
    wanted = {"spring.stiffness": "N/m", "clock.stiffness": "N m/rad", "damper.damping": "N s/m", "clock.free": "rad"}
    wanted |= {"constant.amount": "N", "pressed.amount": "N", "pressed.radius": "m", "friction.viscous": "N m s/rad"}
    wanted |= {"motor.ratio": "1", "motor.rotor_inertia": "kg m^2", "motor.friction_forward": "N m"}
    wanted |= {"force.amount": "N", "torque.amount": "N m", "load.amount": "N m", "force.along.x": "1"}
    assert {name: units[name] for name in wanted} == wanted


@functools.cache
def drawn() -> tuple[dict[str, str], set[str], set[str]]:
    """Symbols of loads by name, and those that are drawn as lines and in space."""
    m = one_of_each()
    loads = {**m.loads, **m.motors}
    assert {type(load) for load in loads.values()} == set(KINDS)
    lines = {symbol.name for symbol in load_symbols(m, lay_out(m), None)}
    return {n: load.symbol for n, load in loads.items()}, lines, {part.of for part in scene_of(m).parts}


@pytest.mark.parametrize("kind", BY_LOAD)
def test_a_load_is_drawn_as_its_symbol_says(kind: type[Load]) -> None:
    symbols, lines, shapes = drawn()
    m = one_of_each()
    for name, load in {**m.loads, **m.motors}.items():
        if isinstance(load, kind):
            assert symbols[name] in get_args(LoadSymbol)
            assert (name in lines) == (name in shapes) == bool(symbols[name])


@pytest.mark.parametrize("kind", BY_LOAD)
def test_a_load_has_a_row_in_the_docs_and_an_oracle(kind: type[Load]) -> None:
    page = (DOCS / "loads.md").read_text(encoding="utf-8")
    for section in kind.sections:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{section.method}` |"))
        assert f"`{section.name}`" in row and f"`{kind.magnitude}`" in row
    for file in ("maximal_loads.py", "random_loads.py"):
        text = (TESTS / "analyses" / file).read_text(encoding="utf-8")
        assert re.search(rf"\b{kind.__name__}\b(?!,)", text), f"{file} does not know {kind.__name__}"


@pytest.mark.parametrize("law", BY_JOINT)
def test_a_joint_has_an_entry_and_a_method_that_takes_all_of_it(law: type[Law]) -> None:
    entry = JOINTS[law.kind]
    assert entry.__doc__ == law.about and law.about.endswith(".")
    assert {law.kind, *(key.name for key in law.keys)} <= set(entry.model_fields)
    options = set(JointOptions.__annotations__) if law.placing in ("axis", "crossed") else set()
    assert {key.name for key in law.keys} <= parameters_of(law.kind) | options


@pytest.mark.parametrize("law", BY_JOINT)
def test_a_joint_is_drawn_unless_it_says_otherwise(law: type[Law]) -> None:
    case = next(case for case in CASES if type(case.law) is law)  # the law that all laws are tested with
    m = lw.Mechanism()
    m.body("part")
    m.joint("J", case.law, "ground", "part", value=case.draw(np.random.default_rng(1)))
    shown = {part.of for part in scene_of(m).parts if part.kind in ("joint", "body", "ground")}
    assert ("J" in shown) == bool(law.symbol)


@pytest.mark.parametrize("law", BY_JOINT)
def test_a_joint_has_a_row_in_the_docs(law: type[Law]) -> None:
    page = (DOCS / "joints.md").read_text(encoding="utf-8")
    assert f"| `{law.kind}` | {law.letter} |" in page


def test_new_kinds_are_known_everywhere() -> None:
    done = subprocess.run([sys.executable, TESTS / "new_kinds.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]

"""Named states in model files: units of every number, written and read again to the bit, known to editors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from bad_state_documents import BAD_STATES
from file_documents import STATES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from load_machines import amounts
from validator import validator

import linkwork as lw
from linkwork.files.tree import read_tree
from linkwork.files.write import as_data
from linkwork.model.amounts import Formula, Tabulated

UNITS = ("1", "A", "V", "Pa", "K", "m", "rad", "kg/s")


def test_numbers_in_their_units() -> None:
    m = lw.loads(STATES)
    i = m.states["i"]
    assert list(m.states) == ["i", "smooth", "heat", "leak", "wear", "ramp"]
    assert i.rate == Formula("(u - R*i - k*rate(A))/L", ("u", "R", "i", "k", "rate(A)", "L"))
    assert (i.start, i.unit, i.scale, i.description) == (0.25, "A", 10.0, "the current")
    assert i.parameters == (("u", 12.0), ("R", 1.2), ("k", 0.05), ("L", 0.003))
    assert m.states["smooth"].parameters == (("bandwidth", 200.0),)
    assert m.states["heat"].rate == Formula("i.R*i**2/120", ("i.R", "i"), 1e-3)
    assert m.states["heat"].start == 293.0
    assert m.states["leak"].rate == Tabulated("i", (0.0, 2.0), (0.0, 3000.0))
    assert m.states["leak"].scale == 1e5
    assert m.states["wear"].rate == Tabulated("rate(A)", (0.0, lw.units.deg * 90), (0.0, 1.0), smooth=True)
    assert m.states["ramp"].rate == Formula("2.0", ())
    assert getattr(m.loads["choke"], "amount") == Tabulated("leak", (0.0, 1000.0), (0.0, 2.0))  # noqa: B009


def test_a_file_says_what_python_says() -> None:
    m = lw.Mechanism("one")
    m.body("rotor", mass=2.0, inertia=(0.01, 0.01, 0.02))
    m.revolute("A", "ground", "rotor", axis="z")
    numbers = {"u": 12.0, "R": 1.2, "L": 0.003}
    m.state("i", rate="(u - R*i)/L", start=0.25, unit="A", parameters=numbers)
    m.load("motor", "A", amount="0.05*i")
    text = """\
linkwork: 1
name: one
bodies: {rotor: {mass: 2, inertia: [0.01, 0.01, 0.02]}}
joints: {A: {revolute: [ground, rotor], axis: z}}
states: {i: {rate: (u - R*i)/L, start: 250 mA, unit: A, parameters: {u: 12 V, R: 1.2 ohm, L: 3 mH}}}
loads: {motor: {joint: A, amount: 0.05*i}}
"""
    assert lw.loads(text) == m
    other = lw.loads(text.replace("250 mA", "251 mA"))
    assert other != m and other.states["i"].start == 0.251


@st.composite
def with_states(draw: st.DrawFn) -> lw.Mechanism:
    m = lw.Mechanism("drawn")
    m.body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("A", "ground", "a", axis="z")
    numbers = st.floats(-1e6, 1e6)
    for k in range(draw(st.integers(1, 4))):
        names = ["A", "rate(A)", "A.angle", *(f"s{n}" for n in range(k))]
        law: Any = draw(amounts(names))
        parameters: dict[str, float] = {}
        if isinstance(law, str) and draw(st.booleans()):
            law, parameters = f"gain*({law})", {"gain": draw(numbers)}
        m.state(
            f"s{k}", rate=law, start=draw(numbers), unit=draw(st.sampled_from(UNITS)),
            scale=draw(st.floats(1e-9, 1e9)), parameters=parameters,
            description=draw(st.sampled_from(["", "some: text"])),
        )  # fmt: skip
    return m


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(with_states(), st.booleans())
def test_any_state_is_written_and_read_again(m: lw.Mechanism, is_json: bool) -> None:
    text = lw.dumps(m, is_json=is_json)
    again = lw.loads(text, is_json=is_json)
    assert again == m
    assert repr(as_data(again)) == repr(as_data(m))
    assert lw.dumps(again, is_json=is_json) == text
    validator().validate(json.loads(json.dumps(as_data(m))))


def test_sections_in_any_order_make_the_same_mechanism() -> None:
    head, _, rest = STATES.partition("states:\n")
    states, _, loads = rest.partition("loads:\n")
    moved = head.replace("bodies:\n", f"loads:\n{loads}states:\n{states}bodies:\n")
    assert moved != STATES and lw.loads(moved) == lw.loads(STATES)


@pytest.mark.parametrize("name", ["states", "states that are no entries"])
def test_what_has_the_wrong_shape_is_refused(name: str) -> None:
    assert not validator().is_valid(read_tree(str(BAD_STATES[name][0]).encode()).data)


def test_a_machine_of_a_file_moves_as_that_of_python() -> None:
    again = lw.loads(lw.dumps(lw.loads(STATES)))
    first, second = (m.assemble().simulate(0.05, samples=3) for m in (lw.loads(STATES), again))
    for name in ("A.angle", "i.value", "smooth.value", "heat.value", "leak.value", "wear.value", "ramp.value"):
        assert (first[name].values == second[name].values).all()
    assert abs(first["ramp.value"][-1] - 0.1) < 1e-12

"""What people type that is wrong: what, where, and what to try, at the place where it was typed."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app

ARM = """
linkwork: 1
name: arm
planar: true
units: {length: mm, angle: deg}
let: {long: 100, half: long/2}
bodies: {arm: {mass: 1 kg, com: [half, 0], inertia: 1000}}
joints: {A: {revolute: [ground, arm], at: [0, 0]}}
loads: {brake: {joint: A, amount: -2 N m}}
cases:
  turn: {drive: {A: "0:360"}, duration: 2 s, off: brake}
  heavy: {drive: {A: "0:360"}, set: {arm.mass: 3 kg}, off: brake}
"""
WRONG = {  # what stands there, what is typed instead, what is told
    "a force for a torque": ("-2 N m", "-2 kN", ["loads.brake.amount: '-2 kN' is a force; a torque"]),
    "a mass for a torque": ("-2 N m", "3 kg", ["loads.brake.amount: '3 kg' is a mass; a torque"]),
    "an angle too many": ("-2 N m", "-5 N m * A", ["multiplied by an angle is in N m/rad"]),
    "a decimal comma in quotes": ("-2 N m", "'2,5 N m'", ["a decimal comma? write a point: 2.5 N m"]),
    "a decimal comma of a mass": ("mass: 1 kg", "mass: '1,5 kg'", ["write a decimal point: '1.5 kg'"]),
    "a case without its number": ("arm.mass: 3 kg", "arm.mas: 3 kg", ["did you mean 'arm.mass'?"]),
    "a case of another body": ("arm.mass: 3 kg", "arn.mass: 3 kg", ["did you mean 'arm.mass'?"]),
    "a case with a wrong unit": ("arm.mass: 3 kg", "arm.mass: 3 m", ["cases.heavy.set.arm.mass: '3 m' is a length"]),
    "a case of what follows": ("arm.mass: 3 kg", "half: 3", ["'half' follows from others: long/2; set long"]),
    "an umlaut in a formula": ("long: 100, half: long/2", "Größe: 100, long: 100, half: 50", ["already: 'Groesse'"]),
    "a blank in a name": ("arm: {mass", "der Arm: {mass", ["bodies.der Arm: 'der Arm' is not a name", "'der-Arm'"]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_of_files(wrong: str) -> None:
    there, typed, told = WRONG[wrong]
    assert there in ARM
    try:
        problems = lw.check(lw.loads(ARM.replace(there, typed))).errors
    except lw.ModelError as error:
        problems = error.problems
    shown = [str(p) for p in problems]
    assert all(any(text in one for one in shown) for text in told), shown
    assert all(p.line for p in problems), shown


def test_cases_say_nothing_of_a_load_that_is_wrong_itself() -> None:
    with pytest.raises(lw.ModelError) as caught:
        lw.loads(ARM.replace("-2 N m", "-2 kN"))
    assert [p.where for p in caught.value.problems] == ["loads.brake.amount"]


def test_amounts_of_loads_in_python() -> None:
    m = lw.Mechanism("arm")
    m.body("arm", mass=1.0, com=(0.1, 0, 0))
    m.revolute("A", m.ground, "arm", axis="z")
    for text, told in (("5 kN", "'5 kN' is a force"), ("5 kg", "'5 kg' is a mass"), ("2,5 N m", "2.5 N m")):
        with pytest.raises(lw.ModelError, match="loads.brake.amount: .*" + told):
            m.load("brake", "A", amount=text)
    assert m.load("brake", "A", amount="5 kN mm") == m.loads["brake"] and m.loads["brake"].amount.value == 5.0  # type: ignore[union-attr, attr-defined]


def test_new_machines_may_have_umlauts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["new", "link", "Tür öffner"]).exit_code == 0
    assert lw.load("Tür-öffner.yaml").name == "Tür-öffner"
    assert CliRunner().invoke(app, ["new", "link", "007"]).exit_code == 0
    assert lw.load("007.yaml").name == "007"
    told = CliRunner().invoke(app, ["new", "link", "a/b"])
    assert told.exit_code == 2 and "did you mean 'a-b'?" in told.output

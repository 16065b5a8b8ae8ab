# ruff: noqa: E501
"""D-H tables: the gallery's PUMA from a table, the four conventions, and what is said of tables that are wrong."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork import geometry as geo


def table(tmp_path: Path, text: str, name: str = "arm.csv") -> lw.Mechanism:
    file = tmp_path / name
    file.write_text(text)
    return lw.load(file)


ROWS = {
    "dh": ("theta [deg],d [mm],a [mm],alpha [deg]", (30, 100, 200, -50), lambda n: geo.dh_standard(*n)),
    "dh_craig": ("alpha [deg],a [mm],theta [deg],d [mm]", (-50, 200, 30, 100), lambda n: geo.dh_craig(*n)),
    "hayati": ("theta [deg],a [mm],alpha [deg],beta [deg]", (30, 200, -50, 7), lambda n: geo.hayati(*n)),
    "sheth_uicker": (
        "gamma [deg],c [mm],alpha [deg],a [mm],beta [deg],b [mm]",
        (10, 20, 30, 40, 50, 60),
        lambda n: geo.sheth_uicker(*n),
    ),
}


@pytest.mark.parametrize("convention", ROWS)
def test_four_conventions(convention: str, tmp_path: Path) -> None:
    heads, row, law = ROWS[convention]
    numbers = ",".join(map(str, row))
    m = table(tmp_path, f"# convention: {convention}\njoint,{heads}\nJ1,{numbers}\nJ2,{numbers}\n")
    si = [x * (np.pi / 180 if "deg" in head else 1e-3) for x, head in zip(row, heads.split(","), strict=True)]
    X = lw.lay_out(m).X_WB["link2"]
    assert np.abs(X - law(si) @ law(si)).max() < 1e-15


def test_a_whole_arm(tmp_path: Path) -> None:
    """Masses, centres, inertias, limits and motors in other units, and by semicolons."""
    m = table(
        tmp_path,
        """\
# convention: dh_craig
# name: small
# gravity: 0 0 -9.81 m/s^2
joint;body;kind;alpha [deg];a [mm];theta [deg];d [mm];mass [g];com_x [mm];iyy [kg mm^2];izz [kg mm^2];low [deg];high [deg];gear;motor_inertia [g cm^2];peak [N mm];top_speed [rpm]
A;upper;;0;0;10;0;1500;100;2000;2000;-90;90;50;40;700;3000
B;fore;p;90;200;;50;500;;;;0 mm;150 mm;;;;
C;tool;fixed;0;0;0;100;;;;;;;;;;
""",
    )
    assert m.name == "small" and m.gravity == (0, 0, -9.81)
    upper = m.bodies["upper"]
    assert upper.mass == 1.5 and upper.com == (0.1, 0, 0) and upper.inertia.yy == pytest.approx(2e-3)
    motor = m.motors["A_motor"]
    assert motor.ratio == 50 and motor.peak == pytest.approx(0.7) and motor.rotor_inertia == pytest.approx(4e-6)
    assert motor.top_speed == pytest.approx(100 * np.pi)
    assert m.joints["B"].limits == (("slide", 0.0, 0.15),) and m.joints["B"].value == (0.05,)
    assert m.joints["A"].value == (pytest.approx(np.pi / 18),) and m.joints["C"].law.kind == "rigid"
    assert lw.check(m).sound
    assert lw.load(lw.save(m, tmp_path / "small.yaml")) == m
    assert "3 joints by the convention dh_craig" in str(m.import_report)


def test_a_convention_that_is_not_told_is_told(tmp_path: Path) -> None:
    assert "taken as dh" in str(table(tmp_path, "theta,d,a,alpha\n0,0.1,0.2,0\n").import_report)


WRONG = {
    "empty": ("", ["the table is empty"]),
    "convention": ("# convention: dhh\ntheta,d,a,alpha\n0,0,0,0", ["'dhh' is not a convention; did you mean 'dh'?"]),
    "all": (
        "theta [deg],d [deg],a,alpha,weight [kg],a\n1,2,3,4,5,6",
        ["[deg] does not measure a 'd'", "'weight' is not known", "two columns are called 'a'"],
    ),
    "cells": ("# convention: dh\ntheta,d,a,alpha\n0,0\n0,0,x,0\n1,1 deg,2,2", ["line 3: 2 cells", "line 4", "line 5"]),
    "kind": ("# convention: dh\nkind,theta,d,a,alpha\nball,0,0,0,0", ["line 3", "a ball joint in a D-H table"]),
    "names": ("# convention: dh\njoint,theta,d\nA,0,1\nA,0,1", ["line 4", "taken by a joint"]),
    "other": ("x,y\n1,2", ["'x' is not known", "'y' is not known", "there are no columns theta"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_tables_are_told_by_line(name: str, tmp_path: Path) -> None:
    text, wanted = WRONG[name]
    with pytest.raises(lw.ModelError) as told:
        table(tmp_path, text)
    found = str(told.value)
    for part in wanted:
        assert part in found, found

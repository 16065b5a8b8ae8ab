"""A new kind of load and a new kind of joint, written as the recipes of CONTRIBUTING say, and used everywhere.

`model/test_kinds.py` runs this file by itself, so that the kinds are known before files are.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

import linkwork.model.joints as joint_kinds
import linkwork.model.loads as load_kinds
from linkwork.equations.load_kinds import PLANS
from linkwork.equations.load_kinds.plans import Along, Done, LoadConstants, LoadPlan, Places, State, Stretch
from linkwork.equations.scalars import replay
from linkwork.model.joints.law import Key, Law, Motion, Variable, about_w, angle_about_w
from linkwork.model.loads.load import Acts, AlongVariable, BetweenPoints, Load, Number, Scope, Section, Symbol, Tied
from linkwork.model.loads.load_makers import started
from linkwork.model.mechanism import Mechanism
from linkwork.units import Dimension

# ---------------------------------------------------------------- one file in model/loads


def _of_drag(scope: Scope) -> Dimension:
    return scope.effort / scope.rate**2


@dataclass(frozen=True)
class Drag(Load):
    """A hydraulic damper: pull = quadratic v |v|."""

    name: str
    variable: str | None = None
    first: str | None = None
    second: str | None = None
    quadratic: float = 0.0
    description: str = ""

    sections = (Section("drags", "drag", "A damper of oil: pull = quadratic v |v|."),)
    keys = (Tied(), Number("quadratic", _of_drag, least=0.0))
    magnitude = "pull"

    @property
    def acts(self) -> Acts:
        if self.variable is not None:
            return AlongVariable(self.variable)
        return BetweenPoints(str(self.first), str(self.second))

    @property
    def symbol(self) -> Symbol:
        return "dashpot"

    def idle(self) -> str:
        return "" if self.quadratic else "it has no drag"


load_kinds.KINDS += (Drag,)


# ---------------------------------------------------------------- one file in equations/load_kinds


@dataclass(frozen=True)
class DragPlan(LoadPlan):
    """A drag along a variable, or between two marks."""

    name: str
    pulled: Stretch
    record = Drag
    numbers = ("quadratic",)

    @classmethod
    def of(cls, load: Drag, places: Places) -> DragPlan:
        return DragPlan(load.name, places.stretch(load.acts))

    @property
    def acts_along(self) -> Along | None:
        return self.pulled.along

    def act(self, state: State, given: LoadConstants) -> Done:
        _, rate, direction = state.stretched(self.pulled)
        (squared,) = replay(_square(), [[rate]])[0]
        pull = state.on(given.numbers[0] * squared)
        state.pull(self.pulled, pull, direction)
        return Done(pull, -(pull * rate))


@functools.cache
def _square() -> ca.Function:
    x = ca.SX.sym("x")
    return ca.Function("square", [x], [x * ca.fabs(x)])


PLANS[Drag] = DragPlan


# ---------------------------------------------------------------- one file in model/joints


@dataclass(frozen=True)
class Wobble(Law):
    """Turns about w by `angle` and slides along it by amplitude sin(angle)."""

    amplitude: float
    kind, letter = "wobble", "Y"
    variables = (Variable("angle", "angle"),)
    about = "A plate on a tilted shaft. Variable: angle."
    keys = (Key("amplitude", "length", "of its slide", needed=True),)

    def motion(self, q: Sequence[Any]) -> Motion:
        from linkwork.geometry.elementary import sin

        return about_w(q[0]), (0.0, 0.0, self.amplitude * sin(q[0]))

    def recover(self, X_FM: Any) -> Any:
        return np.array([angle_about_w(X_FM)])


joint_kinds.KINDS["wobble"] = Wobble


# ---------------------------------------------------------------- their methods of Mechanism


def _drag(self: Any, name: str, first: Any = None, second: Any = None, **given: Any) -> Drag:
    part = started("drags", name, Drag)
    joint = given.get("joint")
    ends = [part.point(end) for end in (first, second) if end is not None]
    along = None if joint is None else part.variable(self.joints, joint)
    number = part.number(given.get("quadratic", 0.0), "quadratic")
    part.done()
    new: Drag = self._loaded(Drag(name, along, *(ends or (None, None)), number, given.get("description", "")))
    return new


def _wobble(self: Any, name: str, tail: Any, head: Any, *, amplitude: float, **options: Any) -> Any:
    return self._placed(name, Wobble(amplitude), tail, head, **options)


Mechanism.drag = _drag  # type: ignore[attr-defined]
Mechanism.wobble = _wobble  # type: ignore[attr-defined]


# ---------------------------------------------------------------- everything else follows

MODEL = """
linkwork: 1
name: damped
units: {length: mm}
bodies: {cart: {mass: 2}, plate: {mass: 1}}
joints:
  D: {prismatic: [ground, cart], axis: x}
  W: {wobble: [ground, plate], axis: z, amplitude: 10, value: 30 deg}
points:
  P: {on: cart, at: [0, 0, 0]}
  Q: {on: ground, at: [-1000, 0, 0]}
drags:
  oil: {between: [P, Q], quadratic: 3 N s^2/m^2}
  film: {joint: W, quadratic: 0.02 N m s^2/rad^2}
"""


def a_load() -> None:
    """Files both ways, schema, units, signals, numbers, energy, tables, pictures."""
    from jsonschema import Draft202012Validator

    import linkwork as lw
    from linkwork.analyses.parameter_units import parameter_unit
    from linkwork.files.tree import read_tree
    from linkwork.files.write import as_data
    from linkwork.model.layout import lay_out
    from linkwork.units import SI
    from linkwork.views.load_symbols import load_symbols
    from linkwork.views.load_tables import load_rows
    from linkwork.views.scene import scene_of

    m = lw.loads(MODEL)
    assert lw.check(m).sound
    assert m.loads == {"oil": Drag("oil", None, "P", "Q", 3.0), "film": Drag("film", "W.angle", quadratic=0.02)}
    assert lw.loads(lw.dumps(m)) == m
    schema = Draft202012Validator(lw.json_schema())
    schema.validate(read_tree(MODEL.encode()).data)
    schema.validate(json.loads(json.dumps(as_data(m))))
    wrong = MODEL.replace("3 N s^2/m^2", "-3").replace("0.02 N m s^2/rad^2", "2 N")
    try:
        lw.loads(wrong)
    except lw.ModelError as error:
        found = {(p.where, p.line) for p in error.problems}
        assert ("drags.oil.quadratic", 13) in found and ("drags.film.quadratic", 14) in found, str(error)
    else:
        raise AssertionError("two wrong numbers were taken")
    s = m.assemble()
    assert s.parameters["oil.quadratic"] == 3.0
    assert parameter_unit(s.loops, "oil.quadratic") == "kg/m"
    assert parameter_unit(s.loops, "film.quadratic") == "kg m^2/rad^2"
    try:
        s.with_parameters({"oil.quadratic": -1.0})
    except lw.LinkworkError as error:
        assert "below 0" in str(error)
    else:
        raise AssertionError("a negative drag was taken")
    run = s.forces(s.motion(D=lw.harmonic(0.0, 0.1, frequency=1.0), W=lw.ramp(0.0, 1.0, duration=1.0), samples=21))
    v, r = run.signal("D.slide.rate").values, run.signal("W.angle.rate").values
    assert run.signal("oil.pull").unit == "N" and run.signal("film.pull").unit == "N m"
    np.testing.assert_allclose(run.signal("oil.pull").values, 3.0 * v * np.abs(v), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(run.signal("film.pull").values, 0.02 * r * np.abs(r), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(run.signal("oil.power").values, -3.0 * np.abs(v) ** 3, rtol=1e-12, atol=1e-14)
    assert np.abs(run.signal("machine.power_balance").values).max() < 1e-12
    rolled = s.simulate(1.0, rates={"D": 2.0}, rtol=1e-10)
    # 2 v' = -3 v |v| from v = 2:  v = 2 / (1 + 3 t)
    assert abs(rolled.signal("D.slide.rate").values[-1] - 2.0 / 4.0) < 1e-9
    rows = {row[0]: row[1:] for row in load_rows(m, SI)}
    assert rows["oil"] == ("drag", "P - Q", "quadratic 3 kg/m")
    assert [x.name for x in load_symbols(m, lay_out(m), None)] == ["oil"]
    assert "oil" in {part.of for part in scene_of(m).parts}


def a_joint() -> None:
    """Motion, mobility, files, units, pictures."""
    import linkwork as lw
    from linkwork.analyses.parameter_units import parameter_unit
    from linkwork.model.layout import lay_out
    from linkwork.views.scene import scene_of

    m = lw.loads(MODEL)
    assert m.joints["W"].law == Wobble(0.01)
    assert "W: {wobble: [ground, plate]" in lw.dumps(m) and "amplitude: 0.01" in lw.dumps(m)
    s = m.assemble()
    assert parameter_unit(s.loops, "W.amplitude") == "m"
    assert abs(lay_out(m).seats["W"].X_WM[2, 3] - 0.01 * math.sin(math.radians(30))) < 1e-17
    run = s.forces(s.motion(W=lw.ramp(0.0, 1.0, duration=1.0), D=0.0, samples=5))
    angle, rate = run.signal("W.angle").values, run.signal("W.angle.rate").values
    # The effort: m a² cos(q) (q'' cos q - q'² sin q), besides the drag of the film.
    bend = run.signal("W.angle.acceleration").values * np.cos(angle) - rate**2 * np.sin(angle)
    wanted = 1e-4 * np.cos(angle) * bend + 0.02 * rate * np.abs(rate)
    np.testing.assert_allclose(run.signal("W.angle.effort").values, wanted, rtol=1e-9, atol=1e-14)
    assert "W" in {part.of for part in scene_of(m).parts}
    try:
        lw.loads(MODEL.replace(", amplitude: 10", ", amplitud: 10"))
    except lw.ModelError as error:
        told = str(error)
        assert (
            "unknown key 'amplitud'" in told and "did you mean 'amplitude'" in told and "'amplitude' is missing" in told
        )
    else:
        raise AssertionError("a wrong key was taken")


if __name__ == "__main__":
    a_load()
    a_joint()

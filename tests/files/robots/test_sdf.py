# ruff: noqa: E501
"""SDFormat: the same robot as its URDF; loops, screws, nested and included models; and files that are wrong."""

from pathlib import Path

import numpy as np
import pytest
from robot_documents import HARD_SDF, HARD_URDF
from robot_peers import bare

import linkwork as lw


def test_it_is_the_robot_of_the_urdf() -> None:
    """Poses of links and efforts of any motion: the URDF is held to Pinocchio, and this to the URDF."""
    one, other = lw.loads(HARD_URDF), lw.loads(HARD_SDF)
    names = {"arm_joint": "hard_arm_joint", "roll": "hard_roll", "finger": "hard_finger", "thumb": "hard_thumb"}
    assert other.import_report.joints["hard::finger"] == "hard_finger"
    a, b = bare(one), bare(other)
    rng = np.random.default_rng(3)
    values = {name: rng.normal(size=3) for name in names}
    rows = []
    for s, name in ((a, dict(zip(names, names, strict=True))), (b, names)):
        q, v, dv = s.neutral.copy(), np.zeros(s.nv), np.zeros(s.nv)
        at = [next(i for i, r in enumerate(s.rates) if r.startswith(f"{n}.")) for n in name.values()]
        cs = [next(i for i, r in enumerate(s.coordinates) if r.startswith(f"{n}.")) for n in name.values()]
        q[cs], v[at], dv[at] = np.array(list(values.values())).T
        rows.append((s.inverse_dynamics(q, v, dv)[at], {body: s.pose(body, q) for body in s.bodies}))
    (tau, poses), (tau2, poses2) = rows
    assert np.abs(tau - tau2).max() < 1e-12
    for body, twin in (("arm", "hard_arm"), ("tool_1", "hard_tool"), ("left", "hard_left"), ("right", "hard_right")):
        assert np.abs(poses[body] - poses2[twin]).max() < 1e-13


def test_what_is_kept() -> None:
    m = lw.loads(HARD_SDF)
    assert m.joints["hard_arm_joint"].limits == (("angle", -2.0, 2.5),)
    assert m.motors["hard_arm_joint_motor"].peak == 60 and m.loads["hard_arm_joint_damper"].damping == 0.7
    assert m.joints["brick_b_weld"].law.kind == "rigid" and m.joints["ball_b_free"].law.kind == "free"
    assert m.frames["hard_flange"].body == "hard_arm" and m.bodies["hard_base"].colour == "#CC1A1A"
    text = str(m.import_report)
    for part in ("<sensor> is not used", "links that nothing holds move freely: ball::b", "links without <inertial>"):
        assert part in text, part
    assert lw.check(m).sound


def model(*parts: str, name: str = "m", head: str = "1.9") -> str:
    return f'<sdf version="{head}">\n<model name="{name}">\n' + "\n".join(parts) + "\n</model></sdf>"


def joint(name: str, kind: str, parent: str, child: str, more: str = "<axis><xyz>0 0 1</xyz></axis>") -> str:
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{more}</joint>'


def test_links_may_have_several_parents() -> None:
    """A parallelogram closed by its fourth joint."""
    bars = [
        f'<link name="{n}"><pose>{x} {y} 0 0 0 0</pose></link>' for n, x, y in (("a", 0, 0), ("b", 0, 1), ("c", 2, 0))
    ]
    m = lw.loads(model(*bars, joint("A", "revolute", "world", "a"), joint("B", "revolute", "a", "b", "<pose>0 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis>"),
                       joint("C", "revolute", "world", "c"), joint("D", "revolute", "c", "b", "<pose>2 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis>")))  # fmt: skip
    s = m.assemble()
    p = s.at(A=0.4)
    assert p["C"] == pytest.approx(0.4, abs=1e-12) and p["B"] == pytest.approx(-0.4, abs=1e-12)


def test_screws_universals_and_balls() -> None:
    links = [f'<link name="{n}"/>' for n in "abc"]
    m = lw.loads(model(*links, joint("A", "screw", "world", "a", "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.02</screw_thread_pitch>"),
                       joint("B", "universal", "a", "b", "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"),
                       joint("C", "ball", "b", "c", "")))  # fmt: skip
    s = lw.System(m)
    q = s.posture({"A": 2 * np.pi, "B.angle1": 0.3, "B.angle2": 0.5})
    assert s.position("a", q)[2] == pytest.approx(0.02)
    from linkwork import geometry as geo

    assert np.abs(s.pose("b", q)[:3, :3] - geo.rot_x(0.3) @ geo.rot_y(0.5)).max() < 1e-14
    old = model(
        '<link name="a"/>',
        joint(
            "A", "screw", "world", "a", "<axis><xyz>0 0 1</xyz></axis><thread_pitch>-314.1592653589793</thread_pitch>"
        ),
    )
    assert lw.loads(old).joints["A"].law.lead == pytest.approx(0.02)


def test_models_in_models_and_files(tmp_path: Path) -> None:
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "model.sdf").write_text(model('<link name="a"><pose>0 0 1 0 0 0</pose></link>', name="arm"))
    text = model('<link name="base"/>', '<include><uri>model://arm</uri><name>left</name><pose>1 0 0 0 0 0</pose></include>',
                 '<model name="in"><pose relative_to="base">0 5 0 0 0 0</pose><link name="x"/></model>',
                 joint("A", "revolute", "base", "left::a"), joint("B", "fixed", "left::a", "in::x", ""), joint("C", "fixed", "world", "base", ""))  # fmt: skip
    file = tmp_path / "two.sdf"
    file.write_text(text)
    m = lw.load(file)
    places = lw.lay_out(m).X_WB
    assert places["left_a"][:3, 3] == pytest.approx([1, 0, 1]) and places["in_x"][:3, 3] == pytest.approx([0, 5, 0])
    file.write_text(text.replace("model://arm", "../secret/model.sdf"))
    with pytest.raises(lw.ModelError, match="is not there"):
        lw.load(file)


WRONG = {
    "all at once": (
        model('<link name="a"><pose relative_to="nowhere">0 0 0 0 0 0</pose></link>', '<link name="a"/>', '<link name="b"><pose>1 2</pose></link>'),
        [(4, "two things named 'a'"), (5, "is not a pose")],
    ),
    "unknown": (model('<link name="a"><pose relative_to="nowhere">0 0 0 0 0 0</pose></link>'), [(3, "there is no frame 'nowhere'")]),
    "circle": (
        model('<link name="a"><pose relative_to="b"/></link>', '<link name="b"><pose relative_to="a"/></link>'), [(3, "given in a circle: a -> b -> a")],
    ),
    "joints": (
        model('<link name="a"><inertial><mass>-1</mass></inertial></link>', joint("A", "gearbox", "world", "a"), joint("B", "revolute", "no", "a"),
              joint("C", "revolute", "world", "a", "<axis><xyz>0 0 0</xyz></axis>"), joint("D", "screw", "world", "a")),
        [(3, "the mass is negative"), (4, "'gearbox' cannot be said"), (5, "there is no parent 'no'"), (6, "the axis has no length"), (7, "pitch of the screw is missing")],
    ),
    "empty": ("<sdf version='1.9'/>", [(1, "there are no links")]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_told_by_line(name: str) -> None:
    text, wanted = WRONG[name]
    with pytest.raises(lw.ModelError) as told:
        lw.loads(text)
    found = [(p.line, str(p)) for p in told.value.problems]
    assert len(found) == len(wanted), found
    for (line, part), (at, what) in zip(wanted, found, strict=True):
        assert at == line and part in what, found

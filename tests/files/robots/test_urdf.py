# ruff: noqa: E501
"""URDF: what becomes of a robot that is hard on purpose, beside Pinocchio; and what is said of files that are wrong."""

from pathlib import Path

import numpy as np
import pytest
from robot_documents import HARD_URDF
from robot_peers import bare, beside_pinocchio

import linkwork as lw


def test_poses_and_efforts_are_those_of_pinocchio() -> None:
    far, off = beside_pinocchio(None, HARD_URDF)
    assert far < 1e-12 and off < 1e-10


def test_a_floating_base_too(tmp_path: Path) -> None:
    file = tmp_path / "hard.urdf"
    file.write_text(HARD_URDF)
    far, off = beside_pinocchio(file, floating=True)
    assert far < 1e-12 and off < 1e-10


def test_what_is_kept() -> None:
    m = lw.loads(HARD_URDF)
    kinds = {name: joint.law.kind for name, joint in m.joints.items()}
    assert kinds == {
        "anchor": "rigid", "arm_joint": "revolute", "neck": "rigid", "roll": "revolute", "finger": "prismatic",
        "thumb": "prismatic", "spin": "revolute", "float": "revolute",
    }  # fmt: skip
    assert m.ground.name == "world" and m.name == "hard_one" and m.gravity == (0, 0, -9.81)
    assert m.joints["arm_joint"].limits == (("angle", -2.0, 2.5),) and m.joints["roll"].limits == ()
    assert m.joints["float"].limits == ()
    motor = m.motors["arm_joint_motor"]
    assert (motor.peak, motor.top_speed, motor.ratio) == (60.0, 3.0, 1.0)
    assert m.loads["arm_joint_damper"].damping == 0.7 and m.loads["arm_joint_friction"].forward == 0.2
    assert m.bodies["base"].colour == "#CC1A1A" and m.bodies["arm"].looks[0].kind == "cylinder"
    assert lw.check(m).sound


def test_mimic_is_a_coupling_that_holds_from_the_layout_on() -> None:
    """Its force goes to the joint that is followed: effort(finger) + 1.5 effort(thumb) of the tree."""
    m = lw.loads(HARD_URDF)
    s = m.assemble()
    p = s.at(finger=0.03)
    assert p["thumb.slide"] == pytest.approx(1.5 * 0.03 + 0.02, abs=1e-14)
    assert s.home["finger"] == 0.0 and s.home["thumb"] == 0.02
    tree = bare(lw.loads(HARD_URDF))
    q = tree.posture({"finger": 0.03, "thumb": 0.065})
    tau = dict(zip(tree.rates, tree.inverse_dynamics(q, np.zeros(tree.nv), np.zeros(tree.nv)), strict=True))
    held = s.statics({"arm_joint": 0, "roll": 0, "finger": 0.03, "spin": 0, "float": 0})
    assert held.efforts["finger.slide"] == pytest.approx(tau["finger.slide"] + 1.5 * tau["thumb.slide"], abs=1e-12)


def test_the_report_leaves_nothing_out() -> None:
    report = lw.loads(HARD_URDF).import_report
    assert report.kind == "URDF" and report.joints["arm"] == "arm_joint" and report.bodies["tool 1"] == "tool_1"
    text = str(report)
    for part in ("transmissions", "<gazebo> is not used", "arm -> arm_joint", "tool 1 -> tool_1", "leave no room",
                 "the root link is the ground", "not of unit length", "links without mass that move: ghost"):  # fmt: skip
        assert part in text, part
    assert [f.lines for f in report.lost if "gazebo" in f.what] == [(39,)]
    assert report.as_dict()["lost"] and report.of("kept")


def test_it_is_written_and_read_again(tmp_path: Path) -> None:
    m = lw.loads(HARD_URDF)
    again = lw.load(lw.save(m, tmp_path / "hard.yaml"))
    assert again == m
    a, b = bare(m), lw.loads(lw.dumps(m))
    for name in list(b.loads):
        b.leave_out(name)
    b.motors.clear()
    b.constraints.clear()
    b = lw.System(b)
    q = np.linspace(-0.4, 0.7, a.nq)
    assert np.array_equal(a.inverse_dynamics(q, q, q), b.inverse_dynamics(q, q, q))


def link(name: str, inside: str = "") -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", more: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


def robot(*parts: str) -> str:
    return "<robot name='r'>\n" + "\n".join(parts) + "\n</robot>"


HEAVY = '<inertial><mass value="{}"/><inertia ixx="{}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
WRONG = {
    "cycle": (robot(link("a"), link("b"), link("c"), joint("x", "b", "c"), joint("y", "c", "b")), [(4, "in a cycle")]),
    "two roots": (robot(link("a"), link("b"), link("c"), joint("x", "a", "b")), [(1, "2 links are nobody's child")]),
    "two parents": (
        robot(link("a"), link("b"), link("c"), joint("x", "a", "c"), joint("y", "b", "c")), [(6, "the child of 'x' already")],
    ),
    "all at once": (
        robot(
            link("a", HEAVY.format(-1, 1)), link("b", HEAVY.format("two", 1)), link("c", HEAVY.format(1, -1)), link("b"),
            joint("x", "a", "b", "hinge"), joint("y", "b", "c", more='<axis xyz="0 0 0"/>'),
        ),
        [(2, "the mass is negative"), (3, "a number is wanted"), (4, "moment of inertia is negative"),
         (5, "there are two links named 'b'"), (6, "'hinge' is not a type of joint"), (7, "the axis has no length")],
    ),
    "numbers": (
        robot(
            link("a", HEAVY.format(-1, 1)), link("b", HEAVY.format("two", 1)), link("c", HEAVY.format(1, -1)),
            joint("x", "a", "b", "hinge"), joint("y", "b", "c", more='<axis xyz="0 0 0"/><limit lower="low"/>'),
        ),
        [(2, "the mass is negative"), (3, "a number is wanted"), (4, "moment of inertia is negative"),
         (5, "'hinge' is not a type of joint"), (6, "the axis has no length"), (6, 'lower="low"')],
    ),
    "unknown link": (robot(link("a"), joint("x", "a", "bb")), [(3, "there is no link 'bb'")]),
    "mimics": (
        robot(link("a"), link("b"), link("c"), joint("x", "a", "b", more='<mimic joint="y"/>'),
              joint("y", "b", "c", more='<mimic joint="x"/>')),
        [(5, "follow each other in a circle")],
    ),
    "xacro": (robot('<xacro:arm prefix="l"/>'), [(2, "xacro")]),
    "xacro text": (robot('<link name="${prefix}arm"/>'), [(2, "xacro")]),
    "empty": ("<robot/>", [(1, "there are no links")]),
    "not closed": ("<robot><link></robot>", [(1, "mismatched tag")]),
    "bomb": ('<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><robot>&b;</robot>', [(1, "an entity is declared")]),
    "file": ('<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<robot>&a;</robot>', [(1, "an entity is declared")]),
    "deep": ("<robot>" + "<a>" * 400 + "</a>" * 400 + "</robot>", [(1, "nested more than 300 deep")]),
    "another": ("<html/>", [(1, "<html> is no robot")]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_told_by_line(name: str) -> None:
    text, wanted = WRONG[name]
    with pytest.raises(lw.ModelError) as told:
        lw.loads(text, source="robot.urdf")
    found = [(p.line, str(p)) for p in told.value.problems]
    assert len(found) == len(wanted), found
    for (line, part), (at, what) in zip(wanted, found, strict=True):
        assert line == at and part in what, found


def test_meshes_lie_inside_given_folders(tmp_path: Path) -> None:
    package = tmp_path / "arm_description"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    outside = tmp_path / "secret.stl"
    for file in (package / "meshes" / "a.stl", outside, tmp_path / "other.stl"):
        file.write_text("solid a\nendsolid a\n")
    shapes = ["package://arm_description/meshes/a.stl", "../meshes/a.stl", "package://other/other.stl", "file:///etc/a.stl",
              "package://arm_description/../secret.stl", "meshes/missing.stl", "a.dae"]  # fmt: skip
    visuals = "".join(f'<visual><geometry><mesh filename="{s}" scale="2 2 2"/></geometry></visual>' for s in shapes)
    file = package / "urdf" / "arm.urdf"
    file.write_text(robot(link("a", visuals), link("b"), joint("x", "a", "b", "continuous")))
    m = lw.load(file)
    assert [(look.path, look.scale) for look in m.bodies["a"].looks] == [("meshes/a.stl", 2.0)]
    lost = {f.what: f.names for f in m.import_report.lost}
    assert any("not there" in what and len(names) == 5 for what, names in lost.items()), lost
    assert any("of a kind that is not read" in what for what in lost)
    assert len(lw.load(file, folders=[package]).bodies["a"].looks) == 2
    with pytest.raises(lw.ModelError, match="there is no folder"):
        lw.load(file, folders=[tmp_path / "nowhere"])


def test_one_link_flies() -> None:
    m = lw.loads(robot(link("drone", HEAVY.format(1, 1))))
    assert [j.law.kind for j in m.joints.values()] == ["free"] and m.ground.name == "world"


def test_data_that_no_real_body_has_are_taken_and_told() -> None:
    m = lw.loads(robot(link("a"), link("b", HEAVY.format(1, 5)), joint("x", "a", "b", "continuous")))
    assert m.bodies["b"].accept_unphysical and "break the triangle inequality" in str(m.import_report)
    assert lw.check(m).sound

# ruff: noqa: E501
"""MJCF: what becomes of machines that are hard on purpose, beside MuJoCo; and what is said of files that are wrong."""

from pathlib import Path

import numpy as np
import pytest
from robot_documents import HARD_MJCF, LOOP_MJCF
from robot_peers import bare, beside_mujoco

import linkwork as lw

mujoco = pytest.importorskip("mujoco")


@pytest.mark.parametrize("text", [HARD_MJCF, LOOP_MJCF])
def test_poses_and_efforts_are_those_of_mujoco(text: str) -> None:
    far, off = beside_mujoco(None, text)
    assert far < 1e-12 and off < 1e-10


def test_what_is_kept() -> None:
    m = lw.loads(HARD_MJCF)
    assert m.gravity == (0.3, 0.0, -9.7) and m.frames["imu"].body == "trunk"
    assert m.joints["thigh_joint"].limits == (("angle", -2.0, 0.1),)
    assert m.joints["hip-y"].value == (0.2,) and m.joints["hip-y"].tail == "thigh_hip-x_stage"
    assert m.loads["hip-y_spring"].free == 0.3 and m.motors["tail_motor"].rotor_inertia == 0.01
    text = str(m.import_report)
    for part in ("hip_motor (motor on hip-y, gear 50)", "contact between geoms", "geoms of the type plane are not drawn",
                 "ellipsoids are drawn as balls", "timestep"):  # fmt: skip
        assert part in text, part
    assert lw.check(m).sound


def test_loops_and_relations_hold() -> None:
    s = lw.loads(LOOP_MJCF).assemble()
    assert s.home["E"] == 0.1 and s.home["F"] == 0.0
    p = s.at(A=0.3, E=0.4)
    gap = p.position("pin") - (p.pose("rocker") @ [0.1, 0.0, 0.3, 1.0])[:3]
    assert np.abs(gap).max() < 1e-12
    assert p["D"] == pytest.approx(0.1 - 2 * 0.3 + 0.5 * 0.09, abs=1e-12)
    assert 2 * (p["E.slide"] - 0.1) == pytest.approx(-3 * p["F.slide"], abs=1e-12)


def test_closed_loops_move_as_mujoco_says() -> None:
    """Accelerations without effort: MuJoCo's constraints as stiff as it lets them be (1 part in 10,000), in the layout."""
    text = LOOP_MJCF.replace('<joint name="mesh"', '<joint active="false" name="mesh"')
    text = text.replace('<tendon name="rope"', '<tendon active="false" name="rope"')
    M = mujoco.MjModel.from_xml_string(text)
    M.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    M.eq_solimp[:] = [0.999999, 0.999999, 1e-6, 0.5, 1]
    d = mujoco.MjData(M)
    mujoco.mj_forward(M, d)
    s = lw.loads(text).assemble()
    found = s.accelerations()
    for j, name in enumerate("ABC"):
        assert found[name] == pytest.approx(d.qacc[j], rel=1e-3)


def test_it_is_written_and_read_again(tmp_path: Path) -> None:
    for text in (HARD_MJCF, LOOP_MJCF):
        m = lw.loads(text)
        assert lw.load(lw.save(m, tmp_path / f"{m.name}.yaml")) == m


def test_files_are_included_from_the_folder_only(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    part = '<mujoco><body name="b"><joint name="j"/><geom size="0.1"/></body></mujoco>'
    (tmp_path / "parts" / "b.xml").write_text(part)
    (tmp_path / "out.xml").write_text(part)
    inner = tmp_path / "parts"
    (inner / "a.xml").write_text('<mujoco><worldbody><include file="b.xml"/></worldbody></mujoco>')
    assert "j" in lw.load(inner / "a.xml").joints
    for name, said in (("../out.xml", "is not there"), ("a.xml", "includes itself"), ("/etc/hosts", "is not there")):
        text = f'<mujoco>\n<worldbody><include file="{name}"/></worldbody></mujoco>'
        (inner / "a.xml").write_text(text)
        with pytest.raises(lw.ModelError, match=said) as told:
            lw.load(inner / "a.xml")
        assert told.value.problems[0].line is not None
    (inner / "a.xml").write_text('<mujoco><worldbody><include file="../out.xml"/></worldbody></mujoco>')
    assert "j" in lw.load(inner / "a.xml", folders=[tmp_path]).joints


@pytest.mark.parametrize("way", ["legacy", "exact", "convex"])
def test_meshes_weigh_what_mujoco_says(way: str, tmp_path: Path) -> None:
    """An angle of two bars, which is not convex, scaled and turned."""
    trimesh = pytest.importorskip("trimesh")
    outline = np.array([[0, 0], [1, 0], [1, 0.2], [0.3, 0.2], [0.3, 0.8], [0, 0.8]], float)
    bottom, top = (np.column_stack([outline, np.full(6, z)]) for z in (0.0, 0.3))
    flat = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
    side = np.array(
        [[i, (i + 1) % 6, 6 + i] for i in range(6)] + [[(i + 1) % 6, 6 + (i + 1) % 6, 6 + i] for i in range(6)]
    )
    faces = np.vstack([flat[:, ::-1], flat + 6, side])
    trimesh.Trimesh(np.vstack([bottom, top]), faces).export(tmp_path / "angle.stl")
    file = tmp_path / "a.xml"
    file.write_text(
        f'<mujoco><asset><mesh name="a" file="angle.stl" scale="0.5 0.4 0.3" inertia="{way}"/></asset><worldbody>'
        '<body name="b"><joint/><geom type="mesh" mesh="a" density="900" pos="0.1 0 0" euler="10 20 30"/></body>'
        "</worldbody></mujoco>"
    )
    M = mujoco.MjModel.from_xml_path(str(file))
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, M.body_iquat[1])
    R = R.reshape(3, 3)
    own = lw.lay_out(lw.load(file)).masses["b"]
    assert own.mass == pytest.approx(M.body_mass[1], rel=1e-6)  # the numbers of an STL have seven digits
    assert np.allclose(own.com, M.body_ipos[1], atol=1e-7)
    assert np.allclose(own.inertia, R @ np.diag(M.body_inertia[1]) @ R.T, rtol=1e-6, atol=1e-7)


def test_meshes_of_mujoco_weigh_the_same(tmp_path: Path) -> None:
    """A tetrahedron as MSH; and files that are none."""
    points = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.5]], "<f4")
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], "<i4")
    raw = np.array([4, 0, 0, 4], "<i4").tobytes() + points.tobytes() + faces.tobytes()
    (tmp_path / "t.msh").write_bytes(raw)
    text = '<mujoco><asset><mesh file="t.msh" inertia="exact"/></asset>' + world(
        '<body name="b"><joint/><geom type="mesh" mesh="t"/></body>'
    ).removeprefix("<mujoco>")
    file = tmp_path / "a.xml"
    file.write_text(text)
    assert lw.lay_out(lw.load(file)).masses["b"].mass == pytest.approx(1000 * 0.3 * 0.2 * 0.5 / 6, rel=1e-6)
    for bad in (raw[:-4], raw[:10], b"", raw[:-1] + b"\x7f"):
        (tmp_path / "t.msh").write_bytes(bad)
        with pytest.raises(lw.ModelError, match="tells no mass"):
            lw.load(file)


def test_tuned_springs_are_those_of_mujoco() -> None:
    text = world('<body><joint name="a" axis="0 1 0" springdamper="0.1 0.5" armature="0.3" springref="20"/><geom size="0.1" pos="0.4 0 0"/>'
                 '<body pos="0.5 0 0"><joint name="b" axis="0 1 0" stiffness="3"/><geom size="0.1" pos="0.4 0 0"/></body></body>')  # fmt: skip
    M = mujoco.MjModel.from_xml_string(text)
    own = lw.loads(text).loads["a_spring"]
    assert own.stiffness == pytest.approx(np.ravel(M.jnt_stiffness[0])[0], rel=1e-12)
    assert own.damping == pytest.approx(np.ravel(M.dof_damping[0])[0], rel=1e-12)
    assert own.free == pytest.approx(np.pi / 9)


def world(*parts: str, head: str = "") -> str:
    return f"<mujoco>{head}<worldbody>\n" + "\n".join(parts) + "\n</worldbody></mujoco>"


BALL = '<geom size="0.1"/>'
WRONG = {
    "all at once": (
        world(f'<body name="a" quat="0 0 0 0"><joint name="j" axis="0 0 0"/><joint name="j" type="turn"/>{BALL}</body>',
              '<body name="a"/>', '<body><joint type="hinge" class="nobody"/><geom type="blob"/></body>'),
        ["quaternion has no length", "the axis has no length", "two joints named 'j'", "two bodies named 'a'",
         "no class 'nobody'", "'blob' is not a type of geom"],
    ),
    "made by MuJoCo": (world('<replicate count="3"><body/></replicate>', "<body><composite/></body>"), ["<replicate>", "<composite>"]),
    "no bodies": ("<mujoco/>", ["there are no bodies"]),
    "part": ("<mujocoinclude/>", ["a part of an MJCF file"]),
    "orientation": (world(f'<body euler="1 0 0" zaxis="0 0 1">{BALL}</body>'), ["given twice"]),
    "free": (world(f"<body>{BALL}<body><freejoint/>{BALL}</body></body>"), ["stands alone"]),
    "floating": (world(f'<body><joint armature="x"/>{BALL}</body>'), ['armature="x"']),
    "equalities": (
        world(f'<body name="a"><joint name="j" type="ball"/>{BALL}</body>').replace(
            "</mujoco>", '<equality><joint joint1="j"/><connect body1="b" anchor="0 0 0"/><flex flex="f"/></equality></mujoco>'),
        ["no single variable", "there is no body 'b'", "<flex> cannot be said"],
    ),
    "mesh": (world('<body><geom type="mesh" mesh="m"/></body>', head='<asset><mesh name="m" file="m.stl"/></asset>'), ["tells no mass"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_told_at_once(name: str) -> None:
    text, wanted = WRONG[name]
    with pytest.raises(lw.ModelError) as told:
        lw.loads(text)
    found = [str(p) for p in told.value.problems]
    assert len(found) == len(wanted), found
    for part in wanted:
        assert any(part in what for what in found), (part, found)
    assert all(p.line is not None for p in told.value.problems)


def test_masses_as_the_compiler_wants_them() -> None:
    body = '<body name="b"><joint name="j"/><geom size="0.1"/><body name="c"><geom type="box" size="0.2 0.1 0.01"/></body></body>'
    for head in ('<compiler settotalmass="7"/>', '<compiler boundmass="3" boundinertia="0.02"/>',
                 '<compiler inertiafromgeom="false" boundmass="1" boundinertia="0.1"/>'):  # fmt: skip
        text = world(body, head=head)
        M = mujoco.MjModel.from_xml_string(text)
        masses = lw.lay_out(lw.loads(text)).masses
        for i, name in enumerate("bc", 1):
            assert masses[name].mass == pytest.approx(M.body_mass[i], rel=1e-14)
            assert sorted(np.linalg.eigvalsh(masses[name].inertia)) == pytest.approx(
                sorted(M.body_inertia[i]), rel=1e-12
            )


def test_springs_without_gravity_are_those_of_the_file() -> None:
    m = lw.loads(world('<body><joint name="j" stiffness="3" springref="30" ref="10"/><geom size="0.1"/></body>',
                       head='<option><flag gravity="disable"/></option>'))  # fmt: skip
    assert m.gravity == (0.0, 0.0, 0.0) and m.loads["j_spring"].free == pytest.approx(np.pi / 6)
    assert len(bare(m, springs=True).coordinates) == 1

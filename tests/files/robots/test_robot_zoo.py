"""Every robot of four data packages, which are never copied: places as Pinocchio and MuJoCo have them, to 1e-12, and
efforts to 1e-10 of the largest. `pip install 'linkwork[robots-data]'`, without what these packages need, has them."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from robot_peers import beside_mujoco, beside_pinocchio

import linkwork as lw

SITE = Path(str(find_spec("numpy").origin)).parents[1]
URDF = sorted(
    [*(SITE / "cmeel.prefix/share/example-robot-data/robots").rglob("*.urdf"), *(SITE / "rtbdata").rglob("*.urdf")]
)
MJCF = sorted([*(SITE / "dm_control").rglob("*.xml"), *(SITE / "gymnasium_robotics").rglob("*.xml")])
DATA = "no robots are here: pip install --no-deps example-robot-data rtb-data dm-control gymnasium-robotics"
ALIKE = ("panda.urdf", "ur5_robot.urdf", "irb140.urdf", "cheetah.xml", "hopper.xml")
"""Some that are read in the ordinary ring."""


INSECTS = ("drosophila_fused.xml",)
"""So small that MuJoCo's own rounding of principal axes shows in the efforts: 3e-10."""


def title(file: Path) -> str:
    return file.relative_to(SITE).as_posix().removeprefix("cmeel.prefix/share/example-robot-data/robots/")


def chosen(files: list[Path], quick: bool) -> list[Path]:
    return [f for f in files if (f.name in ALIKE and "gymnasium" not in str(f)) == quick]


def urdf(file: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    try:
        model = pin.buildModelFromUrdf(str(file))
    except (ValueError, RuntimeError):
        with pytest.raises(lw.ModelError):
            lw.load(file)
        return
    far, off = beside_pinocchio(file, floating=model.nv == 0)
    assert far < 1e-12 and off < 1e-10


def mjcf(file: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    try:
        M = mujoco.MjModel.from_xml_path(str(file))
    except ValueError:
        pytest.skip("MuJoCo does not read it by itself")
    if M.nbody == 1:
        with pytest.raises(lw.ModelError):
            lw.load(file)
        return
    far, off = beside_mujoco(file, folders=[SITE / file.relative_to(SITE).parts[0]], axes=file.name in INSECTS)
    assert far < 1e-12 and off < 1e-10


@pytest.mark.skipif(not URDF, reason=DATA)
@pytest.mark.parametrize("file", chosen(URDF, True), ids=title)
def test_some_urdf(file: Path) -> None:
    urdf(file)


@pytest.mark.skipif(not MJCF, reason=DATA)
@pytest.mark.parametrize("file", chosen(MJCF, True), ids=title)
def test_some_mjcf(file: Path) -> None:
    mjcf(file)


@pytest.mark.slow
@pytest.mark.skipif(not URDF, reason=DATA)
@pytest.mark.parametrize("file", chosen(URDF, False), ids=title)
def test_urdf(file: Path) -> None:
    urdf(file)


@pytest.mark.slow
@pytest.mark.skipif(not MJCF, reason=DATA)
@pytest.mark.parametrize("file", chosen(MJCF, False), ids=title)
def test_mjcf(file: Path) -> None:
    mjcf(file)

"""`linkwork import` and the other commands on robots' files; robots of `robot_descriptions` that are on disk."""

import json
from pathlib import Path

import pytest
from robot_documents import HARD_MJCF, HARD_URDF
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    file = tmp_path / "hard.urdf"
    file.write_text(HARD_URDF)
    return file


def test_a_robot_becomes_a_model_file(arm: Path) -> None:
    to = arm.with_suffix(".yaml")
    code, text = run("import", arm, "--to", to)
    assert code == 0 and "lost, not in the model" in text and "9 bodies, 8 joints" in text
    assert lw.load(to) == lw.load(arm)
    code, text = run("import", arm, "--to", to)
    assert code == 2 and "--force" in text
    assert run("import", arm, "--to", to, "--force", "--floating")[0] == 0
    assert "floating_base" in lw.load(to).joints


def test_its_report_as_json(arm: Path) -> None:
    code, text = run("import", arm, "--json")
    told = json.loads(text)
    assert code == 0 and told["kind"] == "URDF" and any("gazebo" in f["what"] for f in told["lost"])


def test_other_commands_take_it(arm: Path) -> None:
    assert run("check", arm)[0] == 0
    assert run("show", arm)[0] == 0
    assert "arm_joint" in run("mobility", arm)[1]


def test_what_is_wrong_is_told_by_line(tmp_path: Path) -> None:
    file = tmp_path / "bad.urdf"
    file.write_text("<robot>\n<link name='a'/><joint name='j' type='x'/></robot>")
    code, text = run("import", file)
    assert code == 1 and "line 2" in text
    assert run("import", tmp_path / "none.urdf")[0] == 2
    model = lw.save(lw.example("four-bar"), tmp_path / "four-bar.yaml")
    assert run("import", model)[0] == 2


def test_meshes_outside_the_new_folder_are_told(arm: Path, tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_text("solid a\nendsolid a\n")
    mesh = '<visual><geometry><mesh filename="a.stl"/></geometry></visual></link>'
    arm.write_text(HARD_URDF.replace('<link name="flange"/>', f'<link name="flange">{mesh}'))
    (tmp_path / "other").mkdir()
    code, text = run("import", arm, "--to", tmp_path / "other" / "arm.yaml")
    assert code == 0 and "meshes outside the folder" in text
    assert run("import", arm, "--to", tmp_path / "arm.yaml")[0] == 0
    assert lw.load(tmp_path / "arm.yaml").bodies["flange"].looks[0].path == "a.stl"


def test_options_that_a_file_has_no_use_for(tmp_path: Path) -> None:
    model = lw.save(lw.example("four-bar"), tmp_path / "four-bar.yaml")
    with pytest.raises(lw.InputError, match="no use for it"):
        lw.load(model, floating=True)
    file = tmp_path / "a.xml"
    file.write_text(HARD_MJCF)
    with pytest.raises(lw.ModelError, match="the file itself says"):
        lw.load(file, floating=True)
    assert lw.load(model).import_report is None


MODULE = """
from os import path as _path
from ._cache import clone_to_cache as _clone_to_cache
raise RuntimeError("it would fetch")
REPOSITORY_PATH: str = _clone_to_cache("robots", commit=None)
PACKAGE_PATH: str = _path.join(REPOSITORY_PATH, "arms")
URDF_PATH: str = _path.join(PACKAGE_PATH, "urdf", "hard.urdf")
"""


def test_robot_descriptions_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(lw.ModelError, match="robot_descriptions is not installed"):
            lw.load("robot_descriptions:hard_description")
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_repositories.py").write_text(
        'REPOSITORIES = {"robots": Repository(url="u", commit="c", cache_path="all-robots")}'
    )
    (package / "hard_description.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    with pytest.raises(lw.ModelError, match="not on disk"):
        lw.load("robot_descriptions:hard_description")
    with pytest.raises(lw.ModelError, match="did you mean 'hard_description'"):
        lw.load("robot_descriptions:hard_descriptoin")
    home = tmp_path / "cache" / "all-robots" / "arms" / "urdf"
    home.mkdir(parents=True)
    (home / "hard.urdf").write_text(HARD_URDF)
    assert lw.load("robot_descriptions:hard_description").name == "hard_one"

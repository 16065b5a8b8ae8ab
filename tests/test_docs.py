"""The documentation is true: every block runs, every public name and parameter is there."""

import inspect
import re
import shlex
from functools import cached_property
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork import geometry
from linkwork.cli import app
from linkwork.model.mechanism import JointOptions

ROOT = Path(__file__).parent.parent
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    text = page.read_text(encoding="utf-8")
    return [(text[: m.start()].count("\n") + 2, m.group(2)) for m in BLOCK.finditer(text) if m.group(1) == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _, text in blocks(page, "yaml"):
        name = re.search(r"^name: (\S+)", text, re.MULTILINE)
        if name:
            (tmp_path / f"{name.group(1)}.yaml").write_text(text, encoding="utf-8")
    namespace: dict[str, object] = {}
    for line, text in blocks(page, "python"):
        exec(compile("\n" * (line - 1) + text, str(page), "exec"), namespace)  # noqa: S102


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_model_files_are_sound(page: Path) -> None:
    for line, text in blocks(page, "yaml"):
        found = lw.check(lw.loads(text, source=f"{page.name}:{line}"))
        assert found.errors == (), f"{page.name}:{line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_succeed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path / "cache"))  # `linkwork cache --clear` must not clear the user's
    for _, text in blocks(page, "yaml"):
        name = re.search(r"^name: (\S+)", text, re.MULTILINE)
        if name:
            (tmp_path / f"{name.group(1)}.yaml").write_text(text, encoding="utf-8")
    for _, text in blocks(page, "shell"):
        for command in text.splitlines():
            words = shlex.split(command, comments=True)
            if words and words[0] == "linkwork":
                result = CliRunner().invoke(app, words[1:])
                assert result.exit_code == 0, f"{command}\n{result.output}"


def test_every_public_name_is_documented() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    names = {n for n in lw.__all__ if not n.startswith("__")} | set(geometry.__all__)
    members = {n for cls in (lw.Mechanism, lw.System, lw.Kernel) for n, _ in public_members(cls)}
    missing = {n for n in names | members if not re.search(rf"\b{n}\b", text)} - {
        "LinkworkError",
        "MissingExtra",
        "joint",
    }
    assert missing == set()


def public_members(cls: type) -> list[tuple[str, object]]:
    """Methods and properties of a class, inherited ones left out."""
    kinds = (property, cached_property)
    found = {n: f for n, f in vars(cls).items() if inspect.isfunction(f) or isinstance(f, kinds)}
    return [(n, f) for n, f in found.items() if not n.startswith("_")]


def public_functions() -> list[object]:
    found = [getattr(lw, n) for n in lw.__all__ if callable(getattr(lw, n))]
    found += [f for cls in (lw.Mechanism, lw.System) for _, f in public_members(cls) if inspect.isfunction(f)]
    return [f for f in found if inspect.isfunction(f) or f in (lw.Mechanism, lw.System)]


@pytest.mark.parametrize("function", public_functions(), ids=lambda f: f.__qualname__)
def test_every_parameter_is_documented(function: object) -> None:
    doc = inspect.getdoc(function) or ""
    for name in inspect.signature(function).parameters:  # type: ignore[arg-type]
        if name != "self":
            assert re.search(rf"(^|[\s,`]){name}`?( ?[:,`])", doc), f"{function}: {name} is not documented"


def test_joint_options_are_documented() -> None:
    for name in JointOptions.__annotations__:
        assert re.search(rf"^\s*{name} : ", JointOptions.__doc__ or "", re.MULTILINE), name


@pytest.mark.parametrize("function", public_functions(), ids=lambda f: f.__qualname__)
def test_no_keyword_is_silently_ignored(function: object) -> None:
    """Open keyword arguments may only be those that are passed on to a function that refuses unknown ones."""
    kinds = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.VAR_KEYWORD]  # type: ignore[arg-type]
    assert set(kinds) <= {"options", "axes"}


def test_unknown_keywords_are_refused() -> None:
    m = lw.Mechanism()
    for kind in ("revolute", "prismatic", "cylindric", "flat", "spheric", "free", "rigid", "universal"):
        with pytest.raises(TypeError):
            getattr(m, kind)("A", "a", "b", att=(0, 0, 0))
    with pytest.raises(TypeError):
        m.frame("f", "a", axs="z")
    assert not m.joints and not m.frames

"""The documentation is true: every block runs, every public name and parameter is there."""

import dataclasses
import inspect
import re
import shlex
from functools import cached_property
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import linkwork as lw
from linkwork import geometry
from linkwork.cli import app
from linkwork.model.mechanism import JointOptions

ROOT = Path(__file__).parent.parent
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
CLASSES = (
    lw.Mechanism,
    lw.System,
    lw.Kernel,
    lw.Machine,
    lw.Posture,
    lw.Reached,
    lw.Reaches,
    lw.Solutions,
    lw.Branches,
    lw.Redundancy,
    lw.Closures,
    lw.Travel,
    lw.Stroke,
    lw.Sweep,
    lw.Map,
    lw.ClosureError,
    lw.Drive,
    lw.Result,
    lw.Run,
    lw.Simulation,
    lw.SimulationEvidence,
    lw.Happening,
    lw.Simulations,
    lw.State,
    lw.Evidence,
    lw.Signal,
    lw.ForceEvidence,
    lw.GroupItem,
    lw.JointItem,
    lw.PlaceItem,
    lw.StateItem,
    lw.FourBar,
    lw.ImportReport,
    lw.Finding,
    lw.Grashof,
    lw.SliderCrank,
    lw.InvertedSliderCrank,
    lw.Toggle,
    lw.ScrewMotion,
    lw.Axode,
    lw.FiniteScrew,
    lw.Centrodes,
    lw.PoleMotion,
    lw.TransmissionAngle,
    lw.TransmissionExtremes,
    lw.Statics,
    lw.Equilibria,
    lw.Equilibrium,
    lw.NoEquilibrium,
    lw.Linearization,
    lw.Matrices,
    lw.Mode,
    lw.Modes,
    lw.FrequencyResponse,
    lw.Peak,
    lw.RandomResponse,
    lw.Branch,
    lw.Fold,
    lw.Periodic,
    lw.StateSpace,
    lw.Reaction,
    lw.Accelerations,
    lw.TooFewDrives,
    lw.ContactForce,
    lw.ToothForces,
    lw.TubeSection,
    lw.RectangleSection,
    lw.IBeamSection,
    lw.Allowable,
    lw.Stress,
    lw.WorstStress,
    lw.TorqueSpeed,
    lw.DriveEnergy,
    lw.Energy,
    lw.Stop,
    lw.When,
    lw.At,
    lw.Actions,
)
"""Public classes whose members are asked for: each is in the docs, each parameter in the docstring."""
FAILURES = (lw.CannotClose, lw.LimitOfTravel, lw.DeadCentre, lw.OverSpecified, lw.NoFreedom, lw.UnderSpecified)
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


def headings(page: Path) -> set[str]:
    """Anchors of a page: its headings in small letters, without signs."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    plain = [re.sub(r"[`*]", "", own.strip().lower()) for own in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", own).replace(" ", "-") for own in plain}


@pytest.mark.parametrize("page", [*PAGES, *(ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md"))], ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    """Every file that a page links to is there, and has the heading that it names."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        place, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), link
        assert not anchor or anchor in headings(target), link


def test_every_option_is_documented() -> None:
    """Options of commands stand on some page, and pages name no option that there is not."""
    command = get_command(app)
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    known = {"--help", "--version", "--install-completion", "--show-completion"}
    missing = []
    for name in command.list_commands(None):  # type: ignore[attr-defined]
        for own in command.get_command(None, name).params:  # type: ignore[attr-defined]
            said = {option for option in (*own.opts, *own.secondary_opts) if option.startswith("--")}
            known |= said
            if said and not any(re.search(rf"{option}\b", text) for option in said):
                missing.append((name, sorted(said)))
    assert missing == []
    assert {option for option in re.findall(r"`(--[a-z][\w-]*)", text) if option not in known} == set()


def test_every_public_name_is_documented() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    names = {n for n in lw.__all__ if not n.startswith("__")} | set(geometry.__all__)
    members = {n for cls in CLASSES for n, _ in public_members(cls)}
    missing = {n for n in names | members if not re.search(rf"\b{n}\b", text)} - {
        "LinkworkError",
        "MissingExtra",
        "joint",
    }
    assert missing == set()


def public_members(cls: type) -> list[tuple[str, object]]:
    """Methods, properties and fields of a class, inherited ones left out."""
    kinds = (property, cached_property)
    found: dict[str, object] = {n: f for n, f in vars(cls).items() if inspect.isfunction(f) or isinstance(f, kinds)}
    if dataclasses.is_dataclass(cls):
        found |= {n: f for n, f in ((f.name, f) for f in dataclasses.fields(cls)) if n in vars(cls)["__annotations__"]}
    return [(n, f) for n, f in found.items() if not n.startswith("_")]


def public_functions() -> list[object]:
    found = [getattr(lw, n) for n in lw.__all__ if callable(getattr(lw, n))]
    found += [f for cls in CLASSES if cls is not lw.Kernel for _, f in public_members(cls) if inspect.isfunction(f)]
    return [f for f in found if inspect.isfunction(f) or f in (lw.Mechanism, lw.System, lw.Machine)]


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
    """Open keyword arguments may only be those that are passed on to a function that refuses unknown ones.

    `named` are values and drives by joint name; the test below asks that a name without a joint is refused.
    """
    kinds = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.VAR_KEYWORD]  # type: ignore[arg-type]
    assert set(kinds) <= {"options", "axes", "named"}


def test_unknown_keywords_are_refused() -> None:
    m = lw.Mechanism()
    for kind in ("revolute", "prismatic", "cylindric", "flat", "spheric", "free", "rigid", "universal"):
        with pytest.raises(TypeError):
            getattr(m, kind)("A", "a", "b", att=(0, 0, 0))
    with pytest.raises(TypeError):
        m.frame("f", "a", axs="z")
    assert not m.joints and not m.frames


def test_misspelt_names_are_refused_by_name() -> None:
    """What is no parameter of `at`, `motion` or `closures` is looked up as a joint: never ignored."""
    s = lw.example("four-bar").assemble()
    asks = [
        ("sampels", lambda: s.motion(O2=(0, 1), sampels=10)),
        ("duratoin", lambda: s.motion({"O2": (0, 1)}, duratoin=2.0)),
        ("O3", lambda: s.motion(O3=(0, 1))),
        ("O3", lambda: s.at(O2=0.7, O3=0.1)),
        ("O3", lambda: s.at({"O3": 0.1})),
        ("O3.angle", lambda: s.solve({"O3.angle": [0.1, 0.2]})),
        ("start", lambda: s.closures(O2=0.7, start=10)),
        ("off", lambda: s.closures(O2=0.7, off="rocker")),
        ("O3", lambda: s.travel("O3")),
        ("O3", lambda: s.home.velocities({"O3": 1.0})),
        ("O3", lambda: s.starting_from({"O3": 1.0})),
        ("O3", lambda: lw.example("four-bar").assemble(start={"O3": 1.0})),
        ("O3", lambda: lw.example("four-bar").assemble(guess={"O3": 1.0})),
    ]
    for name, ask in asks:
        with pytest.raises(lw.ModelError, match=name):
            ask()


def test_every_failure_has_an_example() -> None:
    """Each way to fail is shown failing in the page on kinematics, and its text says what to try."""
    text = (ROOT / "docs" / "kinematics.md").read_text(encoding="utf-8")
    for failure in FAILURES:
        assert issubclass(failure, lw.ClosureError)
        assert f"expect(lw.{failure.__name__}," in text, failure

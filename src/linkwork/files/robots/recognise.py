"""Which reader a file is for, by its content and its suffix; and what it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linkwork.errors import ModelError, Problem
from linkwork.files.robots.build import mechanism_of
from linkwork.files.robots.notes import Notes
from linkwork.files.robots.xml import Element, read_xml
from linkwork.files.tree import MAX_BYTES
from linkwork.model.mechanism import Mechanism

XML_SUFFIXES = (".urdf", ".xml", ".mjcf", ".sdf", ".world", ".xacro")
TABLE_SUFFIXES = (".csv", ".tsv")
SUFFIXES = (*XML_SUFFIXES, *TABLE_SUFFIXES)
ROOTS = {"robot": "URDF", "mujoco": "MJCF", "mujocoinclude": "MJCF", "sdf": "SDF"}


def is_xml(raw: bytes) -> bool:
    """Whether a text begins as XML does, and no model file can."""
    return raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def load_robot(
    raw: bytes,
    source: str,
    folder: Path | None = None,
    *,
    folders: Sequence[str | Path] = (),
    floating: bool | None = None,
    is_table: bool = False,
) -> Mechanism:
    """The mechanism of a file of another program.

    Parameters
    ----------
    raw : what is in it
    source : what to call it in messages
    folder : where it lies; nothing outside is read
    folders : further folders, in which packages and meshes are looked for
    floating : whether the root link of a URDF moves freely
    is_table : whether it is a D-H table, not XML
    """
    if len(raw) > MAX_BYTES:
        raise ModelError(f"the file has {len(raw) / 1e6:.1f} MB; at most {MAX_BYTES / 1e6:.0f} MB are read", source)
    notes = Notes(source, folder, _folders(folders, source))
    if is_table:
        from linkwork.files.robots.tables import mechanism_of_table

        return mechanism_of_table(raw, notes)
    try:
        root = read_xml(raw)
    except ModelError as error:
        raise ModelError(error.problems, source) from None
    kind = ROOTS.get(root.tag, "")
    if not kind:
        hint = "URDF begins with <robot>, MJCF with <mujoco>, SDF with <sdf>"
        raise ModelError(Problem(f"<{root.tag[:40]}> is no robot", hint=hint, line=root.line), source)
    if floating is not None and kind != "URDF":
        notes.wrong(f"`floating` for a file of the kind {kind}", root, hint="the file itself says how its base moves")
    return _read(root, notes, kind, floating)


def _read(root: Element, notes: Notes, kind: str, floating: bool | None) -> Mechanism:
    if kind == "URDF":
        from linkwork.files.robots.urdf import read_urdf

        return mechanism_of(read_urdf(root, notes, floating), notes, kind)
    if kind == "MJCF":
        from linkwork.files.robots.mjcf import read_mjcf

        return mechanism_of(read_mjcf(root, notes), notes, kind)
    from linkwork.files.robots.sdf import read_sdf

    return mechanism_of(read_sdf(root, notes), notes, kind)


def _folders(given: Sequence[str | Path], source: str) -> tuple[Path, ...]:
    found = tuple(Path(folder) for folder in ([given] if isinstance(given, str | Path) else given))
    missing = [Problem(f"there is no folder '{f}'", "folders") for f in found if not f.is_dir()]
    if missing:
        raise ModelError(missing, source)
    return found

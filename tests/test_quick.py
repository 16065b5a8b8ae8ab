"""The quick ring reaches every room, and names only what there is."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
RING = (ROOT / "tests" / "quick.txt").read_text(encoding="utf-8").splitlines()


def rooms() -> dict[str, list[str]]:
    """Paths by room; a room is a heading of one word."""
    found: dict[str, list[str]] = {}
    for line in RING:
        if line.startswith("#"):
            words = line[1:].split()
            if len(words) == 1:
                found[words[0]] = []
        elif line:
            list(found.values())[-1].append(line)
    return found


def test_every_room_is_tried() -> None:
    package = ROOT / "src" / "linkwork"
    there = {p.stem for p in package.iterdir() if p.is_dir() or p.suffix == ".py"}
    outside = {n for n in there if n.startswith("_")}  # the list of names, the version, the entry point
    assert set(rooms()) == there - outside - {"py"}
    assert all(rooms().values())


def test_the_ring_names_what_there_is() -> None:
    paths = [path for listed in rooms().values() for path in listed]
    assert len(paths) == len(set(paths))
    assert [path for path in paths if not (ROOT / path.partition("::")[0]).exists()] == []

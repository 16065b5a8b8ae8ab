"""The gallery: mechanisms that come with the program, each a file with the numbers it must give."""

from __future__ import annotations

import re
from importlib import resources
from importlib.resources.abc import Traversable

from linkwork.errors import InputError
from linkwork.files.read import loads
from linkwork.files.tree import read_tree
from linkwork.model.mechanism import Mechanism
from linkwork.names import no_such


def _files() -> dict[str, Traversable]:
    folder = resources.files("linkwork") / "gallery"
    found = {f.name.removesuffix(".yaml"): f for f in folder.iterdir() if f.name.endswith(".yaml")}
    return dict(sorted(found.items()))


def names() -> list[str]:
    """Names of the gallery's mechanisms."""
    return list(_files())


def examples() -> dict[str, str]:
    """Names of the gallery's mechanisms with their sentence."""
    sentences = {}
    for name, file in _files().items():
        # The header's lines alone: a list of names should not read whole models.
        match = re.search(r"^description:.*\n(?:[ \t].*\n|\n)*", file.read_text(encoding="utf-8"), re.MULTILINE)
        sentences[name] = str(read_tree(match[0].encode()).data["description"]).strip() if match else ""
    return sentences


def example_text(name: str) -> str:
    """The file of a gallery mechanism.

    Parameters
    ----------
    name : its name, as `examples` lists them
    """
    files = _files()
    if name not in files:
        raise InputError(no_such("example", name, files))
    return files[name].read_text(encoding="utf-8")


def example(name: str) -> Mechanism:
    """A mechanism of the gallery.

    Parameters
    ----------
    name : its name, as `examples` lists them
    """
    return loads(example_text(name), source=f"{name}.yaml")

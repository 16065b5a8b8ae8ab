"""XML as elements with line numbers, and nothing else: no entities, no network, bounded in size, depth and number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from linkwork.errors import ModelError, Problem
from linkwork.files.tree import MAX_BYTES

MAX_DEPTH = 300
MAX_ELEMENTS = 200_000
MAX_ATTRIBUTES = 200


@dataclass(eq=False)
class Element:
    """A tag with its attributes, children and line (1-based). It remembers what was asked of it.

    `file` is the included file that it stands in, "" for the file itself.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""
    used: bool = False
    asked: set[str] = field(default_factory=set)
    file: str = ""

    def get(self, name: str) -> str | None:
        """The text of an attribute, None where there is none."""
        self.used = True
        self.asked.add(name)
        return self.attributes.get(name)

    def has(self, name: str) -> bool:
        """Whether an attribute is there; it counts as asked."""
        return self.get(name) is not None

    def all(self, *tags: str) -> list[Element]:
        """The children with one of these tags, in their order; they count as used."""
        found = [child for child in self.children if child.tag in tags]
        for child in found:
            child.used = True
        return found

    def one(self, tag: str) -> Element | None:
        """The first child with a tag."""
        return next(iter(self.all(tag)), None)

    def words(self) -> str:
        """The text between its tags."""
        self.used = True
        return self.text.strip()

    def walk(self) -> Iterator[Element]:
        """This element and all below, in the order of the file."""
        stack = [self]
        while stack:
            own = stack.pop()
            yield own
            stack.extend(reversed(own.children))

    def pass_over(self) -> None:
        """Counts this element and all below as used: what becomes of them is told by other words."""
        for own in self.walk():
            own.used = True
            own.asked.update(own.attributes)


class _Refused(Exception):
    """What no file of a robot needs."""


def read_xml(raw: bytes, file: str = "") -> Element:
    """The root element of a text; ModelError with the line where it cannot be read."""
    if len(raw) > MAX_BYTES:
        raise ModelError(f"the file has {len(raw) / 1e6:.1f} MB; at most {MAX_BYTES / 1e6:.0f} MB are read")
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    made = _Maker(parser, file)
    parser.StartElementHandler = made.start
    parser.EndElementHandler = made.end
    parser.CharacterDataHandler = made.characters
    parser.EntityDeclHandler = made.entity
    parser.ExternalEntityRefHandler = made.external
    try:
        parser.Parse(raw, True)
    except _Refused as error:
        raise ModelError(Problem(str(error), line=parser.CurrentLineNumber)) from None
    except expat.ExpatError as error:
        what = f"this is not XML: {expat.errors.messages[error.code]}"
        raise ModelError(Problem(what, hint="every tag that is opened is closed", line=error.lineno)) from None
    except (ValueError, LookupError) as error:  # an encoding that nobody knows
        raise ModelError(f"this is not XML: {str(error)[:200]}") from None
    assert made.root is not None
    return made.root


class _Maker:
    def __init__(self, parser: Any, file: str) -> None:
        self.root: Element | None = None
        self._file = file
        self._parser, self._open, self._count = parser, list[Element](), 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS:
            raise _Refused(f"more than {MAX_ELEMENTS} elements")
        if len(self._open) >= MAX_DEPTH:
            raise _Refused(f"elements are nested more than {MAX_DEPTH} deep")
        if len(attributes) > MAX_ATTRIBUTES:
            raise _Refused(f"more than {MAX_ATTRIBUTES} attributes in one element")
        new = Element(tag, attributes, self._parser.CurrentLineNumber, file=self._file)
        if self._open:
            self._open[-1].children.append(new)
        else:
            self.root = new
        self._open.append(new)

    def end(self, tag: str) -> None:
        self._open.pop()

    def characters(self, text: str) -> None:
        self._open[-1].text += text

    def entity(self, *declared: Any) -> None:
        raise _Refused("an entity is declared; files of robots need none, and none is expanded")

    def external(self, *reference: Any) -> int:
        raise _Refused("another document is referred to; nothing is fetched")

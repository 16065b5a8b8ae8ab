"""Line drawings as SVG inside a page: the same bytes every time, small, and without effect on the rest of the page."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
HALO = "halo"
PEN = "stroke-linejoin:round;stroke-linecap:butt"
"""What matplotlib says in a style sheet, which would hold for the whole page."""
_USED = re.compile(r"#([A-Za-z0-9_.:-]+)")
_LONG = re.compile(r"-?[0-9]+\.[0-9]{3,}")
"""Numbers of more than two decimals; a hundredth of a point is finer than any screen."""
_FONT = re.compile(r"font-family:[^;]*;? ?")


def inline_svg(ax: Axes, key: str, title: str) -> str:
    """The figure around the axes as an SVG element that fills its place in a page, at most at natural size.

    ax : what was drawn; key : begins the ids of the drawing, so that two of them never meet; title : for readers
        who do not see it
    """
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.text import Text

    figure = ax.figure.figure  # of axes in a part of a figure, the whole one
    for words in figure.findobj(Text):
        if isinstance(words, Text) and words.get_path_effects():
            # Their outlines would be drawn letter by letter; the page does it with a word.
            words.set_path_effects([])
            words.set_gid(HALO)
    for patch in (figure.patch, *(axes.patch for axes in figure.axes)):
        patch.set(facecolor="none", edgecolor="none")  # the page shows through
    stream = BytesIO()
    # The salt makes the ids the same every time; the date would differ. `savefig` would draw twice, the first time to
    # find the layout, which drawing does anyway.
    with matplotlib.rc_context({"svg.hashsalt": key, "svg.fonttype": "none"}):
        FigureCanvasSVG(figure).print_svg(stream, metadata={"Date": None})  # type: ignore[no-untyped-call]
    root = ElementTree.fromstring(stream.getvalue())  # it was written here; comments are dropped
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    for holder in root.findall(f"{{{SVG}}}defs"):
        for sheet in holder.findall(f"{{{SVG}}}style"):
            holder.remove(sheet)
    _dress_texts(root)
    _keep_needed_ids(root, key)
    for e in root.iter():
        e.text, e.tail = (e.text or "").strip(), ""
        for name in ("d", "x", "y", "points", "transform", "viewBox"):
            if name in e.attrib:
                e.set(name, " ".join(_LONG.sub(_short, e.attrib[name]).split()))
    width = root.attrib.pop("width")
    del root.attrib["height"]
    root.set("style", f"width:{width};max-width:100%;{PEN}")
    root.set("role", "img")
    root.set("aria-label", title)
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _dress_texts(root: ElementTree.Element) -> None:
    """Texts in the font of the page; a white edge around those that lie over lines."""
    for words in root.iter(f"{{{SVG}}}text"):
        words.set("style", _FONT.sub("", words.attrib.get("style", "")))
    for group in root.iter(f"{{{SVG}}}g"):
        if group.attrib.get("id") == HALO:
            for words in group.iter(f"{{{SVG}}}text"):
                words.set("class", HALO)


def _keep_needed_ids(root: ElementTree.Element, key: str) -> None:
    """Ids that something refers to get the key before them; others, which hold names of the model, go."""
    used = {m for e in root.iter() for value in e.attrib.values() for m in _USED.findall(value)}
    used &= {e.attrib["id"] for e in root.iter() if "id" in e.attrib}

    def renamed(found: re.Match[str]) -> str:
        return f"#{key}-{found[1]}" if found[1] in used else found[0]

    for e in root.iter():
        own = e.attrib.pop("id", None)
        for name, value in e.attrib.items():
            if "#" in value:
                e.set(name, _USED.sub(renamed, value))
        if own in used:
            e.set("id", f"{key}-{own}")

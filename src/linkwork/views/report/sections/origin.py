"""How the page came about."""

from __future__ import annotations

from pathlib import PurePath

from linkwork._version import __version__
from linkwork.views.report.markup import facts, tag, text
from linkwork.views.report.section import Content
from linkwork.views.report.subject import Subject


def making(subject: Subject) -> Content:
    """Version, source, and the command that writes the page again."""
    source = subject.mechanism.source
    pairs = [("Linkwork", __version__)]
    if source is not None and source.name:
        pairs.append(("model", PurePath(source.name).name))
    again = tag("pre", tag("code", text(subject.command)), tabindex="0")
    return Content((facts(pairs), tag("p", "To write it again:"), again))

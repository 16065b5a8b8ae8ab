"""The document: sections one after the other, then what draws them, packed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from importlib.resources import files

import numpy as np

from linkwork._version import __version__
from linkwork.colours import DARK, LIGHT, Theme
from linkwork.errors import Problem
from linkwork.geometry import Array
from linkwork.results.plots import Plot
from linkwork.units import TIME
from linkwork.views.report.base85 import packed, packed_plotly
from linkwork.views.report.figures import Columns, figure_data
from linkwork.views.report.markup import paragraph, rows_table, tag, text
from linkwork.views.report.section import Block, Content, Movie, Section
from linkwork.views.report.sections import SECTIONS
from linkwork.views.report.subject import Subject

# Nothing is fetched from anywhere, whatever a name or a description says.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data:; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src data: blob:; worker-src blob: data:; "
    "base-uri 'none'; form-action 'none'"
)
WARNINGS = Section("warnings", "Warnings", lambda subject: None)
"""Its table is filled with what the others found."""
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 12 7 4l6 8' "
    "fill='none' stroke='%230072B2' stroke-width='2'/%3E%3Ccircle cx='7' cy='4' r='2' fill='%23D55E00'/%3E%3C/svg%3E"
)


def document(subject: Subject, sections: Sequence[Section] = SECTIONS) -> str:
    """The whole page."""
    built = [(section, content) for section in sections if (content := section.build(subject)) is not None]
    problems = tuple(dict.fromkeys(p for section, content in built for p in _noticed(section, content)))
    built.insert(1, (WARNINGS, Content((_warning_table(problems),))))
    body = _Body(_times(subject), subject.dark)
    inside = "".join(body.section(section, content) for section, content in built)
    links = "".join(f'<a href="#{section.key}">{text(section.title)}</a>' for section, _ in built)
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="Linkwork {__version__}"><link rel="icon" href="{ICON}">'
        f"<title>{text(subject.title)}</title><style>{_colours(subject.dark)}{_asset('report.css')}</style>"
    )
    name = subject.mechanism.name
    under = paragraph(f"{name}, a mechanism" if subject.title != name and name else "A mechanism", "kind")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n'
        f'<a class="skip" href="#{built[0][0].key}">To the contents</a>'
        f'<header><h1>{text(subject.title)}</h1>{under}<nav aria-label="Sections">{links}</nav></header>\n'
        f"<main>{inside}</main>\n<footer>{paragraph(f'Linkwork {__version__}')}</footer>\n"
        f"{body.data()}<script>{_asset('unpack.js')}{_asset('report.js')}</script>\n</body>\n</html>\n"
    )


class _Body:
    """Turns blocks into HTML and keeps what the page's script needs: figures, their numbers, the movie."""

    def __init__(self, times: Array, dark: bool) -> None:
        self.samples, self.dark = len(times), dark
        self.columns = Columns()
        self.time = self.columns.add(times)
        self.figures: list[str] = []
        self.movie: Movie | None = None

    def section(self, section: Section, content: Content) -> str:
        blocks = "".join(self._block(block) for block in content.blocks)
        anchor = f'<a class="anchor" href="#{section.key}" aria-label="Link to this section">#</a>'
        return f'<section id="{section.key}"><h2>{text(section.title)} {anchor}</h2>{blocks}</section>\n'

    def _block(self, block: Block) -> str:
        if isinstance(block, Plot):
            return self._figure(block)
        if isinstance(block, Movie):
            self.movie = block
            waiting = paragraph("The 3-D view is loading.", "waiting")
            return tag("div", waiting, class_="movie", id="movie")
        return block

    def _figure(self, plot: Plot) -> str:
        key = f"figure-{len(self.figures) + 1}"
        data = figure_data(plot, self.columns, self.samples, self.dark)
        self.figures.append(json.dumps({"id": key, **data}, ensure_ascii=False, separators=(",", ":")))
        title = f"<figcaption>{text(plot.title)}</figcaption>" if plot.title else ""
        place = f'<div class="plot" id="{key}" role="img" aria-label="{text(plot.title)}"></div>'
        return f'<figure class="chart">{title}{place}<div class="values" id="{key}-values"></div></figure>'

    def data(self) -> str:
        """What the script unpacks."""
        found = ""
        if self.figures:
            colours = json.dumps({"light": asdict(LIGHT), "dark": asdict(DARK)})
            figures = (
                f'{{"figures":[{",".join(self.figures)}],"columns":[{",".join(self.columns.texts)}],'
                f'"time":{self.time},"themes":{colours},"dark":{json.dumps(self.dark)}}}'
            )
            found += _block_of("figures", packed(figures)) + _block_of("plotly", packed_plotly())
        if self.movie is not None:
            movie = self.movie
            clock = {"start": movie.start, "rate": movie.rate, "factor": movie.factor}
            # No text inside can end the element that holds it.
            content = json.dumps({**clock, "page": movie.page}, ensure_ascii=True).replace("<", "\\u003c")
            found += f'<script type="application/json" id="movie-data">{content}</script>\n'
        return found


def _times(subject: Subject) -> Array:
    """Times of the samples in the unit that figures show."""
    run = subject.run
    found: Array = np.zeros(0) if run is None else np.asarray(run.time, float) / subject.units.factor(TIME)
    return found


def _noticed(section: Section, content: Content) -> Iterable[Problem]:
    """What a section tells, and what cannot be drawn of its plots."""
    yield from content.warnings
    for block in content.blocks:
        if isinstance(block, Plot):
            yield from (Problem(text, block.title or section.title, severity="warning") for text in block.warnings)


def _block_of(key: str, content: str) -> str:
    return f'<script type="text/plain" id="{key}-data">{content}</script>\n'


def _warning_table(problems: Iterable[Problem]) -> str:
    rows = [(p.severity, p.place, p.what, p.hint) for p in problems]
    if not rows:
        return paragraph("None: nothing was noticed.")
    return rows_table([("kind", "where", "what", "what to try"), *rows], "What was noticed", "warnings")


def _colours(dark: bool) -> str:
    """The themes as variables of the style sheet."""
    if dark:
        return f":root{{color-scheme:dark;{_variables(DARK)}}}"
    auto = f"@media (prefers-color-scheme:dark){{:root{{color-scheme:dark;{_variables(DARK)}}}}}"
    return f":root{{color-scheme:light;{_variables(LIGHT)}}}@media screen{{{auto}}}"


def _variables(theme: Theme) -> str:
    filtered = "invert(.92) hue-rotate(180deg)" if theme.name == "dark" else "none"
    card = "#1B1F23" if theme.name == "dark" else "#FAFAFA"
    link = "#56B4E9" if theme.name == "dark" else "#0072B2"
    quiet = "#A4ABB3" if theme.name == "dark" else "#5B6470"
    named = {"paper": theme.paper, "ink": theme.ink, "grid": theme.grid, "warning": theme.warning, "card": card}
    named |= {"link": link, "quiet": quiet, "drawing": filtered}
    return "".join(f"--{name}:{value};" for name, value in named.items())


@lru_cache
def _asset(name: str) -> str:
    return files("linkwork.views.report").joinpath("assets", name).read_text(encoding="utf-8")

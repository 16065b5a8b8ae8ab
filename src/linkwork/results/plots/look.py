"""How plots on paper look: quiet axes, light grid, beneath whatever the user's own style sets.

A setting of the user's style, that is, one which is not matplotlib's own default, always stays. Colours are taken as a
whole: where the user's style sets any of text, paper, axes or ticks (a dark one sets all), ours are left out.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from linkwork.colours import LIGHT, PALETTE

DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
WIDTH, FIRST, EACH = 7.0, 3.2, 2.1  # inch: width, height of one panel, height of each of several
QUIET = "#888888"
SHAPES: dict[str, Any] = {
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.formatter.useoffset": False,
    "axes.xmargin": 0.01,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.borderaxespad": 0.2,
    "legend.handlelength": 1.8,
    "lines.linewidth": 1.7,
}
TEXTS: dict[str, Any] = {
    "axes.titlesize": 11.0,
    "legend.fontsize": 9.0,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
}
COLOURS: dict[str, Any] = {
    "axes.edgecolor": QUIET,
    "axes.labelcolor": LIGHT.ink,
    "axes.titlecolor": LIGHT.ink,
    "grid.color": LIGHT.grid,
    "text.color": LIGHT.ink,
    "xtick.color": QUIET,
    "xtick.labelcolor": LIGHT.ink,
    "ytick.color": QUIET,
    "ytick.labelcolor": LIGHT.ink,
}
PAPER = ("figure.facecolor", "axes.facecolor")
FAINT = 0.35
"""Opacity of a grid on dark paper: a white one would outshine the lines."""


def our_look() -> AbstractContextManager[Any]:
    """matplotlib's settings with ours beneath the user's; only what is made within it is concerned."""
    import matplotlib

    now: Any = matplotlib.rcParams
    default: Any = matplotlib.rcParamsDefault

    def untouched(key: str) -> bool:
        return bool(now[key] == default[key])

    own = {key: value for key, value in SHAPES.items() if untouched(key)}
    if untouched("font.size"):  # all other sizes follow from it
        own |= {key: value for key, value in TEXTS.items() if untouched(key)}
    if all(untouched(key) for key in (*COLOURS, *PAPER)):
        own |= COLOURS
    elif untouched("grid.alpha") and is_dark(now["axes.facecolor"]):
        own["grid.alpha"] = FAINT
    context: Any = matplotlib.rc_context
    look: AbstractContextManager[Any] = context(own)
    return look


def is_dark(colour: Any) -> bool:
    """Whether a colour of matplotlib is a dark one, by its luminance."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5


def size_is_open() -> bool:
    """Whether the user's style leaves the size of figures to us."""
    from matplotlib import rcParams, rcParamsDefault

    return bool(rcParams["figure.figsize"] == rcParamsDefault["figure.figsize"])


def colour_and_dash(tint: Any, dash: int) -> tuple[str, Any]:
    """Colour of a tint; beyond the palette the colours come again, dashed."""
    if not isinstance(tint, int):
        return LIGHT.colour(tint), DASHES[dash % len(DASHES)]
    return PALETTE[tint % len(PALETTE)], DASHES[(tint // len(PALETTE) + dash) % len(DASHES)]

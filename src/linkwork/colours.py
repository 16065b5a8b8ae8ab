"""The colours of everything that is drawn: apart for every kind of colour vision, on light and on dark pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# Okabe and Ito, which colour-blind readers can tell apart; black is kept for ground and text.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A6A00")

Role = Literal["ink", "stone", "metal", "warning"]
Tint = int | str
"""A number of the palette (it goes round), a `Role` (ink for text and axes, stone for ground, metal for joints), or
#RRGGBB, which is the same on every page."""

FORCE, REACTION, PULL, PUSH = 3, 0, 2, 1
"""Tints of what acts on a machine: forces and torques, reactions of joints, springs that pull and that push."""

NAMED = {
    **dict(zip(("blue", "vermilion", "green", "pink", "orange", "sky", "olive"), PALETTE, strict=True)),
    "black": "#222222",
    "grey": "#9A9A9A",
    "white": "#F5F5F5",
}
"""Colours by name: those of the palette, and three greys."""


@dataclass(frozen=True)
class Theme:
    """The colours of a page."""

    name: Literal["light", "dark"]
    paper: str
    ink: str
    stone: str
    metal: str
    warning: str
    grid: str

    def colour(self, tint: Tint) -> str:
        """#RRGGBB of a tint."""
        if isinstance(tint, int):
            return PALETTE[tint % len(PALETTE)]
        if tint.startswith("#"):
            return tint
        return str(getattr(self, tint))

    def rgb(self, tint: Tint) -> tuple[int, int, int]:
        """0 to 255 each."""
        text = self.colour(tint)
        return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


LIGHT = Theme("light", "#FFFFFF", "#222222", "#9A9A9A", "#5B6470", "#C62828", "#E5E5E5")
DARK = Theme("dark", "#14171A", "#E6E6E6", "#7C8288", "#B4BCC6", "#FF6B60", "#33383D")

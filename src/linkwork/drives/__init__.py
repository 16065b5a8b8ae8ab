"""Drives: laws that give a driven variable over time, with exact rate, acceleration and jerk. SI units and radians.

`drive`            what every law gives
`checks`           numbers as users write them, and everything wrong with them at once
`moves`            from one value to another: the common half, and the ramp
`profiles`         smooth moves: cycloidal, 3-4-5, trapezoidal
`steady`           constant and dwell
`oscillation`      harmonic
`tables`           straight lines and cubic splines through points
`expression_drive` an expression of t
`sequences`        one after the other, and again
`drive_values`     a number, a pair or a drive
`drive_texts`      text of the command line and of files
"""

from typing import TYPE_CHECKING, Any

from linkwork.drives.drive import Drive
from linkwork.drives.drive_values import as_drive
from linkwork.drives.expression_drive import expression
from linkwork.drives.moves import ramp
from linkwork.drives.oscillation import harmonic
from linkwork.drives.profiles import cycloidal, polynomial345, trapezoidal
from linkwork.drives.sequences import repeat, sequence
from linkwork.drives.steady import constant, dwell
from linkwork.drives.tables import spline, table

if TYPE_CHECKING:
    from linkwork.drives.drive_texts import parse_drive

__all__ = [
    "Drive",
    "as_drive",
    "constant",
    "cycloidal",
    "dwell",
    "expression",
    "harmonic",
    "parse_drive",
    "polynomial345",
    "ramp",
    "repeat",
    "sequence",
    "spline",
    "table",
    "trapezoidal",
]


def __getattr__(name: str) -> Any:
    """The reader of text brings the units with it, which drives in Python do without: imported when asked for."""
    if name == "parse_drive":
        from linkwork.drives.drive_texts import parse_drive

        return parse_drive
    raise AttributeError(f"module 'linkwork.drives' has no attribute {name!r}")

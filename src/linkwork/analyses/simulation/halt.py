"""How a simulation ends before its time."""

from __future__ import annotations


class Halt(Exception):
    """The simulation ends here, for a reason."""

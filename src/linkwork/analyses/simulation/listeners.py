"""Who wants to know what happens in a simulation while it runs, and is told at the instant.

A session tells its listener before and after everything at which the state or the machine jumps. Nothing of the session
is overridden: what a listener needs it reads from what it is told, and from the session's own data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.geometry import Array


@dataclass(frozen=True)
class Watch:
    """A number that is watched.

    what : for what it is: "stop", "lift", "soft", "when", "slip", "grip", "jump"; which : of whom
    index : place of what it is found from; sign : the side of zero on which it was, 1 or -1
    """

    what: str
    which: int
    index: int
    sign: int


@dataclass(frozen=True, eq=False)
class Jump:
    """A jump of the rates by impulses of rows.

    before : the state before it; rows : (KIND, COLUMN, PLACE, LAW) of those that pushed; restitution : of each
    """

    before: Array
    rows: Any
    restitution: Array


class Listener:
    """Hears everything, does nothing."""

    explicit = False
    """Whether the steps have to stay explicit."""

    def attached(self, session: Any) -> None:
        """A session will tell; its plant is there, nothing has moved."""

    def engaged(self) -> None:
        """There are new kernels and arrays: another method, elimination or machine."""

    def chapter(self, t: float, switch: Array) -> None:
        """From a time on [s], the machine and its loads are as they are now; switch : by load, whether it is on."""

    def departs(self) -> None:
        """The loop sets out for the next given time."""

    def arrived(self) -> None:
        """Steps were taken, or samples written; the rows are still those with which they were."""

    def leapt(self) -> None:
        """The loop could not go on, and the motion was carried on, or the machine was eliminated anew."""

    def stuck(self) -> None:
        """The step became too short, and the motion was carried on."""

    def before_event(self, fired: Sequence[Watch], follows: bool) -> None:
        """Numbers have fallen below zero, nothing was done yet; follows : at once from what was just done."""

    def chatters(self, own: Watch) -> None:
        """A formula that jumps would do so without end, and is about to be smoothed."""

    def jumped(self, jump: Jump) -> None:
        """Rates have jumped."""

    def after_event(self) -> None:
        """All was done, and the rows are those with which it goes on."""

    def setting(self, states: Sequence[int], numbers: Mapping[str, float]) -> None:
        """Named states, by number, and parameters are about to get other values."""

    def set_numbers(self) -> None:
        """Parameters have got other values, and the loops are closed with them."""

    def turned(self) -> None:
        """Something was changed at a given time: the beginning, a corner of a law, an event."""

    def keeps_last_samples(self) -> bool:
        """Whether samples up to the end are wanted."""
        return True


def jump_of(active: Any) -> Jump:
    """The last jump that an active set has kept."""
    from linkwork.numerics.stepping.active_rows import ROWS

    count = int(active.counts[ROWS])
    return Jump(active.jump_before.copy(), active.jump_rows[:count].copy(), active.jump_bounce[:count].copy())

"""Why a mechanism does not go where it is asked to: one class each, with names, and what was reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from linkwork.errors import LinkworkError, Problem

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.posture import Posture


class ClosureError(LinkworkError):
    """Loops that do not close, or cannot be driven as asked.

    problem : what, where, what to try; `problems` holds it alone
    reached : the last posture on the way, at a limit of travel that of the limit itself; None if there is none
    limit : values of the driven variables at which they cannot go on, by name
    """

    status: ClassVar[str] = "not closed"

    def __init__(
        self,
        problem: Problem,
        source: str = "",
        reached: Posture | None = None,
        limit: Mapping[str, float] | None = None,
    ) -> None:
        self.problem = problem
        self.reached = reached
        self.limit = dict(limit or {})
        super().__init__(problem, source)


class CannotClose(ClosureError):
    """No posture closes all loops, as far as was searched."""

    status = "cannot close"


class CannotReach(ClosureError):
    """A target does not get where it is wanted; `reached` is the nearest posture that was found."""

    status = "cannot reach"


class LimitOfTravel(ClosureError):
    """A driver has come to the end of its range."""

    status = "limit of travel"


class DeadCentre(ClosureError):
    """A driver cannot move the mechanism at this posture, though it can at others."""

    status = "dead centre"


class OverSpecified(ClosureError):
    """Drivers that contradict each other: two on one freedom, or one on none."""

    status = "over-specified"


class NoFreedom(ClosureError):
    """The mechanism does not move: mobility zero."""

    status = "no freedom"


class Interrupted(ClosureError):
    """Ended by the user before it was finished."""

    status = "interrupted"


class UnderSpecified(ClosureError):
    """More freedoms than were given values, where an answer needs them all."""

    status = "under-specified"

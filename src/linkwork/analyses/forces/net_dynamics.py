"""Forward dynamics of nets: by the independent rates, where an elimination of all unknowns would fill in."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.sparse_steps import SparseSteps
from linkwork.equations.closed_dynamics import Elimination
from linkwork.equations.independent_rates import IndependentRates

FILLED = 1.2
"""Multiply-adds of the elimination of J, in parts of its entries, from which that of all unknowns fills in much
further, and loses digits on its way: a net of 8 x 8 plates has 1.3, a row of four-bars 0.7."""
MOST = 8_000_000
"""Operations of a traced law that are too many: it takes half a minute, and as much memory as there may be."""
OF_A_LINK = 150
"""About so many operations of inverse dynamics fall on a link."""


def by_independent_rates(loops: Loops, posture: Posture) -> Elimination | None:
    """The elimination of a net for postures around one; None where an ordinary one is the better way."""
    if not loops.sparse:
        return None
    steps = loops.factored(loops.order(posture.y, independent_at(loops, posture)))
    if steps is None or steps.operations <= FILLED * len(steps.pivoted.source):
        return None
    if steps.law_operations(len(loops.plan.links) * OF_A_LINK) > MOST:
        return None
    return elimination_by(steps, posture)


def independent_at(loops: Loops, posture: Posture) -> Mask:
    """By rate, whether it is independent at a posture."""
    independent = np.zeros(loops.columns, bool)
    independent[posture._roles.independent] = True
    return independent


def elimination_by(steps: SparseSteps, posture: Posture) -> Elimination | None:
    """The elimination by the pivots of these steps; None where they do not tell all other rates."""
    pivots = steps.pivots(posture.y)
    if len(pivots) + posture._roles.independent.size != steps.loops.columns:
        return None
    usual = 10.0 ** np.rint(-np.log10(np.abs(pivots)))
    basis = IndependentRates(steps.order, tuple(steps.independent.tolist()))
    return Elimination("tail", (), (), (), -1, tuple(usual.tolist()), basis)

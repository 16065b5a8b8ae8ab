"""The closed form of an arm as one kernel: from poses of the target to the variables of every branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.algebra import ca
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.robots.solutions.asked import chain_at_home, held_values, solver_of
from linkwork.analyses.robots.solutions.serial_chains import Chain, NoChain, depends_on_loops
from linkwork.analyses.robots.solutions.traced import ClosedForm
from linkwork.analyses.robots.targets import target_of
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array, inverse
from linkwork.kernels import Kernel


class Branches:
    """All branches of an arm's closed form, for any number of poses at once; made by `Machine.branches`.

    variables : of the joints, the columns of what a call gives; kernel : pose (4, 4) -> values, error
    signs : of each branch, which way each two-way root goes, by variable
    """

    def __init__(self, chain: Chain, form: ClosedForm, name: str) -> None:
        self.variables = chain.variables
        self.kernel = _kernel(chain, form)
        self.signs = tuple({self.variables[k]: way for k, way in ways} for ways in form.ways)
        self._name = name

    def __len__(self) -> int:
        return len(self.signs)

    def __repr__(self) -> str:
        names = ", ".join(self.variables)
        return f"Branches of '{self._name}': {len(self)} for {names}; {self.kernel.operations:,} operations"

    def __call__(self, poses: Any, threads: int | None = None) -> tuple[Array, Array]:
        """Values (..., branches, variables) [rad, m], and by branch the largest component by which it misses the pose.

        Lengths of the error are in parts of the machine's size. A branch is a solution where its error is next to
        nothing (1e-12); beyond the reach of the arm it comes near. Angles are in (-π, π]; limits are not looked at.

        Parameters
        ----------
        poses : wanted poses of the target in the world (..., 4, 4)
        threads : cores to use at most; all by default
        """
        found: tuple[Array, Array] = self.kernel(poses, threads=threads) if threads else self.kernel(poses)
        return found


def branches(loops: Loops, home: Posture, name: str, hold: str | Sequence[str] = ()) -> Branches:
    """The closed form of the chain to a target; InputError where there is none."""
    target = target_of(loops, name)
    fixed, problems = held_values(loops, home, [hold] if isinstance(hold, str) else hold)
    if problems:
        raise InputError(problems, loops.plan.name)
    chain = chain_at_home(loops, home.y, target, frozenset(fixed))
    if isinstance(chain, NoChain):
        raise InputError(Problem(f"no serial chain leads to '{name}': {chain.reason}"), loops.plan.name)
    tied = depends_on_loops(loops, home.y, chain)
    form = None if tied or len(chain.joints) > 6 else solver_of(loops, chain, "pose", None).problem.closed
    if form is None:
        hint = "`reach` with `all=True` finds every solution by other ways; hold joints that are too many"
        raise InputError(Problem(f"the chain to '{name}' has no closed form", "branches", hint), loops.plan.name)
    return Branches(chain, form, name)


def _kernel(chain: Chain, form: ClosedForm) -> Kernel:
    X = ca.SX.sym("pose", 16)
    wanted = ca.reshape(X, 4, 4).T
    G = ca.mtimes(wanted, ca.DM(_clean(inverse(chain.target))))
    goal = ca.vertcat(ca.vec(G[:3, :3].T), G[:3, 3] / chain.size)
    x, _, error = form.function(goal, ca.DM([1.0, 0.0]))
    scale = np.array([1.0 if j.turns else chain.size for j in chain.joints])
    base = np.array([chain.base[j.place] for j in chain.joints])
    count = len(form.ways)
    q = x * ca.DM(np.tile(scale, count)) + ca.DM(np.tile(base, count))
    function = ca.Function("branches", [X], [q, error])
    return Kernel(function, input_shapes=[(4, 4)], output_shapes=[form.shapes[0], form.shapes[2]])


def _clean(X: Array) -> Array:
    near = np.round(X)
    return np.where((np.abs(X - near) < 4e-15) & (np.abs(near) <= 1.0), near, X)

"""Reactions seen from other frames: the first body's, the world's, or any named one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.forces.self_stress import Open, left_open
from linkwork.analyses.forces.trajectory import check_run, trajectory_of
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.equations.closed_forces import joint_frames
from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.names import no_such

if TYPE_CHECKING:
    from linkwork.results import Run

CERTAIN = 1e-12
"""Part of a component below which it is not mixed into another one."""


def reaction_in(loops: Loops, run: Run, joint: str, frame: str) -> Array:
    """[force; moment] of a joint (samples, 6), about the origin and along the axes of a frame.

    frame : "second" or "first" for the joint's own frame on its second or first body, "world" for the place of the
        second along the world's axes, or the name of a body or frame
    Components that are statically indeterminate along these axes are not numbers; those of other axes may be, and the
    other way round.
    """
    check_run(loops, run)
    system, plan = loops.system, loops.plan
    data = run.arrays
    if joint not in system.mechanism.joints or f"{joint}.force" not in data:
        known = [j for j in system.mechanism.joints if f"{j}.force" in data]
        hint = did_you_mean(joint, known) if known else "give a run that `forces` gave"
        raise InputError(Problem(f"the run has no reaction of '{joint}'", hint=hint), plan.name)
    six = np.concatenate([data[f"{joint}.{part}"].values for part in ("force", "moment")], axis=1)
    path = trajectory_of(loops, run)
    order = [*(link.joint for link in plan.links), *plan.chords]
    X_WF, X_WM = (X[:, order.index(joint)] for X in system.bound_kernel(Question(joint_frames()))(path.y))
    own = {"second": X_WM, "first": X_WF, "world": _unturned(X_WM)}
    if frame in own:
        target = own[frame]
    elif frame in (*system.mechanism.bodies, *system.mechanism.frames):
        target = system.pose(frame, np.ascontiguousarray(path.y[:, : plan.nq]))
    else:
        known = [*own, *system.mechanism.frames, *system.mechanism.bodies]
        raise InputError(no_such("frame", frame, known), plan.name)
    R = np.swapaxes(target[:, :3, :3], 1, 2) @ X_WM[:, :3, :3]
    lever = np.einsum("sji,sj->si", target[:, :3, :3], X_WM[:, :3, 3] - target[:, :3, 3])
    turned = np.zeros((len(six), 6, 6))
    turned[:, :3, :3] = turned[:, 3:, 3:] = R
    turned[:, 3:, :3] = np.cross(lever[:, np.newaxis], np.swapaxes(R, 1, 2)).swapaxes(1, 2)
    found = _mixed(turned, six)
    finite = np.flatnonzero(np.isfinite(six).all(axis=1) & np.isfinite(path.y).all(axis=1))
    if run.indeterminate.get(joint) and finite.size:
        open_ = _open(loops, path.y[finite], joint, turned[finite])
        found[finite] = np.where(open_, np.nan, found[finite])
    return found


def _open(loops: Loops, Y: Array, joint: str, turned: Array) -> Open:
    """Which components of a joint's reaction are open, when [f; n] along its own axes is turned into them."""
    independent: Mask = np.zeros(loops.columns, bool)
    independent[loops.roles(Y[len(Y) // 2], independent).free] = True
    unit = np.array([1.0] * 3 + [loops.length] * 3)
    return left_open(loops, Y, independent, joint, turned / unit[:, np.newaxis] * unit)[:, 0]


def _unturned(X: Array) -> Array:
    here = np.broadcast_to(np.eye(4), X.shape).copy()
    here[:, :3, 3] = X[:, :3, 3]
    return here


def _mixed(A: Array, x: Array) -> Array:
    """A x where entries of x that are no numbers spoil only what they enter."""
    open_ = np.isnan(x)
    found: Array = np.einsum("sij,sj->si", A, np.where(open_, 0.0, x))
    size = np.abs(A).max(axis=2, initial=0.0)
    spoilt = (np.abs(A) > CERTAIN * size[..., np.newaxis]) & open_[:, np.newaxis]
    found[spoilt.any(axis=2)] = np.nan
    return found

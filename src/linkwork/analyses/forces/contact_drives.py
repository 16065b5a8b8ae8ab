"""Drives that press: efforts for a motion and a wanted force of contacts (Vukobratović, Potkonjak, sec. 2.10).

A machine on a surface has one freedom less than without, on a curve two: its drives are then more than its freedoms.
What they give without moving anything, efforts Z z with Bᵀ Z = 0, presses on the contact:

    c(e) = c(e0) + C z = wanted,   e = e0 + Z z

with e0 the efforts that depart least from the preload, and Z orthonormal in the weights, so that the least z departs
least too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.forces.contact import assert_contact, open_components, rows_in_second
from linkwork.analyses.forces.drives import Drives, counted
from linkwork.analyses.forces.meshes import law_over
from linkwork.analyses.kinematics.loops import Loops
from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.geometry.types import Bools

POWERLESS = 1e-9
"""Part of the greatest force that idle efforts make anywhere, below which they do not press on a contact."""


@dataclass(frozen=True, eq=False)
class Pressing:
    """Wanted forces of contacts.

    joints : place of each condition's joint among wrenches
    rows (samples, conditions, 3) : its direction in the joint's second frame; wanted (samples, conditions) [N]
    """

    joints: list[int]
    rows: Array
    wanted: Array

    def __len__(self) -> int:
        return len(self.joints)

    def at(self, samples: NDArray[np.int64]) -> Pressing:
        """The conditions of some samples."""
        return Pressing(self.joints, self.rows[samples], self.wanted[samples])

    def seen(self, wrenches: Array) -> Array:
        """Forces of the contacts (..., samples, conditions) among wrenches (..., samples, joints, 6)."""
        forces: Array = np.einsum("skc,...skc->...sk", self.rows, wrenches[..., self.joints, :3])
        return forces


def pressing_of(
    loops: Loops,
    Y: Array,
    drives: Drives,
    contact: Mapping[str, Any] | None,
    joints: list[str],
    indeterminate: Mapping[str, Sequence[str]],
) -> Pressing | None:
    """Wanted forces by name as arrays; None where none is wanted.

    joints : in the order of wrenches; indeterminate : open components by joint
    """
    if not contact:
        return None
    problems: list[Problem] = []
    places: list[int] = []
    rows: list[Array] = []
    wanted: list[Array] = []
    for name, value in contact.items():
        try:
            assert_contact(loops.system, name, f"contact.{name}")
        except ModelError as error:
            problems += error.problems
            continue
        law = law_over(loops.system, name)
        if open_ := open_components(law, indeterminate.get(name, ())):
            text = f"its force is statically indeterminate ({', '.join(open_)})"
            problems.append(Problem(text, name, "redundant loops leave it to the fits; take some of them away"))
            continue
        slot = next(s for s in loops.plan.slots if s.owner == name)
        own = rows_in_second(law, Y[:, slot.q])
        count = own.shape[1]
        number = _numbers(value, len(Y), count)
        if number is None:
            shape = "a number" if count == 1 else "two numbers, along n and b,"
            problems.append(Problem(f"{shape} or as many for each of {len(Y)} samples are wanted", f"contact.{name}"))
            continue
        places += [joints.index(name)] * count
        rows.append(own)
        wanted.append(number)
    many, needed = len(drives.columns), int(drives.independent.sum())
    if not problems and len(places) > many - needed:
        text = f"{counted(len(places), 'wanted force')}, but of {counted(many, 'drive')} the motion takes {needed}"
        hint = "name more drives, or want fewer forces"
        problems.append(Problem(text, "contact", hint))
    if problems:
        raise InputError(problems, loops.plan.name)
    return Pressing(places, np.concatenate(rows, axis=1), np.concatenate(wanted, axis=1))


def _numbers(value: Any, samples: int, count: int) -> Array | None:
    try:
        number = np.asarray(value, float)
    except (TypeError, ValueError):
        return None
    if count == 1 and number.shape in ((), (samples,)):
        number = number[..., np.newaxis]
    if number.shape not in ((count,), (samples, count)) or not np.isfinite(number).all():
        return None
    return np.array(np.broadcast_to(number, (samples, count)))


def pressed_efforts(
    pressing: Pressing,
    B: Array,
    weights: Array,
    efforts: Array,
    pushed: Callable[[Array], Array],
    driven: Callable[[Array], tuple[Array, Array, Array]],
    size: float,
) -> tuple[Array, Bools]:
    """Efforts (samples, drives) that press as wanted, and samples at which the drives cannot.

    B : (samples, drives, freedoms), rates of the drives for unit independent rates
    efforts : those that depart least from the preload
    pushed : from efforts of all drives to what the machine is given; driven : from there to its efforts and wrenches
    size : length that tells how large the machine is [m]
    """
    idle = idle_efforts(B, weights)
    before = driven(pushed(efforts))[1]
    scale = 1.0 + float(np.abs(efforts).max(initial=0.0))
    steps = [(driven(pushed(efforts + scale * idle[:, :, k]))[1] - before) / scale for k in range(idle.shape[2])]
    C = np.stack([pressing.seen(wrenches) for wrenches in steps], axis=-1)
    U, s, Vt = np.linalg.svd(C, full_matrices=False)
    felt = np.abs(np.stack(steps)) / np.where(np.arange(6) < 3, 1.0, size)  # by any joint, as a force
    powerless: Bools = s[:, -1] <= POWERLESS * float(felt.max(initial=0.0))
    s = np.where(powerless[:, None], np.inf, s)
    left = np.einsum("sij,si->sj", U, pressing.wanted - pressing.seen(before)) / s
    z = np.einsum("sji,sj->si", Vt, left)
    return efforts + np.einsum("sdk,sk->sd", idle, z), powerless


def idle_efforts(B: Array, weights: Array) -> Array:
    """Efforts Z (samples, drives, spare) that move nothing, Bᵀ Z = 0, with Zᵀ W Z = 1."""
    root = np.sqrt(weights)
    U = np.linalg.svd(B / root[:, np.newaxis], full_matrices=True)[0]
    found: Array = U[:, :, B.shape[2] :] / root[:, np.newaxis]
    return found

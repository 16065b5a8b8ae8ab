"""What can be asked by name of a machine with closed loops: from a name to the law behind it, by order of pivots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.forces.drives import as_names, counted, drives_of
from linkwork.analyses.forces.reactions import joints_of
from linkwork.equations.closed_forces import closed_forces
from linkwork.equations.closed_quantities import ELIMINATED, NAMED, part_of
from linkwork.equations.loop_solver import Order
from linkwork.equations.null_space_dynamics import independent_dynamics
from linkwork.equations.quantity import Quantity
from linkwork.errors import InputError, Problem
from linkwork.names import no_such

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.loops import Loops, Mask
    from linkwork.analyses.machine import Machine

_OF_LOADS = ("load_magnitudes", "load_powers")


@dataclass(frozen=True, eq=False)
class Asked:
    """A quantity of a machine with loops.

    law : by order of pivots; free : columns of the independent rates, in the order of results
    joint : place of the joint whose reaction it is, -1 of all; None where it is no reaction
    """

    law: Callable[[Order], Quantity]
    free: tuple[int, ...]
    joint: int | None = None

    def independent(self, loops: Loops) -> Mask:
        """The independent rates among all."""
        mask: Mask = np.isin(np.arange(loops.columns), self.free)
        return mask


def is_closed_quantity(machine: Machine, quantity: str) -> bool:
    """Whether a quantity is one of all joints, and not one of the tree alone."""
    if quantity == "forward_dynamics":
        return bool(machine.loops.count)
    return quantity in NAMED or quantity in ELIMINATED


def closed_quantity(machine: Machine, quantity: str, of: str, independent: str | Sequence[str] | None) -> Asked:
    """A quantity by its name; `of` names drives, a joint or a load, `independent` the variables that others follow."""
    if quantity == "drive_efforts":
        if of and independent is not None:
            text = "drives are named by `of`, and by `independent` too"
            raise InputError(Problem(text, hint="the drives are what is independent: name them once"), machine.name)
        free = free_columns(machine, [name.strip() for name in of.split(",")] if of else independent)
        return Asked(lambda order: part_of(closed_forces(order, "efforts", False), "efforts", free), free)
    free = free_columns(machine, independent)
    if quantity == "reactions":
        joint = _place("joint", of, joints_of(machine.loops), machine.name)
        rows = None if joint < 0 else joint
        return Asked(lambda order: part_of(closed_forces(order, "reactions", False), "wrench", rows), free, joint)
    if quantity in _OF_LOADS:
        load = _place("load", of, [load.name for load in machine.plan.loads], machine.name)
        named = NAMED[quantity] if load < 0 else part_of(NAMED[quantity], quantity.removeprefix("load_"), load)
        return Asked(lambda order: named, free)
    if of:
        raise InputError(Problem(f"'{quantity}' is of the whole machine, not of '{of}'"), machine.name)
    if quantity == "forward_dynamics":
        return Asked(lambda order: independent_dynamics(order, free), free)
    return Asked(lambda order: NAMED[quantity], free)


def free_columns(machine: Machine, named: str | Sequence[str] | None) -> tuple[int, ...]:
    """Columns of the independent rates, as they are named; those of home by default."""
    loops, home = machine.loops, machine.home
    if named is None:
        return tuple(int(k) for k in home._roles.independent)
    drives = drives_of(loops, home.y, tuple(as_names(named)), ())
    if drives.shared:
        text = f"{len(drives.columns)} variables for {counted(int(drives.independent.sum()), 'freedom')}"
        raise InputError(Problem(text, "independent", "name as many as there are freedoms"), machine.name)
    return tuple(int(k) for k in drives.columns)


def home_order(machine: Machine, asked: Asked) -> Order:
    """Pivots at home."""
    return machine.loops.order(machine.home.y, asked.independent(machine.loops))


def _place(what: str, name: str, names: Sequence[str], source: str) -> int:
    """Place of a name among names; -1 where none is given."""
    if name and name not in names:
        raise InputError(no_such(what, name, names, "of"), source)
    return list(names).index(name) if name else -1

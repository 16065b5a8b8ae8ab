"""Momentum and drift of a machine with its loops left open: what a variational method asks of the Lagrangian.

    P = ∂L/∂w,   D = ∂L/∂y + forces,   L = T(y, w) - V(y)

∂/∂y is taken along the rates while these are held: component k is the change when rate k acts for a unit of time. On
free rotations this is the left-trivialised derivative, and the motion obeys P' = D + P × w there, P' = D elsewhere.

Outward, each link's angular velocity w and the velocity s of its origin, in its own axes; inward, the momentum F and
the moment of momentum N (about its origin) of all it carries. For a joint between inner frame A and the link
(`joint_motion`), with c = Rᵀ w_parent:

    P_k = Sw_k · N + Sp_k · R F
    ∂T/∂y_k = Sw_k · (N × c + F × s) + Sp_k · (R F × w_parent) + ∂/∂y_k (N · Sw v + R F · Sp v)

The last term vanishes for lower pairs. It follows from δR = R [Sw_k]×, δp = Sp_k and the gradient (N, F) of the
kinetic energy by the link's (w, s).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from linkwork.equations.inverse_dynamics import Applied, handed_inward
from linkwork.equations.joint_motion import rate_gradient
from linkwork.equations.loads import Modes, applied_loads
from linkwork.equations.plan import LinkConstants
from linkwork.equations.quantity import Quantity
from linkwork.equations.scalars import Block
from linkwork.equations.simulation import RATES, STATES
from linkwork.equations.states import state_rates
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import ZERO, Vector, add, apply, apply_t, cross, dot, neg, scale, sub


def momentum_and_drift(switched: frozenset[str] = frozenset(), states: bool = False) -> Quantity:
    """Momentum and drift of all rates: (y, w, effort, t, slip, switch, states) -> P, D, dstates.

    switched : names of loads that are switched; states : whether the machine has named states
    """
    name = f"momentum and drift {sorted(switched)}"
    law = partial(_momentum_and_drift, switched)
    return Quantity(name, (*RATES, STATES) if states else RATES, law, regroups=True, title="momentum_and_drift")


def _momentum_and_drift(switched: frozenset[str], tree: Tree, x: Mapping[str, Any]) -> list[Block]:
    plan = tree.plan
    y, w, effort, (t,), slip, switch = (x[name] for name in RATES)
    applied = applied_loads(tree, t, y, w, Modes(slip, switch, switched, x.get(STATES))).applied
    P, D = _kinetic(tree, tree.constants.links, y, w)
    forces = _forces(tree, applied)
    momentum = [p + applied.rotors.get(k, 0.0) * w[k] for k, p in enumerate([*P, *[0.0] * (plan.nw - plan.nv)])]
    drift = [d + f + effort[k] for k, (d, f) in enumerate(zip(D, forces, strict=True))]
    drift += [applied.along.get(k, 0.0) + effort[k] for k in range(plan.nv, plan.nw)]
    outputs: list[Block] = [("P", momentum, (plan.nw,)), ("D", drift, (plan.nw,))]
    if STATES in x:
        outputs.append(("dstates", state_rates(tree, t, y, w, x[STATES]), (plan.n_states,)))
    return outputs


def _kinetic(
    tree: Tree, constants: Sequence[LinkConstants], y: Sequence[Any], w: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """∂T/∂w and ∂T/∂y of the tree's rates."""
    carried, turns, slides = _velocities(tree, w)
    F: list[Vector] = []
    N: list[Vector] = []
    for link, turn, slide in zip(tree.links, turns, slides, strict=True):
        own = link.moments
        F.append(add(scale(own.m, slide), cross(turn, own.h)))
        N.append(add(cross(own.h, slide), apply(own.inertia(), turn)))
    P: dict[int, Any] = {}
    D: list[Any] = [0.0] * tree.nv
    for i, link in enumerate(tree.links):
        if link.matter is None:
            continue
        p, n = link.matter.momenta()
        F[i], N[i] = add(F[i], p), add(N[i], n)
        for k, dof in enumerate(link.matter.dofs):
            P[dof] = link.matter.momentum(k, slides[i], turns[i])
            D[dof] = link.matter.drift(k, slides[i], turns[i])
    found = handed_inward(tree, F, N, P)
    for i, link in enumerate(tree.links):
        n, RF = found.n[i], apply(link.R, found.f[i])
        angular = add(cross(n, carried[i]), cross(found.f[i], slides[i]))
        linear = cross(RF, turns[link.parent]) if link.parent >= 0 else ZERO
        if link.chain is not None:
            chain = link.chain
            bends = rate_gradient(chain.law, 1, chain.q, chain.v, chain.law.values, n, RF)
        else:
            planned, given = tree.plan.links[i], constants[i]
            own_y, own_w = y[planned.q], w[planned.v]
            bends = rate_gradient(planned.law, planned.sign, own_y, own_w, given.law, n, apply_t(given.inner.R, RF))
        for k, (dof, bend) in enumerate(zip(link.dofs, bends, strict=True)):
            D[dof] = D[dof] + (dot(link.Sw[k], angular) + dot(link.Sp[k], linear) + bend)
    return found.tau, D


def _velocities(tree: Tree, v: Sequence[Any]) -> tuple[list[Vector], list[Vector], list[Vector]]:
    """By link, in its own axes: the parent's angular velocity, its own, and the velocity of its origin."""
    carried: list[Vector] = []
    turns: list[Vector] = []
    slides: list[Vector] = []
    for link in tree.links:
        w_p, s_p = (turns[link.parent], slides[link.parent]) if link.parent >= 0 else (ZERO, ZERO)
        carried.append(apply_t(link.R, w_p))
        turns.append(add(carried[-1], link.spin(v)))
        slides.append(apply_t(link.R, add(add(s_p, cross(w_p, link.p)), link.slide(v))))
    return carried, turns, slides


def _forces(tree: Tree, applied: Applied) -> list[Any]:
    """What gravity and loads do along the tree's rates."""
    upward: list[Vector] = []
    f: list[Vector] = []
    n: list[Vector] = []
    along: dict[int, Any] = {}
    for i, link in enumerate(tree.links):
        upward.append(apply_t(link.R, upward[link.parent] if link.parent >= 0 else neg(tree.gravity)))
        f.append(sub(scale(link.moments.m, upward[i]), applied.forces.get(i, ZERO)))
        n.append(sub(cross(link.moments.h, upward[i]), applied.moments.get(i, ZERO)))
        if link.matter is not None:
            along |= {dof: link.matter.push(k, upward[i]) for k, dof in enumerate(link.matter.dofs)}
    held = handed_inward(tree, f, n, along).tau
    return [applied.along.get(k, 0.0) - x for k, x in enumerate(held)]

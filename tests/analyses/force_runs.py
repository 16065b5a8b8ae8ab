"""Runs of forces made by hand: a motion, and signals added to it as the dynamics names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import linkwork as lw
from linkwork import geometry as geo
from linkwork.results.layout import BEYOND, long_name

LINKS = ("upper", "fore", "hand")


def with_signals(
    run: lw.Run, signals: Mapping[str, tuple[str, Any]], indeterminate: Mapping[str, list[str]] | None = None
) -> lw.Run:
    """A run with more signals, each a unit and an array with the samples first."""
    data = run.data
    for name, (unit, values) in signals.items():
        array = np.asarray(values, float)
        data[name] = (("time", *BEYOND[array.shape[1:]]), array, {"units": unit, "long_name": long_name(name)})
    if indeterminate is not None:
        data.attrs["indeterminate"] = dict(indeterminate)
    return lw.Run(data, run.machine)


def through(machine: lw.Machine, run: lw.Run) -> dict[str, tuple[str, Any]]:
    """Signals of what the joints of an open machine carry, by recursive Newton-Euler."""
    read = [np.stack([run.data[f"{c}{d}"].values for c in machine.coordinates], axis=1)
            for d in ("", ".rate", ".acceleration")]  # fmt: skip
    tau, wrench = machine.joint_wrenches(*read)
    found: dict[str, tuple[str, Any]] = {}
    for k, joint in enumerate(machine.tree_joints):
        found |= {f"{joint}.force": ("N", wrench[:, k, :3]), f"{joint}.moment": ("N m", wrench[:, k, 3:])}
    return found | {f"{c}.effort": ("N m", tau[:, k]) for k, c in enumerate(machine.coordinates)}


def arm(X: np.ndarray | None = None, backwards: tuple[str, ...] = (), masses: tuple[float, ...] = (3.0, 2.0, 1.0),
        seed: int = 1) -> lw.Machine:  # fmt: skip
    """A spatial arm of three turning links, placed by X; joints named in `backwards` are declared from tip to base."""
    X = np.eye(4) if X is None else X
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("arm", gravity=tuple(geo.transform_vectors(X, [1.0, -2.0, -9.0])))
    places = np.array([[0, 0, 0], [0.1, 0.05, 0.5], [0.5, 0.1, 0.7], [0.8, -0.2, 0.6]])
    for k, (name, mass) in enumerate(zip(LINKS, masses, strict=True)):
        com = geo.transform_points(X, 0.5 * (places[k] + places[k + 1]) + 0.05 * rng.normal(size=3))
        principal = mass * 0.01 * np.array([1.0, 1.5, 2.0])
        R = X[:3, :3] @ geo.from_rotvec(rng.normal(size=3))
        m.body(name, mass=mass, com=tuple(com), inertia=R @ np.diag(principal) @ R.T)
    for k, name in enumerate("ABC"):
        bodies = (LINKS[k - 1] if k else "ground", LINKS[k])
        axis = geo.transform_vectors(X, rng.normal(size=3))
        first, second = bodies[::-1] if name in backwards else bodies
        m.revolute(name, first, second, at=tuple(geo.transform_points(X, places[k])), axis=tuple(axis))
    m.point("P", "hand", at=tuple(geo.transform_points(X, places[3])))
    return m.assemble()


def swing(machine: lw.Machine, backwards: tuple[str, ...] = (), samples: int = 41) -> lw.Run:
    """A motion of all three joints, the same one whichever way they were declared; with what the joints carry."""
    laws = {"A": "sin(2*t)", "B": "0.7*sin(3*t + 1)", "C": "0.4*cos(5*t)"}
    drives = {j: lw.expression(f"-({law})" if j in backwards else law) for j, law in laws.items()}
    run = machine.motion(drives, samples=samples, duration=1.0)
    assert run.status == "complete", run.message
    return with_signals(run, through(machine, run))

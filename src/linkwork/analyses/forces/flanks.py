"""Forces with the tooth flank that carries, sample by sample: both are evaluated, and the one that pushes is taken.

The load tells the flank, and the flank tells the load of the bearings; where centre distances stay, the tangential
force does not depend on the flank, so that two passes suffice.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.forces.meshes import law_over, mesh_over
from linkwork.analyses.forces.over_run import Signals, forces_of
from linkwork.analyses.forces.self_stress import open_names
from linkwork.analyses.forces.trajectory import Trajectory, trajectory_of
from linkwork.analyses.kinematics.loops import Loops
from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.model.joints import Gear, Rack
from linkwork.results.open_components import SOMETIMES, open_at, sometimes
from linkwork.system import System

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.results import Run

PASSES = 4
"""Times that flanks may change; two are enough where the flank does not change the load."""
STILL = 1e-9
"""Part of a pitch radius by which the centre distance may change along a motion that does not depend on the flank."""


def forces_by_flank(
    machine: Machine,
    run: Run,
    drives: Sequence[str] | None = None,
    *,
    joints: Sequence[str] | None = None,
    efforts: Mapping[str, Any] | None = None,
    preload: Mapping[str, Any] | None = None,
    weights: Mapping[str, float] | None = None,
    external: Mapping[str, Any] | None = None,
    contact: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> Run:
    """What a motion takes when gears carry on the flank that the load presses on, at every sample.

    The result is that of `s.forces`, with the flank of each gear as a signal `G.flank`, +1 or -1.

    Parameters
    ----------
    machine : the machine that moved
    run : a motion of it, along which the centre distances of these gears stay as they are in the layout
    drives : as in `forces`
    joints : gear and rack joints whose flank is looked for; all that have a pressure angle by default
    efforts, preload, weights, external, contact, threads : as in `forces`
    """
    from linkwork.results import extended

    chosen = _chosen(machine, joints)
    path = trajectory_of(machine.loops, run)
    options = {"efforts": efforts, "preload": preload, "weights": weights, "external": external, "contact": contact}
    search = _Search(machine, run, path, chosen, drives, options | {"threads": threads})
    flanks = {j: np.full(len(run), float(machine.mechanism.joints[j].law.flank or 1)) for j in chosen}  # type: ignore[attr-defined]
    for _ in range(PASSES):
        signals = search.joined(flanks)
        wanted = search.pressed(signals, flanks)
        settled = [np.array_equal(wanted[j], flanks[j]) for j in chosen]
        if all(settled):
            break
        flanks = wanted
    else:
        names = ", ".join(j for j, done in zip(chosen, settled, strict=True) if not done)
        text = f"neither flank of {names} can carry all along: each makes the load press on the other"
        raise InputError(Problem(text), machine.name)
    own = {f"{j}.flank": ("1", x) for j, x in flanks.items()}
    return extended(run, signals | own, analysis="forces", indeterminate=search.marks, warnings=search.warnings)


def _chosen(machine: Machine, joints: Sequence[str] | None) -> list[str]:
    toothed = {
        name: law_over(machine, name)
        for name, j in machine.mechanism.joints.items()
        if isinstance(j.law, Gear | Rack)
    }  # fmt: skip
    sloped = [name for name, law in toothed.items() if law.pressure_angle > 0.0]  # type: ignore[attr-defined]
    named = sloped if joints is None else [joints] if isinstance(joints, str) else list(joints)
    problems = [
        Problem(f"'{n}' has no flanks", "joints", did_you_mean(str(n), sloped) or "name gear and rack joints")
        for n in named
        if n not in sloped
    ]
    if not named:
        problems.append(Problem("the machine has no gears with a pressure angle", "joints"))
    if problems:
        raise InputError(problems, machine.name)
    return named


class _Search:
    """Forces with every combination of flanks that is asked for, each evaluated once over the whole run."""

    def __init__(
        self,
        machine: Machine,
        run: Run,
        path: Trajectory,
        chosen: Sequence[str],
        drives: Sequence[str] | None,
        options: Mapping[str, Any],
    ) -> None:
        self.machine, self.run, self.path, self.chosen, self.options = machine, run, path, chosen, options
        self.held = list(run.held)
        self.named = list(run.driven) if drives is None else list(drives)
        self.found: dict[tuple[int, ...], Signals] = {}
        self.open: dict[tuple[int, ...], dict[str, tuple[str, ...]]] = {}
        self.marks: dict[str, tuple[str, ...]] = {}
        self.warnings: list[str] = []
        self._assert_still()
        self.meshes = {joint: mesh_over(machine, run, joint, 0.0, 0.0) for joint in chosen}

    def _assert_still(self) -> None:
        problems = []
        for joint in self.chosen:
            stretch = self.run.signal(f"{joint}.stretch").values
            if np.ptp(stretch) > STILL * self.machine.mechanism.joints[joint].law.reach():
                hint = "give each machine its flank, and ask `forces` of its own motion"
                problems.append(
                    Problem("its centre distance changes, so that the other flank moves it otherwise", joint, hint)
                )
        if problems:
            raise InputError(problems, self.machine.name)

    def joined(self, flanks: Mapping[str, Array]) -> Signals:
        """Signals with these flanks (samples,) by joint."""
        table = np.stack([flanks[j] for j in self.chosen], axis=1).astype(int)
        combinations, which = np.unique(table, axis=0, return_inverse=True)
        joints = list(self.machine.mechanism.joints)
        open_ = np.zeros((len(self.run), len(joints), 6), bool)
        whole: Signals = {}
        for k, combination in enumerate(combinations):
            rows = which.ravel() == k
            key = tuple(int(f) for f in combination)
            found = self._evaluated(key)
            open_[rows] = open_at(joints, self.open[key], found)[rows]
            for name, (unit, values) in found.items():
                if name.endswith(SOMETIMES):
                    continue
                if name not in whole:
                    whole[name] = (unit, np.array(values))
                whole[name][1][rows] = values[rows]
        self.marks = open_names(joints, open_)
        return whole | sometimes(joints, open_)

    def _evaluated(self, combination: tuple[int, ...]) -> Signals:
        if combination not in self.found:
            loops = self._with(combination)
            signals, marks, warnings, _ = forces_of(loops, self.path, self.named, self.held, **self.options, times=True)
            self.found[combination] = signals
            self.open[combination] = marks
            self.warnings = list(dict.fromkeys([*self.warnings, *warnings]))
        return self.found[combination]

    def _with(self, combination: tuple[int, ...]) -> Loops:
        """The loops of the same machine with other flanks, which must close along the same motion."""
        mechanism = copy.deepcopy(self.machine.mechanism)
        for name, flank in zip(self.chosen, combination, strict=True):
            joint, law = mechanism.joints[name], mechanism.joints[name].law
            assert isinstance(law, Gear | Rack)
            mechanism.joints[name] = replace(joint, law=replace(law, flank=flank))
        tree, cut = self.machine._choice
        system = System(mechanism, tree=tree, cut=cut)
        if self.machine._overrides:
            system = system.with_parameters(self.machine._overrides)
        loops = Loops(system)
        finite = np.isfinite(self.path.y).all(axis=1)
        if float(np.max(loops.residual(self.path.y[finite]), initial=0.0)) > 10.0 * loops.tolerance:
            names = ", ".join(self.chosen)
            hint = "let the motion start in the layout posture of these gears"
            raise InputError(Problem("the other flank moves the machine otherwise", names, hint), self.machine.name)
        return loops

    def pressed(self, signals: Signals, flanks: Mapping[str, Array]) -> dict[str, Array]:
        """The flank that the load presses on, by joint; where there is no load, the one that there was."""
        found = {}
        for joint in self.chosen:
            if "mz" in self.marks.get(joint, ()):
                text = "its load is statically indeterminate: redundant gears share it in a way that their fits decide"
                raise InputError(Problem(text, joint, "name other `joints`, or leave gears out"), self.machine.name)
            mesh = self.meshes[joint]
            pressing = -mesh.carrying * signals[f"{joint}.moment"][1][:, 2] / mesh.arm
            loose = ~(np.abs(pressing) > 1e-9 * np.nanmax(np.abs(pressing), initial=0.0))
            found[joint] = np.where(loose, flanks[joint], np.sign(pressing))
        return found

"""The picture of a branch of periodic motions: amplitude over frequency, its stable and unstable stretches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.results.plots.description import Axis, Line, Panel, Plot

if TYPE_CHECKING:
    from linkwork.analyses.periodic.branch import Branch


def branch_plot(branch: Branch, name: str) -> Plot:
    """Stretches of equal verdict as lines, each to the fold or the first motion at which the next begins."""
    unit = branch[0].run.signal(name).unit if len(branch) else "1"
    folds = {fold.place: fold for fold in branch.folds}
    stretches: list[tuple[str, list[tuple[float, float]]]] = []
    for k, own in enumerate(branch):
        at = own.frequency, own.amplitude(name)
        if not stretches or stretches[-1][0] != own.verdict:
            turn = folds.get(k)
            joint = at if turn is None else (turn.frequency, turn.motion.amplitude(name))
            if stretches:
                stretches[-1][1].append(joint)
            stretches.append((own.verdict, [joint] if turn is not None else []))
        stretches[-1][1].append(at)
    lines, named = [], set[str]()
    for verdict, points in stretches:
        f, a = np.array(points).T
        legend = "" if verdict in named else verdict
        lines.append(Line(legend, f, a, tint=0, dash=1 if verdict == "unstable" else 0))
        named.add(verdict)
    for fold in branch.folds:
        where = np.array([fold.frequency]), np.array([fold.motion.amplitude(name)])
        lines.append(Line(f"fold at {fold.frequency:.6g} Hz", *where, tint=1, style="ring"))
    panel = Panel(Axis("frequency", "Hz", kind="frequency"), Axis(f"amplitude of {name}", unit), tuple(lines))
    return Plot((panel,), title=f"periodic motions of {branch[0].run.name}" if len(branch) else "")

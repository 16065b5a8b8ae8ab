"""Springs that a file gives by a time constant and a damping ratio: for the mass that they carry in the layout."""

from __future__ import annotations

import numpy as np

from linkwork.errors import ModelError
from linkwork.files.robots.description import Robot
from linkwork.files.robots.notes import Notes
from linkwork.model.mechanism import Mechanism


def add_tuned_springs(m: Mechanism, robot: Robot, names: dict[str, str], notes: Notes) -> None:
    """Springs and dampers of a mass I, time constant T and ratio d: k = I/(T d)^2, c = 2 I/T.

    I is the inertia felt along the variable with all other joints free and loops open, 1/(M^-1)_jj, as MuJoCo has it.

    Parameters
    ----------
    m : gets the springs, instead of others in these joints
    robot : tells them
    names : of its joints in the mechanism
    notes : gets what became of them
    """
    tuned = {names[hinge.name]: hinge for hinge in robot.hinges.values() if hinge.tuned is not None}
    if not tuned:
        return
    from linkwork.system import System  # slow to import, and seldom needed

    try:
        s = System(m, tree="declared")  # the tree of the file, whose loops are declared last
        inertia = dict(zip(s.rates, 1.0 / np.linalg.inv(s.mass_matrix(s.posture())).diagonal(), strict=True))
    except ModelError as error:
        notes.problems += error.problems
        return
    except np.linalg.LinAlgError:
        what = "springs by time constant and damping ratio in a machine some of whose joints carry no mass"
        notes.wrong(what, where=", ".join(tuned)[:80], hint="give stiffness and damping")
        return
    for name, hinge in tuned.items():
        assert hinge.tuned is not None
        time, ratio = hinge.tuned
        carried = float(inertia[next(rate for rate in s.rates if rate.startswith(f"{name}."))])
        for old in (f"{name}_spring", f"{name}_damper"):
            if old in m.loads:
                m.leave_out(old)
        m.spring(
            f"{name}_spring", joint=name, stiffness=carried / (time * ratio) ** 2, damping=2 * carried / time,
            free=hinge.rest,
        )  # fmt: skip
        notes.say("converted", "springs by time constant and damping ratio, for the mass that they carry", hinge.name)

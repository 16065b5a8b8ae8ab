"""What may be asked: a run of forces, and nothing that only looks like one."""

from __future__ import annotations

from typing import Any

from linkwork.errors import InputError, Problem


def check_run(run: Any) -> None:
    """InputError where something else than a run is given, such as the forces of a machine at rest."""
    from linkwork.results import Run

    if not isinstance(run, Run):
        what = f"a {type(run).__name__} is not a run of forces"
        hint = "give s.forces(run), of a run from s.motion(...); to stay, drive with lw.constant(...)"
        raise InputError(Problem(what, "run", hint))

"""How far a run can be trusted: what was reached, how well the loops closed, and what was noticed."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.results.force_evidence import ForceEvidence, force_evidence_of
from linkwork.results.happenings import Happening
from linkwork.results.integration_evidence import IntegrationEvidence, integration_evidence_of
from linkwork.results.simulation_evidence import SimulationEvidence, simulation_evidence_of

if TYPE_CHECKING:
    from linkwork.results.arrays import Arrays


@dataclass(frozen=True)
class Evidence:
    """Evidence of a run. Numbers that were not recorded are None.

    status, message : 'complete' or 'stopped', and why
    asked, reached : numbers of samples
    span : first and last time [s], None without samples
    worst_residual, worst_residual_at : largest closure residual and its time
    residual_unit : its unit
    smallest_quality, smallest_quality_at : where the posture came nearest to a singular one
    iterations, most_iterations : of all samples together, and of the hardest one
    mobility : every mobility that occurred
    warnings : texts
    forces : what drives take, joints carry and how well the power balances; None where forces were not asked for
    simulation : steps, balance of energy and events; None of runs that were not simulated
    integration : of a motion that held rates, what these determine, to which tolerance and in how many steps; else None
    """

    status: str
    message: str
    asked: int
    reached: int
    span: tuple[float, float] | None
    worst_residual: float | None
    worst_residual_at: float | None
    residual_unit: str
    smallest_quality: float | None
    smallest_quality_at: float | None
    iterations: int | None
    most_iterations: int | None
    mobility: tuple[int, ...]
    warnings: tuple[str, ...]
    forces: ForceEvidence | None = None
    simulation: SimulationEvidence | None = None
    integration: IntegrationEvidence | None = None

    @property
    def complete(self) -> bool:
        """True when everything that was asked for was reached."""
        return self.status == "complete"

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON; numbers that are not finite are None."""
        return {key: _plain(value) for key, value in vars(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Happening):
        return value.as_dict()
    if is_dataclass(value):
        return {key: _plain(v) for key, v in vars(value).items()}
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def evidence_of(data: Arrays) -> Evidence:
    """Collect the evidence of a dataset."""
    own = data.variables
    time = own["time"].values
    residual, residual_at = _extreme(data, "closure.residual", np.argmax)
    quality, quality_at = _extreme(data, "closure.quality", np.argmin)
    steps = own["closure.iterations"].values if "closure.iterations" in own and time.size else None
    return Evidence(
        status=data.attrs["status"],
        message=data.attrs["message"],
        asked=data.attrs["asked"],
        reached=int(time.size),
        span=(float(time[0]), float(time[-1])) if time.size else None,
        worst_residual=residual,
        worst_residual_at=residual_at,
        residual_unit=str(own["closure.residual"].attrs["units"]) if "closure.residual" in own else "",
        smallest_quality=quality,
        smallest_quality_at=quality_at,
        iterations=None if steps is None else int(steps.sum()),
        most_iterations=None if steps is None else int(steps.max()),
        mobility=tuple(np.unique(own["closure.mobility"].values).tolist()) if "closure.mobility" in own else (),
        warnings=tuple(data.attrs["warnings"]),
        forces=force_evidence_of(data),
        simulation=simulation_evidence_of(data),
        integration=integration_evidence_of(data),
    )


def _extreme(data: Arrays, name: str, where: Any) -> tuple[float | None, float | None]:
    """The extreme value and its time. NaN is the most extreme of all: argmax and argmin find it first."""
    own = data.variables
    if name not in own or not data.sizes["time"]:
        return None, None
    values = own[name].values
    at = int(where(values))
    return float(values[at]), float(own["time"].values[at])

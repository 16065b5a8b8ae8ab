"""Results: what every motion and simulation returns.

`result`          `Result`: labelled numbers on any axes; `result_layout`, `result_selection`, `result_table` of these
`result_build`    a result from plain arrays
`run`             `Run`: a result over time: signals by name, samples, evidence
`build`           `build_run`: a run from plain arrays
`extend`          `extended`: a run with more signals
`layout`          the dataset's variables, dimensions, units and attributes
`names`           what a name stands for
`open_components` reactions that statics leaves open
`items`           joints, places and loads; `signals` one signal
`samples`         one sample, by number or by time
`evidence`        how far a run can be trusted; `force_evidence` what it takes; `simulation_evidence`,
            `integration_evidence` what only rates determine; `happenings` events as data
`simulation` the run of a simulation, whose arrays are there at once; `simulations` many of them; `request` what was
            asked
`plots`  time histories and paths
`store`  NetCDF and CSV files; `table` the CSV text
`report` summary, plain data, HTML; `evidence_words` the evidence in words

xarray, pandas and matplotlib are imported when they are first needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwork.results.build import ClosureHistory, PlaceHistory, VariableHistory, build_run
    from linkwork.results.evidence import Evidence
    from linkwork.results.extend import extended
    from linkwork.results.force_evidence import ForceEvidence, Peak
    from linkwork.results.happenings import Happening
    from linkwork.results.integration_evidence import IntegrationEvidence
    from linkwork.results.items import GroupItem, JointItem, PlaceItem, StateItem
    from linkwork.results.plots import Panels
    from linkwork.results.result import Result
    from linkwork.results.result_build import build_result
    from linkwork.results.run import Run
    from linkwork.results.signals import Signal
    from linkwork.results.simulation import Outcome, Simulation
    from linkwork.results.simulation_evidence import SimulationEvidence
    from linkwork.results.simulations import Outcomes, Simulations
    from linkwork.results.store import load_result, load_run

__all__ = [
    "ClosureHistory",
    "Evidence",
    "ForceEvidence",
    "GroupItem",
    "Happening",
    "IntegrationEvidence",
    "JointItem",
    "Outcome",
    "Outcomes",
    "Panels",
    "Peak",
    "PlaceHistory",
    "PlaceItem",
    "Result",
    "Run",
    "Signal",
    "Simulation",
    "SimulationEvidence",
    "Simulations",
    "StateItem",
    "VariableHistory",
    "build_result",
    "build_run",
    "extended",
    "load_result",
    "load_run",
]

_HOME = {
    "ClosureHistory": "build",
    "Evidence": "evidence",
    "ForceEvidence": "force_evidence",
    "GroupItem": "items",
    "Happening": "happenings",
    "IntegrationEvidence": "integration_evidence",
    "JointItem": "items",
    "Outcome": "simulation",
    "Outcomes": "simulations",
    "Panels": "plots",
    "Peak": "force_evidence",
    "PlaceHistory": "build",
    "PlaceItem": "items",
    "Result": "result",
    "Run": "run",
    "Signal": "signals",
    "Simulation": "simulation",
    "SimulationEvidence": "simulation_evidence",
    "Simulations": "simulations",
    "StateItem": "items",
    "VariableHistory": "build",
    "build_result": "result_build",
    "build_run": "build",
    "extended": "extend",
    "load_result": "store",
    "load_run": "store",
}
"""Modules by what they hold: they are imported when it is asked for."""


def __getattr__(name: str) -> Any:
    if name in _HOME:
        found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        return found
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

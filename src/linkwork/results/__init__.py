"""Results: what every motion and simulation returns.

`run`       `Run`: signals by name, samples, evidence
`build`     `build_run`: a run from plain arrays
`layout`    the dataset's variables, dimensions, units and attributes
`names`     what a name stands for
`items`     joints and places; `signals` one signal
`samples`   one sample, by number or by time
`evidence`  how far a run can be trusted
`plots`     time histories and paths
`store`     NetCDF and CSV files; `table` the CSV text
`report`    summary, plain data, HTML

xarray, pandas and matplotlib are imported when they are first needed.
"""

from linkwork.results.build import ClosureHistory, PlaceHistory, VariableHistory, build_run
from linkwork.results.evidence import Evidence
from linkwork.results.items import JointItem, PlaceItem
from linkwork.results.plots import Panels
from linkwork.results.run import Run
from linkwork.results.signals import Signal
from linkwork.results.store import load_run

__all__ = [
    "ClosureHistory",
    "Evidence",
    "JointItem",
    "Panels",
    "PlaceHistory",
    "PlaceItem",
    "Run",
    "Signal",
    "VariableHistory",
    "build_run",
    "load_run",
]

"""The sections of a report in their order. A new analysis adds a file here and an entry to `SECTIONS`."""

from linkwork.views.report.section import Section
from linkwork.views.report.sections.drawings import drawings
from linkwork.views.report.sections.evidence import evidence
from linkwork.views.report.sections.forces import forces
from linkwork.views.report.sections.mobility import mobility
from linkwork.views.report.sections.model import model
from linkwork.views.report.sections.motion import motion
from linkwork.views.report.sections.origin import making
from linkwork.views.report.sections.paths import paths
from linkwork.views.report.sections.summary import summary
from linkwork.views.report.sections.vibration import vibration

SECTIONS = (
    Section("summary", "Summary", summary),
    Section("motion", "Motion", motion),
    Section("forces", "Forces", forces),
    Section("paths", "Paths", paths),
    Section("evidence", "Evidence", evidence),
    Section("mobility", "What it can do", mobility),
    Section("vibration", "Rest and vibration", vibration),
    Section("drawings", "Drawings", drawings),
    Section("model", "Model", model),
    Section("making", "How this page was made", making),
)

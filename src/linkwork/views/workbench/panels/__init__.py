"""The tabs of the workbench, in their order. An analysis adds its own by one file and one line here."""

from linkwork.views.workbench.panels.base import Panel
from linkwork.views.workbench.panels.let_go import LetGoPanel
from linkwork.views.workbench.panels.looks import LooksPanel
from linkwork.views.workbench.panels.model import ModelPanel
from linkwork.views.workbench.panels.motion import MotionPanel
from linkwork.views.workbench.panels.move import MovePanel
from linkwork.views.workbench.panels.questions import AskPanel
from linkwork.views.workbench.panels.vibration import VibrationPanel

PANELS: tuple[type[Panel], ...] = (
    MovePanel,
    MotionPanel,
    LetGoPanel,
    VibrationPanel,
    AskPanel,
    ModelPanel,
    LooksPanel,
)

__all__ = ["PANELS", "Panel"]

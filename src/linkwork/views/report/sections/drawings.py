"""The layout as a line drawing, and who joins whom."""

from __future__ import annotations

from linkwork.views.draw import draw_layout
from linkwork.views.graph import draw_graph
from linkwork.views.report.drawings import inline_svg
from linkwork.views.report.markup import tag, text
from linkwork.views.report.section import Content
from linkwork.views.report.subject import Subject


def drawings(subject: Subject) -> Content:
    """Layout and topology."""
    m, graph = subject.mechanism, subject.machine.topology
    kinds = {name: joint.law.kind for name, joint in m.joints.items()}
    layout = inline_svg(draw_layout(m), "layout", f"Layout of {m.name}")
    topology = inline_svg(draw_graph(graph, kinds), "topology", f"Bodies and joints of {m.name}")
    both = _framed(layout, "Layout posture") + _framed(topology, "Topology: who joins whom")
    return Content((tag("div", both, class_="drawings"),))


def _framed(svg: str, caption: str) -> str:
    return tag("figure", f"{svg}{tag('figcaption', text(caption))}", class_="drawing")

"""Where the machine rests, and how it swings about that posture."""

from __future__ import annotations

from linkwork.analyses.linear.linearization import Linearization
from linkwork.errors import LinkworkError, Problem
from linkwork.views.report.markup import paragraph, table
from linkwork.views.report.section import Block, Content
from linkwork.views.report.subject import Subject
from linkwork.views.vibration_tables import mode_table, rest_table


def vibration(subject: Subject) -> Content | None:
    """The posture of rest with its verdict, the modes, the response at a joint; nothing where nothing acts or moves."""
    machine, m = subject.machine, subject.mechanism
    if not machine.home.mobility or not (m.loads or m.states or any(m.gravity)):
        return None
    try:
        rest = machine.equilibrium()
    except LinkworkError as error:
        return Content((paragraph(f"No posture of rest: {error.problems[0].what}."),))
    reason = f": {rest.reason}" if rest.reason else ""
    blocks: list[Block] = [
        paragraph(f"The machine rests; the posture is {rest.verdict}{reason}."),
        table(rest_table(rest, subject.dimensions, subject.units)),
    ]
    told = [*rest.warnings]
    try:
        linear = machine.linearize(rest)
        modes = linear.modes() if linear.coordinates or linear.states else None
        if modes is not None:
            blocks.append(table(mode_table(modes)))
            told += [w for w in linear.warnings if w not in told]
    except LinkworkError as error:
        blocks.append(paragraph(f"No modes: {error.problems[0].what}."))
    else:
        blocks += _answer(linear)
    warnings = [Problem(text, "posture of rest", severity="warning") for text in told]
    return Content(tuple(blocks), tuple(warnings))


def _answer(linear: Linearization) -> list[Block]:
    """How the first free joint answers a force along itself, where anything swings."""
    if not linear.coordinates or not any(mode.frequency for mode in linear.modes()):
        return []
    own = linear.coordinates[0]
    found = linear.bode(f"{own}.effort", own)
    return [found.description(), paragraph(f"How {own} answers a force or torque along itself.", "caption")]

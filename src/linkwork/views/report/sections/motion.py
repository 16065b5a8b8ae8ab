"""What it does: the machine in three dimensions, and every variable over time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.errors import Problem
from linkwork.geometry import Array
from linkwork.results import Run
from linkwork.results.plots import Series, describe_over
from linkwork.units import TIME, format_quantity
from linkwork.views.layers import OF_FORCES, has_forces, layers_of
from linkwork.views.placed_layout import layout_at
from linkwork.views.ranges import joint_ranges
from linkwork.views.record import MOST_FRAMES, animation_page
from linkwork.views.report.markup import facts, paragraph, table
from linkwork.views.report.section import Block, Content, Movie
from linkwork.views.report.subject import Subject
from linkwork.views.scene import Scene, scene_of
from linkwork.views.tables import range_table
from linkwork.views.tracks import Tracks, slowing, tracks_of

MOST_LINES = 7
"""Variables in one figure: as many as there are colours."""
STILL = 1e-9


def motion(subject: Subject) -> Content:
    """The movie, variables, rates and accelerations, and their ranges; a still picture of a machine that stays."""
    scene = scene_of(subject.mechanism, layout_at(subject.machine))
    notes = tuple(Problem(note, "3-D view", severity="note") for note in scene.notes)
    run = subject.run
    if run is None or not len(run):
        why = subject.why_still or (run.message if run is not None else "")
        still = Movie(animation_page(scene, theme=subject.theme))
        reason = Problem(why, "motion", severity="warning")
        return Content((paragraph(why), still), (reason, *notes, *_of_run(run)))
    tracks = tracks_of(run, scene.bodies).at_most(MOST_FRAMES)
    movie = _movie(subject, run, scene, tracks)
    plots = _plots(subject, run)
    warnings = (*notes, *_of_run(run), *_gaps(tracks))
    ranges = table(range_table(joint_ranges(run), subject.units))
    blocks: tuple[Block, ...] = (facts(_drives(subject, run), "facts wide"), *movie, *plots, ranges)
    return Content(blocks, warnings)


def _drives(subject: Subject, run: Run) -> list[tuple[str, str]]:
    """What is driven how, what is held, how long and how finely."""
    found, units = run.evidence, subject.units
    laws = run.driven
    driven = [(f"driven: {n}", subject.told.get(n, f"{law} [{run.signal(n).unit}]")) for n, law in laws.items()]
    held = run.held
    samples = f"{found.reached}" if found.complete else f"{found.reached} of {found.asked}, then it stopped"
    pairs = [*driven, ("samples", samples)]
    if held:
        pairs.insert(len(driven), ("held", ", ".join(held)))
    if found.span is not None:
        begin, end = (format_quantity(t, TIME, units) for t in found.span)
        pairs.append(("time", f"{begin} to {end}"))
    return pairs


def _movie(subject: Subject, run: Run, scene: Scene, tracks: Tracks) -> tuple[Block, ...]:
    rate = slowing(float(tracks.times[-1] - tracks.times[0])) if len(tracks) else 1.0
    layers = layers_of(subject.machine, run, ("traces", *(OF_FORCES if has_forces(run) else ())))
    page = animation_page(scene, tracks, theme=subject.theme, layers=layers, rate=rate)
    start = float(tracks.times[0]) if len(tracks) else 0.0
    movie = Movie(page, start, rate, subject.units.factor(TIME))
    arrows = [paragraph(f"Arrows of {y.title}: {y.legend}.", "caption") for y in layers if y.segments]
    return (movie, paragraph(_speed(rate), "caption"), *arrows)


def _speed(rate: float) -> str:
    hint = "The space bar stops and starts it; a click into a plot goes to that time."
    if abs(rate - 1.0) < 1e-9:
        return f"Played in real time. {hint}"
    word, times = ("slower", rate) if rate > 1.0 else ("faster", 1.0 / rate)
    return f"Played {times:.3g} times {word} than real time. {hint}"


def _plots(subject: Subject, run: Run) -> tuple[Block, ...]:
    """Variables, rates and accelerations; driven and independent ones first."""
    driven = [n for n in run.driven if n in run]
    joints, speeds = run.arrays.attrs["joints"], run.arrays.attrs["speeds"]
    variables = [f"{joint}.{v}" for joint, own in joints.items() for v in own]
    order = [*driven, *(n for n in subject.machine.home.independent if n in variables), *variables]
    rates = [f"{n}.rate" for n in dict.fromkeys(order)] + [f"{j}.{s}" for j, own in speeds.items() for s in own]
    accelerations = [f"{n.removesuffix('.rate')}.acceleration" for n in rates]
    blocks: list[Block] = []
    for title, names in (("Variables", order), ("Rates", rates), ("Accelerations", accelerations)):
        known = list(dict.fromkeys(n for n in names if n in run))
        alive = [n for n in known if _alive(run.signal(n).values, title == "Variables")]
        if alive:
            blocks += _plot(run, alive, title, subject)
        elif known:
            blocks.append(paragraph(f"{title}: nothing but {'constants' if title == 'Variables' else 'zeros'}."))
    return tuple(blocks)


def _plot(run: Run, names: list[str], title: str, subject: Subject) -> list[Block]:
    """Signals over time, the first ones of each unit; the others are told."""
    whole = describe_over([Series([run.signal(n) for n in names], run.signal("time"))], units=subject.units)
    panels = tuple(replace(panel, lines=panel.lines[:MOST_LINES]) for panel in whole.panels)
    blocks: list[Block] = [replace(whole, panels=panels, title=title)]
    for panel in whole.panels:
        if (left := len(panel.lines) - MOST_LINES) > 0:
            kind = f"{panel.y.kind}: " if len(whole.panels) > 1 else ""
            text = f"{kind}the first {MOST_LINES} of {len(panel.lines)}; the table below has the other {left}."
            blocks.append(paragraph(text[0].upper() + text[1:], "caption"))
    return blocks


def _alive(values: Array, by_change: bool) -> bool:
    """Whether there is something to see; what is not finite counts, so that its gap is seen."""
    if not np.isfinite(values).all():
        return True
    size = float(np.abs(values).max())
    return float(np.ptp(values)) > STILL * max(1.0, size) if by_change else size > STILL


def _of_run(run: Run | None) -> tuple[Problem, ...]:
    if run is None:
        return ()
    found = [Problem(text, "motion", severity="warning") for text in run.warnings]
    if not run.evidence.complete:
        reached = f"it stopped after {run.evidence.reached} of {run.evidence.asked} samples"
        found.insert(0, Problem(f"{reached}: {run.message}", "motion", severity="warning"))
    return tuple(found)


def _gaps(tracks: Tracks) -> tuple[Problem, ...]:
    if not tracks.gaps:
        return ()
    what = f"{tracks.gaps} samples are not finite and are not in the 3-D view"
    return (Problem(what, "3-D view", severity="warning"),)

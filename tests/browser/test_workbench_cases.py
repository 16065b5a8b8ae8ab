"""Named dimensions and cases of a model on the workbench; events and drives of a machine that is let go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from visitor import Visit

import linkwork as lw
from linkwork.units import deg, mm
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.server import Workbench

pytest.importorskip("viser")


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Visit]:
    """One page for all."""
    bench = Workbench(Opened.of(lw.example("toggle-press")), port=8690)
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    context.set_default_timeout(60_000)
    yield Visit(context.new_page(), bench)
    context.close()
    bench.stop()


def far_end(page: Visit, body: str, joint: str) -> np.ndarray:
    """Where a joint of a body is on the stage [m]: from the part that is drawn there."""
    node = page.desk.stage.bodies[body]
    part = next(p for p in page.desk.stage.scene.parts if p.of == joint and p.body == body)
    X = lw.geometry.rotations.from_quaternion(np.array(node.wxyz))
    return np.asarray(X) @ part.mesh.vertices.mean(axis=0) + np.array(node.position) / page.desk.stage.unit


def test_dimensions_by_name(page: Visit) -> None:
    page.tab("Model")
    own = page.panel("Model")
    assert list(own.dimension_fields) == ["crank", "tilt", "knee", "link", "lean", "blank"]
    crank, lean = own.dimension_fields["crank"], own.dimension_fields["lean"]
    assert page.input(crank).input_value() == "30 mm"
    assert page.input(lean).input_value() == "15 deg"
    page.tab("Motion")
    law = page.panel("Motion").laws["shaft.angle"]
    page.input(law).fill("0:90deg in 1s")
    page.tab("Model")
    page.fill(crank, "3.25 cm")
    machine = page.desk.bench.machine
    assert machine is not None
    wanted = lw.example("toggle-press").resized(crank=0.0325).assemble()
    assert machine.dimensions == pytest.approx(wanted.dimensions, rel=1e-14)
    assert machine.parameters == pytest.approx(wanted.parameters, rel=1e-12, abs=1e-15)
    assert np.linalg.norm(far_end(page, "crank", "A")[:2]) == pytest.approx(0.0325, rel=1e-9)  # as it is drawn
    assert law.value == "0:90deg in 1s"  # what was written elsewhere stays
    # A slider: half of it to twice, by the arrow keys of the visitor.
    slider = page.page.locator("[role=slider]:visible").first
    assert slider.get_attribute("aria-valuemin") == "15"
    assert slider.get_attribute("aria-valuemax") == "60"
    slider.focus()
    slider.press("ArrowRight")
    page.wait(lambda: page.desk.bench.machine is not machine)
    assert page.desk.live.idle(120.0)
    page.wait(lambda: page.input(crank).input_value() != "3.25 cm")
    shown = float(page.input(crank).input_value().removesuffix(" mm"))
    assert shown == pytest.approx(float(slider.get_attribute("aria-valuenow") or 0), abs=1e-9)
    assert shown > 32.5
    assert page.desk.bench.machine.dimensions["crank"] == pytest.approx(shown * mm, rel=1e-14)  # type: ignore[union-attr]
    # What cannot be is told at the field, and the machine stays.
    before = page.desk.bench.machine
    for text, told in (("2,4", "comma"), ("3 kg", "a mass"), ("", "empty")):
        page.fill(crank, text)
        assert told in crank.message.content
        assert page.input(crank).input_value() == text
    assert page.desk.bench.machine is before
    page.fill(crank, "30")
    page.fill(lean, "0.25 rad")
    assert page.desk.bench.machine.dimensions["lean"] == 0.25  # type: ignore[union-attr]
    page.fill(lean, "15")
    assert page.desk.bench.machine.dimensions == pytest.approx(lw.example("toggle-press").assemble().dimensions)  # type: ignore[union-attr]
    assert page.complaints == []


def run_case(page: Visit, name: str) -> Any:
    """One click; what came out, once it is shown."""
    before = page.desk.bench.run
    page.panel("Let go").case.value = name
    page.button("Run the case").click()
    page.wait(lambda: page.desk.bench.run is not before and page.desk.jobs.idle(0.0))
    assert page.desk.live.idle(60.0)
    return page.desk.bench.run


def test_cases_of_the_model(page: Visit) -> None:
    page.tab("Let go")
    own = page.panel("Let go")
    assert own.case.options == ("press", "idle", "heavy", "drop")
    page.page.get_by_text("a stroke under load", exact=True).wait_for()
    machine = lw.example("toggle-press").assemble()
    for name in ("press", "heavy", "drop"):
        run = run_case(page, name)
        case = machine.case(name)
        wanted = case.simulate() if name == "drop" else case.motion()
        assert run.status == wanted.status
        assert np.abs(run["slide.slide"].values - wanted["slide.slide"].values).max() < 1e-12
        # It is drawn as long as it is in the case: the crank of 'heavy' has 36 mm.
        radius = 36 * mm if name == "heavy" else 30 * mm
        page.desk.player.seek(len(run) // 3)
        assert np.linalg.norm(far_end(page, "crank", "A")[:2]) == pytest.approx(radius, rel=1e-9)
    # By hand it is the machine on the bench again, and the run can still be played.
    run_case(page, "heavy")
    page.tab("Move")
    page.fill(page.panel("Move").fields["shaft.angle"], "20")
    assert np.linalg.norm(far_end(page, "crank", "A")[:2]) == pytest.approx(30 * mm, rel=1e-9)
    assert page.desk.bench.posture["shaft"] == pytest.approx(20 * deg, abs=1e-12)  # type: ignore[index]
    page.button("Play").click()
    page.button("Pause").wait_for()
    page.wait(lambda: np.linalg.norm(far_end(page, "crank", "A")[:2]) == pytest.approx(36 * mm, rel=1e-9))
    page.button("Pause").click()
    page.button("Play").wait_for()
    assert page.desk.live.idle(120.0)
    assert page.desk.bench.posture.residual < 1e-12  # type: ignore[union-attr]
    assert page.complaints == []


def test_events_and_drives(page: Visit) -> None:
    page.tab("Move")
    page.button("Home").click()
    page.wait(lambda: abs(page.desk.bench.posture["shaft"]) < 1e-12)  # type: ignore[index]
    page.tab("Let go")
    own = page.panel("Let go")
    for title in ("Drives", "Events"):
        page.page.get_by_text(title, exact=True).click()
    page.fill(own.drives["shaft.angle"], "0:90 in 0.5s")
    page.fill(own.until, "0.5")
    when = own.happenings["when"]
    page.fill(when, "tool.y > -100 mm: stop\nA: lok B")
    told = page.page.locator(".lw-field-error:visible").first
    told.wait_for()
    assert "did you mean 'lock'" in told.inner_text()
    page.button("Run to the end").click()
    page.page.locator(".lw-failure").first.wait_for()
    page.fill(when, "tool.y > -100 mm: stop\n")
    assert when.message.content == ""
    before = page.desk.bench.run
    page.button("Run to the end").click()
    page.wait(lambda: page.desk.bench.run is not before and page.desk.jobs.idle(0.0))
    run = page.desk.bench.run
    wanted = (
        lw.example("toggle-press")
        .assemble()
        .simulate(
            0.5, drives={"shaft": lw.ramp(0.0, 90 * deg, duration=0.5)}, events=lw.when("tool.y > -100 mm", stop=True)
        )
    )
    assert run is not None
    assert float(run.time[-1]) == pytest.approx(float(wanted.time[-1]), abs=1e-9)
    assert float(run.time[-1]) < 0.5
    assert np.abs(run["tool.y"].values - wanted["tool.y"].values).max() < 1e-9
    assert len(run.events) == len(wanted.events) == 1
    # A law is followed by the clock, which a hand could stop: plainly told.
    page.button("Let go").click()
    page.page.get_by_text("the drive of shaft.angle depends on the time", exact=False).wait_for()
    assert page.complaints == []

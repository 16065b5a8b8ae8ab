"""The workbench in a real browser: what a visitor does, and what comes of it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from visitor import Visit

import linkwork as lw
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.server import Workbench

pytest.importorskip("viser")

ROCKER = """linkwork: 1
name: rocker
units: {length: mm, angle: deg}
bodies: {a: , b: , c: }
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [a, b], at: [100, 0, 0], axis: z}
  C: {revolute: [b, c], at: [105, 39.68626966596886, 0], axis: z}
  D: {revolute: [ground, c], at: [150, 0, 0], axis: z}
"""


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Visit]]:
    """Open the workbench for a model and visit it; again for another visitor of the same one."""
    benches: dict[str, Workbench] = {}
    contexts = []

    def opened(model: str, width: int = 1280, text: str = "") -> Visit:
        if model not in benches:
            m = lw.loads(text) if text else lw.example(model)
            benches[model] = Workbench(Opened.of(m), port=8600)
        context = browser.new_context(viewport={"width": width, "height": 800})
        context.set_default_timeout(60_000)
        contexts.append(context)
        return Visit(context.new_page(), benches[model])

    yield opened
    for context in contexts:
        context.close()
    for bench in benches.values():
        bench.stop()


def middle_of(posture: Any, machine: Any, body: str) -> np.ndarray:
    """The middle between the two joints of a bar."""
    X = posture.pose(body)
    joints = [j for j in machine.mechanism.joints.values() if body in (j.tail, j.head)]
    seats = [machine.layout.seats[j.name] for j in joints]
    places = [s.X_TF if j.tail == body else s.X_HM for j, s in zip(joints, seats, strict=True)]
    return X[:3, :3] @ np.mean([p[:3, 3] for p in places], axis=0) + X[:3, 3]


def test_a_slider_closes_the_loops_on_the_screen(visit: Callable[..., Visit]) -> None:
    page = visit("four-bar")
    page.desk.stage.show_names(False)
    machine = lw.example("four-bar").assemble()
    green = np.array([0x00, 0x9E, 0x73])  # third colour of the palette: the rocker is the third body declared
    for angle in (40.0, 100.0, 160.0):
        page.type(f"{angle:g}")
        assert page.desk.bench.posture is not None
        assert page.desk.bench.posture["O2"] == pytest.approx(math.radians(angle), abs=1e-12)
        posture = machine.at(O2=math.radians(angle))
        assert np.abs(page.desk.bench.posture.y - posture.y).max() < 1e-10
        picture = page.picture()
        colour = page.colour_at(middle_of(posture, machine, "rocker"), picture)
        assert int(np.argmax(colour)) == int(np.argmax(green)), (angle, colour)
        assert colour[1] - colour[0] > 40, (angle, colour)
    assert page.complaints == []


def test_a_limit_turns_the_slider_red_and_says_why(visit: Callable[..., Visit]) -> None:
    page = visit("rocker", text=ROCKER)
    assert page.page.locator(".lw-warning").count() == 0
    page.type("120")
    alert = page.page.locator(".lw-warning")
    alert.wait_for()
    assert "D.angle cannot go beyond 110.241 deg" in alert.inner_text()
    bar = page.page.locator(".mantine-Slider-bar").first
    assert bar.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(198, 40, 40)"
    page.type("10")
    page.wait(lambda: alert.count() == 0)
    assert bar.evaluate("e => getComputedStyle(e).backgroundColor") != "rgb(198, 40, 40)"
    assert page.desk.bench.posture["D"] == pytest.approx(math.radians(10.0), abs=1e-12)  # type: ignore[index]
    assert page.complaints == []


def test_a_run_finishes_with_its_plot_and_plays(visit: Callable[..., Visit]) -> None:
    page = visit("slider-crank")
    page.tab("Motion")
    page.page.get_by_role("button", name="Run", exact=True).click()
    play = page.page.get_by_role("button", name="Play", exact=True)
    play.wait_for()
    page.wait(lambda: page.page.locator(".uplot").count() >= 2)
    run = page.desk.bench.run
    assert run is not None
    assert len(run) == 361
    assert run.status == "complete"
    page.wait(lambda: page.desk.live.idle(0.1))
    page.page.wait_for_timeout(1200)  # the camera looks twice once the plots have their room
    first = page.picture()
    play.click()
    page.wait(lambda: page.desk.player.sample > 60)
    page.page.get_by_role("button", name="Pause", exact=True).click()
    page.wait(lambda: not page.desk.player.playing)
    play.wait_for()
    assert page.desk.live.idle(60.0)
    sample = page.desk.player.sample
    later = page.picture()
    assert np.abs(later - first).max(axis=2).mean() > 1.0  # the picture has changed
    X = run["crank"].position.values[sample]
    assert np.abs(np.array(page.desk.stage.bodies["crank"].position) / page.desk.stage.unit - X).max() < 1e-12
    clock = page.input(page.desk.bar.now)
    page.wait(lambda: abs(float(clock.input_value().removesuffix(" s")) - float(run.time[sample])) < 0.002)
    # What is seen is where the machine stands.
    assert page.desk.live.idle(60.0)
    assert page.desk.bench.posture["A"] == pytest.approx(float(run["A.angle"].values[sample]), abs=1e-9)  # type: ignore[index]
    # Other colours, back home, and the play bar still plays.
    page.desk.set_theme(True)
    assert page.desk.live.idle(60.0)
    page.tab("Move")
    page.page.get_by_role("button", name="Home", exact=True).click()
    page.tab("Motion")
    page.page.get_by_role("button", name="Play", exact=True).click()
    before = page.desk.player.sample
    page.wait(lambda: page.desk.player.sample != before)
    page.desk.player.pause()
    assert page.complaints == []


def test_nonsense_is_told_by_line_and_the_scene_stays(visit: Callable[..., Visit]) -> None:
    page = visit("rocker", text=ROCKER)
    page.tab("Model")
    area = page.page.locator("textarea").first
    text = area.input_value()
    before = page.picture()
    line = 1 + text[: text.index("revolute")].count("\n")
    area.fill(text.replace("revolute", "revolut", 1))
    problems = page.page.locator(".lw-problems")
    problems.wait_for()
    assert re.search(rf"line {line}, joints\.A: .*did you mean 'revolute'", problems.inner_text())
    assert np.abs(page.picture() - before).mean() < 0.5
    assert page.desk.bench.mechanism.name == "rocker"
    area.fill(text.replace("name: rocker", "name: mended"))
    page.wait(lambda: page.desk.bench.mechanism.name == "mended" and problems.count() == 0)
    assert area.input_value().count("name: mended") == 1  # the text is still the visitor's
    assert page.complaints == []


def test_two_visitors_have_a_state_each_and_one_may_leave(visit: Callable[..., Visit]) -> None:
    one, two = visit("four-bar"), visit("four-bar")
    one.type("100")
    two.type("20")
    assert one.desk.bench.posture["O2"] == pytest.approx(math.radians(100.0), abs=1e-12)  # type: ignore[index]
    assert two.desk.bench.posture["O2"] == pytest.approx(math.radians(20.0), abs=1e-12)  # type: ignore[index]
    one.page.close()
    two.wait(lambda: len(two.workbench.desks) == 1)
    two.type("30")
    assert two.desk.bench.posture["O2"] == pytest.approx(math.radians(30.0), abs=1e-12)  # type: ignore[index]
    assert two.complaints == []


def test_a_visitor_who_was_cut_off_finds_everything_as_it_was(visit: Callable[..., Visit]) -> None:
    page = visit("four-bar")
    page.type("100")
    page.page.reload()
    page.page.get_by_role("button", name="Home", exact=True).wait_for()
    page.wait(lambda: len(page.workbench.desks) == 1 and page.desk not in page.workbench.desks.values())
    (page.desk,) = page.workbench.desks.values()
    assert page.desk.live.idle(60.0)
    assert page.desk.bench.posture["O2"] == pytest.approx(math.radians(100.0), abs=1e-12)  # type: ignore[index]
    assert float(page.field().input_value().removesuffix(" deg")) == pytest.approx(100.0, abs=1e-9)
    page.type("60")
    assert page.desk.bench.posture["O2"] == pytest.approx(math.radians(60.0), abs=1e-12)  # type: ignore[index]


def test_a_pulled_point_is_followed(visit: Callable[..., Visit]) -> None:
    page = visit("scara")
    page.desk.panels[0].pulled.value = "tip"  # type: ignore[attr-defined]
    page.wait(lambda: page.desk.panels[0].gizmo is not None)  # type: ignore[attr-defined]
    before = page.desk.bench.posture.position("tip")  # type: ignore[union-attr]
    picture = page.picture()
    box = page.page.locator("canvas").first.bounding_box()

    def on_screen(along_x: float) -> tuple[float, float]:
        """Pixel of a place beside the point, so many of the machine's sizes along x."""
        row, column = page.pixel_of(before + along_x / page.desk.stage.unit * np.eye(3)[0], picture)
        return box["x"] + column, box["y"] + row

    page.page.mouse.move(*on_screen(0.15))  # on the handle's arrow along x
    page.page.mouse.down()
    page.page.mouse.move(*on_screen(0.05), steps=8)
    page.page.mouse.up()
    page.wait(lambda: page.desk.bench.posture.position("tip")[0] < before[0] - 1e-3)  # type: ignore[union-attr]
    page.wait(lambda: page.desk.live.idle(1.0))
    after = page.desk.bench.posture.position("tip")  # type: ignore[union-attr]
    assert np.abs(after - before)[1:].max() < 1e-6 * page.desk.stage.scene.size  # along x alone
    assert page.desk.bench.posture.residual < 1e-12  # type: ignore[union-attr]
    assert page.complaints == []


def test_the_page_works_on_a_narrow_screen(visit: Callable[..., Visit]) -> None:
    page = visit("four-bar", width=400)
    wide = page.page.evaluate("document.scrollingElement.scrollWidth")
    assert wide <= 400
    page.type("75")
    assert page.desk.bench.posture["O2"] == pytest.approx(math.radians(75.0), abs=1e-12)  # type: ignore[index]
    assert page.complaints == []

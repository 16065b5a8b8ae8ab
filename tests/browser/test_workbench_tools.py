"""The machine that is let go, the editor, the keys, the legends: as a visitor uses them, on one page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from visitor import Visit

import linkwork as lw
from linkwork.files.gallery import example_text
from linkwork.units import deg
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.server import Workbench

pytest.importorskip("viser")

PENDULUM = """linkwork: 1
name: pendulum
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2, 0]
bodies:
  arm: {mass: 2 kg, com: [250, 0, 0], inertia: [1000, 40000, 40000]}
joints:
  A: {revolute: [ground, arm], axis: z}
points:
  P: {on: arm, at: [500, 0, 0]}
"""


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Visit]:
    """One page for all."""
    bench = Workbench(Opened.of(lw.loads(PENDULUM)), port=8670)
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    context.set_default_timeout(60_000)
    yield Visit(context.new_page(), bench)
    context.close()
    bench.stop()


def test_a_pendulum_is_let_go_pulled_and_paused(page: Visit) -> None:
    own = page.panel("Let go")
    page.tab("Let go")
    page.button("Let go").click()
    page.button("Pause").wait_for()
    page.wait(lambda: own.going.live is not None and own.going.live.time > 0.3)
    # Nothing pulls: the energy stays.
    energies = np.array(own.going.live.energies)
    assert np.ptp(energies[:, 1] + energies[:, 2]) < 1e-5 * np.ptp(energies[:, 1])
    # The mouse takes it and pulls it upward: its energy grows.
    page.wait(lambda: page.page.locator(".uplot:visible").count() == 1)
    page.button("Pause").click()
    page.button("Go on").wait_for()
    assert page.desk.live.idle(120.0)
    before = page.picture()
    box = page.page.locator("canvas").first.bounding_box()
    X = page.desk.bench.machine.poses(page.desk.bench.posture.q)[0]  # type: ignore[union-attr]
    row, column = page.pixel_of(X[:3, :3] @ [0.25, 0, 0] + X[:3, 3], before)
    own.going.speed = 1e-3  # so slow that the mouse meets it
    page.button("Go on").click()
    page.wait(lambda: own.going.live.going)
    page.page.mouse.move(box["x"] + column, box["y"] + row)
    page.page.wait_for_timeout(500)
    page.drawn()  # the body under the mouse is known by then
    page.page.mouse.down()
    for k in range(1, 9):
        page.page.mouse.move(box["x"] + column + 8 * k, box["y"] + row - 15 * k)
        page.page.wait_for_timeout(60)
    page.wait(lambda: own.going.live.grip is not None and own.going.live.grip.mass > 0.0)
    grip = own.going.live.grip
    assert grip.body == "arm"
    # Across its radius r a force feels I / r², I about the pin: 0.04 + 2 · 0.25².
    r = float(np.linalg.norm(grip.place[:2]))
    assert grip.mass >= 0.99 * (0.04 + 2 * 0.25**2) / r**2
    own.going.live.speed = 0.5
    start = own.going.live.time
    page.wait(lambda: own.going.live.time > start + 0.3)
    page.page.mouse.up()
    page.wait(lambda: own.going.live.grip is None)
    total = np.array(own.going.live.energies)[:, 1:].sum(axis=1)
    assert abs(total[-1] - total[0]) > 0.01
    page.page.keyboard.press("Space")
    page.wait(lambda: not own.going.live.going)
    assert page.desk.live.idle(120.0)
    assert np.array_equal(page.desk.bench.posture.y, own.going.last.y)  # type: ignore[union-attr]
    assert page.complaints == []


def test_a_run_to_the_end_is_the_same_as_in_python(page: Visit) -> None:
    own = page.panel("Let go")
    page.tab("Move")
    page.button("Home").click()
    page.wait(lambda: abs(page.desk.bench.posture["A"]) < 1e-12)  # type: ignore[index]
    page.tab("Let go")
    page.page.get_by_text("Rates at the start", exact=True).click()
    page.page.get_by_text("Efforts", exact=True).click()
    page.fill(own.rates["A.angle"], "30 rpm")
    page.fill(own.efforts["A.angle"], "-0.2*rate(A")
    page.fill(own.until, "0.75")
    page.button("Run to the end").click()
    page.page.locator(".lw-failure").first.wait_for()
    assert "never closed" in own.efforts["A.angle"].message.content
    page.fill(own.efforts["A.angle"], "-0.2*rate(A)")
    own.wish.payloads["P"] = 1.5
    page.button("Run to the end").click()
    page.wait(lambda: page.desk.bench.run is not None and page.desk.overlay is not None)
    run = page.desk.bench.run
    heavy = PENDULUM.replace("points:", "  R: {rigid: [arm, load], at: [500, 0, 0]}\npoints:").replace(
        "joints:", "  load: {mass: 1.5 kg, com: [500, 0, 0]}\njoints:"
    )
    s = lw.loads(heavy).assemble()
    wanted = s.simulate(0.75, rates={"A": np.pi}, efforts={"A": "-0.2*rate(A)"})
    assert np.abs(run["A"].value - wanted["A"].value).max() < 1e-6  # type: ignore[index]
    # The plots tell the values at the mark, in the units of the page.
    legend = page.page.locator(".lw-legend:visible", has_text="A.angle").first
    legend.wait_for()

    # All of it is seen beside the plots, which take their room from the scene in several steps.
    def is_seen() -> bool:
        scene = page.page.locator("canvas").first.bounding_box()
        shape = np.zeros((int(scene["height"]), int(scene["width"])))
        ends = [page.pixel_of(np.array(end), shape) for end in ((-0.5, 0, 0), (0.5, 0, 0), (0, -0.5, 0))]
        return all(0 < row < shape.shape[0] and 0 < column < shape.shape[1] for row, column in ends)

    page.wait(lambda: page.desk.client.camera.image_width < 500)
    page.wait(is_seen, seconds=10.0)
    page.page.keyboard.press("Escape")
    page.input(page.desk.bar.now).fill("0.5")
    page.wait(lambda: page.desk.player.sample == 240)
    angle = float(run["A"].value[240]) / deg  # type: ignore[index]
    page.wait(lambda: f"{angle:.4g} deg" in legend.inner_text())
    assert "0.5 s" in legend.inner_text()


@pytest.mark.slow  # beside other pages on a busy machine the run before it is gone now and then
def test_keys_and_looks(page: Visit) -> None:
    canvas = page.page.locator("canvas").first
    camera = page.desk.client.camera

    def along_normal() -> bool:
        """Whether the camera is far away and looks along the normal of the plane: no perspective."""
        page.drawn()
        eye = np.array(camera.position) - np.array(camera.look_at)
        return bool(abs(eye[2]) / np.linalg.norm(eye) > 1 - 1e-6 and np.linalg.norm(eye) > 20)

    page.tab("Let go")
    page.button("Run to the end").click()
    page.wait(lambda: page.desk.player.tracks is not None and page.desk.bar.holder.visible)
    assert page.desk.live.idle(120.0)
    page.tab("Look")
    page.page.evaluate("document.activeElement.blur()")
    sample = page.desk.player.sample
    # A field that loses the focus tells its number once more, on a slow page after the key: then it is pressed again.
    end = time.monotonic() + 120.0
    while page.desk.player.sample != sample + 1 and time.monotonic() < end:
        page.page.keyboard.press("ArrowRight")
        page.comes(lambda: page.desk.player.sample == sample + 1, seconds=10.0)
    assert page.desk.player.sample == sample + 1
    assert along_normal()
    before = np.asarray(page.picture())
    page.page.keyboard.press("g")
    page.wait(lambda: page.desk.grid)
    page.wait(lambda: "a cell of the grid is 50 mm" in page.page.inner_text("body"))
    assert np.abs(page.picture() - before).max() > 15
    page.page.keyboard.press("a")
    page.wait(lambda: page.desk.axes)
    page.page.keyboard.press("Space")
    page.wait(lambda: page.desk.player.playing)
    page.page.wait_for_timeout(500)  # a second press at once counts as an echo
    page.page.keyboard.press("Space")
    page.wait(lambda: not page.desk.player.playing)
    assert canvas.bounding_box()["width"] > 300
    # No key of ours moves viser's camera, which has some of the same: however long a picture takes.
    for key in ("ArrowRight", "ArrowLeft", "d", "a", "d", "a"):
        page.page.keyboard.press(key)
        page.page.wait_for_timeout(100)
        assert along_normal()
    page.wait(lambda: page.desk.theme.name == "light" and page.desk.live.idle(0.0))
    assert along_normal()
    page.page.keyboard.press("p")
    page.wait(lambda: camera.fov > 0.5)
    page.page.keyboard.press("g")
    page.page.keyboard.press("a")
    page.wait(lambda: not page.desk.axes)


def test_the_editor(page: Visit) -> None:
    page.tab("Model")
    frame = page.page.frame_locator("iframe.lw-editor")
    area = frame.locator("textarea")
    page.wait(lambda: area.input_value().startswith("linkwork: 1"))
    text = area.input_value()
    assert frame.locator(".l").count() == text.count("\n") + 1
    # A mistake is marked at its line, told at the caret and in the list; undo takes it back.
    line = 1 + text[: text.index("revolute")].count("\n")
    area.fill(text.replace("revolute", "revolut", 1))
    frame.locator(".l.bad").wait_for()
    assert frame.locator(".l").nth(line - 1).get_attribute("class") == "l bad"
    assert f"line {line}, joints.A" in page.page.locator(".lw-problems").inner_text()
    frame.locator("#told").click()
    assert "did you mean 'revolute'" in frame.locator("#told").inner_text()
    frame.locator("#undo").click()
    page.wait(lambda: area.input_value() == text and frame.locator(".l.bad").count() == 0)
    # Keys of the place come from the schema, names from the text.
    area.evaluate("e => { const i = e.value.indexOf('points:') - 1; e.focus(); e.setSelectionRange(i, i); }")
    page.page.keyboard.press("Enter")  # as far in as the line above
    page.page.keyboard.type("S: {pris")
    assert frame.locator("#list li").all_inner_texts() == ["prismatic"]
    page.page.keyboard.press("Tab")
    page.page.keyboard.type("[ar")
    assert frame.locator("#list li").all_inner_texts() == ["arm"]
    page.page.keyboard.press("Enter")
    page.page.keyboard.type(", slide], at: [500, 0, 0], axis: x}")
    assert "\n  S: {prismatic: [arm, slide], at: [500, 0, 0], axis: x}\n" in area.input_value()
    problems = page.page.locator(".lw-problems")
    page.wait(lambda: problems.count() == 1 and "slide" in problems.inner_text())  # there is no body 'slide' yet
    area.evaluate("e => { const i = e.value.indexOf('joints:') - 1; e.focus(); e.setSelectionRange(i, i); }")
    page.page.keyboard.press("Enter")
    page.page.keyboard.type("slide: {mass: 0.25 kg}")
    page.wait(lambda: "slide" in page.desk.bench.mechanism.bodies and frame.locator(".l.bad").count() == 0)
    # Another machine from the gallery; undo brings this one back.
    own = page.input(page.panel("Model").template)
    own.click()
    page.page.get_by_role("option", name="four-bar", exact=True).click()
    page.wait(lambda: page.desk.bench.mechanism.name == "four-bar")
    page.wait(lambda: area.input_value() == example_text("four-bar"))
    frame.locator("#undo").click()
    page.wait(lambda: page.desk.bench.mechanism.name == "pendulum")
    # Saved as it stands there.
    with page.page.expect_download() as download:
        area.press("Control+s")
    assert Path(download.value.path()).read_text(encoding="utf-8") == area.input_value()
    assert page.complaints == []

"""Modes and frequency responses in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from visitor import Visit

import linkwork as lw
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.panels.vibration import VibrationPanel
from linkwork.views.workbench.server import Workbench

pytest.importorskip("viser")


@pytest.fixture
def page(browser: Any) -> Iterator[Visit]:
    bench = Workbench(Opened.of(lw.example("double-pendulum")), port=8650)
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(60_000)
    yield Visit(context.new_page(), bench)
    context.close()
    bench.stop()


def test_a_visitor_finds_rest_plays_a_mode_and_sees_the_response(page: Visit) -> None:
    page.tab("Vibration")
    page.page.get_by_role("button", name="Linearise", exact=True).click()
    play = page.page.get_by_role("button", name="Play mode", exact=True)
    play.wait_for()
    (panel,) = (p for p in page.desk.panels if isinstance(p, VibrationPanel))
    page.wait(lambda: page.page.locator(".uplot").count() >= 2)
    assert panel.modes is not None and panel.linear is not None
    machine = lw.example("double-pendulum").assemble()
    expected = machine.linearize(machine.equilibrium()).modes().frequencies
    assert panel.modes.frequencies == pytest.approx(expected, rel=1e-9)
    assert page.desk.bench.posture is not None
    assert abs(page.desk.bench.posture["B"]) < 1e-9  # the machine stands where it rests
    play.click()
    page.wait(lambda: page.desk.player.playing and page.desk.player.sample > 5)
    run = page.desk.bench.run
    assert run is not None and run.time[-1] == pytest.approx(1.0 / expected[0])
    page.desk.player.pause()
    before = panel.charts[0]
    panel.output.value = "B.angle"  # another output: the curves follow
    page.wait(lambda: bool(panel.charts) and panel.charts[0] is not before and len(panel.charts) == 3)
    drawn = np.asarray(panel.charts[0].data[1], float)
    f = np.asarray(panel.charts[0].data[0], float)
    own = panel.linear.bode(panel.source.value, "B.angle", f)
    assert np.abs(own["B.angle"].values) == pytest.approx(drawn, rel=1e-6)
    assert page.complaints == []

"""Every number field in a real browser: no digit is dropped, nothing typed is lost, what is wrong is told there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from visitor import Visit

import linkwork as lw
from linkwork.units import deg, kg, mm
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.server import Workbench

pytest.importorskip("viser")

CRANK = """linkwork: 1
name: crank
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2, 0]
bodies:
  crank: {mass: 0.8 kg, com: [25, 0, 0], inertia: [100, 400, 400]}
  slide: {mass: 0.7 kg, com: [50, 0, 0], inertia: [100, 400, 400]}
joints:
  A: {revolute: [ground, crank], axis: z}
  S: {prismatic: [crank, slide], at: [50, 0, 0], axis: x}
points:
  P: {on: slide, at: [60, 0, 0]}
"""
COMMA, EMPTY, NONSENSE = "2,4", "", "fast"


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Visit]:
    """One page for all."""
    bench = Workbench(Opened.of(lw.loads(CRANK)), port=8650)
    context = browser.new_context(viewport={"width": 800, "height": 1000})
    context.set_default_timeout(60_000)
    yield Visit(context.new_page(), bench)
    context.close()
    bench.stop()


@dataclass
class Typed:
    """A field with the unit of its bare numbers in SI, what an empty one means, and its bounds."""

    field: Any
    unit: float
    empty: float | None = None
    least: float = -np.inf
    most: float = np.inf
    whole: bool = False
    above: float = -np.inf


def type_into(page: Visit, fields: list[Typed], text: str) -> None:
    """The same text into all of them, and wait until they were read."""
    for own in fields:
        page.input(own.field).fill(text)
        # Of two fields within 50 ms the page would tell one only: no hand is so fast.
        page.wait(lambda field=own.field: field.text == text)  # type: ignore[misc]
    unread = lambda: [own.field.input.label for own in fields if own.field.settled != text]  # noqa: E731
    try:
        page.wait(lambda: not unread())
    except AssertionError:
        raise AssertionError(f"'{text}' was not read in {unread()}") from None
    assert page.desk.live.idle(120.0)


def check_all(page: Visit, fields: list[Typed]) -> None:
    """Numbers of all sorts: read to the last digit, or told at the field; what was typed stands there in any case."""
    for text, number in (("33.57", 33.57), ("-0.25", -0.25), ("1e-9", 1e-9), ("2.4e-1", 0.24), ("1e200", 1e200)):
        type_into(page, fields, text)
        for own in fields:
            value = number if own.whole else number * own.unit
            fits = own.least <= value <= own.most and value > own.above and (not own.whole or value == round(value))
            assert page.input(own.field).input_value() == text
            if fits:
                assert own.field.value() == pytest.approx(value, rel=1e-15), own.field.input.label
            else:
                assert own.field.message.visible and own.field.message.content, (text, own.field.input.label)
    for text, told in ((COMMA, ("comma", "whole")), (EMPTY, ("empty", "whole")), (NONSENSE, ("number", "whole"))):
        type_into(page, fields, text)
        for own in fields:
            assert page.input(own.field).input_value() == text
            if text == EMPTY and own.empty is not None:
                assert own.field.value() == own.empty
            else:
                assert any(word in own.field.message.content for word in told), (text, own.field.message.content)
    # It is seen beside the field, too: a red frame, and the words under it.
    box = page.input(fields[0].field)
    assert box.evaluate("e => getComputedStyle(e).borderColor") == "rgb(198, 40, 40)"
    assert "number" in page.page.locator(".lw-field-error:visible").first.inner_text()


def test_move(page: Visit) -> None:
    own = page.panel("Move")
    own.pulled.value = "P"
    page.wait(lambda: own.targets[0].visible)
    fields = [Typed(own.fields["A.angle"], deg), Typed(own.fields["S.slide"], mm)]
    check_all(page, fields)
    type_into(page, fields[:1], "33.57")
    type_into(page, fields[1:], "12.5 mm")
    posture = page.desk.bench.posture
    assert posture is not None
    assert posture["A"] == pytest.approx(33.57 * deg, abs=1e-14)
    assert posture["S"] == pytest.approx(12.5 * mm, abs=1e-15)
    type_into(page, fields[:1], "0.5 rad")
    assert page.desk.bench.posture["A"] == pytest.approx(0.5, abs=1e-14)  # type: ignore[index]
    type_into(page, fields[:1], "3 kg")
    assert "a mass; an angle is wanted" in fields[0].field.message.content
    # Where the point is, and where it shall be.
    targets = [Typed(f, mm) for f in own.targets[:2]]
    assert page.input(own.targets[0]).input_value() == f"{72.5 * np.cos(0.5):.7g} mm"
    type_into(page, targets[:1], "40.25")
    type_into(page, targets[1:], "3.125 cm")
    place = page.desk.bench.posture.position("P")  # type: ignore[union-attr]
    assert place == pytest.approx([40.25 * mm, 31.25 * mm, 0.0], abs=1e-12)
    type_into(page, targets[:1], COMMA)
    assert "comma" in targets[0].field.message.content
    assert page.desk.bench.posture.position("P") == pytest.approx(place, abs=1e-12)  # type: ignore[union-attr]
    own.targets[0].tell("")
    own.pulled.value = "nothing"


def test_numbers_of_the_model(page: Visit) -> None:
    """0.8 is shown as 0.8, 2.4 is 2.4."""
    page.tab("Model")
    page.page.get_by_text("Numbers", exact=True).click()
    own = page.panel("Model")
    for name, shown, typed, wanted in (
        ("crank.mass", "0.8 kg", "2.4", 2.4 * kg),
        ("crank.com.x", "25 mm", "33.57", 33.57 * mm),
        ("crank.inertia.zz", "400 kg mm^2", "123.456", 123.456e-6),
        ("gravity.y", "-9810 mm/s^2", "-1.62 m/s^2", -1.62),
    ):
        own.parameter.value = name
        page.wait(lambda n=name: own.value_box.visible and own.shown_number == n)  # type: ignore[misc]
        field = Typed(own.value, page.desk.bench.units.factor(own.value.dimension), least=own.value.least or -np.inf)
        assert page.input(own.value).input_value() == shown
        type_into(page, [field], typed)
        assert page.desk.bench.machine.parameters[name] == pytest.approx(wanted, rel=1e-14)  # type: ignore[union-attr]
        assert page.input(own.value).input_value() == typed
    own.parameter.value = "crank.mass"
    page.wait(lambda: own.shown_number == "crank.mass")
    check_all(page, [Typed(own.value, 1.0, least=0.0)])
    assert page.desk.bench.machine.parameters["crank.mass"] == 1e200  # type: ignore[union-attr]
    type_into(page, [Typed(own.value, 1.0)], "800 g")
    assert page.desk.bench.machine.parameters["crank.mass"] == 0.8  # type: ignore[union-attr]


def test_motion_and_its_clock(page: Visit) -> None:
    page.tab("Motion")
    own = page.panel("Motion")
    samples = Typed(own.samples, 1.0, least=2, most=1_000_000, whole=True)
    check_all(page, [samples])
    own.laws["A.angle"].value = "0:36.5deg in 1.5s"
    own.laws["S.slide"].value = ""
    type_into(page, [samples], "31")
    page.page.get_by_role("button", name="Run", exact=True).click()
    page.page.get_by_role("button", name="Play", exact=True).wait_for()
    run = page.desk.bench.run
    assert run is not None and len(run) == 31
    clock = Typed(page.desk.bar.now, 1.0)
    for text, sample in (("0.75", 15), ("100 ms", 2), ("1e9", 30), ("-3", 0)):
        type_into(page, [clock], text)
        assert page.desk.player.sample == sample
    check_all(page, [clock])


def test_let_go(page: Visit) -> None:
    page.tab("Let go")
    for title in ("Rates at the start", "Stops", "Friction", "Payload"):
        page.page.get_by_text(title, exact=True).click()
    own = page.panel("Let go")
    known = own.fields
    check_all(
        page,
        [
            Typed(own.until, 1.0, above=0.0),
            Typed(own.samples, 1.0, least=2, most=1_000_000, whole=True),
            Typed(own.rates["A.angle"], deg, empty=0.0),
            Typed(own.rates["S.slide"], mm, empty=0.0),
            Typed(known["low"], deg, empty=np.inf),
            Typed(known["high"], deg, empty=np.inf),
            Typed(known["restitution"], 1.0, least=0.0, most=1.0),
            Typed(known["dry"], 1.0, empty=0.0, least=0.0),
            Typed(known["viscous"], 1 / deg, empty=0.0, least=0.0),  # a bare one is in N m s/deg here
            Typed(known["mass"], 1.0, empty=0.0, least=0.0),
        ],
    )
    for name, text in (("low", "-0.5 rad"), ("high", ""), ("restitution", "0.5"), ("viscous", "0.01"), ("dry", "")):
        type_into(page, [Typed(known[name], 1.0)], text)
    assert own.wish.stops["A.angle"].low == -0.5
    assert own.wish.stops["A.angle"].high is None
    assert own.wish.stops["A.angle"].restitution == 0.5
    # What is wrong in a field is not left out in silence.
    type_into(page, [Typed(known["mass"], 1.0)], COMMA)
    page.page.get_by_role("button", name="Run to the end", exact=True).click()
    page.page.locator(".lw-failure").first.wait_for()
    assert "mass: '2,4' has a comma" in page.page.locator(".lw-failure").first.inner_text()
    assert page.complaints == []

"""The report in a real browser: offline, from a file, on wide and narrow screens, light and dark."""

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.colours import DARK, LIGHT
from linkwork.units import deg, mm
from linkwork.views.placed_layout import layout_at
from linkwork.views.record import swept_corners
from linkwork.views.report import subject_of
from linkwork.views.scene import scene_of
from linkwork.views.stage import page_camera
from linkwork.views.tracks import tracks_of

SLOWING = 2.0
"""The turn of a second is played in two."""
SLIDER = "[role=slider]"
EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"


@pytest.fixture(scope="module")
def crank() -> lw.Machine:
    return lw.example("slider-crank").assemble()


@pytest.fixture(scope="module")
def report(crank: lw.Machine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lw.write_report(crank, tmp_path_factory.mktemp("report") / "slider-crank.html")


@pytest.fixture
def wide(open_page: Callable[..., Any], report: Path) -> Iterator[Any]:
    """The page at 1280 pixels, its movie stopped at the beginning."""
    found = open_page(report)
    play_to(found.page, 0.0)
    yield found
    assert found.complaints == []


def play_to(page: Any, time: float) -> Any:
    """Set the play bar to a time of the motion [s], and wait until the figures have followed."""
    frame = page.frame_locator("#movie iframe")
    frame.locator(SLIDER).wait_for(state="attached")
    page.locator("#movie").scroll_into_view_if_needed()
    # The field is told by typing; a value that it shows already would be no change.
    frame.locator("input").first.fill(f"{SLOWING * time + 0.001:.3f}")
    frame.locator("input").first.fill(f"{SLOWING * time:.4f}")
    page.wait_for_function(
        "wanted => Math.abs(Number(document.querySelector('.cursor').dataset.time) - wanted) < 1e-4", arg=time
    )
    return frame


def picture(frame: Any) -> np.ndarray:
    """Pixels of the machine's canvas, once they stand still."""
    image = pytest.importorskip("PIL.Image")
    canvas = frame.locator("canvas").first
    before: np.ndarray | None = None
    for _ in range(100):
        now = np.asarray(image.open(BytesIO(canvas.screenshot())).convert("RGB")).astype(int)
        if before is not None and now.shape == before.shape and (now == before).all() and now.std() > 5.0:
            return now
        before = now
        frame.locator("body").evaluate("() => new Promise(done => setTimeout(done, 200))")
    raise AssertionError("the picture does not come to rest")


# ---------------------------------------------------------------- the space bar


def test_the_space_bar_stops_and_starts_the_movie(open_page: Callable[..., Any], report: Path) -> None:
    """From anywhere on the page, which stays where it is; also after a time was typed, and on a held key once."""
    found = open_page(report)
    page, movie = found.page, found.page.frame_locator("#movie iframe")
    movie.locator(SLIDER).wait_for(state="attached")
    page.locator("#movie").scroll_into_view_if_needed()
    where = page.evaluate("scrollY")
    assert where > 0  # so that a jump by a page would be seen

    def runs() -> bool:
        """Whether it goes on within thirty pictures and half a second: even a busy machine has the time for that."""
        moved: bool = movie.locator(SLIDER).evaluate(
            """async e => { const next = () => new Promise(done => requestAnimationFrame(done));
                 for (let k = 0; k < 5; k++) await next();  // what was pressed has been seen by now
                 const before = e.getAttribute("aria-valuenow"), start = performance.now();
                 for (let k = 0; k < 30 || performance.now() < start + 500; k++) await next();
                 return e.getAttribute("aria-valuenow") !== before; }"""
        )
        return moved

    assert runs()
    aside, canvas = page.locator("section:has(#movie) h2"), movie.locator("canvas[data-engine]")
    for focus, running in ((aside, False), (aside, True), (canvas, False), (canvas, True)):
        focus.click(position={"x": 5, "y": 5})
        page.keyboard.press("Space")
        assert runs() is running
    movie.locator("input").first.fill("0.5")  # a field of the player keeps its keys
    aside.click(position={"x": 5, "y": 5})
    before = runs()
    page.keyboard.press("Space")
    assert runs() is not before
    assert page.evaluate("scrollY") == where
    assert found.complaints == []


# ---------------------------------------------------------------- it opens


def test_it_opens_offline_without_a_complaint(open_page: Callable[..., Any], report: Path) -> None:
    found = open_page(report)
    found.page.frame_locator("#movie iframe").locator(SLIDER).wait_for(state="attached")
    found.page.wait_for_timeout(500)
    assert found.complaints == []
    assert all(url.startswith(("file:", "data:", "blob:", "about:")) for url in found.requests), found.requests
    assert found.page.title() == "slider-crank"


def test_plots_are_drawn(wide: Any) -> None:
    drawn = wide.page.evaluate(
        "[...document.querySelectorAll('.plot')].map(box => box._fullData.filter(t => t.name).map(t => t.name))"
    )
    assert drawn[0] == ["A.angle", "B.angle", "C.angle", "D.slide"]
    assert drawn[1] == ["A.angle.rate", "B.angle.rate", "C.angle.rate", "D.slide.rate"]
    assert "P" in drawn[3]
    for plot in wide.page.locator(".plot").all():
        assert plot.locator(".main-svg").count() >= 1
        assert plot.bounding_box()["height"] > 200
    lines = wide.page.locator("#figure-1 .scatterlayer .js-line")
    assert lines.count() == 4
    assert all(len(line.get_attribute("d")) > 500 for line in lines.all())


# ---------------------------------------------------------------- the movie and what follows it


@pytest.mark.parametrize("time", [0.25, 0.7])
def test_the_play_bar_moves_the_bodies(crank: lw.Machine, wide: Any, time: float) -> None:
    """The middles of piston and crank are where the camera sees their computed places; at time 0 they are not there."""
    subject = subject_of(crank)
    assert subject.run is not None
    scene = scene_of(crank.mechanism, layout_at(crank))
    tracks = tracks_of(subject.run, scene.bodies)
    camera = page_camera(scene, swept_corners(scene, tracks))
    sample = int(np.argmin(np.abs(subject.run.time - time)))
    start = picture(play_to(wide.page, 0.0))
    now = picture(play_to(wide.page, time))
    high, across, _ = now.shape

    for body in ("crank", "piston"):
        own = [p for p in scene.parts if p.body == body and isinstance(p.tint, int)]  # its own colour, not a pin's
        X = np.eye(4)
        X[:3, :3] = subject.run[body].rotation.values[sample]
        X[:3, 3] = subject.run[body].position.values[sample]
        middle = np.mean([p.mesh.vertices.mean(axis=0) for p in own], axis=0)
        place = (X @ [*middle, 1.0])[:3] / scene.size
        u, v = camera.project(place[None], across / high)[0]
        x, y = int((u + 1) / 2 * across), int((1 - v) / 2 * high)
        colour = np.array(LIGHT.rgb(own[0].tint))
        assert reddest(now, x, y, colour) < 0.12, (body, "is not where it was computed")
        if body == "piston":
            assert reddest(start, x, y, colour) > 0.3, "it was there before it moved"


def reddest(pixels: np.ndarray, x: int, y: int, colour: np.ndarray) -> float:
    """How far the hue around a place is from a colour, whatever the light: angle between the two, in radians."""
    near = pixels[y - 3 : y + 4, x - 3 : x + 4].reshape(-1, 3).astype(float)

    def direction(values: np.ndarray) -> np.ndarray:
        grey = values - values.min(axis=-1, keepdims=True)
        size = np.linalg.norm(grey, axis=-1, keepdims=True)
        return np.divide(grey, size, out=np.zeros_like(grey), where=size > 12.0)

    cosines = direction(near) @ direction(colour.astype(float))
    return float(np.arccos(np.clip(np.median(cosines), -1.0, 1.0)))


def test_cursor_and_values_follow(crank: lw.Machine, wide: Any) -> None:
    run = subject_of(crank).run
    assert run is not None
    for time in (0.25, 0.6):
        play_to(wide.page, time)
        sample = int(np.argmin(np.abs(run.time - time)))
        shown = wide.page.locator("#figure-1-values b").all_text_contents()
        wanted = [run.signal(n).values[sample] / deg for n in ("A.angle", "B.angle", "C.angle")]
        wanted.append(run["D.slide"].values[sample] / mm)
        numbers = [float(text.split()[0].replace("−", "-")) for text in shown]
        assert numbers == pytest.approx(wanted, rel=1e-4, abs=1e-3)
        assert [text.split()[1] for text in shown] == ["deg", "deg", "deg", "mm"]
        # The line stands where the axis has that time, in every figure over time.
        places = wide.page.evaluate(
            """time => [...document.querySelectorAll('.plot')].filter(b => b.querySelector('.cursor')).map(box => {
                 const axis = box._fullLayout.xaxis;
                 const line = box.querySelector('.cursor').getBoundingClientRect();
                 return line.left - box.getBoundingClientRect().left - axis._offset - axis.l2p(time); })""",
            time,
        )
        assert len(places) == 4 and np.abs(places).max() < 1.5
        # The dot stands on the path, where P is.
        dot = wide.page.evaluate(
            """() => { const box = document.querySelector('.dot').parentNode, layout = box._fullLayout;
                 const dot = box.querySelector('.dot').getBoundingClientRect(), own = box.getBoundingClientRect();
                 return [layout.xaxis.p2l(dot.left + dot.width / 2 - own.left - layout.xaxis._offset),
                         layout.yaxis.p2l(dot.top + dot.height / 2 - own.top - layout.yaxis._offset)]; }"""
        )
        assert dot == pytest.approx(run["P"].position.values[sample][:2] / mm, abs=0.5)


def test_a_click_into_a_plot_goes_to_that_time(wide: Any) -> None:
    box = wide.page.locator("#figure-1 .nsewdrag").first
    box.scroll_into_view_if_needed()
    size = box.bounding_box()
    wide.page.mouse.move(size["x"] + 0.4 * size["width"], size["y"] + 0.5 * size["height"], steps=5)
    wide.page.wait_for_selector("#figure-1 .hovertext")
    wide.page.mouse.down()
    wide.page.mouse.up()
    wide.page.wait_for_function("Math.abs(Number(document.querySelector('.cursor').dataset.time) - 0.4) < 0.1")


def test_it_plays_by_itself(open_page: Callable[..., Any], report: Path) -> None:
    found = open_page(report)
    slider = found.page.frame_locator("#movie iframe").locator(SLIDER)
    slider.wait_for(state="attached")
    times = set()
    for _ in range(600):
        times.add(slider.get_attribute("aria-valuenow"))
        if len(times) > 3:
            return
        found.page.wait_for_timeout(100)
    raise AssertionError(f"it stands still at {times}")


# ---------------------------------------------------------------- screens, colours, people


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_hangs_over(open_page: Callable[..., Any], report: Path, width: int) -> None:
    page = open_page(report, width=width).page
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        """[...document.querySelectorAll('main *')].filter(e => !e.closest('.table, pre, .plot, svg'))
           .every(e => e.getBoundingClientRect().right <= innerWidth + 0.5)"""
    )
    # A wide table scrolls inside itself, and can be reached by keyboard to do so.
    tables = page.locator(".table")
    assert tables.count() >= 6
    assert all(table.get_attribute("tabindex") == "0" for table in tables.all())
    assert page.evaluate("[...document.querySelectorAll('.plot')].every(b => b._fullLayout.width <= b.clientWidth + 1)")


@pytest.mark.parametrize(("scheme", "theme"), [("light", LIGHT), ("dark", DARK)])
def test_light_and_dark_as_the_reader_is(open_page: Callable[..., Any], report: Path, scheme: str, theme: Any) -> None:
    found = open_page(report, scheme=scheme)
    paper = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb({}, {}, {})".format(*(int(theme.paper[i : i + 2], 16) for i in (1, 3, 5)))
    assert found.page.evaluate("document.querySelector('.plot')._fullLayout.font.color") == theme.ink
    assert found.page.evaluate("document.querySelector('.plot')._fullLayout.xaxis.gridcolor") == theme.grid
    assert found.complaints == []


def test_dark_for_everyone(open_page: Callable[..., Any], crank: lw.Machine, tmp_path: Path) -> None:
    page = open_page(lw.write_report(crank, tmp_path / "dark.html", dark=True, samples=11), scheme="light").page
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"
    assert page.evaluate("document.querySelector('.plot')._fullLayout.font.color") == DARK.ink


def test_hostile_texts_do_nothing(open_page: Callable[..., Any], tmp_path: Path) -> None:
    m = lw.Mechanism("hostile", description=EVIL)
    m.body("bar", mass=1.0)
    m.revolute("A", "ground", "bar", at=(0, 0, 0))
    m.point("P", "bar", at=(1, 0, 0))
    found = open_page(lw.write_report(m, tmp_path / "hostile.html", title=EVIL, samples=11))
    assert found.page.evaluate("window.hacked === undefined")
    assert found.page.locator("h1").text_content() == EVIL
    assert found.page.locator(".lead").text_content() == EVIL
    assert found.page.locator("main img").count() == 0
    assert found.complaints == []


def test_an_old_browser_gets_a_message(browser: Any, report: Path) -> None:
    context = browser.new_context(offline=True)
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    page.goto(report.as_uri())
    page.wait_for_function("document.querySelector('.plot').textContent.includes('cannot unpack the plots')")
    assert page.locator(".table").count() >= 6  # the rest is there
    context.close()


def test_a_machine_that_cannot_move_is_still_seen(open_page: Callable[..., Any], tmp_path: Path) -> None:
    m = lw.Mechanism("frame")
    m.body("a", mass=1.0)
    m.body("b", mass=1.0)
    m.revolute("A", "ground", "a", at=(0, 0, 0))
    m.revolute("B", "ground", "b", at=(1, 0, 0))
    m.revolute("C", "a", "b", at=(0.5, 0.8, 0))
    found = open_page(lw.write_report(m, tmp_path / "frame.html"), ready="#movie iframe")
    found.page.locator("#movie").scroll_into_view_if_needed()
    frame = found.page.frame_locator("#movie iframe")
    frame.locator("canvas").first.wait_for()
    assert picture(frame).std() > 5.0
    assert found.complaints == []

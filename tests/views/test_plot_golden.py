"""A few plots look as they did: compared with pictures in tests/golden, with a tolerance.

The pictures are made anew by

    LINKWORK_GOLDEN=write pytest tests/views/test_plot_golden.py

Look at them before you keep them. The font comes with matplotlib, so they do not depend on the machine; the tolerance
is for small changes of text and smoothing between versions of matplotlib.
"""

import math
import os
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import image

sys.path.insert(0, str(Path(__file__).parents[1] / "results"))

from made_runs import slider_crank, tumbling
from test_plot_maps import five_bar

import linkwork as lw
from linkwork.results import Panels
from linkwork.units import deg

GOLDEN = Path(__file__).parents[1] / "golden"
DPI = 60
TOLERANCE = 0.03
"""Root of the mean square difference of two pictures, from 0 to 1; another line makes 0.06 and more."""
SHOWN = {"angle": "deg", "length": "mm"}


def time() -> Panels:
    return slider_crank().plot("A.angle", "B.angle", "P", "D.rate", units=SHOWN)


def runs() -> Panels:
    return slider_crank().plot("P", "A.rate", units=SHOWN, against={"coarse": slider_crank(samples=11)})


def coupler_curve() -> Panels:
    return slider_crank().path("P", "rod", units=SHOWN)


def space() -> Panels:
    return tumbling().path("tip")


def hodograph() -> Panels:
    return slider_crank()["P"].hodograph(units=SHOWN)


def evidence() -> Panels:
    return slider_crank().plot_evidence()


def singularities() -> Panels:
    found = five_bar(0.2, 0.15, 0.15).map(("A", -math.pi, math.pi), ("E", -math.pi, math.pi), samples=(31, 31))
    return found.plot(units=SHOWN)


def centrodes() -> Panels:
    s = lw.example("four-bar").assemble()
    return s.centrodes(s.motion(O2=(40 * deg, 400 * deg)), "coupler").plot(at=170)


PLOTS: list[Callable[[], Panels]] = [
    time, runs, coupler_curve, space, hodograph, evidence, singularities, centrodes,
]  # fmt: skip


def difference(one: object, other: object) -> float:
    """Of two pictures, colours from 0 to 1; another size is another picture."""
    a, b = np.asarray(one)[..., :3], np.asarray(other)[..., :3]
    return float(np.sqrt(np.mean((a - b) ** 2))) if a.shape == b.shape else math.inf


@pytest.mark.parametrize("plot", PLOTS, ids=lambda f: f.__name__)
def test_a_plot_looks_as_it_did(plot: Callable[[], Panels], tmp_path: Path) -> None:
    with matplotlib.rc_context({"font.family": ["DejaVu Sans"]}):
        panels = plot()
    wanted = GOLDEN / f"{plot.__name__}.png"
    if os.environ.get("LINKWORK_GOLDEN") == "write":
        panels.save(wanted, dpi=DPI)
    drawn = panels.save(tmp_path / wanted.name, dpi=DPI)
    off = difference(image.imread(drawn), image.imread(wanted))
    assert off < TOLERANCE, f"{wanted.name} differs by {off:.3f}; the new one is {drawn}"
    assert panels.save(tmp_path / "again.png", dpi=DPI).read_bytes() == drawn.read_bytes()


def test_another_line_is_noticed(tmp_path: Path) -> None:
    """The comparison can fail: the same plot with other numbers is beyond the tolerance."""
    other = slider_crank().plot("A.angle", "B.angle", "rod", "D.rate", units=SHOWN).save(tmp_path / "x.png", dpi=DPI)
    assert difference(image.imread(other), image.imread(GOLDEN / "time.png")) > TOLERANCE
    smaller = slider_crank().plot("A.angle").save(tmp_path / "y.png", dpi=DPI)
    assert difference(image.imread(smaller), image.imread(GOLDEN / "time.png")) == math.inf

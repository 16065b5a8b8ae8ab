"""Draws four-bar.svg and slider-crank.svg: a coupler curve, and the motion of a piston. Needs the `plot` extra."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import linkwork as lw
from linkwork.units import deg, mm, rpm

HERE = Path(__file__).parent
INK, STONE, MIST, BLUE = "#222222", "#9A9A9A", "#CFCFCF", "#0072B2"
mpl.rcParams |= {"font.family": "DejaVu Sans", "svg.hashsalt": "linkwork", "text.color": INK}


def save(figure, name):
    """The same bytes every time."""
    figure.savefig(HERE / f"{name}.svg", bbox_inches="tight", pad_inches=0.05, metadata={"Date": None})


def four_bar():
    """The linkage at its layout posture, four postures more, and the path of its coupler point."""
    s = lw.example("four-bar").assemble()
    run = s.motion(O2=lw.ramp(40 * deg, 400 * deg), samples=721)
    figure = Figure(figsize=(7.0, 5.2))
    ax = figure.add_subplot()
    run["P"].path(units={"length": "mm"}, ax=ax)

    def bars(k, colour, width, **style):
        pins = {"O2": np.zeros(2), "O4": np.array([100.0, 0.0])}
        crank, coupler = (s.layout.seats[n] for n in ("A", "B"))
        for name, seat, body in (("A", crank, "crank"), ("B", coupler, "coupler")):
            X = run[body].rotation.values[k] @ seat.X_TF[:3, 3] + run[body].position.values[k]
            pins[name] = X[:2] / mm
        pins["P"] = run["P"].position.values[k, :2] / mm
        outline = np.array([pins[n] for n in ("A", "B", "P", "A")])
        ax.fill(*outline.T, color=colour, alpha=0.12 if width > 1.5 else 0.0, lw=0, zorder=2)
        for path in (("O2", "A"), ("A", "P", "B", "A"), ("O4", "B")):
            ax.plot(*np.array([pins[n] for n in path]).T, color=colour, lw=width, zorder=3, label="_", **style)
        return pins

    for k in (144, 288, 432, 576):
        bars(k, MIST, 1.0)
    pins = bars(0, INK, 2.2, solid_joinstyle="round")
    for name, (x, y) in pins.items():
        ground = name in ("O2", "O4")
        ax.plot(x, y, "o", ms=7, mfc=BLUE if name == "P" else "white", mec=INK, mew=1.6, zorder=5, label="_")
        dx, dy = {"O2": (-26, -4), "O4": (10, -4), "A": (8, -12), "B": (9, 2), "P": (8, 6)}[name]
        ax.annotate(name, (x, y), (dx, dy), textcoords="offset points", fontsize=11, zorder=6)
        if ground:
            ax.plot([x - 5, x, x + 5, x - 5], [y - 7, y, y - 7, y - 7], color=STONE, lw=1.2, zorder=1, label="_")
    ax.set_aspect("equal", adjustable="box")
    ax.set_title("")
    save(figure, "four-bar")


def slider_crank():
    """Way, speed and acceleration of the piston over the crank angle, as `run.plot` draws them."""
    s = lw.example("slider-crank").assemble()
    run = s.motion(A=lw.ramp(0, 360 * deg, speed=3000 * rpm))
    panels = run.plot("D.slide", "D.rate", "D.acceleration", x="A", units={"angle": "deg", "D.slide": "mm"})
    save(panels.figure, "slider-crank")


if __name__ == "__main__":
    four_bar()
    slider_crank()

"""Draws engine.svg: from a model to numbers. Run it in this folder; needs the `plot` extra."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

mpl.use("svg")
import matplotlib.pyplot as plt

INK, FAINT = "#22303c", "#8a97a3"
TRACE, COMPILE, DRIVE = "#e8f0fa", "#fdf1dc", "#e6f4ea"
LINES = {TRACE: "#3f72af", COMPILE: "#c98a1b", DRIVE: "#3c8d5a"}

mpl.rcParams |= {"font.family": "DejaVu Sans", "svg.hashsalt": "linkwork", "text.color": INK}
figure, axes = plt.subplots(figsize=(11.6, 5.6))
axes.set_xlim(0, 116)
axes.set_ylim(0, 56)
axes.set_axis_off()


def column(x, width, colour, title, text):
    """A coloured field with its name."""
    axes.add_patch(FancyBboxPatch((x, 1.5), width, 53, boxstyle="round,pad=0,rounding_size=1.5", fc=colour, ec="none"))
    axes.text(x + width / 2, 51.2, title, ha="center", va="center", fontsize=13, fontweight="bold", color=LINES[colour])
    axes.text(x + width / 2, 48.1, text, ha="center", va="center", fontsize=8.6, color=LINES[colour])


def box(x, y, width, height, colour, title, *lines):
    """A white box: a title and lines of small print."""
    patch = FancyBboxPatch(
        (x, y), width, height, boxstyle="round,pad=0,rounding_size=0.9", fc="white", ec=LINES[colour]
    )
    axes.add_patch(patch)
    top = y + height - 2.1
    axes.text(x + width / 2, top, title, ha="center", va="center", fontsize=9.6, fontweight="bold")
    for i, line in enumerate(lines):
        axes.text(x + width / 2, top - 2.5 - 2.15 * i, line, ha="center", va="center", fontsize=7.8)


def arrow(start, end, label="", at=(0.0, 0.0), bend=0.0):
    """An arrow from point to point, with a word beside its middle."""
    style = f"arc3,rad={bend}"
    patch = FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=11, lw=1.2, color=INK, connectionstyle=style)
    patch.set_zorder(5)
    axes.add_patch(patch)
    if label:
        x, y = (start[0] + end[0]) / 2 + at[0], (start[1] + end[1]) / 2 + at[1]
        axes.text(x, y, label, ha="center", va="center", fontsize=7.6, style="italic", zorder=6)


column(1, 35, TRACE, "trace", "once per structure, in Python")
column(40, 35, COMPILE, "compile", "once per tape and processor")
column(79, 36, DRIVE, "drive", "every call, no Python in the loop")

box(4, 37.0, 13.4, 8.6, TRACE, "system", "tree, coordinates,", "parameters")
box(19.8, 37.0, 13.4, 8.6, TRACE, "laws", "plain arithmetic,", "one law a file")
folding = ("0 · x and 1 · x never arise;", "what agrees at random samples", "is one and the same")
box(5.6, 22.6, 26, 10.9, TRACE, "traced scalars", *folding)
box(18.6, 11.0, 14.6, 8.2, TRACE, "main", "what changes with", "q, v, a, tau")
box(4, 2.7, 13.4, 8.2, TRACE, "settle", "what depends on", "parameters only")

box(43.5, 11.0, 28, 8.2, COMPILE, "tape", "scalar operations in order, fused", "multiply-adds written down")
frame = FancyBboxPatch((42.3, 22.4), 30.4, 13.2, boxstyle="round,pad=0,rounding_size=1.2", fc="none", ec=LINES[COMPILE])
frame.set_linestyle("--")
axes.add_patch(frame)
axes.text(50.5, 33.8, "kernel: the same bits", ha="center", va="center", fontsize=7.8, style="italic")
box(43.5, 23.4, 12.2, 8.6, COMPILE, "interpreter", "at once,", "any size")
box(57.0, 23.4, 14.5, 8.6, COMPILE, "machine code", "by LLVM, when", "it is worth it")
box(43.5, 38.2, 28, 7.4, COMPILE, "cache on disk", "by digest of tape, processor, version")

box(
    83, 37.2, 28, 8.4, DRIVE, "batches", "tiles of 2, 4 or 8 samples side by side,", "pieces of the batch on every core"
)
box(83, 25.3, 28, 8.4, DRIVE, "single calls", "an entry that Python calls directly,", "arguments checked")
box(83, 13.4, 28, 8.4, DRIVE, "compiled loops", "numba code calls the address:", "solvers, integrators, searches")
box(83, 3.6, 28, 6.3, DRIVE, "settled values", "once per set of parameters")

arrow((17.4, 41.3), (19.8, 41.3))
arrow((26.4, 37.0), (23.0, 33.5))
arrow((26.0, 22.6), (26.0, 19.2))
arrow((10.7, 22.6), (10.7, 10.9))
arrow((33.2, 15.1), (43.5, 15.1), "CasADi", at=(0, 1.3))
arrow((49.6, 19.2), (49.6, 23.4))
arrow((64.2, 19.2), (64.2, 23.4))
arrow((63.0, 32.0), (63.0, 38.2))
arrow((66.8, 38.2), (66.8, 32.0))
arrow((72.7, 31.5), (83, 40.2))
arrow((72.7, 29.2), (83, 29.4))
arrow((72.7, 26.9), (83, 18.2))
arrow((17.4, 6.8), (83, 6.8), "parameters in, the constants of a kernel out", at=(-1, 1.3))
figure.savefig(Path(__file__).with_suffix(".svg"), bbox_inches="tight", pad_inches=0.05, metadata={"Date": None})

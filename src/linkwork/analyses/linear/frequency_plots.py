"""Plots of frequency responses: magnitude and phase, and the complex plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.colours import Tint
from linkwork.results.plots.description import Axis, Line, Panel, Plot

if TYPE_CHECKING:
    from linkwork.analyses.linear.frequency import FrequencyResponse


def _curves(response: FrequencyResponse, names: Sequence[str]) -> list[tuple[str, str, str, str, Any]]:
    """Label, output, input, unit and values of every curve."""
    data, found = response.data, []
    f = data["frequency"].values
    for name in names:
        own = data[name]
        inputs = [str(x) for x in data["input"].values] if "input" in own.dims else [""]
        for given, row in zip(inputs, own.values.reshape(-1, len(f)), strict=True):
            found.append((f"{name} from {given}" if given else name, name, given, str(own.attrs["units"]), row))
    return found


def bode(response: FrequencyResponse, names: Sequence[str], phase: bool = True) -> Plot:
    """Magnitude and phase over the frequency."""
    f = response.data["frequency"].values
    panels: dict[str, list[Line]] = {}
    phases: list[Line] = []
    for count, (label, _, _, unit, row) in enumerate(_curves(response, names)):
        tint: Tint = count
        panels.setdefault(unit, []).append(Line(label, f, np.abs(row), tint=tint))
        angle = np.degrees(np.unwrap(np.angle(np.where(np.isfinite(row), row, 1.0))))
        phases.append(Line(label, f, angle, tint=tint))
    over = Axis("frequency", "Hz", log=True)
    drawn = [
        Panel(over, Axis("magnitude", unit, kind="magnitude", log=True), tuple(lines)) for unit, lines in panels.items()
    ]
    if phase:
        drawn.append(Panel(over, Axis("phase", "deg", kind="phase"), tuple(phases)))
    return Plot(tuple(drawn), title=f"frequency response of {response.name}")


def plane(response: FrequencyResponse, names: Sequence[str], mirrored: bool) -> Plot:
    """The response in the complex plane; with the negative frequencies, or with its resonances and where it begins."""
    f = response.data["frequency"].values
    panels: dict[str, list[Line]] = {}
    tops = [p for p in response.peaks if p.kind == "resonance" and np.isfinite(p.magnitude)]
    plain = {str(n): str(n) for n in names}
    for count, (label, name, given, unit, row) in enumerate(_curves(response, names)):
        tint: Tint = count
        good = np.where(np.isfinite(row), row, np.nan + 0j)
        lines = panels.setdefault(unit, [])
        lines.append(Line(label, good.real, good.imag, tint=tint))
        if mirrored:
            lines.append(Line("", good.real, -good.imag, tint=tint, dash=1))
            continue
        own = [p.frequency for p in tops if p.output == plain[name] and given in ("", p.input)]
        at = [int(np.argmin(np.abs(f - x))) for x in own]
        if at:
            lines.append(Line("", good.real[at], good.imag[at], tint=tint, style="ring"))
    drawn = []
    for unit, lines in panels.items():
        if mirrored and unit == "1":
            lines.append(Line("-1", np.array([-1.0]), np.array([0.0]), tint="warning", style="cross"))
        sides = Axis("real part", unit), Axis("imaginary part", unit, kind="imaginary part")
        drawn.append(Panel(*sides, tuple(lines), equal=True))
    kind = "Nyquist plot" if mirrored else "polar plot"
    return Plot(tuple(drawn), title=f"{kind} of {response.name}")

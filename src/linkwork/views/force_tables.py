"""Forces as tables of text: newtons and newton metres, unless the model's file names a force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.forces.reactions import COMPONENTS
from linkwork.analyses.strength.power import ENERGIES
from linkwork.model.load_words import kind_of
from linkwork.model.mechanism import Mechanism
from linkwork.units import TIME, UnitSystem, format_quantity, rpm
from linkwork.units.efforts import EffortTexts
from linkwork.views.force_peaks import DrivePeak, ForcePeaks, JointPeak, Largest, LoadRange, MotorVerdict
from linkwork.views.tables import Table

if TYPE_CHECKING:
    from linkwork.analyses.forces.statics import Reaction, Statics
    from linkwork.analyses.strength.power import Energy

ROUNDING = 1e-9
"""Part of the largest power or energy of a table below which a number is shown as 0."""
JOINTS = "joints, what the first body does to the second"
OPEN = "open: statically indeterminate"


def force_tables(found: ForcePeaks, units: UnitSystem, length: float) -> list[Table]:
    """Drives, joints, loads, constraints and motors; those that are empty are left out.

    length [m] : the machine's size, by which torques are rounding beside forces
    """
    texts = _texts(found, units, length)
    tables = [
        _drives(found.drives, units, texts),
        _joints(found.joints, units, texts),
        _loads(found.loads, texts),
        _constraints(found.constraints, units, texts),
        _motors(found.motors, units),
    ]
    return [t for t in tables if len(t.rows) > 1]


def _texts(found: ForcePeaks, units: UnitSystem, length: float) -> EffortTexts:
    known: dict[str, list[float]] = {"N": [], "N m": [], "J": []}
    peaks = [*(d.effort for d in found.drives.values()), *found.constraints.values()]
    peaks += [x for j in found.joints.values() for x in (j.force, j.moment)]
    for peak in peaks:
        if peak is not None:
            known.setdefault(peak.unit, []).append(peak.value)
    for load in found.loads.values():
        known[load.unit] += [load.least, load.greatest]
    return EffortTexts.among(units, known["N"], known["N m"] + known["J"], length)


def _at(found: Largest, units: UnitSystem) -> str:
    return format_quantity(found.at, TIME, units)


def _peak(found: Largest | None, units: UnitSystem, texts: EffortTexts) -> tuple[str, str]:
    """The largest, and when; of nothing no time is told."""
    if found is None:
        return "-", ""
    at = "" if texts.clean(found.value, found.unit) == 0.0 else _at(found, units)
    return texts.text(found.value, found.unit), at


def _drives(drives: Mapping[str, DrivePeak], units: UnitSystem, texts: EffortTexts) -> Table:
    powers = max((abs(d.power.value) for d in drives.values() if d.power), default=0.0)
    works = max((d.energies["absolute"] for d in drives.values() if d.energies), default=0.0)
    rows: list[tuple[str, ...]] = [("drive", "largest effort", "at", "rms", "largest power", "at", "net energy")]
    for name, d in drives.items():
        unit = d.effort.unit if d.effort else "N"
        rms = "-" if d.rms is None else texts.text(d.rms, unit)
        net = "-" if d.energies is None else f"{_clean(d.energies['net'], works):.6g} J"
        rows.append((name, *_peak(d.effort, units, texts), rms, *_power(d.power, units, powers), net))
    return Table("drives", tuple(rows))


def _power(found: Largest | None, units: UnitSystem, largest: float) -> tuple[str, str]:
    if found is None or _clean(found.value, largest) == 0.0:
        return "-" if found is None else "0 W", ""
    return f"{found.value:.6g} W", _at(found, units)


def _clean(value: float, largest: float) -> float:
    return 0.0 if abs(value) < ROUNDING * largest else value + 0.0


def _joints(joints: Mapping[str, JointPeak], units: UnitSystem, texts: EffortTexts) -> Table:
    some = any(j.indeterminate for j in joints.values())
    rows: list[tuple[str, ...]] = [("joint", "largest force", "at", "largest moment", "at", *["open"] * some)]
    for name, j in joints.items():
        cells = (*_peak(j.force, units, texts), *_peak(j.moment, units, texts))
        rows.append((name, *cells, *[" ".join(j.indeterminate)] * some))
    return Table(JOINTS + (f" ({OPEN}, not counted)" if some else ""), tuple(rows))


def _loads(loads: Mapping[str, LoadRange], texts: EffortTexts) -> Table:
    most = max((abs(x) for f in loads.values() for x in (f.least_power, f.greatest_power) if np.isfinite(x)), default=0)
    rows: list[tuple[str, ...]] = [("load", "kind", "", "least", "greatest", "power, least", "greatest")]
    for name, f in loads.items():
        ends = (texts.text(x, f.unit) for x in (f.least, f.greatest))
        powers = (f"{_clean(x, most):.6g} W" for x in (f.least_power, f.greatest_power))
        rows.append((name, f.kind, f.quantity, *ends, *powers))
    return Table("loads, least and greatest of the samples", tuple(rows))


def _constraints(found: Mapping[str, Largest | None], units: UnitSystem, texts: EffortTexts) -> Table:
    rows: list[tuple[str, ...]] = [("constraint", "largest effort", "at")]
    for name, peak in found.items():
        rows.append((name, *(_peak(peak, units, texts) if peak else ("open", "-"))))
    return Table("couplings and constraints", tuple(rows))


def _motors(motors: Mapping[str, MotorVerdict], units: UnitSystem) -> Table:
    rows: list[tuple[str, ...]] = [("motor", "drives", "largest torque", "largest speed", "verdict")]
    for name, v in motors.items():
        torque = "-" if v.torque is None else f"{v.torque:.6g} N m"
        speed = "-" if v.speed is None else f"{v.speed / rpm:.6g} rpm"
        rows.append((name, v.variable, torque, speed, _verdict(v, units)))
    return Table("motors, at their shafts", tuple(rows))


def _verdict(v: MotorVerdict, units: UnitSystem) -> str:
    if v.torque is None:
        return v.message
    if v.feasible is None or v.margin is None:
        return "no envelope to compare with"
    if v.violation is None:
        return f"feasible, {v.margin:.4g} N m to spare"
    return f"too much from {format_quantity(v.violation, TIME, units)} on, {-v.margin:.4g} N m at worst"


def energy_table(found: Energy) -> Table:
    """Energies of the drives, of all together, and of all on one supply; the cost with what is recovered."""
    largest = found.absolute
    rows: list[tuple[str, ...]] = [("drive", "braking power", *(f"{e} [J]" for e in ENERGIES))]

    def row(name: str, braking: str, energies: Iterable[float]) -> None:
        rows.append((name, braking, *(f"{_clean(x, largest):.6g}" for x in energies)))

    for each in found.drives if len(found.drives) == 1 else (*found.drives, found.shared):
        row(each.name, f"{each.braking_power:.6g} W", (getattr(each, e) for e in ENERGIES))
    if len(found.drives) > 1:
        row("sum", "", (found.total(e) for e in ENERGIES))
        rows[-1], rows[-2] = rows[-2], rows[-1]
    return Table(f"energy; cost: drawn less {100.0 * found.recuperation:.3g} % of what is returned", tuple(rows))


# -------------------------------------------------------------------- at rest


def statics_tables(found: Statics, m: Mechanism) -> list[Table]:
    """What holds the machine, loads, constraints, and what joints carry, with `open` for what is indeterminate."""
    texts = found.texts
    held: list[tuple[str, ...]] = [("drive", "effort")]
    held += [(name, texts.text(value, found.units[name])) for name, value in found.efforts.items()]
    loads: list[tuple[str, ...]] = [("load", "kind", "amount")]
    loads += [(n, kind_of(m.loads[n]), texts.text(x, found.units[n])) for n, x in found.loads.items() if n in m.loads]
    limits: list[tuple[str, ...]] = [("constraint", "effort")]
    limits += [(n, texts.text(x, found.units[n]) if np.isfinite(x) else "open") for n, x in found.constraints.items()]
    units = ["N" if c[0] == "f" else "N m" for c in COMPONENTS]
    heads = (f"{c} [{texts.symbol(unit)}]" for c, unit in zip(COMPONENTS, units, strict=True))
    carried: list[tuple[str, ...]] = [("joint", *heads)]
    carried += [(joint, *_six(r, units, texts)) for joint, r in found.reactions.items()]
    some = any(r.indeterminate for r in found.reactions.values())
    tables = [
        Table("held by", tuple(held)),
        Table("loads", tuple(loads)),
        Table("couplings and constraints", tuple(limits)),
        Table(JOINTS + (f" ({OPEN}, left to the fits)" if some else ""), tuple(carried)),
    ]
    return [t for t in tables if len(t.rows) > 1]


def _six(reaction: Reaction, units: list[str], texts: EffortTexts) -> list[str]:
    cells = []
    for component, unit, value in zip(COMPONENTS, units, [*reaction.force, *reaction.moment], strict=True):
        if component in reaction.indeterminate:
            cells.append("open")
        else:
            cells.append(texts.number(value, unit) if np.isfinite(value) else "-")
    return cells

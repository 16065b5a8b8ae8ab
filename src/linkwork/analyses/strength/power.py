"""Power and energy of the drives of a run.

P = effort · rate. Between samples effort and rate are straight lines, so that P is a parabola, and every integral here
is exact for it: zeros of P are located, not stepped over.

    net = ∫ P dt      drawn = ∫ max(P, 0) dt      returned = ∫ max(-P, 0) dt      absolute = ∫ |P| dt = drawn + returned
    cost = drawn - share · returned

A share of 0 wastes what comes back while braking, 1 recovers all of it. `absolute` lets braking cost as much as
driving, and holding still nothing: the energy of Vukobratović and Potkonjak, eqs. 3.5.2 to 3.5.4, who sum
|mean effort| |step|, which tends to the same as steps become short.

At the joints an effort has all that the drive must give, rotor and bearings of its motor included, but not what its
gear loses. At the motors P = torque · speed of the shafts, with those losses; what a motor loses by itself, in its
windings, is in neither.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from linkwork.analyses.strength.force_runs import check_run
from linkwork.analyses.strength.motors import torque_speed
from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.geometry.types import ArrayLike
from linkwork.model.vectors import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results import Panels, Run
    from linkwork.results.signals import Units

At = Literal["joints", "motors"]
ROUNDING = 1e-12
"""Part of the largest power or energy that is shown as 0."""
ENERGIES = ("net", "drawn", "returned", "absolute", "cost")


@dataclass(frozen=True, eq=False)
class DriveEnergy:
    """Power and energy of one drive, or of several together.

    name : of the driven variable, or of its motor
    unit : of its effort; "" of several
    peak_effort, rms_effort : greatest size, and root of the mean square [N m, N]; None of several
    peak_power, braking_power : greatest power put in and taken back, both >= 0 [W]
    rms_power : root of the mean square [W]
    net, drawn, returned, absolute, cost : energies [J], see the module
    power, energy : at every sample, the power [W] and the net energy since the start [J]
    """

    name: str
    unit: str
    peak_effort: float | None
    rms_effort: float | None
    peak_power: float
    braking_power: float
    rms_power: float
    net: float
    drawn: float
    returned: float
    absolute: float
    cost: float
    power: Array = field(repr=False)
    energy: Array = field(repr=False)


@dataclass(frozen=True, eq=False)
class Energy:
    """Power and energy of a run; made by `energy`.

    drives : of each driven variable
    recuperation : share of the returned energy that is recovered, 0 to 1
    shared : all drives on one supply, where one may use at once what another gives back
    time : of the samples [s]
    run : the run of which it was asked; None of plain arrays
    at : "joints", or "motors" with the losses of their gears
    """

    drives: tuple[DriveEnergy, ...]
    recuperation: float
    shared: DriveEnergy
    time: Array
    run: Run | None = field(default=None, repr=False)
    at: At = "joints"

    def __getitem__(self, name: str) -> DriveEnergy:
        """The drive of a variable, `A.angle`, or of a joint that has one, `A`; at the motors, of a motor."""
        found = [d for d in self.drives if name in (d.name, d.name.rpartition(".")[0])]
        if len(found) != 1:
            hint = f"there is: {', '.join(d.name for d in self.drives)}"
            raise InputError(Problem(f"'{name}' is not one drive", hint=hint))
        return found[0]

    def total(self, quantity: str) -> float:
        """Sum over the drives of an energy [J], each on a supply of its own.

        Parameters
        ----------
        quantity : 'net', 'drawn', 'returned', 'absolute' or 'cost'
        """
        if quantity not in ENERGIES:
            raise InputError(Problem(f"'{quantity}' is no energy", "quantity", did_you_mean(str(quantity), ENERGIES)))
        return float(sum(getattr(d, quantity) for d in self.drives))

    @property
    def net(self) -> float:
        """Energy that the drives put into the machine in all [J]."""
        return self.total("net")

    @property
    def drawn(self) -> float:
        """Energy that they draw, without any recuperation [J]."""
        return self.total("drawn")

    @property
    def returned(self) -> float:
        """Energy that comes back while they brake [J]."""
        return self.total("returned")

    @property
    def absolute(self) -> float:
        """Energy where braking costs as much as driving [J]."""
        return self.total("absolute")

    @property
    def cost(self) -> float:
        """Energy drawn less the share that is recovered [J]."""
        return self.total("cost")

    @property
    def table(self) -> tuple[tuple[str, ...], ...]:
        """Rows of text: a header with units, then drives; of several also their sum, and all on one supply."""
        head = ("drive", "effort, peak", "rms", "power, peak [W]", "braking [W]", "rms [W]")
        rows: list[tuple[str, ...]] = [(*head, *(f"{name} [J]" for name in ENERGIES))]
        every = self.drives if len(self.drives) == 1 else (*self.drives, self.shared)
        power = max(max(d.peak_power, d.braking_power, d.rms_power) for d in every)
        energy = self.absolute
        rows += [_row(d, power, energy) for d in self.drives]
        if len(self.drives) > 1:
            rows.append(("sum", "", "", "", "", "", *(_text(self.total(name), energy) for name in ENERGIES)))
            rows.append(_row(self.shared, power, energy))
        return tuple(rows)

    def __str__(self) -> str:
        widths = [max(len(row[i]) for row in self.table) for i in range(len(self.table[0]))]
        rows = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in self.table]
        return "\n".join([*rows, *self._where])

    @property
    def _where(self) -> tuple[str, ...]:
        """Where it was taken, and what that leaves out; nothing of plain arrays."""
        if self.run is None:
            return ()
        if self.at == "motors":
            return ("at the shafts of the motors: losses of gears are counted, those of windings are not",)
        motors = () if self.run.machine is None else self.run.machine.mechanism.motors.values()
        lossy = [f"{m.name} {m.efficiency:.3g}" for m in motors if m.efficiency < 1.0]
        told = f' (efficiency: {", ".join(lossy)}; at="motors" counts them)' if lossy else ""
        return (f"at the joints: losses of gears and motors are not counted{told}",)

    def __repr__(self) -> str:
        count = "1 drive" if len(self.drives) == 1 else f"{len(self.drives)} drives"
        cost, drawn, returned = (_text(x, self.absolute) for x in (self.cost, self.drawn, self.returned))
        share = f"{100.0 * self.recuperation:.3g} % of {returned} J recovered"
        where = "" if self.run is None else f", at the {self.at}"
        return f"Energy({count}, {len(self.time)} samples{where})\n  {cost} J: {drawn} J drawn, {share}"

    def plot(self, *, x: str = "time", units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot power, and net energy since the start, of each drive and of all together.

        Parameters
        ----------
        x : the signal of the run to plot over
        units : units to show
        ax : axes to draw into, one a panel; a new figure without
        """
        from linkwork.analyses.strength.plot_units import PLAIN, abscissa, titled
        from linkwork.results.plots import Quantity, Series, describe_over

        shown = self.drives if len(self.drives) == 1 else (*self.drives, self.shared)
        quantities = [Quantity(f"{d.name}.power", "W", d.power) for d in shown]
        quantities += [Quantity(f"{d.name}.energy", "J", d.energy) for d in shown]
        over = abscissa(self.run, x, self.time, len(self.time))
        title = titled(f"power and energy of the {'drives' if self.at == 'joints' else 'motors'}", self.run)
        plot = describe_over([Series(quantities, over)], units=units, title=title, default=PLAIN)
        power, work = plot.panels
        symbol = "J" if work.y.symbol == "N m" else work.y.symbol  # the name that tells energy from torque
        return replace(plot, panels=(power, replace(work, y=replace(work.y, kind="energy", symbol=symbol)))).draw(ax)


def energy(run: Run, *, recuperation: float = 0.0, at: At = "joints") -> Energy:
    """Power and energy of every driven or held variable of a run of forces, or of its motor.

    Parameters
    ----------
    run : forces of a motion, from `s.forces`
    recuperation : share of the energy given back while braking that is recovered, 0 to 1
    at : "joints" for effort · rate of the variables; "motors" for torque · speed of their motors' shafts, as
        `torque_speed` has them, with the losses of the gears. Every variable that moves then needs a motor.
    """
    check_run(run)
    if at not in get_args(At):
        raise InputError(Problem(f"'{at}' is no place", "at", did_you_mean(str(at), get_args(At))), run.name)
    driven: dict[str, tuple[str, Array, Array]] = {}
    attrs = run.arrays.attrs
    for name in run.signals:
        variable, _, last = name.rpartition(".")
        if last == "effort" and variable not in run.free and (rate := _rate_name(run, attrs, variable)):
            signal = run.signal(name)
            driven[variable] = (signal.unit, np.asarray(signal.values), np.asarray(run.signal(rate).values))
    if not driven:
        hint = "ask it of s.forces(run), of a motion that drives a joint"
        raise InputError(Problem("the run has no efforts of drives", hint=hint), run.name)
    taken = driven if at == "joints" else _at_motors(run, driven)
    return replace(drive_energy(run.time, taken, recuperation, run), at=at)


def _at_motors(run: Run, driven: Mapping[str, tuple[str, Array, Array]]) -> dict[str, tuple[str, Array, Array]]:
    """Torque and speed of the motors' shafts, by motor; what is held still without one, by its variable."""
    motors = {} if run.machine is None else {m.variable: m for m in run.machine.mechanism.motors.values()}
    taken: dict[str, tuple[str, Array, Array]] = {}
    problems = []
    for variable, own in driven.items():
        if variable in motors:
            found = torque_speed(run, motors[variable])
            taken[found.motor.name] = ("N m", found.torque, found.speed)
        elif np.any(own[2] != 0.0):
            hint = f"say m.motor('drive', '{variable}', ...), or at='joints'; runs from files know no motors"
            problems.append(Problem("it moves and has no motor", variable, hint))
        else:
            taken[variable] = own
    if problems:
        raise InputError(problems, run.name)
    return taken


def _text(value: float, largest: float) -> str:
    """A number of which rounding, relative to the largest, is 0."""
    return f"{0.0 if abs(value) <= ROUNDING * largest else value:.4g}"


def _row(drive: DriveEnergy, power: float, energy: float) -> tuple[str, ...]:
    """A row of the table; power and energy are the largest of it."""
    efforts = ("" if e is None else f"{e:.4g} {drive.unit}" for e in (drive.peak_effort, drive.rms_effort))
    powers = (drive.peak_power, drive.braking_power, drive.rms_power)
    energies = (_text(getattr(drive, name), energy) for name in ENERGIES)
    return (drive.name, *efforts, *(_text(x, power) for x in powers), *energies)


def _rate_name(run: Run, attrs: Mapping[str, Any], variable: str) -> str:
    """Name of the rate of a variable; a speed is its own; '' of what is no variable of a joint, such as a load."""
    joint, _, own = variable.partition(".")
    if own in attrs["speeds"].get(joint, ()):
        return variable
    rate = f"{variable}.rate"
    return rate if own in attrs["joints"].get(joint, ()) and rate in run else ""


def drive_energy(
    time: ArrayLike,
    drives: Mapping[str, tuple[str, ArrayLike, ArrayLike]],
    recuperation: float = 0.0,
    run: Run | None = None,
) -> Energy:
    """Power and energy from plain arrays.

    Parameters
    ----------
    time : of the samples [s], never decreasing
    drives : by name the unit of the effort, "N m" or "N", and efforts and rates, one number a sample
    recuperation : share of the energy given back that is recovered, 0 to 1
    run : the run that they come from
    """
    t = np.asarray(time, dtype=np.float64)
    problems = []
    if t.ndim != 1 or not t.size or not np.isfinite(t).all() or np.any(np.diff(t) < 0.0):
        problems.append(Problem("times are not finite numbers that never decrease", "time"))
    arrays = {n: (u, np.asarray(e, np.float64), np.asarray(r, np.float64)) for n, (u, e, r) in drives.items()}
    for name, (_, effort, rate) in arrays.items():
        for what, values in (("efforts", effort), ("rates", rate)):
            if values.shape != t.shape:
                problems.append(Problem(f"the shape of the {what} is {values.shape}, not {t.shape}", name))
            elif not np.isfinite(values).all():
                at = int(np.argmin(np.isfinite(values)))
                problems.append(Problem(f"the {what} are not finite at sample {at}", name, "leave such samples out"))
    share = number(recuperation, "recuperation")
    if not 0.0 <= share <= 1.0:
        problems.append(Problem(f"{share:g} is no share", "recuperation", "0 recovers nothing, 1 all that comes back"))
    if not drives:
        problems.append(Problem("no drive is given", "drives"))
    if problems:
        raise InputError(problems)
    parabolas = {name: _parabolas(effort, rate) for name, (_, effort, rate) in arrays.items()}
    found = tuple(
        _judged(name, t, parabolas[name], effort * rate, share, unit, effort)
        for name, (unit, effort, rate) in arrays.items()
    )
    together = np.sum(list(parabolas.values()), axis=0)
    power = np.sum([d.power for d in found], axis=0)
    return Energy(found, share, _judged("one supply", t, together, power, share), t, run)


def _judged(
    name: str, t: Array, P: Array, power: Array, share: float, unit: str = "", effort: Array | None = None
) -> DriveEnergy:
    """Everything about a power, from its parabolas P and its samples."""
    h = np.diff(t)
    drawn, returned = (float(h @ _positive_part(sign * P)) for sign in (1.0, -1.0))
    steps = h * (P[0] + P[1] / 2.0 + P[2] / 3.0)
    high, low = _extremes(P, power)
    return DriveEnergy(
        name=name,
        unit=unit,
        peak_effort=None if effort is None else float(np.abs(effort).max()),
        rms_effort=None if effort is None else _rms(h, _square_of_line(effort), effort),
        peak_power=max(0.0, high),
        braking_power=max(0.0, -low),  # of equals the first: no -0
        rms_power=_rms(h, _square_of_parabola(P), power),
        net=float(steps.sum()),
        drawn=drawn,
        returned=returned,
        absolute=drawn + returned,
        cost=drawn - share * returned,
        power=power,
        energy=np.concatenate([[0.0], np.cumsum(steps)]),
    )


def _parabolas(effort: Array, rate: Array) -> Array:
    """c0, c1, c2 (3, samples - 1) of P = c0 + c1 s + c2 s², s from 0 to 1 between two samples."""
    e, r, de, dr = effort[:-1], rate[:-1], np.diff(effort), np.diff(rate)
    return np.stack([e * r, e * dr + r * de, de * dr])


def _positive_part(P: Array) -> Array:
    """∫ max(P, 0) ds over 0 ... 1 of parabolas: Simpson's rule, exact for them, on the pieces between their zeros."""
    c0, c1, c2 = P
    ends = np.sort(np.stack([np.zeros_like(c0), *_zeros(c0, c1, c2), np.ones_like(c0)]), axis=0)
    whole: Array = np.zeros_like(c0)
    for a, b in itertools.pairwise(ends):
        at = (a, 0.5 * (a + b), b)
        left, middle, right = (c0 + s * (c1 + s * c2) for s in at)
        whole += np.maximum((b - a) / 6.0 * (left + 4.0 * middle + right), 0.0)
    return whole


def _zeros(c0: Array, c1: Array, c2: Array) -> tuple[Array, Array]:
    """Both zeros of parabolas, kept within 0 ... 1; 0 stands for one that is not there."""
    root = np.sqrt(np.maximum(c1 * c1 - 4.0 * c2 * c0, 0.0))
    q = -0.5 * (c1 + np.where(c1 < 0.0, -root, root))  # no digits cancel
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        pair = q / c2, c0 / q
    first, second = (np.clip(np.where(np.isfinite(z), z, 0.0), 0.0, 1.0) for z in pair)
    return first, second


def _extremes(P: Array, power: Array) -> tuple[float, float]:
    """Greatest and least of parabolas and samples."""
    inside = P[1] * (P[1] + 2.0 * P[2]) < 0.0  # the slope changes its sign between the samples
    c0, c1, c2 = P[:, inside]
    tops = c0 - c1 * c1 / (4.0 * c2)
    every = np.concatenate([power, tops])
    return float(every.max()), float(every.min())


def _square_of_line(values: Array) -> Array:
    """∫ values² ds between samples."""
    a, b = values[:-1], values[1:]
    squares: Array = (a * a + a * b + b * b) / 3.0
    return squares


def _square_of_parabola(P: Array) -> Array:
    """∫ P² ds between samples."""
    c0, c1, c2 = P
    squares: Array = c0 * c0 + c0 * c1 + (c1 * c1 + 2.0 * c0 * c2) / 3.0 + c1 * c2 / 2.0 + c2 * c2 / 5.0
    return squares


def _rms(h: Array, squares: Array, values: Array) -> float:
    """Root of the mean square over time; of a single instant, of its samples."""
    span = float(h.sum())
    mean = float(h @ squares) / span if span > 0.0 else float(np.mean(values**2))
    return float(np.sqrt(max(mean, 0.0)))

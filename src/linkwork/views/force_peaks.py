"""What the forces of a run come to, as plain numbers: drives, joints, loads and motors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.strength.motors import torque_speed
from linkwork.analyses.strength.power import ENERGIES, Energy, energy
from linkwork.geometry import Array
from linkwork.model.load_words import kind_of
from linkwork.model.mechanism import Mechanism
from linkwork.results.force_evidence import BALANCE
from linkwork.results.open_components import REACTIONS, carriers, known

if TYPE_CHECKING:
    from linkwork.results import Run


@dataclass(frozen=True)
class Largest:
    """The number that is largest in size, with its sign; its unit, its time [s] and its sample."""

    value: float
    unit: str
    at: float
    sample: int


@dataclass(frozen=True)
class DrivePeak:
    """A drive over a run; None where some samples are singular, so that there is no whole to speak of.

    effort [N m, N], power [W] : the largest; rms [N m, N] : root of the mean square of the effort
    energies [J] : net, drawn, returned, absolute, cost
    """

    effort: Largest | None
    power: Largest | None
    rms: float | None
    energies: dict[str, float] | None


@dataclass(frozen=True)
class JointPeak:
    """A joint's largest force and moment, of what is determinate; None where nothing is.

    indeterminate : components that the loops leave open
    """

    force: Largest | None
    moment: Largest | None
    indeterminate: tuple[str, ...]


@dataclass(frozen=True)
class LoadRange:
    """Least and greatest of a load, and of the power [W] that it puts into the machine.

    quantity : tension, friction, force, torque or effort
    """

    kind: str
    quantity: str
    unit: str
    least: float
    greatest: float
    least_power: float
    greatest_power: float


@dataclass(frozen=True)
class MotorVerdict:
    """A motor against its envelope; None where there is none, or nothing to compare.

    torque [N m], speed [rad/s] : the largest at its shaft; margin [N m] : the least
    violation [s] : the first time outside; message : the verdict in words
    """

    variable: str
    feasible: bool | None
    torque: float | None
    speed: float | None
    margin: float | None
    violation: float | None
    message: str


@dataclass(frozen=True)
class ForcePeaks:
    """All of them, by name. Of couplings and constraints the largest effort is told; None where it is indeterminate.

    balance [W] : largest error of the balance of power; None where forces from outside put in a power of their own
    """

    drives: dict[str, DrivePeak]
    joints: dict[str, JointPeak]
    loads: dict[str, LoadRange]
    motors: dict[str, MotorVerdict]
    energy: Energy | None
    balance: Largest | None
    constraints: dict[str, Largest | None]

    @property
    def largest_power(self) -> float:
        """Of a drive or a load [W]: what the balance is measured by."""
        drives = (abs(d.power.value) for d in self.drives.values() if d.power)
        loads = (abs(x) for f in self.loads.values() for x in (f.least_power, f.greatest_power) if np.isfinite(x))
        return max((*drives, *loads), default=0.0)

    @property
    def feasible(self) -> bool:
        """Whether no motor is outside its envelope."""
        return all(v.feasible is not False for v in self.motors.values())

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        tables: Mapping[str, Mapping[str, Any]] = {
            "drives": self.drives, "joints": self.joints, "loads": self.loads, "motors": self.motors
        }  # fmt: skip
        plain: dict[str, Any] = {key: {name: asdict(x) for name, x in table.items()} for key, table in tables.items()}
        plain["constraints"] = {name: None if x is None else asdict(x) for name, x in self.constraints.items()}
        balance = None if self.balance is None else asdict(self.balance) | {"largest_power": self.largest_power}
        return plain | {"energy": None if self.energy is None else _energies(self.energy), "power_balance": balance}


def force_peaks(run: Run, m: Mechanism, recuperation: float = 0.0) -> ForcePeaks:
    """What a run of forces comes to.

    recuperation : share of the energy given back while braking that is recovered
    """
    names = [n.removesuffix(".effort") for n in run.signals if n.endswith(".effort") and f"{n[:-7]}.power" in run]
    drives = [n for n in names if n not in m.loads and n not in run.free]
    whole = all(np.isfinite(run.signal(f"{n}.effort").values).all() for n in drives)
    used = energy(run, recuperation=recuperation) if drives and whole else None
    shapes = {n: v.shape[1:] for n, v in run.arrays.data_vars.items()}
    joints = carriers({str(n): s for n, s in shapes.items()}, m.joints)
    return ForcePeaks(
        {n: _drive(run, n, used) for n in drives},
        {j: _joint(run, j) for j in m.joints if j in joints},
        {n: found for n in m.loads if (found := _load(run, m, n)) is not None},
        {n: _motor(run, m, n) for n in m.motors},
        used,
        _signal(run, BALANCE) if BALANCE in run else None,
        {n: _signal(run, f"{n}.effort") for n in m.constraints if f"{n}.effort" in run},
    )


def _energies(found: Energy) -> dict[str, float]:
    return {"recuperation": found.recuperation, **{name: found.total(name) for name in ENERGIES}}


def _largest(values: Array, unit: str, time: Array) -> Largest | None:
    """The largest of the finite samples; of several as large, the first."""
    finite = np.flatnonzero(np.isfinite(values))
    if not finite.size:
        return None
    size = np.abs(values[finite])
    k = int(finite[np.argmax(size >= (1.0 - 1e-12) * size.max())])
    return Largest(float(values[k]), unit, float(time[k]), k)


def _signal(run: Run, name: str) -> Largest | None:
    signal = run.signal(name)
    return _largest(np.asarray(signal.values), signal.unit, run.time)


def _drive(run: Run, name: str, used: Energy | None) -> DrivePeak:
    own = None if used is None else used[name]
    return DrivePeak(
        _signal(run, f"{name}.effort"),
        _signal(run, f"{name}.power"),
        None if own is None else own.rms_effort,
        None if own is None else {e: float(getattr(own, e)) for e in ENERGIES},
    )


def _joint(run: Run, joint: str) -> JointPeak:
    data, found = run.arrays, {}
    for part, unit in (("force", "N"), ("moment", "N m")):
        values = known(data, f"{joint}.{part}")
        found[part] = _largest(np.linalg.norm(values, axis=1), unit, run.time) if values.shape[1] else None
    left = run.indeterminate.get(joint, ())
    return JointPeak(found["force"], found["moment"], tuple(c for c in REACTIONS if c in left))


def _load(run: Run, m: Mechanism, name: str) -> LoadRange | None:
    quantities = [q for q in ("tension", "friction", "force", "torque", "effort") if f"{name}.{q}" in run]
    if not quantities:
        return None
    signal = run.signal(f"{name}.{quantities[0]}")
    (low, high), powers = (_ends(x.values) for x in (signal, run.signal(f"{name}.power")))
    return LoadRange(kind_of(m.loads[name]), quantities[0], signal.unit, low, high, *powers)


def _ends(values: Array) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (np.nan, np.nan)


def _motor(run: Run, m: Mechanism, name: str) -> MotorVerdict:
    motor = m.motors[name]
    effort = f"{motor.variable}.effort"
    if effort not in run or motor.variable in run.free:
        return MotorVerdict(motor.variable, None, None, None, None, None, f"{motor.variable} does not drive")
    if not np.isfinite(run.signal(effort).values).all():
        text = "its torque is not determined at singular postures"
        return MotorVerdict(motor.variable, None, None, None, None, None, text)
    found = torque_speed(run, motor)
    first = found.violation
    return MotorVerdict(
        motor.variable,
        found.feasible,
        float(np.abs(found.torque).max()),
        float(np.abs(found.speed).max()),
        None if found.margin is None else float(found.margin.min()),
        None if first is None else float(found.time[first]),
        found.message,
    )

"""Torque over speed at a motor's shaft, against what its catalogue allows.

The effort of a driven joint is all that its drive must give, seen at the joint: what the gear gives to the joint, and
what rotor and bearings of the motor take, reflected through the gear of ratio N:

    effort = g + N² J a + N² B r + |N| C sign(r)

with rate r and acceleration a of the joint, rotor inertia J, damping B and dry friction C of the motor. The losses of
the gear, of efficiency eta, act on g alone:

    torque = g / (eta N)   where the motor drives (g r >= 0), and at rest
    torque = eta g / N     where it is driven back

and J N a + B N r + C sign(N r) on the motor's own side. The speed is N r. Vukobratović, Potkonjak, eq. 3.5.1, prints
eta · effort / N instead, against its own example (10 N m, N = 100 and eta = 0.62 give 620 N m); `losses="book"` is
that.

Envelope (sec. 5.4): a straight line from the stall torque at rest to zero at the no-load speed, in all four quadrants,
and a level line at the torque that the greatest current gives. Overload for a short time is not made use of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from linkwork.analyses.strength.force_runs import check_run
from linkwork.equations.load_kinds.motor import MOTOR_SPEED, MotorPlan
from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.geometry.types import ArrayLike, Bools
from linkwork.model.loads import Motor
from linkwork.names import no_such

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results import Panels, Run
    from linkwork.results.plots import Line, Plot
    from linkwork.results.signals import Units

Losses = Literal["gear", "book"]
ROUNDING = 1e-9
"""Part of the greatest torque of the envelope by which a sample may lie outside: rounding."""


def motor_torque(
    motor: Motor, effort: ArrayLike, rate: ArrayLike, acceleration: ArrayLike, losses: Losses = "gear"
) -> tuple[Array, Array]:
    """Torque [N m] and speed [rad/s] of a motor's shaft, from what its joint takes.

    Parameters
    ----------
    motor : ratio, efficiency, rotor inertia, damping and friction
    effort : of the joint, rotor and bearings included [N m, N]
    rate, acceleration : of the joint [rad/s, m/s] and [rad/s^2, m/s^2]
    losses : "gear" as the module says, or "book" for eq. 3.5.1 as it is printed
    """
    problems = []
    if losses not in get_args(Losses):
        problems.append(
            Problem(f"'{losses}' is no way to count losses", "losses", did_you_mean(str(losses), ("gear", "book")))
        )
    if not (np.isfinite(motor.ratio) and motor.ratio != 0.0):
        problems.append(Problem(f"the ratio is {motor.ratio:g}", motor.name, "motor speed over joint rate is not 0"))
    if not 0.0 < motor.efficiency <= 1.0:
        problems.append(Problem(f"the efficiency is {motor.efficiency:g}", motor.name, "it is above 0 and at most 1"))
    if problems:
        raise InputError(problems)
    tau, r, a = (np.asarray(x, dtype=np.float64) for x in (effort, rate, acceleration))
    N, eta = motor.ratio, motor.efficiency
    speed: Array = N * r
    if losses == "book":
        return eta * tau / N, speed
    # As in the effort: forward is where the joint variable grows, and friction turns round within a small rate.
    dry = np.where(r >= 0.0, motor.friction_forward, motor.friction_backward) * np.tanh(r / MOTOR_SPEED)
    own = N * (motor.rotor_inertia * a + motor.damping * r) + np.sign(N) * dry  # at the motor's shaft
    given = tau - N * own
    factor = np.where(given * r >= 0.0, 1.0 / eta, eta)
    return factor * given / N + own, speed


def torque_limit(motor: Motor, speed: ArrayLike) -> Array | None:
    """Torque [N m] that the motor can give at a speed [rad/s]; below 0 where it cannot run so fast at all.

    min(stall (1 - |speed| / no_load), peak); None where the motor has no envelope.

    Parameters
    ----------
    motor : with stall and no_load, peak, or all three
    speed : of its shaft
    """
    if motor.stall is None and motor.no_load is not None:
        hint = "a line of torque over speed has two ends: give both"
        raise InputError(Problem("it has a no-load speed and no stall torque", motor.name, hint))
    lines = []
    n = np.abs(np.asarray(speed, dtype=np.float64))
    if motor.stall is not None:
        lines.append(motor.stall * (1.0 - (n / motor.no_load if motor.no_load is not None else 0.0 * n)))
    if motor.peak is not None:
        lines.append(np.full_like(n, motor.peak))
    if not lines:
        return None
    limit: Array = np.min(np.stack(lines), axis=0)
    return limit


@dataclass(frozen=True, eq=False)
class TorqueSpeed:
    """What a motor does over a run; made by `torque_speed`.

    motor : the motor
    torque, speed : of its shaft, one number a sample [N m], [rad/s]
    time : of the samples [s]
    losses : how those of the gear were counted
    run : the run of which it was asked; None of plain arrays
    """

    motor: Motor
    torque: Array
    speed: Array
    time: Array
    losses: Losses = "gear"
    run: Run | None = field(default=None, repr=False)

    @cached_property
    def limit(self) -> Array | None:
        """Torque that the motor can give at each speed [N m]; None where it has no envelope."""
        return torque_limit(self.motor, self.speed)

    @property
    def margin(self) -> Array | None:
        """What is left of it [N m], below 0 where it is not enough; None where the motor has no envelope."""
        return None if self.limit is None else self.limit - np.abs(self.torque)

    @cached_property
    def _outside(self) -> Bools:
        """Samples outside the envelope, or beyond the top speed, by more than rounding."""
        top = self.motor.top_speed
        too_fast = np.abs(self.speed) > (np.inf if top is None else top * (1.0 + ROUNDING))
        if self.margin is None:
            return too_fast
        scale = max(x for x in (self.motor.stall, self.motor.peak) if x is not None)
        weak: Bools = self.margin < -ROUNDING * scale
        return weak | too_fast

    @property
    def feasible(self) -> bool | None:
        """Whether every sample lies within the envelope and the top speed; None where there is neither."""
        return None if self.margin is None and self.motor.top_speed is None else not self._outside.any()

    @property
    def worst(self) -> int | None:
        """Sample with the least margin; None where the motor has no envelope."""
        return None if self.margin is None else int(np.argmin(self.margin))

    @property
    def violation(self) -> int | None:
        """First sample outside the envelope; None where all lie within it, or where there is none."""
        return int(np.argmax(self._outside)) if self._outside.any() else None

    @property
    def message(self) -> str:
        """The verdict in a sentence."""
        name, margin = self.motor.name, self.margin
        peak = f"at most {np.abs(self.torque).max():.4g} N m and {np.abs(self.speed).max():.4g} rad/s"
        if margin is None and self.motor.top_speed is None:
            return f"{name}: {peak}; it has no envelope to compare with"
        if (first := self.violation) is None and margin is None:
            return f"{name}: {peak}; never faster than its top speed of {self.motor.top_speed:.4g} rad/s"
        if first is None and margin is not None:
            return f"{name}: {peak}; feasible, the least margin is {margin.min():.4g} N m"
        assert first is not None
        at = f"{abs(self.torque[first]):.4g} N m at {abs(self.speed[first]):.4g} rad/s"
        return f"{name}: {peak}; too much from {self.time[first]:.4g} s on, where it must give {at}"

    def __repr__(self) -> str:
        return f"TorqueSpeed('{self.motor.name}', {len(self.torque)} samples)\n  {self.message}"

    def plot(self, *, units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot torque over speed within the motor's envelope; red dots are samples outside, a ring the first.

        Parameters
        ----------
        units : units to show, such as {"motor speed": "rpm"}
        ax : axes to draw into; a new figure without
        """
        return self.describe(units=units).draw(ax)

    def describe(self, *, units: Units = None) -> Plot:
        """The plot apart from how it is drawn, for pages.

        Parameters
        ----------
        units : units to show, such as {"motor speed": "rpm"}
        """
        from linkwork.analyses.strength.plot_units import titled
        from linkwork.results.plots import Band, Line, Panel, Plot, Quantity, Showing

        shown = [Quantity("motor speed", "rad/s", self.speed), Quantity("motor torque", "N m", self.torque)]
        show = Showing(units, shown)
        speed, torque = (show(q) for q in shown)
        lines = [Line("motor torque", speed.values, torque.values, heads=("motor speed", "motor torque"))]
        bands = []
        if self.limit is not None:
            n, T = _outline(self.motor, float(np.abs(self.speed).max()))
            x, y = (show(Quantity(q.name, q.unit, v)).values for q, v in zip(shown, (n, T), strict=True))
            lines.append(Line("envelope", x, y, tint="stone"))
            if self.motor.peak is not None:
                high = float(show(Quantity("motor torque", "N m", np.array([self.motor.peak]))).values[0])
                bands.append(Band(-high, high, "peak torque"))
        lines += self._beyond(speed.values, torque.values)
        title = titled(f"torque over speed of {self.motor.name}", self.run)
        upward = replace(torque.axis, kind="motor torque")
        panel = Panel(speed.axis, upward, tuple(lines), bands=tuple(bands))
        notes = () if self.feasible is not False else (self.message,)
        return Plot((panel,), title, notes)

    def _beyond(self, speed: Array, torque: Array) -> list[Line]:
        """Samples outside the envelope, and the first of them."""
        from linkwork.results.plots import Line

        if self.violation is None:
            return []
        out, first, heads = self._outside, [self.violation], ("speed outside", "torque outside")
        return [
            Line("outside", speed[out], torque[out], tint="warning", style="dots", heads=heads),
            Line("", speed[first], torque[first], tint="warning", style="ring"),
        ]


def torque_speed(run: Run, motor: Motor | str, *, losses: Losses = "gear") -> TorqueSpeed:
    """Torque and speed of a motor over a run of forces, and whether its envelope allows them.

    Parameters
    ----------
    run : forces of a motion, from `s.forces`
    motor : name of a motor of the machine, or a motor that is not in it, on a driven variable
    losses : how those of the gear count: "gear", g / (eta N) where it drives and eta g / N where it is driven back;
        "book", eta · effort / N, eq. 3.5.1 of Vukobratović and Potkonjak as it is printed
    """
    check_run(run)
    found = _motor(run, motor)
    wanted = {key: f"{found.variable}.{key}" for key in ("effort", "rate", "acceleration")}
    missing = [Problem(f"the run has no '{n}'", found.name, "drive or hold that variable, and ask s.forces(run)")
               for n in wanted.values() if n not in run]  # fmt: skip
    if missing:
        raise InputError(missing, run.name)
    if not len(run):
        raise InputError(Problem("the run has no samples", hint="its message says why it stopped"), run.name)
    parts = {key: np.asarray(run.signal(name).values) for key, name in wanted.items()}
    bad = [Problem(f"'{wanted[key]}' is not finite at every sample", found.name, "leave such samples out")
           for key, values in parts.items() if not np.isfinite(values).all()]  # fmt: skip
    if bad:
        raise InputError(bad, run.name)
    torque, speed = motor_torque(found, parts["effort"], parts["rate"], parts["acceleration"], losses)
    result = TorqueSpeed(found, torque, speed, run.time, losses, run)
    _ = result.limit  # what is wrong with the envelope is said at once
    return result


def _motor(run: Run, motor: Motor | str) -> Motor:
    if isinstance(motor, Motor):
        return motor
    known: dict[str, Motor] = {} if run.machine is None else run.machine.mechanism.motors
    if motor not in known:
        none = "give a Motor, or a run that knows its machine"
        raise InputError(no_such("motor", motor, known, "motor", none=none), run.name)
    own = run.machine.parameters  # which may differ from the model's
    return replace(known[motor], **{key: own[f"{motor}.{key}"] for key in MotorPlan.numbers})


def _outline(motor: Motor, fastest: float) -> tuple[Array, Array]:
    """Corners of the envelope, all around [rad/s, N m]; a level line goes on to the fastest sample."""
    end = motor.no_load if motor.no_load is not None else 1.05 * fastest or 1.0
    corner = 0.0
    if motor.peak is not None and motor.stall is not None and motor.peak < motor.stall and motor.no_load is not None:
        corner = motor.no_load * (1.0 - motor.peak / motor.stall)
    right = np.array([0.0, corner, end])
    limit = torque_limit(motor, right)
    assert limit is not None
    n, T = np.append(right, end), np.append(limit, 0.0)  # down to the axis
    half = np.concatenate([n, n[::-1]]), np.concatenate([T, -T[::-1]])
    return np.concatenate([half[0], -half[0][::-1]]), np.concatenate([half[1], half[1][::-1]])

"""Natural modes: eigenvalues and vectors of the linearised machine, what moves in each, and who holds its energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from linkwork.analyses.linear.coefficients import rates_of_independent
from linkwork.analyses.linear.eigenproblem import general, is_nothing, is_symmetric, undamped
from linkwork.analyses.linear.energy_shares import kinetic_shares, potential_shares
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.results import Result, build_result

if TYPE_CHECKING:
    from pathlib import Path

    from linkwork.analyses.linear.linearization import Linearization
    from linkwork.results import Run
    from linkwork.results.view_options import Viewer, ViewOptions
    from linkwork.views.animate import Movie

Kind = Literal["oscillating", "decaying", "growing", "rigid"]
TINY = 1e-300
NAMED = 0.1
"""Joints are named in a mode when they move by this part of the one that moves most."""


@dataclass(frozen=True, eq=False)
class Mode:
    """One mode: a real eigenvalue, or a pair of complex ones.

    number : from 1, by frequency
    eigenvalue : λ [1/s], of a pair the one with positive imaginary part
    kind : "oscillating", "decaying", "growing" (unstable without swinging), or "rigid" (nothing resists it)
    shape : by free coordinate; the largest entry, lengths beside the machine's size, is 1
    left : by free coordinate, the rows of the left vector that forces work on
    moves : joints that move, those that move most first; joints : movement of all joints by rate, scaled like `shape`
    kinetic : share of the kinetic energy by body; elastic : of the elastic energy by spring, laws among them
    potential : share of all potential energy by spring and of "gravity", which may be below zero
    defective : whether the eigenvalue is a multiple one with too few vectors
    """

    number: int
    eigenvalue: complex
    kind: Kind
    shape: Array
    left: Array
    moves: tuple[str, ...]
    joints: dict[str, complex]
    kinetic: dict[str, float]
    elastic: dict[str, float]
    potential: dict[str, float]
    defective: bool

    @property
    def frequency(self) -> float:
        """At which it swings, damped [Hz]; 0 where it does not swing."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)

    @property
    def natural_frequency(self) -> float:
        """|λ| / 2π [Hz]: at which it would swing without its damping."""
        return abs(self.eigenvalue) / (2.0 * np.pi)

    @property
    def damping(self) -> float:
        """Damping ratio -Re λ / |λ|; 1 or -1 where it does not swing, 0 of a rigid mode."""
        return 0.0 - self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else 0.0

    @property
    def decay(self) -> float:
        """Time in which it falls to 1/e [s]; infinite without damping, negative where it grows."""
        return -1.0 / self.eigenvalue.real if self.eigenvalue.real else np.inf

    @property
    def stable(self) -> bool:
        """Whether it does not grow."""
        return self.eigenvalue.real <= 1e-9 * abs(self.eigenvalue) and self.kind != "growing"


class Modes(Sequence[Mode]):
    """Modes of a linearised machine, by frequency; `print` shows a table, `result` has the numbers on a mode axis.

    Who moves and who holds the energy is found when it is first asked for.
    """

    def __init__(self, linear: Linearization, values: Any, vectors: Any, left: Any, defective: Any) -> None:
        """Eigenvalues (modes,), scaled vectors and left vectors (n, modes), and which are defective."""
        self.linear = linear
        self._values, self._vectors, self._left, self._defective = values, vectors, left, defective

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, number: Any) -> Any:
        return self._modes[number]

    @property
    def frequencies(self) -> Array:
        """Of all modes [Hz]."""
        return np.asarray(np.abs(self._values.imag) / (2.0 * np.pi))

    @property
    def eigenvalues(self) -> Any:
        """Of all modes [1/s], one of each pair."""
        return self._values.copy()

    @cached_property
    def _modes(self) -> tuple[Mode, ...]:
        """All of them, with joints and energies, in arrays over all modes at once."""
        linear, V = self.linear, self._vectors
        point, scale = linear._point, linear.scale
        names = point.at.loops.plan.variable_rates
        count = len(self)
        largest = np.abs(V).argmax(axis=0) if len(V) else np.zeros(count, int)
        most = V[largest, np.arange(count)] if len(V) else np.ones(count)
        shapes = V / np.where(most == 0.0, 1.0, most) * scale[:, np.newaxis]
        left = self._left / np.maximum(np.abs(self._left).max(axis=0, initial=0.0), TINY) / scale[:, np.newaxis]
        joints = shapes.T @ rates_of_independent(point.at)[~point.held]
        sizes = np.abs(joints / point.at.loops.column_scale)
        order = np.argsort(-np.round(sizes, 9), axis=1, kind="stable")
        real = np.abs(shapes.imag).max(axis=0, initial=0.0) <= 1e-9 * np.abs(shapes).max(axis=0, initial=1.0)
        kinetic, (elastic, potential) = kinetic_shares(point, joints), potential_shares(linear, shapes)
        found = []
        for k, value in enumerate(self._values.tolist()):
            own = sizes[k]
            shape = shapes[:, k].real if real[k] else shapes[:, k]
            moves = tuple(names[i] for i in order[k] if own[i] >= NAMED * own.max() > 0.0)
            moved = dict(zip(names, joints[k].tolist(), strict=True))
            found.append(
                Mode(
                    k + 1, value, _kind(value), shape, left[:, k], moves, moved, kinetic[k], elastic[k],
                    potential[k],
                    bool(self._defective[k]),
                )
            )  # fmt: skip
        return tuple(found)

    @property
    def rigid(self) -> tuple[Mode, ...]:
        """Modes that nothing resists."""
        return tuple(mode for mode in self._modes if mode.kind == "rigid")

    @property
    def stable(self) -> bool:
        """Whether no mode grows."""
        return all(mode.stable for mode in self._modes)

    @cached_property
    def result(self) -> Result:
        """Frequencies, damping, eigenvalues and shapes as labelled numbers along the axis `mode`."""
        modes, linear = self._modes, self.linear
        signals: dict[str, tuple[str, str, Any]] = {
            "frequency": ("Hz", "mode", self.frequencies),
            "natural_frequency": ("Hz", "mode", np.array([m.natural_frequency for m in modes])),
            "damping": ("1", "mode", np.array([m.damping for m in modes])),
            "decay": ("s", "mode", np.array([m.decay for m in modes])),
            "eigenvalue": ("Hz", "mode", self.eigenvalues),
        }
        rates = linear._point.at.loops.plan.variable_rates
        for name in rates:
            signals[f"{name}.shape"] = ("1", "mode", np.array([m.joints[name] for m in modes], complex))
        for what in ("kinetic", "elastic", "potential"):
            names = dict.fromkeys(name for m in modes for name in getattr(m, what))
            for name in names:
                signals[f"{name}.{what}"] = ("1", "mode", np.array([getattr(m, what).get(name, 0.0) for m in modes]))
        return build_result(
            {"mode": ("1", np.arange(1, len(modes) + 1))},
            signals,
            mechanism=linear.machine.name,
            analysis="modes",
            labels={"kind": ("mode", [m.kind for m in modes])},
            evidence={"residual": self.residual},
            warnings=list(linear.warnings),
            machine=linear.machine,
        )

    @cached_property
    def residual(self) -> float:
        """Largest part by which (λ² M + λ D + K) v misses zero, over all modes without states."""
        m, worst = self.linear.matrices, 0.0
        scale = self.linear.scale
        for mode in self._modes:
            if m.states or not len(m.M):
                continue
            s = mode.eigenvalue
            parts = [s * s * (m.M @ mode.shape), s * (m.D @ mode.shape), m.K @ mode.shape]
            size = sum(float(np.abs(p * scale).max(initial=0.0)) for p in parts)
            size += float(np.abs(m.K * scale * scale[:, np.newaxis]).max(initial=0.0)) * 1e-3 + self.linear._point.size
            worst = max(worst, float(np.abs(sum(parts) * scale).max()) / size if size else 0.0)
        return worst

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draw frequency and damping ratio of every mode; or signals of `result` over the modes.

        Parameters
        ----------
        names : of signals
        ax : axes to draw into; a new figure without
        """
        from linkwork.results.plots.description import Axis, Line, Panel, Plot

        if names:
            return self.result.plot(*names, ax=ax)
        number = np.arange(1.0, len(self) + 1.0)
        over = Axis("mode", whole=True)
        shown = (
            (Axis("frequency", "Hz"), self.frequencies),
            (Axis("damping ratio"), np.array([mode.damping for mode in self])),
        )
        panels = tuple(Panel(over, up, (Line(up.name, number, values, style="dots"),)) for up, values in shown)
        return Plot(panels, title=f"modes of {self.linear.machine.name}").draw(ax)

    def run(self, number: int, *, amplitude: float | None = None, samples: int = 73) -> Run:
        """One period of a mode as a run: a small motion about the posture with its loops closed.

        A mode that does not swing goes there and back in a second. Damping is left out.

        Parameters
        ----------
        number : of the mode, from 1
        amplitude : of the joint that moves most [rad, m]; 0.15 rad, or 0.15 of the machine's size, unless given, less
            where the loops would not close
        samples : how many, the last one like the first
        """
        from linkwork.analyses.linear.mode_motion import mode_run

        return mode_run(self, number, amplitude, samples)

    def animate(
        self,
        number: int,
        path: str | Path | None = None,
        *,
        amplitude: float | None = None,
        period: float = 1.0,
        turns: int = 3,
        **options: Any,
    ) -> Movie:
        """Write a movie of a mode, slow enough to be seen.

        Parameters
        ----------
        number : of the mode, from 1
        path : the file, .gif, .mp4 or .html; `NAME-mode-2.gif` unless given
        amplitude : of the joint that moves most, as of `run`
        period : how long one period is in the movie [s]
        turns : periods in the movie; files that go round by themselves, .gif and .html, have one
        options : as of `animate`: `style`, `fps`, `size`, `theme`, `traces`, `layers`, `names`, `progress`
        """
        from linkwork.analyses.linear.mode_motion import mode_movie

        return mode_movie(self, number, path, amplitude, period, turns, options)

    def view(self, number: int = 1, *, amplitude: float | None = None, **options: Unpack[ViewOptions]) -> Viewer:
        """Open the workbench in the browser, ready to play a mode; in a notebook, show it below the cell.

        Parameters
        ----------
        number : of the mode, from 1
        amplitude : of the joint that moves most, as of `run`
        options : port, host, browser, wait, dark, as `lw.ViewOptions` tells
        """
        return self.run(number, amplitude=amplitude).view(**options)

    def __str__(self) -> str:
        linear = self.linear
        held = f", {', '.join(linear.held)} held" if linear.held else ""
        lines = [f"{linear.machine.name}: {len(self)} mode{'' if len(self) == 1 else 's'}{held}"]
        lines.append("  mode  frequency [Hz]  damping ratio  decay [s]  what moves; energy")
        for m in self._modes:
            how = f"{m.frequency:14.6g}  {_plain(m.damping):>13}  {_plain(m.decay):>9}"
            if m.kind == "rigid":
                how = f"{'rigid':>14}  {'':>13}  {'':>9}"
            moving = ", ".join(m.moves[:4]) + (", ..." if len(m.moves) > 4 else "")
            shares = ", ".join(f"{name} {share:.0%}" for name, share in _largest({**m.kinetic}))
            springs = ", ".join(f"{name} {share:.0%}" for name, share in _largest({**m.elastic}))
            told = "; ".join(t for t in (moving, shares, springs, "defective" if m.defective else "", _grows(m)) if t)
            lines.append(f"  {m.number:4d}  {how}  {told}")
        return "\n".join([*lines, *(f"  warning: {w}" for w in linear.warnings)])

    __repr__ = __str__


def _plain(x: float) -> str:
    return "-" if not np.isfinite(x) else f"{0.0 if abs(x) < 1e-12 else x:.4g}"


def _grows(mode: Mode) -> str:
    return "" if mode.stable else "grows"


def _largest(shares: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(((n, x) for n, x in shares.items() if x >= 0.05), key=lambda own: -own[1])[:3]


# ---------------------------------------------------------------- the eigenproblem


def modes_of(linear: Linearization) -> Modes:
    """All modes, by frequency."""
    m = linear.matrices
    if not len(m.M) and not m.states:
        text = "nothing is free to move, so there are no modes"
        raise InputError(Problem(text, "lock", "hold fewer variables"), linear.machine.name)
    linear.assert_mass()
    scale = linear.scale
    S = scale[:, np.newaxis] * scale
    M, D, K = m.M * S, m.D * S, m.K * S
    if not m.states and is_nothing(D, M, K) and is_symmetric(K):
        values, V, left, bad = undamped(M, K, linear._point.size)
    else:
        values, V, left, bad = general(linear, scale)
    return Modes(linear, np.asarray(values, complex), np.asarray(V, complex), left, bad)


def _kind(value: complex) -> Kind:
    if value.imag or value == 0.0:
        return "oscillating" if value.imag else "rigid"
    return "decaying" if value.real < 0.0 else "growing"

"""Motion: drives by name to postures, rates and accelerations of everything, as a labelled run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.diagnosis import conflict_of
from linkwork.analyses.kinematics.failures import ClosureError, DeadCentre, NoFreedom
from linkwork.analyses.kinematics.given_values import (
    Given,
    given_variables,
    measured_by,
    merged,
    place_of,
    unknown_variable,
)
from linkwork.analyses.kinematics.histories import joint_histories, place_histories, state_signals
from linkwork.analyses.kinematics.joint_limits import warnings_of_run
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.nearby_postures import ordinary_mobility
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.preference import preference
from linkwork.analyses.kinematics.samples import Course, Swept
from linkwork.analyses.kinematics.sweep import swept
from linkwork.drives import Drive, as_drive
from linkwork.drives.drive_values import many_turns
from linkwork.errors import InputError, ModelError, Problem, nearest
from linkwork.geometry import Array
from linkwork.model.text_values import in_si
from linkwork.names import variable_book
from linkwork.units import ANGLE, TIME

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results import IntegrationEvidence, Panels, Run
    from linkwork.results.signals import Units

SAMPLES = 361
OPTIONS = ("samples", "duration", "times", "jerk", "progress", "threads")
Progress = Callable[[int, int], None]


def independent_with(loops: Loops, home: Posture, columns: NDArray[np.int64]) -> Mask:
    """The driven columns and those that stay free beside them; ClosureError if the driven ones cannot be driven."""
    driven: Mask = np.isin(np.arange(loops.columns), columns)
    if loops.count and columns.size:
        roles = loops.chosen(home.y, driven, preference(loops))
        if roles.conflict:
            raise conflict_of(loops, home.y, driven, roles)
        if driven.sum() + len(roles.free) > ordinary_mobility(loops, home.y):
            text = f"the posture to start from is singular: it can go on in several ways (mobility {home.mobility})"
            raise DeadCentre(Problem(text, hint="start from a posture beside it"), loops.plan.name, home)
        driven[roles.free] = True
    else:
        roles = home._roles if home.loops is loops else loops.chosen(home.y, driven, preference(loops))
        driven[roles.free] = True
    return driven


def must_follow_places(loops: Loops) -> None:
    """Refuse machines whose places depend on the way: constraints restrict their rates alone."""
    if loops.of_rates:
        verb = "restricts" if len(loops.of_rates) == 1 else "restrict"
        text = f"{', '.join(loops.of_rates)} {verb} rates alone, so that places depend on the way there"
        hint = "hand the laws to `simulate` as drives, which integrates them; `at` gives postures"
        raise InputError(Problem(text, "drives", hint), loops.plan.name)


def reached(loops: Loops, home: Posture, values: Mapping[str, Any], measured: bool = False) -> Posture:
    """The posture with given variables, followed from home along a straight line of their values."""
    given = given_variables(loops, values, measured)
    if given.values.ndim != 1:
        hint = "arrays of values are for `solve` and `motion`"
        raise InputError(Problem("a posture has one value for each variable", hint=hint), loops.plan.name)
    if not loops.count:
        y = home.y.copy()
        y[given.variables] = given.values
        return Posture(loops, y, given.columns.tolist())
    independent = independent_with(loops, home, given.columns)
    U = np.vstack([home.y[given.variables], given.values])
    _short_way(loops, given, U)
    found = swept(loops, home.y, independent, given.variables, U[1:], [], threads=1)
    if not found.reached:
        assert found.stop is not None
        raise found.stop
    return Posture(loops, found.Y[0], given.columns.tolist(), iterations=int(found.iterations[0]))


def _short_way(loops: Loops, given: Given, U: Array) -> None:
    """q and -q are one turn: go to the nearer one."""
    places = given.variables.tolist()
    for start in loops.quaternions:
        if start in places:
            own = [places.index(start + k) for k in range(4)]
            if U[0, own] @ U[1, own] < 0.0:
                U[1, own] *= -1.0


# ---------------------------------------------------------------- arrays


@dataclass(frozen=True, eq=False)
class Sweep:
    """Postures for many values of the drives, as arrays; made by `Machine.solve`.

    variables : (samples, variables); rates, accelerations : (samples, rates)
    residual : largest loop error by sample; quality : index by sample
    stopped : why samples are missing (at the end of a path) or blank (nan, where each is solved by itself), or None
    warnings : what else should be known
    names, rate_names : of the columns, those of `Machine.variables` and `Machine.variable_rates`
    units : SI units of the variables
    integration : where rates are held, what they determine, to which tolerance and in how many steps; else None
    """

    variables: Array
    rates: Array
    accelerations: Array
    residual: Array
    quality: Array
    stopped: ClosureError | None
    warnings: tuple[str, ...]
    names: tuple[str, ...]
    rate_names: tuple[str, ...]
    units: tuple[str, ...]
    integration: IntegrationEvidence | None = None

    def __len__(self) -> int:
        return len(self.variables)

    def __repr__(self) -> str:
        stopped = "" if self.stopped is None else f"; {self.stopped.status}: {self.stopped.problem}"
        return f"Sweep of {len(self)} samples, {len(self.names)} variables{stopped}"

    def value(self, name: str) -> Array:
        """A variable by name, (samples,).

        Parameters
        ----------
        name : of a variable (`C.slide`), or of a joint that has only one
        """
        return self.variables[:, self._place(self.names, name)]

    def rate(self, name: str) -> Array:
        """The rate of a variable by name, (samples,).

        Parameters
        ----------
        name : of a rate (`C.slide`, `S.wx`)
        """
        return self.rates[:, self._place(self.rate_names, name)]

    def acceleration(self, name: str) -> Array:
        """The acceleration of a variable by name, (samples,).

        Parameters
        ----------
        name : of a rate (`C.slide`, `S.wx`)
        """
        return self.accelerations[:, self._place(self.rate_names, name)]

    @staticmethod
    def _place(names: Sequence[str], name: str) -> int:
        return variable_book(names).look_up([name], "variable")[0].place

    def plot(
        self, *names: str, x: str = "sample", units: Units = None, ax: Axes | Sequence[Axes] | None = None
    ) -> Panels:
        """Plot variables, those of one unit in one panel.

        Parameters
        ----------
        names : variables or joints; without, all but x
        x : the variable to plot over; without, the number of the sample
        units : units to show; without, degrees and metres
        ax : axes to draw into, one a panel; a new figure without
        """
        from linkwork.analyses.kinematics.plot_units import DEGREES, chosen_names
        from linkwork.results.plots import Quantity, Series, describe_over

        def quantity(name: str) -> Quantity:
            return Quantity(name, self.units[self.names.index(name)], self.value(name))

        over = Quantity("sample", "1", np.arange(float(len(self))))
        if x != "sample":
            over = quantity(chosen_names([x], self.names)[0])
        wanted = chosen_names(names, self.names) if names else [n for n in self.names if n != over.name]
        series = Series([quantity(n) for n in wanted], over)
        return describe_over([series], units=units, title="sweep", default=DEGREES).draw(ax)


def solved(
    loops: Loops,
    home: Posture,
    own: Loops,
    values: Mapping[str, Any],
    rates: Mapping[str, Any] | None,
    accelerations: Mapping[str, Any] | None,
    path: bool,
    threads: int | None,
) -> Sweep:
    """Postures, rates and accelerations for arrays of values."""
    must_follow_places(loops)
    given = given_variables(loops, merged(values, {}, loops.plan.name), measured=True)
    if not given.variables.size:
        raise InputError(Problem("nothing is given", hint="give values of driven variables by name"), loops.plan.name)
    if given.values.ndim > 2:
        raise InputError(Problem("values are numbers or arrays (samples,)"), loops.plan.name)
    U = np.atleast_2d(given.values)
    if not len(U):
        raise InputError(Problem("there are no samples"), loops.plan.name)
    from linkwork.analyses.kinematics.plot_units import units_of  # which brings the results with it

    independent = independent_with(loops, home, given.columns)
    levels = [
        _level(loops, given, what, len(U), order) for order, what in enumerate((rates or {}, accelerations or {}), 1)
    ]
    found = swept(loops, home.y, independent, given.variables, U, levels, path=path, threads=threads)
    if found.stop is not None and not np.isfinite(found.Y).all(axis=1).any():
        raise found.stop
    ny, nw = own.plan.ny, own.columns
    return Sweep(
        found.Y[:, :ny], found.rates[0][:, :nw], found.rates[1][:, :nw], found.residual, found.quality, found.stop,
        tuple(found.warnings),
        own.plan.variables, own.plan.variable_rates, tuple(units_of(own)[n] for n in own.plan.variables),
        _integration(found),
    )  # fmt: skip


def _integration(found: Swept) -> IntegrationEvidence | None:
    """The evidence of what only rates determine."""
    from linkwork.results import IntegrationEvidence

    own = found.integrated
    return None if own is None else IntegrationEvidence(own.names, own.idle, own.tolerance, own.steps, own.rejected)


def _level(loops: Loops, given: Given, values: Mapping[str, Any], samples: int, order: int) -> Array:
    """Rates or accelerations of driven variables, (samples, nw)."""
    level = np.zeros((samples, loops.columns))
    problems = []
    for name, value in values.items():
        found = loops.book.find(name, "variable", "rate")
        if found is None:
            problems.append(loops.book.unknown(name, "variable", "rate"))
            continue
        column = found.column
        if column not in given.columns:
            hint = f"driven are: {', '.join(loops.names(given.columns))}"
            problems.append(Problem(f"'{name}' is not driven", hint=hint))
            continue
        try:
            number = np.asarray(in_si(value, measured_by(loops, column) / TIME**order, name), float)
        except ModelError as error:
            problems += error.problems
            continue
        except (TypeError, ValueError):
            number = np.array(np.nan)
        if not np.isfinite(number).all() or number.shape not in ((), (samples,)):
            problems.append(Problem(f"a number or {samples} finite numbers are wanted", name))
            continue
        level[:, column] = number
    if problems:
        raise InputError(problems, loops.plan.name)
    return level


# ---------------------------------------------------------------- laws of time


@dataclass(frozen=True, eq=False)
class _Driven:
    """Drives by name: places of their variables and rates, and the laws."""

    names: tuple[str, ...]
    variables: NDArray[np.int64]
    columns: NDArray[np.int64]
    laws: tuple[Drive, ...]
    remarks: tuple[str, ...] = ()
    """What is allowed, but may not be meant."""


def _drives(loops: Loops, given: Mapping[str, Any]) -> _Driven:
    problems: list[Problem] = []
    remarks: list[str] = []
    places: dict[int, tuple[str, int, Drive]] = {}
    asked: dict[int, str] = {}
    for name, law in given.items():
        found = place_of(loops, name)
        if found is None:
            unknown, near = unknown_variable(loops, name, measured=True), nearest(str(name), OPTIONS, 0.75)
            problems.append(replace(unknown, hint=f"did you mean the option '{near}'?") if near else unknown)
            continue
        try:
            drive = as_drive(law, str(name), found[0].law.variables[found[1]].quantity)
        except ModelError as error:
            problems += error.problems
            continue
        slot, k = found
        if slot.q.start + k in places:
            problems.append(Problem(f"'{name}' and '{asked[slot.q.start + k]}' are the same variable"))
            continue
        if slot.law.variables[k].quantity == ANGLE and (text := many_turns(law, drive)):
            remarks.append(f"{name} {text}")
        asked[slot.q.start + k] = str(name)
        places[slot.q.start + k] = (loops.plan.variables[slot.q.start + k], slot.v.start + k, drive)
    if not given:
        free = loops.plan.variables[0] if loops.plan.variables else "A"
        problems.append(Problem("nothing is driven", hint=f"for example motion({free.partition('.')[0]}=(0, 6.28))"))
    if problems:
        raise InputError(problems, loops.plan.name)
    return _Driven(
        tuple(n for n, _, _ in places.values()),
        np.array(list(places), np.int64),
        np.array([c for _, c, _ in places.values()], np.int64),
        tuple(d for _, _, d in places.values()),
        tuple(remarks),
    )


def times_of(
    laws: Sequence[Drive], samples: int | None, duration: Any, times: Any, source: str, names: Sequence[str] = ()
) -> Array:
    """Times of samples [s]: given, or evenly spaced over a duration, that of the longest law by default."""
    problems: list[Problem] = []
    if times is not None:
        if samples is not None or duration is not None:
            problems.append(Problem("`times` stands instead of `samples` and `duration`", "times"))
        try:
            t = np.asarray(in_si(times, TIME, "times"), float)
        except (TypeError, ValueError):
            t = np.zeros(0)
        if t.ndim != 1 or not t.size or not np.isfinite(t).all() or (np.diff(t) < 0.0).any():
            problems.append(Problem("times are finite and ascending, at least one", "times"))
        if problems:
            raise InputError(problems, source)
        return t
    count = SAMPLES if samples is None else samples
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        problems.append(Problem(f"{samples!r} samples", "samples", "give a whole number, at least 1"))
    duration = in_si(duration, TIME, "duration")
    longest = [law.duration for law in laws if law.duration is not None]
    end = duration if duration is not None else max(longest, default=0.0 if count == 1 else None)
    if end is None:
        told = ", ".join(
            f"{n}: {law}" if n else str(law) for n, law in zip(names or [""] * len(laws), laws, strict=True)
        )
        problems.append(Problem(f"the laws go on for ever ({told})", "duration", "say duration="))
    elif isinstance(end, str) or not (np.isfinite(end) and (end > 0.0 or (end == 0.0 and count == 1))):
        problems.append(Problem(f"a duration of {end} s", "duration", "give a positive number, or samples=1"))
    if problems or end is None:
        raise InputError(problems, source)
    return np.linspace(0.0, float(end), int(count))


def _sampled(driven: _Driven, t: Array, source: str) -> Array:
    """Values, rates, accelerations and jerks of all laws; InputError with the names of those that have none."""
    sampled: list[Array] = []
    problems: list[Problem] = []
    for name, law in zip(driven.names, driven.laws, strict=True):
        try:
            sampled.append(law.sample(t))
        except ModelError as error:
            problems += [Problem(p.what, name, p.hint) for p in error.problems]
            continue
        if not np.isfinite(sampled[-1]).all():
            problems.append(Problem("the law gives numbers that are not finite", name))
    if problems:
        raise InputError(problems, source)
    return np.stack(sampled)


def driven_motion(
    loops: Loops,
    home: Posture,
    own: Loops,
    drives: Mapping[str, Any],
    samples: int | None,
    duration: float | None,
    times: Any,
    jerk: bool,
    progress: Progress | None,
    threads: int | None,
) -> Run:
    """Postures along laws of time as a run."""
    must_follow_places(loops)
    driven = _drives(loops, drives)
    t = times_of(driven.laws, samples, duration, times, loops.plan.name, driven.names)
    if home.mobility == 0:
        text = f"nothing can move: mobility 0, yet {', '.join(driven.names)} should be driven"
        raise NoFreedom(Problem(text, hint="check the joints with `linkwork check`"), loops.plan.name)
    independent = independent_with(loops, home, driven.columns)
    laws = _sampled(driven, t, loops.plan.name)  # (drives, 4, samples)
    levels = [np.zeros((len(t), loops.columns)) for _ in range(3 if jerk else 2)]
    for k, level in enumerate(levels):
        level[:, driven.columns] = laws[:, k + 1].T
    report = None if progress is None else (lambda done: progress(min(done, len(t)), len(t)))
    U = np.ascontiguousarray(laws[:, 0].T)
    course = Course(driven.laws, driven.names, t)
    found = swept(
        loops, home.y, independent, driven.variables, U, levels, threads=threads, progress=report, course=course
    )
    if not found.reached:
        assert found.stop is not None
        raise found.stop
    if progress is not None:  # who interrupts here once more drops everything
        progress(found.reached if found.stop else len(t), len(t))
    return _run(loops, own, home, driven, independent, t, found, threads)


def _run(
    loops: Loops,
    own: Loops,
    home: Posture,
    driven: _Driven,
    independent: Mask,
    t: Array,
    found: Swept,
    threads: int | None,
) -> Run:
    from linkwork.results import ClosureHistory, build_run

    plan, reached = own.plan, found.reached
    Y, rates = np.ascontiguousarray(found.Y[:, : plan.ny]), [np.ascontiguousarray(w[:, : plan.nw]) for w in found.rates]
    variables, speeds = joint_histories(own, Y, rates)
    places = place_histories(own, Y, rates, threads)
    laws = {n: str(law) for n, law in zip(driven.names, driven.laws, strict=True)}
    held = np.setdiff1d(np.flatnonzero(independent), driven.columns)
    mobility = np.full(reached, ordinary_mobility(loops, home.y))
    for k in found.singular:
        mobility[k] = Posture(own, Y[k]).mobility
    closure = ClosureHistory(found.residual, found.quality, mobility, found.iterations, unit="1")
    stopped = "" if found.stop is None else f"{found.stop.status}: {found.stop.problem}"
    return build_run(
        t[:reached], mechanism=plan.name, variables=variables, speeds=speeds, **places,
        closure=closure if loops.count else None, driven=laws, held=loops.names(held),
        status="complete" if found.stop is None else "stopped", message=stopped, asked=len(t),
        warnings=[*driven.remarks, *found.warnings, *_jumps(driven), *warnings_of_run(own, Y, t)],
        integration=_integration(found), state=state_signals(own), machine=own.system,
    )  # fmt: skip


def _jumps(driven: _Driven) -> list[str]:
    """Inside a law, a jump of the rate asks for an infinite acceleration; one of the acceleration is no matter."""
    texts = []
    for name, law in zip(driven.names, driven.laws, strict=True):
        inside = [x for x in law.breaks if 0.0 < x < (law.duration if law.duration is not None else np.inf)]
        around = np.array(inside)[:, np.newaxis] * (1.0 + np.array([-1e-9, 1e-9]))
        rates = law.sample(around)[1] if inside else np.zeros((0, 2))
        most = np.abs(rates).max(initial=0.0)
        sharp = [x for x, (before, after) in zip(inside, rates, strict=True) if abs(after - before) > 1e-4 * most]
        if sharp:
            when = ", ".join(f"{x:.4g} s" for x in sharp[:4]) + (", ..." if len(sharp) > 4 else "")
            texts.append(f"the rate of {name} jumps at {when}: its acceleration is infinite there")
    return texts

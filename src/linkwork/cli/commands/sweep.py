"""`linkwork sweep`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.completion import complete_parameters, complete_signals
from linkwork.cli.drive_options import Drives, Duration, Samples, Speeds, Start, check_samples
from linkwork.cli.models import AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import MOST_ROWS, print_json, print_problems, print_tables, say, tell, title
from linkwork.cli.settings import Sets, numbers_of, parameter_dimension
from linkwork.cli.simulation_options import Efforts, Rates, Until

if TYPE_CHECKING:
    from linkwork.analyses.forces.statics import Statics
    from linkwork.analyses.machine import Machine
    from linkwork.analyses.parameter_sweeps import Over, Wanted
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.results import Result
    from linkwork.units import Dimension, UnitSystem

POINTS = 11
MOST_PLACES = 100_000
NUMBERS, PICTURES = (".nc", ".csv"), (".png", ".svg", ".pdf")


def sweep(
    file: File,
    over: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=RANGE",
            help="What is varied: a number of the model, --over rod.mass=0.4kg:0.8kg:9, or a variable at the start, "
            "--over start.A=10deg:80deg; the last number of a range is how many, 11 by default; a list, "
            "--over rod.mass=0.4kg,0.6kg,1kg; dimensions of `let` too, --over crank=40mm:60mm. Given twice, a grid.",
            autocompletion=complete_parameters,
        ),
    ],
    of: Annotated[
        list[str],
        typer.Option(
            metavar="SIGNAL:WORD",
            help="What is asked: a signal, and how it becomes one number, --of A.effort:rms; max, min, mean, rms, "
            "range, first, last, or peak (the largest in size), which is the default; again for others.",
            autocompletion=complete_signals,
        ),
    ],
    case: CaseName = None,
    sets: Sets = None,
    drive: Drives = None,
    speed: Speeds = None,
    samples: Samples = None,
    duration: Duration = None,
    until: Until = None,
    start: Start = None,
    rate: Rates = None,
    effort: Efforts = None,
    statics: Annotated[
        bool, typer.Option("--statics", help="At rest, at the posture of --start, instead of in motion.")
    ] = False,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Write the numbers, --out sweep.nc, or sweep.csv of one range, or a picture, --out sweep.png (svg, "
            "pdf); again for others. A file that is there is overwritten.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask one thing many times: quantities over one or two numbers of the model, or over starts.

    With --until it is a simulation, with --statics a machine at rest, else a motion and, where a signal needs them, its
    forces. A place that has no answer is left open and told, with exit code 1.

    Example: linkwork sweep slider-crank --over rod.mass=0.4kg:0.8kg:5 --of A.effort:rms --drive A=0:360deg --speed
    A=600rpm
    """
    m = sound(file, as_json)
    from linkwork.analyses.parameter_sweeps import swept, swept_together
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.cli.progress import Work
    from linkwork.cli.simulation_values import Released

    units, problems = units_of(m), Problems()
    paths = _paths(out or (), problems)
    with asking(file, m, as_json):
        asked = asked_machine(m, case, sets, problems)
        machine, own = asked.machine, asked.own
        variables = Variables(machine, units, problems)
        varied = _varied(over, machine, variables, problems)
        wanted = _wanted(of, statics, problems)
        seconds = variables.duration(duration)
        if until is None and own.until is not None and duration is None and not statics:
            until = f"{own.until:.17g} s"
        end = variables.time(until, "--until") if until is not None else None
        lasts = until if end is not None else duration if seconds is not None else None
        laws = {n: law for n, (_, law) in variables.laws_of_time(drive or (), speed or (), lasts).items()}
        driven = bool(laws)
        laws = {} if statics and not driven else asked.laws(laws, end or seconds, variables)
        begin = asked.starts(laws, variables.values(start or (), "--start"), variables)
        read = Released(machine, variables)
        rates = asked.under("--rate", own.rates, read.rates(rate or ()), variables)
        efforts = asked.under("--effort", own.efforts, read.efforts(effort or ()), variables)
        if until is None and (rate or effort):
            problems.note("rates and efforts are of simulations", "--until", "for example --until 2s")
        if statics and (until is not None or driven):
            problems.note("a machine at rest has no motion", "--statics", "leave out --until and --drive")
        if not statics:
            samples = asked.unless("--samples", own.samples, samples)
        check_samples(samples, problems)
        problems.done(m.name)
        with Work("sweep") as work:
            if until is not None:
                assert end is not None
                shared: dict[str, Any] = {"start": begin, "rates": rates or None, "efforts": efforts or None}
                shared |= {
                    "drives": laws or None,
                    "samples": samples,
                    "events": own.events,
                    "states": own.states or None,
                }
                if asked.case is not None:
                    asked.case.assert_simulates()
                found = swept_together(machine, varied, wanted, end, shared, work.progress)
            elif statics:
                acts = {} if asked.case is None else asked.case.acting()
                found = swept(machine, varied, wanted, partial(_at_rest, begin, acts), "statics", work.progress)
            else:
                seconds = asked.seconds(laws, seconds)
                acts = {} if asked.case is None else asked.case.acting()
                ask, what = _moving(machine, wanted, laws, begin, samples, seconds, acts)
                found = swept(machine, varied, wanted, ask, what, work.progress)
    unwritten = _write(found, paths, wanted, units)
    if as_json:
        print_json({**head(file, m), **asked.as_dict(), "sweep": found.to_dict(), "written": [str(p) for p in paths]})
    else:
        _print(found, varied, wanted, units, asked.told)
        for path in paths:
            if path not in unwritten:
                say(f"wrote {path}")
    raise typer.Exit(130 if work.stopped else 2 if unwritten else 0 if found.status == "complete" else 1)


def _at_rest(begin: dict[str, Any], acts: dict[str, Any], s: Machine, starts: dict[str, float]) -> Statics:
    return s.statics(s.at(begin | starts) if begin | starts else s.home, **acts)


def _moving(
    machine: Machine, wanted: Sequence[Wanted], laws: dict[str, Any], begin: dict[str, Any], samples: int | None,
    seconds: float | None, acts: dict[str, Any],
) -> tuple[Any, str]:  # fmt: skip
    """What is asked of each machine: its motion, and its forces where a signal is none of the motion."""
    from linkwork.views.default_motion import shown_motion

    def moved(s: Machine, starts: dict[str, float], count: int | None) -> Any:
        s = s.starting_from(begin | starts) if begin | starts else s
        if laws:
            return s.motion(laws, samples=count, duration=seconds)
        shown = shown_motion(s, count, duration=seconds)
        return shown.run

    glimpse = moved(machine, {}, 2)
    forces = glimpse is None or any(w.signal not in glimpse for w in wanted)
    if glimpse is None:
        from linkwork.errors import InputError, Problem

        raise InputError(Problem("nothing is driven, and nothing can be", "--drive"), machine.name)
    if forces:
        whole = machine.forces(glimpse, **acts)
        for w in wanted:
            whole.signal(w.signal)  # says what there is where a name is none
        return lambda s, starts: s.forces(moved(s, starts, samples), **acts), "forces"
    return lambda s, starts: moved(s, starts, samples), "motions"


# ---------------------------------------------------------------- what the options say


def _varied(texts: Sequence[str], machine: Machine, variables: Variables, problems: Problems) -> list[Over]:
    import numpy as np

    from linkwork.analyses.parameter_sweeps import Over
    from linkwork.units import SI

    found: list[Over] = []
    example = f"--over {next((n for n in numbers_of(machine) if n.endswith('.mass')), 'rod.mass')}=1kg:2kg:5"
    for name, text, where in variables.pairs(texts, "--over", example.partition(" ")[2]):
        full, dimension = name, None
        if name.startswith("start."):
            known = variables.specified(name.removeprefix("start."), where)
            full, dimension = (f"start.{known[0]}", known[1]) if known else (name, None)
        else:
            dimension = parameter_dimension(machine, name, where, problems)
        if dimension is None:
            continue
        parts = [part.strip() for part in text.split(":")]
        count = POINTS
        if len(parts) == 3 and parts[2].isdigit():
            count = int(parts.pop())
        written = parts if len(parts) == 2 else [part.strip() for part in text.split(",")]
        if len(parts) > 2:
            problems.note(f"'{text}' is not a range", where, f"for example {example}")
            continue
        values = problems.reading(where, partial(_numbers, written, dimension, variables.units))
        if values is None:
            continue
        if len(parts) == 2:
            if not 2 <= count <= MOST_PLACES:
                problems.note(f"{count} values", where, f"give 2 to {MOST_PLACES}")
                continue
            values = np.linspace(values[0], values[1], count).tolist()
        if full in [own.name for own in found]:
            problems.note(f"'{full}' is given twice", where, "give it once")
        found.append(Over(full, SI.symbol(dimension) or "1", tuple(values)))
    if len(found) > 2:
        problems.note(f"{len(found)} ranges", "--over", "give one or two")
    if np.prod([len(own.values) for own in found]) > MOST_PLACES:
        problems.note("the grid has too many places", "--over", f"{MOST_PLACES} at most")
    return found


def _numbers(texts: Sequence[str], dimension: Dimension, units: UnitSystem) -> list[float]:
    from linkwork.units import parse_quantity

    return [parse_quantity(text, dimension, units) for text in texts]


def _wanted(texts: Sequence[str], statics: bool, problems: Problems) -> list[Wanted]:
    from linkwork.analyses.parameter_sweeps import REDUCTIONS, Wanted
    from linkwork.names import no_such

    found = []
    for text in dict.fromkeys(texts):
        signal, _, word = text.partition(":")
        if (word or "peak") not in REDUCTIONS:
            problems.found.append(no_such("way to one number", word, REDUCTIONS, f"--of {text}"))
        else:
            found.append(Wanted(signal.strip(), "" if statics else word or "peak"))
    return found


def _paths(out: Sequence[Path], problems: Problems) -> list[Path]:
    from linkwork.cli.outputs import check_output

    paths = list(dict.fromkeys(out))
    for path in paths:
        check_output(path, problems)
    return paths


# ---------------------------------------------------------------- what is shown


def _write(found: Result, paths: Sequence[Path], wanted: Sequence[Wanted], units: UnitSystem) -> list[Path]:
    from linkwork.errors import LinkworkError

    unwritten = []
    for path in paths:
        try:
            if path.suffix.lower() in NUMBERS:
                found.save(path)
            else:
                found.plot(*(w.name for w in wanted), units=units).save(path)
        except (OSError, LinkworkError) as error:
            tell(f"cannot write {path}: {error}")
            unwritten.append(path)
    return unwritten


def _print(found: Result, varied: Sequence[Over], wanted: Sequence[Wanted], units: UnitSystem, case: str) -> None:
    import numpy as np

    from linkwork.errors import Problem
    from linkwork.results.plots.shown_units import Showing
    from linkwork.views.tables import Table

    signals = [found.signal(own.name) for own in varied] + [found.signal(w.name) for w in wanted]
    shown = [Showing(units, signals)(s) for s in signals]
    grid = np.meshgrid(*(s.values for s in shown[: len(varied)]), indexing="ij")
    columns = [g.ravel() for g in grid] + [s.values.ravel() for s in shown[len(varied) :]]
    heads = [f"{s.name} [{s.symbol}]" if s.symbol else s.name for s in shown]
    rows = [heads, *([f"{x:.6g}" if np.isfinite(x) else "-" for x in row] for row in zip(*columns, strict=True))]
    title(found.name, f"  {found.analysis}, {found.evidence['answered']} of {found.evidence['places']} places")
    if case:
        say(f"  case: {case}")
    print_problems(Problem(text, severity="warning") for text in found.warnings)
    print_tables([Table("", tuple(tuple(row) for row in rows))], MOST_ROWS)
    for w, s in zip(wanted, shown[len(varied) :], strict=True):
        if np.isfinite(s.values).any():
            low, high = (_place(s.values, varied, shown, pick) for pick in (np.nanargmin, np.nanargmax))
            say(f"{w.name}: least {np.nanmin(s.values):.6g} {s.symbol} at {low}, greatest {np.nanmax(s.values):.6g} "
                f"{s.symbol} at {high}")  # fmt: skip


def _place(values: Any, varied: Sequence[Over], shown: Sequence[Any], pick: Any) -> str:
    import numpy as np

    place = np.unravel_index(int(pick(values)), values.shape)
    return ", ".join(
        f"{own.name} = {shown[i].values[k]:.6g} {shown[i].symbol}".rstrip()
        for i, (own, k) in enumerate(zip(varied, place, strict=True))
    )

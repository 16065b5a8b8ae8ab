"""`--case press`: what a case of the model says, under what the options beside it say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from linkwork.cli.completion import complete_cases
from linkwork.cli.settings import with_numbers

if TYPE_CHECKING:
    from linkwork.analyses.cases import MachineCase
    from linkwork.analyses.machine import Machine
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.cli.progress import Work
    from linkwork.drives import Drive
    from linkwork.model.case_texts import Situation
    from linkwork.model.mechanism import Mechanism
    from linkwork.results import Run

T = TypeVar("T")
SAMPLES = 361
"""Of a simulation, where nothing is said."""

CaseName = Annotated[
    str | None,
    typer.Option(
        "--case",
        metavar="NAME",
        help="A case of the model, --case press: it says what the options beside it do not.",
        show_default=False,
        autocompletion=complete_cases,
    ),
]


@dataclass
class Asked:
    """A machine, in a case or in none.

    own : what the case says, in SI; nothing where there is none
    instead : options that took the place of what the case says
    """

    machine: Machine
    own: Situation
    case: MachineCase | None = None
    instead: list[str] = field(default_factory=list)

    def under(self, option: str, said: Mapping[str, Any], given: Mapping[str, T], variables: Variables) -> dict[str, T]:
        """What the case says by name, with what the options give in its place."""
        own = {variables.known_as(name): value for name, value in said.items()}
        self.instead += [f"{option} {name}" for name in own if name in given]
        return {**own, **given}

    def laws(self, given: Mapping[str, Drive], seconds: float | None, variables: Variables) -> dict[str, Drive]:
        """The case's laws of time and those of the options; a range without a speed lasts as long as the motion."""
        from linkwork.model.case_texts import read_case

        own = self.own.drives
        if self.case is not None and seconds is not None:
            timed = replace(self.case.case, duration=f"{seconds:.17g} s")
            own = read_case(self.machine.mechanism, timed)[0].drives
        return self.under("--drive", own, given, variables)

    def seconds(self, laws: Mapping[str, Drive], given: float | None) -> float | None:
        """How long a motion is [s], where that is said."""
        end = self.own.until if laws else None
        return self.unless("--duration", self.own.duration or end, given)

    def moved(self, laws: Mapping[str, Drive], samples: int | None, seconds: float | None, start: Mapping[str, Any],
              work: Work) -> Run | None:  # fmt: skip
        """What the case asks: a simulation where it says `until`, else a motion; None where it tells neither.

        laws, start : those of the case and of the options; samples, seconds : where options say so
        """
        if self.case is None or not (laws or self.own.until):
            return None
        if self.own.until is None:
            machine = self.machine.starting_from(start) if start else self.machine
            lasts, count = self.seconds(laws, seconds), self.unless("--samples", self.own.samples, samples)
            return machine.motion(laws, samples=count, duration=lasts, progress=work.progress)
        work.restarted("simulation")
        end = self.unless("--duration", self.own.until, seconds) or self.own.until
        count = self.unless("--samples", self.own.samples, samples) or SAMPLES
        return self.case.simulate(
            end, drives=laws or None, start=start or None, samples=count,
            progress=lambda t, last: work.progress(round(count * t / last), count),
        )  # fmt: skip

    def unless(self, option: str, said: T | None, given: T | None) -> T | None:
        """What an option gives, or else the case."""
        if given is not None and said is not None:
            self.instead.append(option)
        return said if given is None else given

    def texts(self, key: str, variables: Variables) -> dict[str, str]:
        """What the case says under a key, as it was written, by full name."""
        written = {} if self.case is None else getattr(self.case.case, key)
        return {variables.known_as(name): _written(value) for name, value in written.items()}

    def starts(self, laws: Mapping[str, Any], given: Mapping[str, Any], variables: Variables) -> dict[str, Any]:
        """Where it starts: what is driven starts where its law does."""
        own = {n: x for n, x in self.own.start.items() if variables.known_as(n) not in laws}
        return self.under("--start", own, given, variables)

    @property
    def told(self) -> str:
        """The case in words, and what else holds instead; empty where there is none."""
        if self.case is None:
            return ""
        case = self.case.case
        told = f"{case.name}: {case.description}" if case.description else case.name
        return f"{told} (but {', '.join(self.instead)} as given here)" if self.instead else told

    def as_dict(self) -> dict[str, Any]:
        """The case for JSON."""
        return {} if self.case is None else {"case": {"name": self.case.case.name, "instead": self.instead}}


def asked_machine(m: Mechanism, case: str | None, sets: Sequence[str] | None, problems: Problems) -> Asked:
    """The machine in a case of its model, and with the numbers that are set; what is wrong is told at once."""
    from linkwork.errors import InputError
    from linkwork.model.case_texts import Situation

    machine = m.assemble()
    if case is None:
        return Asked(with_numbers(machine, sets, problems), Situation())
    try:
        found = machine.case(case)
    except InputError as error:
        problems.found += [p if p.where else replace(p, where=f"--case {case}") for p in error.problems]
        with_numbers(machine, sets, problems)  # which tells those of --set, too
        problems.done(m.name)
        raise
    machine = with_numbers(found.machine, sets, problems)
    asked = Asked(machine, found.situation, replace(found, machine=machine))
    names = {text.partition("=")[0].strip() for text in sets or ()}
    asked.instead = [f"--set {name}" for name in found.situation.set if name in names]
    return asked


def _written(value: Any) -> str:
    return ":".join(map(str, value)) if isinstance(value, tuple) else str(value)

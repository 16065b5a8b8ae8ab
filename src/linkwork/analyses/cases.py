"""A machine in one of its cases: everything that the case says, ready for every analysis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwork.errors import InputError, Problem
from linkwork.model.case_texts import Situation, read_case
from linkwork.model.cases import Case
from linkwork.names import no_such

if TYPE_CHECKING:
    from linkwork.analyses.forces.statics import Statics
    from linkwork.analyses.kinematics.posture import Posture
    from linkwork.analyses.machine import Machine
    from linkwork.results import Run, Simulation


@dataclass(frozen=True, eq=False)
class MachineCase:
    """A machine in a case; made by `Machine.case`.

    case : as it was written; machine : with the numbers, limits and loads of the case; situation : all of it in SI
    """

    case: Case
    machine: Machine
    situation: Situation

    def __repr__(self) -> str:
        said = ", ".join(self.case.said)
        return f"case '{self.case.name}' of '{self.machine.name}': {said}"

    def posture(self) -> Posture:
        """The posture that it starts from."""
        start = self.situation.start
        return self.machine.at(start) if start else self.machine.home

    def motion(self, **more: Any) -> Run:
        """The motion of its drives, as `Machine.motion` makes it.

        Parameters
        ----------
        more : what else `Machine.motion` takes, or takes instead
        """
        own = self.situation
        if not own.drives and not more.get("drives"):
            hint = f"give it `drive: {{...}}`, or call simulate(); it says {', '.join(self.case.said)}"
            raise InputError(Problem(f"the case '{self.case.name}' drives nothing", "drive", hint), self.machine.name)
        start = {n: x for n, x in own.start.items() if n not in own.drives}
        machine = self.machine.starting_from(start) if start else self.machine
        given = {"drives": own.drives, "samples": own.samples, "duration": own.duration or own.until}
        if "times" in more:
            given |= {"samples": None, "duration": None}
        return machine.motion(**{**given, **more})

    def simulate(self, until: Any = None, **more: Any) -> Simulation:
        """What happens when the machine is let go in it, as `Machine.simulate` tells.

        Parameters
        ----------
        until : the end, where it is another than that of the case
        more : what else `Machine.simulate` takes, or takes instead
        """
        self.assert_simulates()
        own = self.situation
        end = until if until is not None else own.until
        if end is None:
            hint = "give it `until: 2 s`, or call simulate('2 s')"
            raise InputError(Problem(f"the case '{self.case.name}' does not say when it ends", "until", hint))
        given: dict[str, Any] = {
            "start": {n: x for n, x in own.start.items() if n not in own.drives} or None,
            "rates": own.rates or None,
            "drives": own.drives or None,
            "efforts": own.efforts or None,
            "events": own.events,
            "states": own.states or None,
            "samples": own.samples,
        }
        if "times" in more:
            given["samples"] = None
        return self.machine.simulate(end, **{**given, **more})

    def forces(self, run: Run | None = None, **more: Any) -> Run:
        """What its motion takes, as `Machine.forces` tells.

        Parameters
        ----------
        run : another motion of this machine
        more : what else `Machine.forces` takes, or takes instead
        """
        return self.machine.forces(self.motion() if run is None else run, **{**self.acting(), **more})

    def statics(self, values: Any = None, **more: Any) -> Statics:
        """What holds it at its start, as `Machine.statics` tells.

        Parameters
        ----------
        values : another posture
        more : what else `Machine.statics` takes, or takes instead
        """
        return self.machine.statics(self.posture() if values is None else values, **{**self.acting(), **more})

    def run(self, progress: Callable[[int, int], None] | None = None) -> Run:
        """What it asks: a simulation where it says `until`, else the motion of its drives.

        Parameters
        ----------
        progress : function (parts done, parts)
        """
        if self.situation.until is None:
            return self.motion(progress=progress)
        parts = 1000

        def told(t: float, end: float) -> None:
            assert progress is not None
            progress(round(parts * t / end), parts)

        return self.simulate(progress=None if progress is None else told)

    def assert_simulates(self) -> None:
        """InputError where it says what no simulation takes."""
        if self.situation.external:
            names = ", ".join(self.situation.external)
            text = f"forces from outside ({names}) are of forces() and statics(), not of a simulation"
            hint = "write them under `forces` of the model, and `off` in the cases without them"
            raise InputError(Problem(text, f"cases.{self.case.name}.external", hint), self.machine.name)

    def acting(self) -> dict[str, Any]:
        """Forces and torques that do not change, and where states are."""
        own = self.situation
        steady = {n: x for n, x in own.efforts.items() if isinstance(x, float)}
        moving = [n for n in own.efforts if n not in steady]
        if moving:
            hint = "write it as a load of the model, or simulate the case"
            text = f"the effort along {', '.join(moving)} changes"
            raise InputError(Problem(text, f"cases.{self.case.name}.efforts", hint), self.machine.name)
        return {"efforts": steady or None, "external": own.external or None, "states": own.states or None}


def in_case(machine: Machine, name: Any) -> MachineCase:
    """A machine in one of the cases of its model; InputError with everything that is wrong with the case."""
    cases = machine.mechanism.cases
    case = name if isinstance(name, Case) else cases.get(name)
    if case is None:
        raise InputError(no_such("case", name, cases, none="the model has no cases"), machine.name)
    known = (*machine.dimensions, *machine.parameters)
    situation, problems = read_case(machine.mechanism, case, known)
    if any(problem.severity == "error" for problem in problems):
        raise InputError([p for p in problems if p.severity == "error"], machine.name)
    if situation.limits or situation.off:
        machine = _changed(machine, situation)
    if situation.set:
        machine = machine.with_parameters(situation.set)
    return MachineCase(case, machine, situation)


def _changed(machine: Machine, situation: Situation) -> Machine:
    """The machine with other limits, without some of its loads."""
    from linkwork.analyses.machine import remade

    mechanism = machine.mechanism.resized()
    for variable, limits in situation.limits.items():
        mechanism.limit(variable, limits)
    for load in situation.off:
        mechanism.leave_out(load)
    kept = {n: x for n, x in machine._overrides.items() if n.partition(".")[0] not in situation.off}
    return remade(mechanism, *machine._choice, kept, machine.home.y, machine.home.name)

"""Is the model sound, how is it connected, and what is wrong with it: everything at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.analyses import soundness
from linkwork.analyses.mobility import Mobility, layout_mobility
from linkwork.errors import ModelError, Problem
from linkwork.model.layout import Layout, lay_out
from linkwork.model.load_words import kind_of
from linkwork.model.mechanism import Mechanism
from linkwork.topology import Topology, graph_of


@dataclass(frozen=True)
class Check:
    """What a check found. `print` it, ask `.sound`, or read its parts.

    mechanism, layout, topology : the model, its layout posture in numbers, its graph
    mobility : loop kinds, Grübler's count and rank, None when errors stand in the way
    problems : errors, warnings and notes
    """

    mechanism: Mechanism
    layout: Layout
    topology: Topology
    mobility: Mobility | None
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """What must be mended."""
        return self._of("error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What is probably not meant."""
        return self._of("warning")

    @property
    def notes(self) -> tuple[Problem, ...]:
        """What was assumed."""
        return self._of("note")

    @property
    def sound(self) -> bool:
        """True when there is no error."""
        return not self.errors

    def _of(self, severity: str) -> tuple[Problem, ...]:
        return tuple(p for p in self.problems if p.severity == severity)

    def raise_if_unsound(self) -> None:
        """Raise ModelError with every error."""
        if not self.sound:
            raise ModelError(self.errors, self.mechanism.name)

    def values(self) -> dict[str, float]:
        """Numbers of the check by name: sizes, mobility, layout values of joints, coordinates of points."""
        return found_values(self.mechanism, self.layout, self.topology, self.mobility)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        m, t = self.mechanism, self.topology
        kinds = {} if self.mobility is None else self.mobility.loop_kinds
        return {
            "name": m.name,
            "sound": self.sound,
            "values": self.values(),
            "bodies": {b: {"degree": t.degree[b], "mass": _mass(self.layout, b)} for b in t.bodies},
            "joints": {
                j.name: {"kind": j.law.kind, "tail": j.tail, "head": j.head, "chord": j.name in t.chords}
                for j in m.joints.values()
            },
            "constraints": {c.name: c.kind for c in m.constraints.values()},
            "states": {state.name: state.unit for state in m.states.values()},
            "loads": {load.name: kind_of(load) for load in m.loads.values()},
            "motors": {motor.name: motor.variable for motor in m.motors.values()},
            "assemblies": [{"reference": a.reference, "bodies": list(a.bodies)} for a in t.assemblies],
            "tree": list(t.tree),
            "chords": list(t.chords),
            "loops": [
                {
                    "chord": loop.chord,
                    "steps": [[j, s] for j, s in loop.steps],
                    "kind": kinds[loop.chord].name if loop.chord in kinds else None,
                    "equations": kinds[loop.chord].equations if loop.chord in kinds else None,
                }
                for loop in t.loops
            ],
            "problems": [p.as_dict() for p in self.problems],
        }

    def __repr__(self) -> str:
        verdict = "sound" if self.sound else f"not sound: {len(self.errors)} errors"
        return f"Check('{self.mechanism.name}': {verdict}, {len(self.warnings)} warnings)\n  {self.summary()}"

    def __str__(self) -> str:
        lines = [f"{self.mechanism.name}: {'sound' if self.sound else 'not sound'}", f"  {self.summary()}"]
        lines += [f"  {p.severity}: {p}" for p in self.problems]
        return "\n".join(lines)

    def summary(self) -> str:
        """One line: sizes, loops and mobility."""
        t = self.topology
        text = ", ".join((_count(len(t.bodies), "body"), _count(len(t.joints), "joint"), _count(t.n_loops, "loop")))
        if self.mobility is None:
            return text
        if self.mobility.mobility is None:
            return f"{text}, Grübler mobility {self.mobility.grubler}"
        text += f", mobility {self.mobility.mobility}"
        flat = 3 * t.n_loops if self.mechanism.in_plane else 0  # what the plane itself takes care of
        if self.mobility.grubler != self.mobility.mobility:
            text += f" (Grübler counts {self.mobility.grubler})"
        if self.mobility.redundant and self.mobility.redundant > flat:
            text += f", {_count(self.mobility.redundant - flat, 'redundant constraint')}"
        return text


def check(m: Mechanism) -> Check:
    """Look at the whole model.

    Parameters
    ----------
    m : the mechanism
    """
    if not isinstance(m, Mechanism):
        raise TypeError(f"a Mechanism is wanted, not {type(m).__name__}; a file is loaded first: check(load(path))")
    layout = lay_out(m)
    graph = graph_of(m)
    problems = [*layout.problems, *soundness.problems_of(m, layout, graph)]
    mobility = None
    if not any(p.severity == "error" for p in problems):
        mobility = layout_mobility(m, layout, graph)
        problems += soundness.mobility_problems(m, mobility)
        problems += soundness.expectation_problems(m, found_values(m, layout, graph, mobility), layout)
    if m.source is not None:
        problems += m.source.notes
        problems = [m.source.locate(p) for p in problems]
    order = {"error": 0, "warning": 1, "note": 2}
    return Check(m, layout, graph, mobility, tuple(sorted(problems, key=lambda p: order[p.severity])))


def found_values(m: Mechanism, layout: Layout, graph: Topology, mobility: Mobility | None) -> dict[str, float]:
    """Numbers of a model by name: what `expect` may ask for."""
    values: dict[str, float] = {
        "bodies": len(graph.bodies),
        "joints": len(graph.joints),
        "loops": graph.n_loops,
        "assemblies": len(graph.assemblies),
        "mass": sum(_mass(layout, b) for b in graph.bodies),
    }
    if mobility is not None:
        values |= {"freedoms": mobility.freedoms, "grubler": mobility.grubler}
        if mobility.rank is not None and mobility.mobility is not None and mobility.redundant is not None:
            values |= {"rank": mobility.rank, "mobility": mobility.mobility, "redundant": mobility.redundant}
    for name, seat in layout.seats.items():
        for variable, value in zip(m.joints[name].law.variables, seat.q, strict=True):
            values[f"{name}.{variable.name}"] = float(value)
    places = {**layout.points, **{name: X[:3, 3] for name, X in layout.frames.items()}}
    for name, place in places.items():
        values |= {f"{name}.{c}": float(v) for c, v in zip("xyz", place, strict=True)}
    return values


def _count(n: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{n} {noun if n == 1 else plural}"


def _mass(layout: Layout, body: str) -> float:
    return layout.masses[body].mass if body in layout.masses else 0.0

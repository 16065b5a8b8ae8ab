"""Kernels of a simulation that tell derivatives by parameters too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.simulation.engine import Engine
from linkwork.analyses.simulation.parameter_kernels import Variation
from linkwork.equations import conditions, simulation
from linkwork.formulas import Question
from linkwork.kernels import Kernel
from linkwork.kernels.drive import pointers

if TYPE_CHECKING:
    from linkwork.numerics.stepping.problem import Problem as Arrays
    from linkwork.numerics.stepping.sensitivity import Directions

NOTHING = np.zeros((0, 0), np.int64)


@dataclass
class VariedEngine(Engine):
    """Kernels in which nothing is folded that the parameters move."""

    variation: Variation | None = None
    held: list[Any] = field(default_factory=list)

    def _bound(self, question: Question) -> Kernel:
        assert self.variation is not None
        return self.variation(question).kernel

    def _bounds(self, wanted: bool, question: Question) -> Kernel | None:
        """Nothing is watched along the directions."""
        return None

    def _closure(self) -> Kernel | None:
        """Neither is the independence of rows."""
        return None

    def directions(self, p: Arrays) -> Directions:
        """Derivatives of the kernels, wired to the arrays of a problem."""
        from linkwork.numerics.stepping.sensitivity import Directions

        assert self.variation is not None
        zeros, needs = np.zeros, self.needs
        gaps, ways, rows = len(needs.gaps), len(self.variation.names), len(p.rows)
        a = {
            "y": zeros(p.ny), "w": zeros(p.nw), "effort": zeros(p.nw), "dy": zeros(p.ny), "a": zeros(p.nw),
            "e": zeros(p.e.size), "de": zeros(p.e.size), "g": zeros(gaps), "dg": zeros(gaps), "gamma": zeros(gaps),
            "G": zeros((gaps, p.nw)), "force": zeros(rows), "touch": zeros(gaps), "hold": zeros((ways, rows)),
            "states": zeros(p.layout.nx), "dstates": zeros(p.layout.nx),
        }  # fmt: skip
        wiring: dict[str, Any] = {}

        def wire(name: str, question: Question | None, along: str, of: str, outputs: str) -> None:
            if question is None:
                wiring.update({f"{name}_at": 0, f"{name}_in": NOTHING, f"{name}_out": np.zeros(0, np.int64)})
                return
            assert self.variation is not None
            varied = self.variation(question)
            kernel = varied.tangent(along.split(), of.split())
            settled, slopes = np.ascontiguousarray(varied.settled), np.ascontiguousarray(varied.slopes)
            given = [getattr(p, n) for n in question.quantity.inputs]
            seeds = [a[n] for n in along.split()]
            wiring[f"{name}_at"] = kernel.address
            wiring[f"{name}_in"] = np.array([pointers([*given, settled, *seeds, own]) for own in slopes])
            wiring[f"{name}_out"] = pointers([a[n] for n in outputs.split()])
            self.held += [kernel, settled, slopes]

        along, of = (" ".join(self._present(own)) for own in (("y", "w", "effort", "states"), ("dy", "a", "dstates")))
        wire("rates", self.rates_question, along, of, of)
        wire("mismatch", Question(simulation.mismatch()) if p.loops else None, "y w", "e de", "e de")
        stops = Question(conditions.gaps(needs.gaps)) if gaps else None
        wire("gaps", stops, "y w", "g rate G gamma", "g dg G gamma")
        return Directions(**wiring, **a)

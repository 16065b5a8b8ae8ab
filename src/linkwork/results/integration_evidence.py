"""Evidence of postures that only rates determine: what was integrated, how well, and in how many steps."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from linkwork.errors import Problem

if TYPE_CHECKING:
    from linkwork.results.arrays import Arrays


@dataclass(frozen=True)
class IntegrationEvidence:
    """Freedoms that a motion held by their rates, and how the postures that this determines were integrated.

    held : rates that were held, to which no variable belongs ('S.wx')
    idle : those of them that move nothing else: the spin of a rod between two balls
    tolerance : error of a step [rad, or parts of the machine's size]
    steps, rejected : internal steps made, and taken back; they do not depend on the samples
    """

    held: tuple[str, ...]
    idle: tuple[str, ...]
    tolerance: float
    steps: int
    rejected: int


def integration_attribute(found: IntegrationEvidence | None) -> dict[str, Any]:
    """Evidence as plain data, for a dataset; nothing where there is none."""
    return {} if found is None else {**vars(found), "held": list(found.held), "idle": list(found.idle)}


def integration_problems(told: Any) -> list[Problem]:
    """What is wrong with the attribute that tells of an integration; nothing where there is none."""
    if told == {}:
        return []
    names = [f.name for f in fields(IntegrationEvidence)]
    if not isinstance(told, dict) or sorted(told) != sorted(names):
        text = "the attribute does not tell of an integration"
        return [Problem(text, "integration", f"it has {', '.join(names)}")]
    kinds: dict[str, type] = {"held": list, "idle": list, "tolerance": float, "steps": int, "rejected": int}
    wrong = [n for n, kind in kinds.items() if not isinstance(told[n], kind) or isinstance(told[n], bool)]
    wrong += [n for n in ("held", "idle") if n not in wrong and not all(isinstance(x, str) for x in told[n])]
    return [Problem("it is of another kind than it should be", f"integration.{name}") for name in wrong]


def integration_evidence_of(data: Arrays) -> IntegrationEvidence | None:
    """Evidence from the attribute of a dataset."""
    told = data.attrs.get("integration")
    if not told:
        return None
    return IntegrationEvidence(**{**told, "held": tuple(told["held"]), "idle": tuple(told["idle"])})

"""How a link moves against its parent where bodies own coordinates: the place it hangs at, its joint, its own place.

    X = place on the parent (η of the parent) · joint (q) · inverse of the place on the body (η of the body)

The whole is one law of all these coordinates, so that directions, their changes and gradients come out of it as out of
any joint's (`joint_motion`). A mark - a point, a frame, one end of a cut joint - on such a body is the same with the
place alone: a *station*, a link without mass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from linkwork.equations.joint_motion import law_parameters
from linkwork.equations.vectors import Matrix, Vector, add, apply, apply_t, multiply, neg, transpose
from linkwork.model.inner import InnerLaw
from linkwork.model.joints import Law
from linkwork.model.joints.law import Motion, Variable

POSE = 12
"""Numbers of a pose: its origin, then the rows of its rotation."""


@dataclass(frozen=True)
class LinkChain(Law):
    """The law of a link: of its parent's body, its joint, its own body; each is there or not.

    values : numbers of the first body's law and the pose of the place there, of the joint's law, of the second body's
        law and the pose of the place there
    """

    before: InnerLaw | None
    joint: Law | None
    sign: int
    after: InnerLaw | None
    values: tuple[Any, ...]
    kind, letter = "chain", ""

    @property
    def variables(self) -> tuple[Variable, ...]:  # type: ignore[override]
        """Those of all laws, one after the other."""
        return tuple(v for law in self._laws() for v in law.variables)

    @property
    def freedom(self) -> int:
        """Number of rates of all laws."""
        return sum(law.freedom for law in self._laws())

    def _laws(self) -> list[Law]:
        return [law for law in (self.before, self.joint, self.after) if law is not None]

    def numbers(self) -> dict[str, Any]:
        return {str(k): x for k, x in enumerate(self.values)}

    def with_numbers(self, values: Mapping[str, Any]) -> LinkChain:
        return replace(self, values=tuple(values.get(str(k), x) for k, x in enumerate(self.values)))

    def flow(self, q: Sequence[Any], v: Sequence[Any]) -> tuple[Any, ...]:
        found: list[Any] = []
        for law in self._laws():
            n = law.freedom
            found += law.flow(q[len(found) : len(found) + len(law.variables)], v[:n])
            v = v[n:]
        return tuple(found)

    def motion(self, q: Sequence[Any]) -> Motion:
        values, q = list(self.values), list(q)
        before, joint, after = self.before, self.joint, self.after
        R, p = _place(before, values, q)
        if joint is not None:
            own = _with_numbers(joint, values)
            R2, p2 = own.motion([q.pop(0) for _ in joint.variables])
            if self.sign < 0:
                R2, p2 = transpose(R2), neg(apply_t(R2, p2))
            R, p = multiply(R, R2), add(p, apply(R, p2))
        if after is not None:
            R2, p2 = _place(after, values, q)
            R2, p2 = transpose(R2), neg(apply_t(R2, p2))
            R, p = multiply(R, R2), add(p, apply(R, p2))
        return R, p


def _place(law: InnerLaw | None, values: list[Any], q: list[Any]) -> tuple[Matrix, Vector]:
    """Pose of a place on a body, which takes its numbers and coordinates."""
    own = law if law is None else _with_numbers(law, values)
    given = [values.pop(0) for _ in range(POSE)]
    at: Vector = (given[0], given[1], given[2])
    R: Matrix = ((given[3], given[4], given[5]), (given[6], given[7], given[8]), (given[9], given[10], given[11]))
    if own is None:
        return R, at
    turned, p = own.place([q.pop(0) for _ in own.variables], at)
    return multiply(turned, R), p


def _with_numbers(law: Any, values: list[Any]) -> Any:
    return law.with_numbers({name: values.pop(0) for name in law_parameters(law)})

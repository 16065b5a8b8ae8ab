"""A closed posture: where every joint stands, how freely the machine can move from there, and its derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.failures import DeadCentre
from linkwork.analyses.kinematics.idle_freedoms import idle_rates
from linkwork.analyses.kinematics.joint_limits import beyond_limits
from linkwork.analyses.kinematics.loops import Loops, Mask, Roles
from linkwork.analyses.kinematics.nearby_postures import ordinary_mobility
from linkwork.analyses.kinematics.preference import preference
from linkwork.analyses.kinematics.redundancy import Redundancy, redundancies_of
from linkwork.equations.quantities import QUANTITIES, names_of_places
from linkwork.errors import InputError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array

if TYPE_CHECKING:
    import xarray as xr


class Posture:
    """Variables of all joints with all loops closed, and what follows from them.

    Made by `Machine.home`, `Machine.at` and `Machine.closures`. `posture["A"]` is a joint's variable, or an array of
    them; names with the variable (`posture["C.slide"]`) always give a number.
    """

    def __init__(
        self, loops: Loops, y: Array, specified: Sequence[int] = (), name: str = "", iterations: int = 0
    ) -> None:
        self.loops = loops.whole
        self._y = np.array(y, float)
        self._y.flags.writeable = False
        self._specified: Mask = np.zeros(loops.columns, bool)
        self._specified[np.asarray(specified, np.int64)] = True
        self.name = name
        """Name of the closure, if it was given one."""
        self.iterations = iterations
        """Newton's steps that it took."""

    def __repr__(self) -> str:
        own = f" '{self.name}'" if self.name else ""
        values = ", ".join(f"{n} {x:.6g}" for n, x in list(self.values.items())[:6])
        more = ", ..." if len(self.values) > 6 else ""
        return f"Posture{own} of {self.loops.plan.name}: {values}{more}; mobility {self.mobility}"

    def of(self, loops: Loops) -> Posture:
        """The posture without the measures that it was specified by.

        Parameters
        ----------
        loops : of the machine without them
        """
        own = [k for k in np.flatnonzero(self._specified).tolist() if k < loops.columns]
        return Posture(loops, self._y[: loops.plan.ny], own, self.name, self.iterations)

    # ---------------------------------------------------------------- where everything is

    @property
    def y(self) -> Array:
        """Variables of all joints, the spanning tree's first, in the order of `Machine.variables`."""
        return self._y

    @property
    def q(self) -> Array:
        """Coordinates of the spanning tree."""
        return self._y[: self.loops.plan.nq]

    @cached_property
    def values(self) -> dict[str, float]:
        """Variables of all joints by name [rad, m]."""
        return dict(zip(self.loops.plan.variables, self._y.tolist(), strict=True))

    def __getitem__(self, name: str) -> Any:
        if name in self.values:
            return self.values[name]
        for slot in self.loops.plan.slots:
            if slot.owner == name and slot.law.variables:
                own = self._y[slot.q]
                return float(own[0]) if len(own) == 1 else own.copy()
        raise InputError(self.loops.book.unknown(name, "variable"))

    def pose(self, name: str) -> Array:
        """Pose of a body or frame in the world, (4, 4).

        Parameters
        ----------
        name : of a body, point or frame
        """
        return self.loops.system.pose(name, self.q)

    @cached_property
    def poses(self) -> dict[str, Array]:
        """Poses of all bodies, points and frames in the world by name, (4, 4), worked out together."""
        system = self.loops.system
        X = system.bound_kernel(Question(QUANTITIES["places"]))(self.q)
        return dict(zip(names_of_places(system.plan), X, strict=True))

    def position(self, name: str) -> Array:
        """Position of a point, or of the origin of a body or frame, in the world [m].

        Parameters
        ----------
        name : of a body, point or frame
        """
        return self.loops.system.position(name, self.q)

    # ---------------------------------------------------------------- how freely it moves

    @cached_property
    def residual(self) -> float:
        """Largest error of any loop equation, redundant ones too [rad, or parts of the machine's size]."""
        return float(self.loops.residual(self._y)) if self.loops.count else 0.0

    @cached_property
    def _all_roles(self) -> Roles:
        """Roles with nothing specified: the machine's own."""
        return self.loops.roles(self._y, np.zeros(self.loops.columns, bool))

    @cached_property
    def _roles(self) -> Roles:
        return self.loops.chosen(self._y, self._specified, preference(self.loops))

    @property
    def rank(self) -> int:
        """Number of independent loop equations."""
        return self._all_roles.rank

    @property
    def mobility(self) -> int:
        """Freedoms of the machine at this posture: rates of all joints less the rank of the loop equations."""
        return self.loops.columns - self.rank

    @property
    def place_mobility(self) -> int:
        """Freedoms of place: more than those of motion where constraints restrict rates alone."""
        places = self.loops.of_places
        if places is self.loops:
            return self.mobility
        return places.columns - places.roles(self._y, np.zeros(places.columns, bool)).rank

    @property
    def singular(self) -> bool:
        """Whether there are more freedoms at this posture than elsewhere."""
        return bool(self.loops.count) and self.mobility > ordinary_mobility(self.loops, self._y)

    @property
    def redundant(self) -> int:
        """Number of loop equations that say nothing new."""
        return self.loops.rows - self.rank

    @property
    def specified(self) -> tuple[str, ...]:
        """Rates that were given values."""
        return self.loops.names(np.flatnonzero(self._specified))

    @property
    def free(self) -> tuple[str, ...]:
        """Independent rates beside the specified ones, chosen where the equations are best conditioned."""
        return self.loops.names(self._roles.free)

    @property
    def independent(self) -> tuple[str, ...]:
        """Rates that may be chosen: the specified and the free ones."""
        return self.loops.names(self._roles.independent)

    @cached_property
    def idle(self) -> tuple[str, ...]:
        """Free rates that leave every joint where it is.

        The spin of a rod between two balls, and the turns of a body that hangs on a ball alone.
        """
        loops, columns = self.loops, np.arange(self.loops.columns)
        candidates = np.isin(columns, self._roles.free) & loops.turning
        independent = np.isin(columns, self._roles.independent)
        return loops.names(np.flatnonzero(idle_rates(loops, self._y, independent, candidates)))

    @property
    def _idle_by_kind(self) -> tuple[list[str], list[str]]:
        """Idle spins of bodies that a loop holds in their place, and turns of those that are free."""
        looped = self.loops.system.topology.looped
        owner = {name: own.owner for name, own in self.loops.book.of_kind("rate").items()}
        spins = [name for name in self.idle if owner[name] in looped]
        return spins, [name for name in self.idle if name not in spins]

    @property
    def dependent(self) -> tuple[str, ...]:
        """Rates that follow from the independent ones."""
        return self.loops.names(np.sort(self._roles.dependent))

    @property
    def quality(self) -> float:
        """|product of the pivots| of the dependent rates, lengths in units of the machine's size.

        Its trend matters, not its value: it falls to 0 at dead centres and limits of travel (Uicker, Ravani, Sheth,
        eq. 6.53).
        """
        return self._roles.quality

    @property
    def conditioning(self) -> float:
        """Smallest pivot of the dependent rates; 0 says that they do not follow from the independent ones here."""
        roles = self._roles
        return 0.0 if roles.conflict else roles.smallest

    @cached_property
    def redundancies(self) -> tuple[Redundancy, ...]:
        """Redundant constraints, by the loops that share them."""
        return redundancies_of(self.loops, self._y, self._all_roles)

    @cached_property
    def beyond_limits(self) -> tuple[str, ...]:
        """A text for every variable that is beyond the limits which the model sets to it."""
        return tuple(beyond_limits(self.loops, self._y))

    # ---------------------------------------------------------------- rates and derivatives

    def velocities(self, rates: Mapping[str, float]) -> dict[str, float]:
        """Rates of all joints by name, for given rates of independent ones; other independent rates are zero.

        Parameters
        ----------
        rates : by rate or joint (`A`, `C.slide`, `S.wx`)
        """
        (W,) = self._rates([rates])
        return self._by_name(W)

    def accelerations(
        self, rates: Mapping[str, float], accelerations: Mapping[str, float] | None = None
    ) -> dict[str, float]:
        """Accelerations of all joints by name; those of independent ones that are not given are zero.

        Parameters
        ----------
        rates, accelerations : of independent rates, by rate or joint
        """
        _, A = self._rates([rates, accelerations or {}])
        return self._by_name(A)

    def jerks(
        self,
        rates: Mapping[str, float],
        accelerations: Mapping[str, float] | None = None,
        jerks: Mapping[str, float] | None = None,
    ) -> dict[str, float]:
        """Third derivatives of all joints by name.

        Parameters
        ----------
        rates, accelerations, jerks : of independent rates, by rate or joint
        """
        *_, J = self._rates([rates, accelerations or {}, jerks or {}])
        return self._by_name(J)

    def velocity(self, name: str, rates: Mapping[str, float]) -> Array:
        """Twist [v; w] of a body, point or frame, world axes.

        Parameters
        ----------
        name : of a body, point or frame
        rates : of independent rates, by rate or joint
        """
        (W,) = self._rates([rates])
        return self.loops.system.velocity(name, self.q, W[: self.loops.plan.nv])

    def acceleration(
        self, name: str, rates: Mapping[str, float], accelerations: Mapping[str, float] | None = None
    ) -> Array:
        """Acceleration [dv/dt; dw/dt] of a body, point or frame, world axes.

        Parameters
        ----------
        name : of a body, point or frame
        rates, accelerations : of independent rates, by rate or joint
        """
        W, A = self._rates([rates, accelerations or {}])
        nv = self.loops.plan.nv
        return self.loops.system.acceleration(name, self.q, W[:nv], A[:nv])

    def derivatives(self, order: int = 2, of: str = "") -> xr.Dataset:
        """Derivatives with respect to the independent rates, free of time: `first`, `second`, `third`.

        Of all joints: `first` (rate, by), `second` (rate, by, by2), `third`. For motion ψ(t) of the independent ones,

            φ' = first ψ',    φ'' = first ψ'' + second ψ' ψ',    φ''' = first ψ''' + 3 second ψ' ψ'' + third ψ' ψ' ψ'

        (Rates w of joints that turn freely are not derivatives of coordinates: for them the last one needs ψ'' = 0.)

        Of a body, point or frame: the same of its position and direction (component x, y, z, wx, wy, wz; a turning
        component's second derivatives are those of its angular velocity, made symmetric).

        Parameters
        ----------
        order : 1, 2 or 3
        of : a body, point or frame; all joints if empty
        """
        from linkwork.analyses.kinematics.geometric import geometric_derivatives

        return geometric_derivatives(self, order, of)

    def _rates(self, given: Sequence[Mapping[str, float]]) -> list[Array]:
        """Rates of all joints, and their derivatives, from those of independent ones by name."""
        vectors = [self._vector(values) for values in given]
        columns = sorted({k for v in vectors for k in v})
        independent = self._independent_with(columns)
        if self.singular and len(columns) < independent.sum():
            given_names = ", ".join(self.loops.names(columns)) or "nothing"
            text = f"the posture is singular: rates do not follow from {given_names} alone"
            hint = f"ask a posture beside it, or give rates for all of {', '.join(self.independent)}"
            raise DeadCentre(Problem(text, hint=hint), self.loops.plan.name, self)
        dense = np.zeros((len(given), self.loops.columns))
        for row, vector in zip(dense, vectors, strict=True):
            row[list(vector)] = list(vector.values())
        return self.loops.rates(self._y, independent, list(dense))

    def _independent_with(self, columns: Sequence[int]) -> Mask:
        """Independent columns that hold the given ones and, of the rest, those that this posture has free."""
        mask = np.isin(np.arange(self.loops.columns), columns)
        if mask[self._roles.independent].sum() == mask.sum():
            mask[self._roles.independent] = True
            return mask
        roles = self.loops.chosen(self._y, mask, preference(self.loops))
        if roles.conflict:
            from linkwork.analyses.kinematics.diagnosis import conflict_of  # which speaks of postures itself

            raise conflict_of(self.loops, self._y, mask, roles)
        mask[roles.free] = True
        return mask

    def _vector(self, values: Mapping[str, float]) -> dict[int, float]:
        found = self.loops.book.look_up(values, "rate", source=self.loops.plan.name)
        places = {n: own.place for n, own in zip(values, found, strict=True)}
        wrong = [n for n, x in values.items() if not (isinstance(x, (int, float, np.number)) and np.isfinite(x))]
        if wrong:
            raise InputError([Problem(f"{values[n]!r} is not a finite number", n) for n in wrong], self.loops.plan.name)
        return {places[n]: float(x) for n, x in values.items()}

    def _by_name(self, values: Array) -> dict[str, float]:
        return dict(zip(self.loops.plan.variable_rates, values.tolist(), strict=True))

    # ---------------------------------------------------------------- report

    def __str__(self) -> str:
        return "\n".join(self.report())

    def report(self) -> list[str]:
        """Lines of text: mobility, roles of the joints, redundant constraints, quality."""
        places = f", freedoms of place {self.place_mobility}" if self.loops.of_rates else ""
        lines = [f"mobility {self.mobility}{places}" + (f", closure '{self.name}'" if self.name else "")]
        if self.singular:
            elsewhere = ordinary_mobility(self.loops, self._y)
            lines.append(f"  singular:    elsewhere the mobility is {elsewhere}; rates are not determined as usual")
        if self.specified:
            lines.append(f"  specified:   {_listed(self.specified)}")
        spins, turns = self._idle_by_kind
        if spins:
            what = "a spin that moves" if len(spins) == 1 else "spins that move"
            lines.append(f"  idle:        {_listed(spins)} ({what} nothing else)")
        if turns:
            lines.append(f"  turning:     {_listed(turns)} (bodies turn freely, and nothing else moves with them)")
        lines.append(f"  independent: {_listed(self.independent)}" if self.independent else "  nothing can move")
        if self.loops.count:
            lines.append(f"  dependent:   {_listed(self.dependent)}")
            some = "; ".join(str(r) for r in self.redundancies[:6])
            more = f"; and in {len(self.redundancies) - 6} more places" if len(self.redundancies) > 6 else ""
            lines += self._redundancy_line(some + more)
            lines.append(f"  quality index {self.quality:.4g}, residual {self.residual:.1e}")
        return [*lines, *(f"  warning: {text}" for text in self.beyond_limits)]

    def _redundancy_line(self, among: str) -> list[str]:
        """How many constraints are redundant, and among which joints; what the plane makes so is no matter."""
        flat = 3 * self.loops.system.topology.n_loops if self.loops.system.mechanism.in_plane else 0
        if flat and self.redundant <= flat:
            return []
        count = self.redundant - flat
        noun = "constraint" if count == 1 else "constraints"
        return [f"  {count or 'no'} redundant {noun}" + (f": {among}" if among else "")]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {
            "name": self.name,
            "mobility": self.mobility,
            "place_mobility": self.place_mobility,
            "singular": self.singular,
            "rank": self.rank,
            "specified": list(self.specified),
            "independent": list(self.independent),
            "dependent": list(self.dependent),
            "redundant": self.redundant,
            "redundancies": [
                {"count": r.count, "joints": list(r.joints), "kind": r.kind} for r in self.redundancies
            ],
            "quality": self.quality,
            "residual": self.residual,
            "beyond_limits": list(self.beyond_limits),
            "values": self.values,
        }  # fmt: skip


def _listed(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")

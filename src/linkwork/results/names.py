"""What a name stands for: from 'P.vx' or 'A.rate' to a variable of the dataset and a part of it.

A name that a variable of the dataset has always means that variable; everything else is shorthand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.names import Name, NameBook, no_such
from linkwork.results.layout import AXES, DERIVATIVES, PLACE_UNITS
from linkwork.results.open_components import REACTIONS, Marks, carriers, is_open, open_elements, open_problem

SHORT = {"": "position", "v": "velocity", "a": "acceleration"}
"""First letters of P.x, P.vx and P.ax."""

OF_VARIABLES = (*DERIVATIVES, "effort", "power")
"""What a variable may have, and a joint that has one variable."""

PLACES = ("body", "frame", "point")
"""Kinds that have positions."""

STATE_VALUE = "value"
"""What the one variable of a named state is called; joints call theirs otherwise."""

OTHER_WORDS = {"torque": "effort", "speed": "rate", "velocity": "rate"}
"""What joints call what others call otherwise."""


@dataclass(frozen=True)
class Reference:
    """A variable of the dataset, the element of it when it has several, or the length of the vector."""

    name: str
    variable: str
    element: tuple[int, ...] = ()
    magnitude: bool = False


class Names:
    """All names of a run.

    shapes : shape of one sample of every variable
    attrs : attributes of the dataset, which say what is a joint, a body, a frame or a point
    lasting : components by joint that are indeterminate at every sample; None for all that are marked

    kinds : 'joint', 'state', 'body', 'frame' or 'point' by name; groups : all else that owns variables, loads too
    book : these names and the variables of joints
    """

    def __init__(
        self,
        shapes: Mapping[str, tuple[int, ...]],
        attrs: Mapping[str, Any],
        lasting: Marks | None = None,
    ) -> None:
        self.shapes = dict(shapes)
        self.joints: dict[str, list[str]] = attrs["joints"]
        self.speeds: dict[str, list[str]] = attrs["speeds"]
        # A floating body has variables of its own; it is a body first.
        self.kinds = dict.fromkeys([*self.joints, *self.speeds, *carriers(shapes)], "joint")
        self.kinds |= {name: "state" for name, own in self.joints.items() if own == [STATE_VALUE]}
        for kind, key in (("body", "bodies"), ("frame", "frames"), ("point", "points")):
            self.kinds |= dict.fromkeys(attrs[key], kind)
        owners = dict.fromkeys(v.partition(".")[0] for v in self.shapes if "." in v)
        self.free: list[str] = attrs.get("free", [])
        self.groups = tuple(o for o in owners if o not in self.kinds and o not in self.shapes and o != "closure")
        self.book = NameBook(
            [
                *(Name(name, kind, name) for name, kind in self.kinds.items()),
                *(Name(f"{joint}.{v}", "variable", joint) for joint, own in self.joints.items() for v in own),
            ]
        )
        self.marks: Marks = attrs["indeterminate"]
        self.lasting: Marks = self.marks if lasting is None else lasting

    def all(self) -> tuple[str, ...]:
        """Joints and places, then every variable by its full name."""
        return (*self.kinds, *self.shapes)

    def owns(self, name: str) -> bool:
        """Whether a name is that of a joint, a place, a load or the machine, all of which own variables."""
        return name in self.kinds or name in self.groups

    def find(self, name: str) -> Reference | None:
        """What a name stands for, None when it stands for nothing, or for a number that is indeterminate."""
        found = self.locate(name)
        return None if found is None or self.is_open(found) else found

    def is_open(self, reference: Reference) -> bool:
        """Whether it is a component of a reaction that statics leaves open all along, or a vector's length with one."""
        return is_open(self.lasting, reference.variable, reference.element, reference.magnitude)

    def open_component(self, reference: Reference) -> str:
        """'fz' of 'B.force.z' where it is left open, '' of everything else."""
        return open_elements(self.marks, reference.variable).get(reference.element[0], "") if reference.element else ""

    def in_plane(self, reference: Reference) -> list[int]:
        """Places in a vector of what its length is made of: of a reaction without what is open across the plane."""
        return [k for k in range(3) if k not in open_elements(self.marks, reference.variable)]

    def efforts(self) -> tuple[str, ...]:
        """What drives take, 'A.angle.effort'; else of free variables. Loads have efforts too: 'L.effort'."""
        every = tuple(v for v in self.shapes if v.count(".") == 2 and v.endswith(".effort"))
        return tuple(v for v in every if v.removesuffix(".effort") not in self.free) or every

    def locate(self, name: str) -> Reference | None:
        """What a name stands for, determinate or not."""
        if name in self.shapes:
            return Reference(name, name)
        owner, _, rest = name.partition(".")
        variable, element, magnitude = self._spelled_out(owner, rest)
        if variable not in self.shapes:
            return None
        return Reference(name, variable, element, magnitude)

    def resolve(self, name: str) -> Reference:
        """What a name stands for; InputError with a hint when it stands for nothing."""
        found = self.find(name)
        if found is None:
            raise InputError(self.unknown(name))
        return found

    def expand(self, name: str) -> tuple[Reference, ...]:
        """The single signals that a name stands for, determinate or not.

        A place gives its position, a joint its variables or, where it has none, its force, a load everything it has.
        """
        if name in self.kinds:
            if self.kinds[name] in PLACES:
                whole = f"{name}.position"
                return tuple(Reference(f"{name}.{x}", whole, (i,)) for i, x in enumerate(AXES) if whole in self.shapes)
            own = [f"{name}.{v}" for v in self.joints.get(name, ())]
            return tuple(Reference(v, v) for v in own) if own or name in self.speeds else self.expand(f"{name}.force")
        if name in self.groups:
            own = [v for v in self.shapes if v.startswith(f"{name}.")]
            return tuple(r for v in own for r in self.expand(v))
        found = self.resolve(name)
        shape = self.shapes[found.variable]
        if found.element or found.magnitude or not shape:
            return (found,)
        return tuple(
            Reference(f"{name}.{''.join(AXES[i] for i in element)}", found.variable, element)
            for element in product(*(range(n) for n in shape))
        )

    def unknown(self, name: object) -> Problem:
        """The problem of a name that stands for nothing, or for a number that is indeterminate."""
        if not isinstance(name, str):
            return Problem(f"a name is wanted, not {type(name).__name__}", hint="write run['A.angle']")
        if (marked := self.locate(name)) is not None:
            return open_problem(self.lasting, name, marked.variable, marked.element)
        owner, dot, rest = name.partition(".")
        several = len(self.joints.get(owner, ())) > 1
        if several and rest in ("value", *OF_VARIABLES, *OTHER_WORDS):
            last = OTHER_WORDS.get(rest, "" if rest == "value" else rest)
            own = [n for v in self.joints[owner] if self.find(n := f"{owner}.{v}" + (last and f".{last}")) is not None]
            which = f"say which: {', '.join(own)}" if own else did_you_mean(name, self._of(owner))
            return replace(self.book.unknown(owner, "variable", where=""), hint=which)
        whole, _, last = name.rpartition(".")
        meant = f"{whole}.{OTHER_WORDS.get(last, '')}"
        if self.kinds.get(owner) in ("joint", "state") and self.find(meant) is not None:
            return no_such("signal", name, [meant], said=meant)
        known = self._of(owner) if dot and owner in self.kinds else [*self.all(), *self.groups, *self._shorthand()]
        return no_such("signal", name, known)

    def _spelled_out(self, owner: str, rest: str) -> tuple[str, tuple[int, ...], bool]:
        """The variable that shorthand means, whether there is one or not."""
        if self.kinds.get(owner) in PLACES:
            if rest == "speed":
                return f"{owner}.velocity", (), True
            if rest[-1:] in AXES and rest[:-1] in SHORT:
                return f"{owner}.{SHORT[rest[:-1]]}", (AXES.index(rest[-1]),), False
        elif rest in REACTIONS:
            vector, place = REACTIONS[rest]
            return f"{owner}.{vector}" if self.shapes.get(f"{owner}.{vector}") == (3,) else "", (place,), False
        single = self.book.find(owner, "variable")
        if single is not None and (rest == "value" or rest in OF_VARIABLES):
            return single.name + ("" if rest == "value" else f".{rest}"), (), False
        whole, _, last = f"{owner}.{rest}".rpartition(".")
        shape = self.shapes.get(whole)
        if shape and len(last) == len(shape) and all(letter in AXES for letter in last):
            return whole, tuple(AXES.index(letter) for letter in last), False
        if shape == (3,) and last == "magnitude":
            return whole, (), True
        # The two names of a linear rate of a free joint: F.x.rate and F.vx, F.x.acceleration and F.vx.acceleration.
        axis = whole.partition(".")[2]
        if last in DERIVATIVES and f"v{axis}" in self.speeds.get(owner, ()):
            return f"{owner}.v{axis}" + ("" if last == "rate" else f".{last}"), (), False
        speed, _, derivative = rest.partition(".")
        if speed[:1] == "v" and speed[1:] in AXES and speed[1:] in self.joints.get(owner, ()) and derivative != "rate":
            return f"{owner}.{speed[1:]}.{derivative or 'rate'}", (), False
        return "", (), False

    def of(self, owner: str) -> tuple[str, ...]:
        """Everything that can be asked of one owner: full names, then shorthand."""
        return (
            tuple(self._of(owner))
            if owner in self.kinds
            else tuple(r for r in self.shapes if r.startswith(f"{owner}."))
        )

    def keys(self) -> list[str]:
        """Everything that can be asked by name, for completion."""
        return list(dict.fromkeys([*self.kinds, *self.groups, *self.shapes, *self._shorthand()]))

    def _of(self, owner: str) -> Iterator[str]:
        """Full names and shorthand of one owner."""
        yield from (v for v in self.shapes if v.startswith(f"{owner}."))
        if self.kinds[owner] in PLACES:
            candidates = ["speed", *(p + x for p in SHORT for x in AXES)]
            candidates += [f"{q}.{x}" for q in PLACE_UNITS for x in (*AXES, "magnitude")]
        else:
            candidates = ["value", *OF_VARIABLES, *REACTIONS]
            candidates += [f"{q}.{x}" for q in ("force", "moment") for x in (*AXES, "magnitude")]
        yield from (n for c in candidates if (n := f"{owner}.{c}") not in self.shapes and self.find(n))

    def _shorthand(self) -> Iterator[str]:
        for owner in self.kinds:
            yield from self._of(owner)

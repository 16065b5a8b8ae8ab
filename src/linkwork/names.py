"""One book of names: what every name that a user may say stands for, and what is said of a name that is not there.

>>> book = NameBook(joint_names({"A": ("revolute", ("angle",), 1), "C": ("cylindric", ("angle", "slide"), 2)}))
>>> book.find("A", "variable").name
'A.angle'
>>> print(book.unknown("C", "variable"))
C: the cylindric joint 'C' has several variables; say which: C.angle, C.slide
>>> print(book.unknown("C.slid", "variable", where="drives"))
drives: the cylindric joint 'C' has no variable 'slid'; did you mean 'C.slide'?
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.errors import InputError, Problem, did_you_mean

OF_JOINTS = ("variable", "rate", "joint")
"""Kinds of names of which a joint is the owner."""
MAX_SHOWN = 60


@dataclass(frozen=True)
class Name:
    """One thing that has a name.

    name : in full, 'A.angle'
    kind : 'joint', 'variable' (with a rate of its own), 'quaternion' (a part of one), 'rate', 'body', 'frame', 'point',
        'coordinate', 'load', 'motor', 'state', 'time'
    owner : whose it is: the joint of a variable, the place of a coordinate
    word : what it is in words, of a joint its kind: 'revolute'
    place : its number among the variables or the rates of a machine; column : the number of the rate of a variable
    """

    name: str
    kind: str
    owner: str = ""
    word: str = ""
    place: int = -1
    column: int = -1


class NameBook:
    """Names by what they stand for; one name may be of several kinds, as a variable and its rate are.

    names : everything; aliases are found out: a joint with a single variable stands for it and for its rate
    """

    def __init__(self, names: Iterable[Name]) -> None:
        self._by_kind: dict[str, dict[str, Name]] = {}
        for name in names:
            self._by_kind.setdefault(name.kind, {})[name.name] = name
        self._own: dict[str, list[Name]] = {joint: [] for joint in self.of_kind("joint")}
        for kind in ("variable", "quaternion"):
            for variable in self.of_kind(kind).values():
                self._own.setdefault(variable.owner, []).append(variable)
        rates: dict[str, list[Name]] = {}
        for rate in self.of_kind("rate").values():
            rates.setdefault(rate.owner, []).append(rate)
        self._aliases = {
            kind: {owner: own[0] for owner, own in table.items() if len(own) == 1 and own[0].kind == kind}
            for kind, table in (("variable", self._own), ("rate", rates))
        }

    def of_kind(self, kind: str) -> Mapping[str, Name]:
        """Everything of a kind by full name."""
        return self._by_kind.get(kind, {})

    def find(self, said: Any, *kinds: str) -> Name | None:
        """What a name stands for among some kinds, the first kind first; None if it is none of them."""
        if not isinstance(said, str):
            return None
        for kind in kinds:
            found = self.of_kind(kind).get(said) or self._aliases.get(kind, {}).get(said)
            if found is not None:
                return found
        return None

    def look_up(self, said: Iterable[Any], *kinds: str, source: str = "") -> list[Name]:
        """What names stand for; InputError tells of all that stand for nothing."""
        asked = list(said)
        found = [self.find(name, *kinds) for name in asked]
        problems = [self.unknown(n, *kinds) for n, own in zip(asked, found, strict=True) if own is None]
        if problems:
            raise InputError(problems, source)
        return [own for own in found if own is not None]

    def variables_of(self, joint: str) -> list[Name]:
        """Variables of a joint, parts of quaternions too."""
        return self._own.get(joint, [])

    def known(self, *kinds: str) -> list[str]:
        """What may be said for some kinds: short names first."""
        short = [alias for kind in kinds for alias in self._aliases.get(kind, ())]
        return list(dict.fromkeys([*short, *(name for kind in kinds for name in self.of_kind(kind))]))

    def unknown(
        self, said: Any, *kinds: str, where: str | None = None, suggest: bool = True, instead: str = ""
    ) -> Problem:
        """The problem of a name that is none of some kinds.

        where : of the problem; by default the name itself where its joint is known; suggest : look for what is near;
        instead : what to do where a joint turns freely
        """
        name = str(said)
        owner, _, last = name.rpartition(".")
        if any(kind in OF_JOINTS for kind in kinds):
            joint = name if name in self._own else owner if owner in self._own else ""
            if joint:
                return self._of_joint(joint, name, last, name if where is None else where, suggest, instead)
            known = [*self.of_kind("joint"), *(n for k in kinds if k != "joint" for n in self.of_kind(k))]
            moving = [n for n in dict.fromkeys(known) if n not in self._own or self._own[n]]
            missing = owner if owner and where is not None else name
            return no_such("joint", missing, moving if suggest else (), where or "", said=name)
        return no_such(_words(kinds), name, self.known(*kinds) if suggest else (), where or "")

    def _of_joint(self, joint: str, said: str, last: str, where: str, suggest: bool, instead: str) -> Problem:
        """A name that a joint has not, or that is not a single variable of it."""
        known = self.of_kind("joint").get(joint)
        word = f"{known.word} joint" if known is not None and known.word else "joint"
        own = self._own[joint]
        plain = [v.name for v in own if v.kind == "variable"]
        if not own:
            return Problem(f"'{joint}' is a {word} and does not move", where, "name another joint")
        free = instead or "a joint that turns freely has no single variable to drive"
        if said == joint:
            hint = f"say which: {', '.join(plain)}" if plain else free
            return Problem(f"the {word} '{joint}' has several variables", where, hint)
        if any(v.name == said for v in own):
            parts = ", ".join(v.name.rpartition(".")[2] for v in own)
            return Problem(
                f"'{said}' is a part of a quaternion, which is given as a whole",
                where,
                instead or f"give all of {joint}: {parts}",
            )
        hint = did_you_mean(said, [v.name for v in own]) if suggest else ""
        if last in ("rate", "speed", "velocity"):
            hint = f"in formulas its rate is rate({joint if len(plain) == 1 or not plain else plain[0]})"
        return Problem(f"the {word} '{joint}' has no variable '{last}'", where, hint)


def joint_names(
    joints: Mapping[str, tuple[str, Sequence[str], int]],
    places: Mapping[str, tuple[int, int]] | None = None,
    rates: Sequence[str] = (),
) -> list[Name]:
    """Names of joints, their variables and rates.

    joints : by name, kind, variables, and how many of these have rates of their own, which are the first ones
    places : by joint, numbers of its first variable and of its first rate; rates : names of all rates, in order
    """
    found: list[Name] = []
    owner_of: dict[int, str] = {}
    for joint, (word, variables, plain) in joints.items():
        q, v = (places or {}).get(joint, (-1, -1))
        found.append(Name(joint, "joint", joint, word))
        for k, variable in enumerate(variables):
            kind = "variable" if k < plain else "quaternion"
            place, column = (q + k, v + k) if places else (-1, -1)
            found.append(Name(f"{joint}.{variable}", kind, joint, word, place, column if kind == "variable" else -1))
        if places:
            owner_of[v] = joint
    owner = ""
    for k, rate in enumerate(rates):
        owner = owner_of.get(k, owner)
        found.append(Name(rate, "rate", owner, place=k, column=k))
    return found


def variable_book(names: Iterable[str]) -> NameBook:
    """A book of variables by their full names alone."""
    return NameBook(Name(name, "variable", name.rpartition(".")[0], place=k) for k, name in enumerate(names))


def no_such(what: str, name: Any, known: Iterable[str], where: str = "", said: str = "", none: str = "") -> Problem:
    """There is no such thing; what was meant may be near.

    what : the kind in words; known : what there is; said : what was said, where a part of it is missing
    none : the hint where nothing is known: 'the machine has no states'
    """
    return Problem(f"there is no {what} '{shortened(name)}'", where, did_you_mean(said or str(name), known) or none)


def nothing_called(name: Any, known: Iterable[str], where: str = "", none: str = "") -> Problem:
    """A name, in an expression or asked for, that stands for nothing of any kind."""
    return Problem(f"there is nothing called '{shortened(name)}'", where, did_you_mean(str(name), known) or none)


def shortened(name: Any) -> str:
    """A name as errors show it."""
    text = str(name)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


def _words(kinds: Sequence[str]) -> str:
    return kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} or {kinds[-1]}"

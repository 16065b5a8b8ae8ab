"""Events of a simulation as data: when, who, which kind, and numbers with their units; texts are made from these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

KINDS = {
    "impact": "struck at {speed:.6g}, impulse {impulse:.6g}",
    "rest": "comes to rest after {bounces:.0f} bounces in ever shorter time",
    "touch": "touches the stop",
    "leave": "leaves the stop",
    "stick": "sticks",
    "slip": "slips",
    "condition": "",
    "time": "",
    "told": "",
}
"""By kind of an event, the text that is made of its numbers; of conditions and times, that of what was done."""
RECORDED = "record it"
"""What an event does that does nothing."""
NAMED = ("lock", "release", "on", "off")
ACTIONS = (*NAMED, "set", "from rest", "end", "text")

Number = tuple[str, float, str]
Action = tuple[str, str, float | None]


@dataclass(frozen=True)
class Happening:
    """An event that took place: time [s], name of the event, kind, numbers and actions.

    kind : "impact" on a rigid stop; "rest" after ever shorter bounces; "touch" and "leave" of a stop; "stick" and
        "slip" of a friction; "condition" and "time" of events that do something; "told" of files with a text alone
    numbers : (name, value, SI unit) each: "speed" and "impulse" of impacts, and whether the machine "stays" on the
        stop, 1 or 0; "bounces" of what comes to rest
    actions : what was done: ("lock", "B", None), ("set", "load.mass", 2.0), ("end", "", None)
    """

    time: float
    name: str
    kind: str
    numbers: tuple[Number, ...] = ()
    actions: tuple[Action, ...] = ()

    @property
    def what(self) -> str:
        """What happened, as a text."""
        pattern = KINDS[self.kind]
        if not pattern:
            return told_actions(self.actions)
        numbers = {name: x for name, x, _ in self.numbers}
        return pattern.format(**numbers) + (", stays" if numbers.get("stays") else "")

    def __getitem__(self, name: str) -> float:
        """One of the numbers by name [SI]: "speed", "impulse", "bounces"."""
        for own, value, _ in self.numbers:
            if own == name:
                return value
        raise KeyError(f"'{name}' is none of the numbers of '{self.kind}': {[own for own, _, _ in self.numbers]}")

    def unit(self, name: str) -> str:
        """The SI unit of one of the numbers; "1" of a plain number.

        Parameters
        ----------
        name : of the number: "speed", "impulse", "bounces"
        """
        self[name]
        return next(unit for own, _, unit in self.numbers if own == name)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, the text too."""
        return {
            "time": self.time,
            "name": self.name,
            "what": self.what,
            "kind": self.kind,
            "numbers": [list(own) for own in self.numbers],
            "actions": [list(own) for own in self.actions],
        }

    def __str__(self) -> str:
        return f"{self.time:.9g} s, {self.name}: {self.what}"


def told_actions(actions: tuple[Action, ...]) -> str:
    """Actions as a text: `lock B; set load.mass = 2`."""
    parts = []
    for verb in ACTIONS:
        own = [(name, value) for word, name, value in actions if word == verb]
        if not own:
            continue
        if verb in NAMED:
            parts.append(f"{verb} {', '.join(name for name, _ in own)}")
        elif verb == "set":
            parts.append("set " + ", ".join(f"{name} = {value:g}" for name, value in own))
        else:
            parts.append(own[0][0] if verb == "text" else verb)
    return "; ".join(parts) or RECORDED


def happening_of(told: Any) -> Happening:
    """An event from plain data: `Happening.as_dict`, or (time, name, text) as older files have it."""
    if isinstance(told, list):
        time, name, text = told
        return Happening(float(time), str(name), "told", (), (("text", str(text), None),))
    numbers = tuple((str(n), float(x), str(unit)) for n, x, unit in told["numbers"])
    actions = tuple((str(v), str(n), None if x is None else float(x)) for v, n, x in told["actions"])
    return Happening(float(told["time"]), str(told["name"]), str(told["kind"]), numbers, actions)


def is_happening(told: Any) -> bool:
    """Whether plain data tells of an event."""
    if isinstance(told, list):
        return len(told) == 3 and _is_number(told[0]) and all(isinstance(x, str) for x in told[1:])
    return (
        isinstance(told, dict)
        and sorted(told) == ["actions", "kind", "name", "numbers", "time", "what"]
        and _is_number(told["time"])
        and all(isinstance(told[key], str) for key in ("name", "what", "kind"))
        and told["kind"] in KINDS
        and all(isinstance(told[key], list) for key in ("numbers", "actions"))
        and all(_are(own, (str, float, str)) for own in told["numbers"])
        and all(_are(own, (str, str, float)) or _are(own, (str, str, None)) for own in told["actions"])
    )


def _are(values: Any, kinds: tuple[Any, ...]) -> bool:
    if not isinstance(values, list | tuple) or len(values) != len(kinds):
        return False
    return all(
        x is None if kind is None else _is_number(x) if kind is float else isinstance(x, kind)
        for x, kind in zip(values, kinds, strict=True)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)

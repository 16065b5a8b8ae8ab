"""Which signals are the rates of change of which: by their names alone."""

from __future__ import annotations

from collections.abc import Container

CHAINS = (
    (".position", ".velocity", ".acceleration", ".jerk"),
    (".angular_velocity", ".angular_acceleration", ".angular_jerk"),
    ("", ".rate", ".acceleration", ".jerk"),
)
"""Endings of names, each the rate of the one before."""


def rates_of(name: str, there: Container[object]) -> tuple[str, ...]:
    """Names of the first and second rates of a signal, as far as they are there: velocity, acceleration."""
    owner, _, last = name.rpartition(".")
    ways: list[tuple[str, ...]] = [
        (f"{name}.acceleration", f"{name}.jerk")
    ]  # of speeds, which are rates already: S.wx, F.vx
    ways += [(f"{owner}.v{last}", f"{owner}.v{last}.acceleration")]  # of the coordinates that they belong to: F.x
    for chain in CHAINS:
        for place, ending in enumerate(chain[:-1]):
            if name.endswith(ending):
                ways.append(tuple(name.removesuffix(ending) + rate for rate in chain[place + 1 : place + 3]))
    if name.endswith((".rate", ".velocity", ".acceleration")) or f"{name}.rate" in there:
        ways = ways[2:]
    found = next((way for way in ways if way[0] in there), ())
    return found if len(found) < 2 or found[1] in there else found[:1]


def values_of(name: str, there: Container[object]) -> tuple[tuple[str, ...], int]:
    """Value, rate and acceleration of which a signal is one, if they are there, and which of them it is."""
    for chain in CHAINS:
        for place in (1, 2):
            found = tuple(name.removesuffix(chain[place]) + ending for ending in chain[:3])
            if len(chain) == 4 and name.endswith(chain[place]) and all(one in there for one in found):
                return found, place
    return (), 0

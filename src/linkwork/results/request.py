"""What a simulation was asked for: plain data that can be kept, pickled, and asked again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Request:
    """A simulation as it was asked for: `machine.simulate(**request.arguments)` asks it again.

    until, start, rates, drives, efforts, events, controller, rate, samples, times, method, step, rtol, atol,
    sensitive_to, states : as of `Machine.simulate`
    """

    until: Any
    start: Any = None
    rates: Any = None
    drives: Any = None
    efforts: Any = None
    events: Any = ()
    controller: Any = None
    rate: Any = None
    samples: Any = None
    times: Any = None
    method: str = "auto"
    step: Any = None
    rtol: Any = 1e-7
    atol: Any = 1e-9
    sensitive_to: Any = ()
    states: Any = None

    @property
    def arguments(self) -> dict[str, Any]:
        """By name, as `Machine.simulate` takes them."""
        return {own.name: getattr(self, own.name) for own in fields(self)}

    def as_dict(self) -> dict[str, Any]:
        """What differs from a plain simulation, as numbers and texts for files: laws and events by their texts."""
        plain = {own.name: own.default for own in fields(self)}
        return {name: _plain(x) for name, x in self.arguments.items() if not _same(x, plain[name])}


def _same(one: Any, other: Any) -> bool:
    if one is None or (isinstance(one, Sequence) and len(one) == 0):
        return True
    return isinstance(one, (str, int, float)) and type(one) is type(other) and bool(one == other)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _plain(x) for name, x in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(x) for x in value]
    return getattr(value, "__qualname__", None) or str(value)

"""What a quantity is: the names of its inputs, and the law that gives its outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from linkwork.equations.scalars import Block
from linkwork.equations.tree import Tree

Values = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Quantity:
    """A quantity of the tree.

    inputs : names of its input blocks among q, v, a, tau (and what `sizes` says of them)
    law : function (tree, inputs) -> output blocks
    regroups : mass moments may be regrouped, because neither reactions nor energies are asked for
    target : the body, point or frame it is of; empty for the whole machine
    needs_mass : it divides by masses, and refuses (`Weightless`) where there are none
    grows : whether the tree moves with the rates among the inputs, stands still, or stays in place altogether
    title : names its kernel, where its own name holds the key of an elimination
    """

    name: str
    inputs: tuple[str, ...]
    law: Callable[[Tree, Values], list[Block]]
    regroups: bool = False
    needs_mass: bool = False
    target: str = ""
    grows: Literal["moving", "still", "not"] = "moving"
    title: str = ""


SIZES = {
    "q": "nq",
    "v": "nv",
    "a": "nv",
    "tau": "nv",
    "step": "nv",
    "q0": "nq",
    "q1": "nq",
    "y": "ny",
    "w": "nw",
    "dw": "nw",
    "ddw": "nw",
    "stride": "nw",
    "y0": "ny",
    "y1": "ny",
    "length": "one",
    "effort": "nw",
    "external": "nx",
    "slip": "n_slips",
    "side": "n_sides",
    "switch": "n_loads",
    "states": "n_states",
    "mismatch": "nl",
    "weight": "nl",
    "cut_wrench": "nl",
    "t": "one",
}
"""Inputs and their sizes in a plan: of the tree first, then of all joints together."""

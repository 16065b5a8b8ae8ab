"""The benchmark of small motions compares like with like: its ways to linearise a Stewart platform agree."""

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
linear = importlib.import_module("linear")


def test_linearised_through_loops_as_differences_have_it() -> None:
    told = linear.agreement(2)
    ours = {what: off for what, off in told.items() if what.startswith("ours")}
    assert ours and max(ours.values()) < 1e-7, told


def test_the_chain_and_the_four_bar_are_what_they_are_said_to_be() -> None:
    rests = linear.sprung_four_bar().equilibria(starts=16)
    assert len(rests.stable) >= 1 and max(rest.residual for rest in rests) < 1e-12

"""CasADi's numbers of operations are known without it."""

import casadi

from linkwork.algebra import CODES, ca


def test_numbers_are_those_of_casadi() -> None:
    assert {name: getattr(casadi, name) for name in CODES} == CODES
    assert ca.OP_ADD == casadi.OP_ADD and ca.OP_HYPOT == casadi.OP_HYPOT


def test_everything_else_is_casadi_itself() -> None:
    assert ca.SX is casadi.SX and ca.if_else is casadi.if_else

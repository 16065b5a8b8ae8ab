"""CasADi's algebra, imported when somebody first builds or differentiates one of its expressions; its numbers of
operations without that import.

Write `from linkwork.algebra import ca`, then `ca.SX` as always.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["CODES", "ca"]

_NAMES = """
    ASSIGN ADD SUB MUL DIV NEG EXP LOG POW CONSTPOW SQRT SQ TWICE SIN COS TAN ASIN ACOS ATAN LT LE EQ NE NOT AND OR
    FLOOR CEIL FMOD FABS SIGN COPYSIGN IF_ELSE_ZERO ERF FMIN FMAX INV SINH COSH TANH ASINH ACOSH ATANH ATAN2 CONST
    INPUT OUTPUT PARAMETER
"""
_LATE = {"ERFINV": 86, "PRINTME": 87, "LIFT": 88, "LOG1P": 93, "EXPM1": 94, "HYPOT": 95, "REMAINDER": 97}

CODES: dict[str, int] = {f"OP_{name}": code for code, name in enumerate(_NAMES.split())}
"""Numbers of operations on scalars, by CasADi's names."""
CODES |= {f"OP_{name}": code for name, code in _LATE.items()}


class _Later:
    """The module casadi, but for the import."""

    def __init__(self) -> None:
        self.__dict__.update(CODES)

    def __getattr__(self, name: str) -> Any:
        import casadi

        others = [code for code in CODES if getattr(casadi, code, None) != CODES[code]]
        if others:
            raise ImportError(f"this CasADi numbers its operations in another way: {others}")
        value = self.__dict__[name] = getattr(casadi, name)
        return value


if TYPE_CHECKING:
    import casadi as ca
else:
    ca = _Later()

"""Names of variables in expressions: `t`, joint variables such as `C.slide`, and rates such as `rate(C.slide)`.

Joints may be called what arithmetic cannot say: `my-joint` reads as a difference, `1` as a number. Such names stand in
quotes: `2*'my-joint.slide'`, `rate('1.angle')`.
"""

from __future__ import annotations

import keyword
import re

RATE = "rate"

_OF_A_JOINT = re.compile(r"\w[\w-]*(\.\w+)?")
_RATE_OF = re.compile(rf"{RATE}\((?P<name>.*)\)")


def is_plain(name: str) -> bool:
    """Whether a name needs neither dots, quotes nor `rate`: letters, digits and _."""
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def is_variable(name: str) -> bool:
    """Whether an expression can have a variable of this name: plain, a joint's, or the rate of either."""
    return bool(_OF_A_JOINT.fullmatch(differentiated(name) or name))


def differentiated(name: str) -> str | None:
    """The variable of which a name is the rate; None for other names."""
    found = _RATE_OF.fullmatch(name)
    return None if found is None else found["name"]


def written(name: str) -> str:
    """A name as the text of an expression has it, in quotes where arithmetic cannot say it."""
    inner = differentiated(name)
    if inner is not None:
        return f"{RATE}({written(inner)})"
    return name if all(is_plain(part) for part in name.split(".")) else f"'{name}'"

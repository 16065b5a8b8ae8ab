"""One table of all that compiled loops share with the kernels of a machine: which arrays there are, how large they are,
and which kernel reads and writes them. `problem.Problem` has these fields, `analyses.simulation.engine` makes them.
"""

from __future__ import annotations

KERNELS: dict[str, tuple[str, str, str]] = {
    "rates": ("y w effort t slip switch states side", "dy a health dstates", ""),
    "mismatch": ("y w", "e de", ""),
    "closure": ("y", "open entries", ""),
    "response": ("y push missing", "x", ""),
    "tangent": (
        "y w effort t slip switch states side",
        "tangent_dy tangent_a tangent_dstates",
        "y w effort t states settled",
    ),
    "gaps": ("y w t", "g dg G gamma", ""),
    "gaps_tangent": ("y w t", "tangent_g tangent_dg tangent_G tangent_gamma", "y w t"),
    "watched": ("y w t states", "watched", ""),
    "watched_bounds": ("box", "watched_range", ""),
    "gaps_bounds": ("box", "gaps_range", ""),
    "energies": ("y w t slip switch states", "kinetic potential power", ""),
    "grips": ("y w t states", "grip", ""),
    "momentum": ("y w effort t slip switch states", "momentum drift dstates", ""),
}
"""By kernel, arrays that it reads and writes, and along which inputs it tells derivatives (directions are the arrays
`tangent_...` of these); settled values, then directions, come after what is read. Named states take part where the
machine has some, and so does `side` where formulas jump."""

ROOM: dict[str, str] = {
    "y": "ny", "w": "nw", "effort": "nw", "t": "1", "slip": "slips", "switch": "loads", "states": "states",
    "side": "sides",
    "dy": "ny", "a": "nw", "health": "1", "dstates": "states",
    "e": "nl", "de": "nl", "open": "open", "entries": "entries", "entry_scale": "entries",
    "known_rows": "known entries", "known_least": "known", "push": "nw", "missing": "nl", "x": "nw",
    "tangent_y": "ny", "tangent_w": "nw", "tangent_effort": "nw", "tangent_t": "1", "tangent_states": "states",
    "tangent_settled": "settled", "tangent_dy": "ny", "tangent_a": "nw", "tangent_dstates": "states",
    "tangent_g": "gaps", "tangent_dg": "gaps", "tangent_G": "gaps nw", "tangent_gamma": "gaps",
    "g": "gaps", "dg": "gaps", "G": "gaps nw", "gamma": "gaps", "watched": "conditions",
    "kinetic": "1", "potential": "1", "power": "1", "momentum": "nw", "drift": "nw", "grip": "slips 2",
    "law": "4", "hold": "rows", "force": "rows", "wanted": "rows", "X": "rows nw", "S": "rows rows+1",
    "worst": "1", "touch": "gaps", "given_effort": "nw",
    "box": "n+1 4", "watched_range": "conditions 4", "gaps_range": "gaps 4",
    "past_t": "2", "past_z": "2 n", "past_f": "2 n",
}  # fmt: skip
"""Floats that begin as zeros, and their sizes by axis."""

COUNTERS: dict[str, str] = {"rows": "rows 4", "count": "1", "evaluations": "1", "held": "slips", "known": "1"}
"""Integers that begin as zeros, and their sizes by axis."""

GIVEN: dict[str, str] = {
    **dict.fromkeys(("ny", "nw", "n", "loops", "counting", "active", "past"), "integer"),
    "rtol": "float", "size": "float", "atol": "floats",
    "law_edges": "floats", "law_coefficients": "matrix", "law_starts": "integers", "last": "integers",
    **dict.fromkeys(("static", "rate_sizes", "gap_sizes", "row_scale", "lent", "parts", "pace"), "floats"),
    **dict.fromkeys(("plain_y", "plain_w", "turning_y", "turning_w", "pushed", "pushed_law", "settled_places"),
                    "integers"),
    "soft": "table", "eliminations": "table", "soft_numbers": "matrix",
}  # fmt: skip
"""What the machine and the question give, by kind (`handle.KINDS`)."""


def all_fields() -> dict[str, str]:
    """Every field of a problem and its kind."""
    found = dict(GIVEN)
    for name in KERNELS:
        found |= {f"{name}_at": "integer", f"{name}_in": "addresses", f"{name}_out": "addresses"}
    found |= {name: ("floats", "matrix")[len(sizes.split()) - 1] for name, sizes in ROOM.items()}
    return found | {name: ("integers", "table")[len(sizes.split()) - 1] for name, sizes in COUNTERS.items()}


def shape_of(sizes: str, known: dict[str, int]) -> tuple[int, ...]:
    """A shape by the names of its sizes: "gaps nw", "rows rows+1"."""
    return tuple(known[name] + int(more or 0) if name in known else int(name) for name, _, more in (
        size.partition("+") for size in sizes.split()
    ))  # fmt: skip

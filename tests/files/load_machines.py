"""Random loads on random mechanisms, with the Python API: every kind, every option, every form of an amount."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
from file_machines import directions, mechanisms, numbers, positives, texts

import linkwork as lw
from linkwork.expressions.names import written
from linkwork.model.amounts import Amount, Formula, amount
from linkwork.model.variables import plain_variables

not_negative = st.one_of(st.just(0.0), positives)
levels = st.one_of(not_negative, st.tuples(not_negative, not_negative))


@st.composite
def amounts(draw: st.DrawFn, names: list[str]) -> Amount | float | str:
    """A number, a formula or a table of some of the names."""
    name = draw(st.sampled_from(["t", *names]))
    form = draw(st.sampled_from(["number", "text", "unit", "table"]))
    if form == "number":
        return draw(numbers)
    if form == "table":
        steps = draw(st.lists(st.floats(0.01, 10.0), min_size=2, max_size=5))
        xs = [sum(steps[: i + 1]) for i in range(len(steps))]
        ys = draw(st.lists(numbers, min_size=len(xs), max_size=len(xs)))
        return lw.tabulated(xs, ys, over=name, smooth=draw(st.booleans()))
    text = draw(st.sampled_from(["2", "2 * 3", "-1/3", "{0}", "{0}**2  + 1e5", "where({0} < 1, sin({0}), 2)", "12e3"]))
    formula = amount(text.format(written(name)), "")
    scaled = form == "unit" and isinstance(formula, Formula)
    return replace(formula, unit=draw(positives)) if scaled else text.format(written(name))


@st.composite
def loaded(draw: st.DrawFn) -> lw.Mechanism:
    """A mechanism with loads that can be written; they need not make sense."""
    m = draw(mechanisms())
    m.point("Q-2", draw(st.sampled_from(list(m.bodies))), (1.0, 2.0, 3.0))
    variables = [f"{j.name}.{v.name}" for j in m.joints.values() for v in plain_variables(j.law)]
    singles = [j.name for j in m.joints.values() if len(j.law.variables) == 1]
    names = [*variables, *singles, *(f"rate({name})" for name in (*variables, *singles))]
    kinds = ("spring", "damper", "friction", "motor", "force", "torque", "load")
    for i, kind in enumerate(draw(st.lists(st.sampled_from(kinds), max_size=6))):
        on_joint = kind in ("friction", "motor", "load") or (kind in ("spring", "damper") and draw(st.booleans()))
        if on_joint and not variables:
            continue
        joint = draw(st.sampled_from([*variables, *singles])) if on_joint else None
        given: dict[str, Any] = {"description": draw(texts)}
        if kind in ("spring", "damper"):
            ends = () if joint is not None else ("P", "Q-2")
            law = st.none() | amounts([*names, "x", "v"])
            given |= {"joint": joint, "damping": draw(not_negative), "law": draw(law)}
            if kind == "spring":
                free = numbers if on_joint else not_negative
                given |= {"stiffness": draw(numbers), "preload": draw(numbers), "free": draw(st.none() | free)}
            getattr(m, kind)(f"L{i}", *ends, **given)
        elif kind == "friction":
            given |= {"static": draw(st.floats(1.0, 3.0)), "viscous": draw(not_negative), "speed": draw(positives)}
            given["form"] = draw(st.sampled_from(["smooth", "exact"]))
            if draw(st.booleans()):
                given["level"] = draw(levels)
            else:
                given |= {"coefficient": draw(positives), "radius": draw(st.none() | positives)}
                given["normal"] = draw(amounts(names))
            m.friction(f"L{i}", joint, **given)  # type: ignore[arg-type]
        elif kind == "motor":
            given |= {"ratio": draw(numbers.filter(bool)), "rotor_inertia": draw(not_negative)}
            given |= {"damping": draw(not_negative), "friction": draw(levels), "peak": draw(st.none() | positives)}
            given |= {"efficiency": draw(st.floats(0.01, 1.0))}
            if draw(st.booleans()):
                given |= {"stall": draw(positives), "no_load": draw(positives)}
            m.motor(f"L{i}", joint, **given)  # type: ignore[arg-type]
        elif kind == "load":
            m.load(f"L{i}", joint, amount=draw(amounts(names)), **given)  # type: ignore[arg-type]
        else:
            way = draw(st.sampled_from(["space", "body", "toward"]))
            if way == "toward":
                given["toward"] = draw(st.sampled_from([("P", "Q-2"), ("Q-2", "P")]))
            else:
                given["along" if kind == "force" else "about"] = draw(directions)
                given["on"] = draw(st.sampled_from(list(m.bodies))) if way == "body" else None
            where = "P" if kind == "force" else draw(st.sampled_from(list(m.bodies)))
            getattr(m, kind)(f"L{i}", where, amount=draw(amounts(names)), **given)
    return m

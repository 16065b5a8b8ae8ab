"""`linkwork reach`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.goal_options import PLACES, Goals, nothing_wanted
from linkwork.cli.models import AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import MOST_ROWS, print_json, print_tables, say, title
from linkwork.cli.settings import Sets, assembled

if TYPE_CHECKING:
    from linkwork.analyses.robots.reached import Reached
    from linkwork.analyses.robots.solutions.found import Solutions


def _option(metavar: str, text: str) -> Any:
    return typer.Option(metavar=metavar, help=text, show_default=False)


Triple = "A, B, C"


def reach(
    file: File,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Point, frame or body; body.com; 'centre of mass'.")],
    sets: Sets = None,
    place: Annotated[
        str | None, _option("X, Y, Z", "Wanted place, --place '0.4 m, 0.3 m, -'; - for what does not matter.")
    ] = None,
    cylindrical: Annotated[str | None, _option("R, ANGLE, Z", "The same about the world's z.")] = None,
    spherical: Annotated[
        str | None, _option("R, AZIMUTH, ELEVATION", "The same by azimuth from x and elevation above the xy-plane.")
    ] = None,
    pointing: Annotated[
        str | None, _option("AXIS=DIRECTION", "An axis of the target along a direction, --pointing z=-z.")
    ] = None,
    spin: Annotated[str | None, _option("ANGLE", "Turn about that direction, --spin 30deg; else it is free.")] = None,
    rpy: Annotated[str | None, _option("ROLL, PITCH, YAW", "Wanted attitude, --rpy '180deg, 0, 90deg'.")] = None,
    xyx: Annotated[str | None, _option(Triple, "Wanted attitude by Euler angles about x, y, x.")] = None,
    quaternion: Annotated[str | None, _option("W, X, Y, Z", "Wanted attitude by a unit quaternion.")] = None,
    joint: Annotated[
        list[str] | None, _option("NAME=VALUE", "A joint with a given value, --joint flange=30deg; again for others.")
    ] = None,
    hold: Annotated[
        list[str] | None, _option("NAME", "A joint that stays as it is at the start; again for others.")
    ] = None,
    at: Annotated[
        list[str] | None, _option("NAME=VALUE", "Where to start, --at elbow=40deg; again for others.")
    ] = None,
    prefer: Annotated[
        str | None,
        _option("WHAT", "What surplus freedoms do: limits, manipulability, or a formula to make small."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every solution instead of one.")] = False,
    no_limits: Annotated[bool, typer.Option("--no-limits", help="Let joints go beyond their limits.")] = False,
    draw: Annotated[
        Path | None, _option("FILE", "Draw the posture into this file, --draw posture.svg (png, pdf).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the posture at which a target is where and as it is wanted: inverse kinematics.

    Numbers without a unit are in the units of the file. Where it cannot get there, it says how much is missing and
    which limits are in the way.

    Example: linkwork reach puma-560 wrist --place "0.4 m, 0.3 m, 0.5 m" --pointing z=-z
    """
    m = sound(file, as_json)
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.cli.outputs import check_picture

    problems = Problems()
    check_picture(draw)
    with asking(file, m, as_json):
        machine = assembled(m, sets, problems)
        units = units_of(m)
        variables, wanted = Variables(machine, units, problems), Goals(units, problems)
        goals: list[Any] = []
        for kind, text in zip(PLACES, (place, cylindrical, spherical), strict=True):
            goals += [] if text is None else wanted.place(kind, text)
        for way, text in (("rpy", rpy), ("xyx", xyx), ("quaternion", quaternion)):
            goals += [] if text is None else wanted.attitude(way, text)
        if pointing is not None:
            goals += wanted.pointing(pointing, spin)
        elif spin is not None:
            problems.note("a spin without a direction", "--spin", "give --pointing AXIS=DIRECTION too")
        values, start = variables.values(joint or (), "--joint"), variables.values(at or (), "--at")
        problems.done(m.name)
        if not goals:
            raise nothing_wanted(m.name)
        if values:
            from linkwork.analyses.robots.goals import joints

            goals.append(joints(values))
        asked: dict[str, Any] = {"hold": hold or (), "start": start or None, "prefer": prefer, "limits": not no_limits}
        found: Any = (
            machine.reach(target, *goals, **asked, all=True) if every else machine.reach(target, *goals, **asked)
        )
    if as_json:
        print_json({**head(file, m), "variables": variables.si_units(), **(_all(found) if every else _one(found))})
    else:
        title(m.name)
        _show(found, variables, every)
    if draw is not None:
        from linkwork.cli.outputs import save_picture
        from linkwork.views.draw import draw_posture

        save_picture(draw, draw_posture(machine, list(found) if every else found).figure, as_json)
    if every and not len(found):
        raise typer.Exit(1)


def _show(found: Any, variables: Any, every: bool) -> None:
    from linkwork.views.tables import Table

    lines = str(found).splitlines() if every else found.verdict()
    for line in lines:
        say(f"  {line}")
    if every:
        return
    rows = [("variable", "value"), *((n, variables.shown(n, x)) for n, x in found.values.items())]
    print_tables([Table("posture", tuple(rows))], MOST_ROWS)


def _one(found: Reached) -> dict[str, Any]:
    return {
        "target": found.target, "converged": found.converged, "steps": found.iterations, "starts": found.starts,
        "missing": [{"row": n, "value": x, "unit": unit} for n, x, unit in found.missing],
        "at_limits": list(found.active), "free": list(found.spare), "lost": list(found.lost),
        "values": found.values, "pose": found.pose(found.target).tolist() if _is_place(found) else None,
    }  # fmt: skip


def _is_place(found: Reached) -> bool:
    plan = found.loops.plan
    return found.target in {*plan.index, *(p.name for p in plan.points), *(f.name for f in plan.frames)}


def _all(found: Solutions) -> dict[str, Any]:
    return {
        "target": found.target, "method": found.method, "complete": found.complete, "reason": found.reason,
        "solutions": [
            {"name": p.name, "values": p.values, "beyond": list(note.beyond)}
            for p, note in zip(found.postures, found.notes, strict=True)
        ],
    }  # fmt: skip

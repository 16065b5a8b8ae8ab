"""What MJCF keeps equal: loops by <connect> and <weld> become joints, <joint> and <tendon> relations of variables.

MuJoCo holds equalities softly, by springs of constraints; here they hold exactly.
"""

from __future__ import annotations

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import did_you_mean
from linkwork.files.robots.description import WORLD, Hinge, Mark, Relation, Robot, SamePlace
from linkwork.files.robots.mjcf_text import Merged, Text
from linkwork.files.robots.values import named, number, number_list, numbers, placed, vector
from linkwork.files.robots.xml import Element
from linkwork.geometry import Array
from linkwork.model.placement import Placement

SINGLE = ("revolute", "prismatic")
FITS = 1e-4
"""How far [m] two sites may be apart in the layout to be one place from the start."""


def read_relations(text: Text, robot: Robot, poses: dict[str, Array]) -> None:
    """Everything that <equality> says, with the tendons that it needs.

    Parameters
    ----------
    text : the file
    robot : gets joints and relations
    poses : of links in the world, in the layout
    """
    tendons = _tendons(text)
    used: set[str] = set()
    count = 0
    for section in text.root.all("equality"):
        for own in section.children:
            count += 1
            at = text.merged(own, tag="equality")
            name = at.get("name") or f"equality{count}"
            at.asked |= {"active", "class"}
            if at.get("active") == "false":
                own.pass_over()
                text.notes.say("lost", "equalities that are not active", name, own)
                continue
            if own.tag == "connect":
                _connect(text, robot, poses, at, name)
            elif own.tag == "weld":
                _weld(text, robot, poses, at, name)
            elif own.tag == "joint":
                _joint(text, robot, at, name)
            elif own.tag == "tendon":
                used |= _tendon(text, robot, at, name, tendons)
            else:
                hint = "leave it out of the file, or deactivate it"
                text.notes.wrong(f"an equality of the kind <{own.tag}> cannot be said", own, named(own), hint)
                continue
            text.notes.say("converted", "equalities, which are soft in MuJoCo, hold exactly", name, own)
    for name, tendon in tendons.items():
        if name not in used:
            text.notes.say("lost", f"tendons of the kind <{tendon.tag}>", name, tendon)
        tendon.pass_over()


def _tendons(text: Text) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for section in text.root.all("tendon"):
        for own in section.children:
            found[own.attributes.get("name") or f"tendon{len(found) + 1}"] = own
    return found


def _link(text: Text, robot: Robot, at: Merged, key: str) -> str | None:
    name = at.get(key)
    if name is None and key == "body2":
        return WORLD
    if name is None or name not in robot.links:
        what = f"{key} is missing" if name is None else f"there is no body '{name}'"
        text.notes.wrong(what, at, named(at), did_you_mean(name or "", robot.links) if name else "")
        return None
    return name


def _sites(text: Text, robot: Robot, at: Merged, name: str) -> tuple[Mark, Mark] | None:
    said = [at.get(key) or "" for key in ("site1", "site2")]
    missing = [s for s in said if s not in robot.marks]
    for site in missing:
        text.notes.wrong(f"there is no site '{site}'", at, named(at), did_you_mean(site, robot.marks))
    return None if missing else (robot.marks[said[0]], robot.marks[said[1]])


def _connect(text: Text, robot: Robot, poses: dict[str, Array], at: Merged, name: str) -> None:
    if at.has("site1"):
        if (pair := _sites(text, robot, at, name)) is None:
            return
        first, second = pair
        places = [(poses[mark.link] @ mark.place.pose())[:3, 3] for mark in pair]
        if np.linalg.norm(places[0] - places[1]) > FITS:
            robot.same.append(SamePlace(name, first.name, second.name, at.line))
            return
        to = Placement(second.place.at, within=second.place.within)
        robot.hinges[name] = Hinge(
            name, "spheric", first.link, second.link, Placement(first.place.at, within=first.link), to, line=at.line
        )
        return
    tail, head = _link(text, robot, at, "body1"), _link(text, robot, at, "body2")
    if tail is not None and head is not None:
        anchor = vector(text.notes, at, "anchor")
        robot.hinges[name] = Hinge(name, "spheric", tail, head, Placement(anchor, within=tail), line=at.line)


def _weld(text: Text, robot: Robot, poses: dict[str, Array], at: Merged, name: str) -> None:
    at.asked.add("torquescale")
    if at.has("site1"):
        if (pair := _sites(text, robot, at, name)) is not None:
            first, second = pair
            robot.hinges[name] = Hinge(name, "rigid", first.link, second.link, first.place, second.place, line=at.line)
        return
    tail, head = _link(text, robot, at, "body1"), _link(text, robot, at, "body2")
    if tail is None or head is None:
        return
    at.has("anchor")
    hinge = Hinge(name, "rigid", tail, head, Placement(within=head), line=at.line)
    said = numbers(text.notes, at, "relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    turn = np.array(said[3:])
    if np.linalg.norm(turn) > 0.0:  # else they stay as they are in the layout
        X_TH = geo.pose(geo.from_quaternion(turn / np.linalg.norm(turn)), np.array(said[:3]))
        now = geo.inverse(poses[tail]) @ poses[head]
        if np.abs(now - X_TH).max() > 1e-9:
            hinge.frame, hinge.to = placed(X_TH, tail), Placement(within=head)
    robot.hinges[name] = hinge


def _single(text: Text, robot: Robot, at: Element, name: str | None) -> str | None:
    """A joint with a single variable, by its name in the file."""
    hinge = robot.hinges.get(name or "")
    if hinge is None:
        text.notes.wrong(f"there is no joint '{name}'", at, named(at), did_you_mean(name or "", robot.hinges))
        return None
    if hinge.kind not in SINGLE:
        text.notes.wrong(f"the joint '{name}' has no single variable", at, named(at))
        return None
    return name


def _rest(robot: Robot, joint: str) -> float:
    value = robot.hinges[joint].value
    return 0.0 if value is None else value[0]


def _polynomial(coefficients: tuple[float, ...], x: str) -> str:
    terms = []
    for power, c in enumerate(coefficients):
        if c:
            terms.append(f"({c!r})" + ("" if power == 0 else f"*{x}" if power == 1 else f"*{x}**{power}"))
    return " + ".join(terms) or "0"


def _shifted(term: str, rest: float) -> str:
    return f"({term} - ({rest!r}))" if rest else term


def _coefficients(text: Text, at: Merged) -> tuple[float, ...]:
    found = number_list(text.notes, at, "polycoef", at.get("polycoef") or "0 1 0 0 0", (1, 2, 3, 4, 5)) or ()
    usual = (0.0, 1.0, 0.0, 0.0, 0.0)
    return (*found, *usual[len(found) :])


def _joint(text: Text, robot: Robot, at: Merged, name: str) -> None:
    """y - y0 = a0 + a1 (x - x0) + a2 (x - x0)^2 + ..., with the values x0, y0 of the layout; without x it is a0."""
    follower = _single(text, robot, at, at.get("joint1"))
    coefficients = _coefficients(text, at)
    leader = _single(text, robot, at, at.get("joint2")) if at.has("joint2") else None
    if follower is None or (at.has("joint2") and leader is None):
        return
    rest = _rest(robot, follower)
    law = repr(coefficients[0]) if leader is None else _polynomial(coefficients, _shifted("{0}", _rest(robot, leader)))
    law = f"({rest!r}) + {law}" if rest else law
    robot.relations.append(Relation(name, law, () if leader is None else (leader,), follower, at.line))


def _tendon(text: Text, robot: Robot, at: Merged, name: str, tendons: dict[str, Element]) -> set[str]:
    """The same of two lengths, each a sum of joint variables with factors."""
    sums: list[list[tuple[str, float]]] = []
    used: set[str] = set()
    for key in ("tendon1", "tendon2"):
        said = at.get(key)
        if said is None:
            continue
        tendon = tendons.get(said)
        if tendon is None or tendon.tag != "fixed":
            what = f"there is no tendon '{said}'" if tendon is None else f"'{said}' is not a fixed tendon"
            text.notes.wrong(what, at, named(at), "only sums of joint variables can be said")
            return used
        parts = []
        for own in tendon.all("joint"):
            joint = _single(text, robot, own, own.get("joint"))
            if joint is not None:
                parts.append((joint, number(text.notes, own, "coef", 1.0)))
        sums.append(parts)
        used.add(said)
    joints = tuple(dict.fromkeys(joint for parts in sums for joint, _ in parts))
    lengths = []
    for parts in sums:
        terms = (f"({c!r})*{_shifted('{' + str(joints.index(j)) + '}', _rest(robot, j))}" for j, c in parts)
        lengths.append(f"({' + '.join(terms) or '0'})")
    if lengths:
        other = (
            _polynomial(_coefficients(text, at), lengths[1]) if len(lengths) > 1 else repr(_coefficients(text, at)[0])
        )
        robot.relations.append(Relation(name, f"{lengths[0]} - ({other})", joints, "", at.line))
    return used

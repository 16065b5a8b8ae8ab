# ruff: noqa: E501
"""Robots made wrong at random: every file is read or refused with a LinkworkError, and what is read is written."""

import random
import re

import pytest
from robot_documents import HARD_MJCF, HARD_SDF, HARD_URDF, LOOP_MJCF

import linkwork as lw

TEXTS = (HARD_URDF, HARD_MJCF, LOOP_MJCF, HARD_SDF)
WORDS = ("", "nan", "inf", "1e400", "-1", "0", "0 0 0", "a b c", "world", "1 2 3 4 5 6 7", "true", "x" * 200, "arm", "\u00e9",
         "\u2028", "joint", "1e-320", "E", "A", "${x}")  # fmt: skip
TAGS = ("joint", "link", "body", "geom", "inertial", "axis", "pose", "origin", "limit", "mimic", "frame", "site", "default",
        "equality", "connect", "weld", "compiler", "mesh", "include", "model")  # fmt: skip
VALUE, ATTRIBUTE, NAME = re.compile('"[^"]*"'), re.compile(r'\s[\w:]+="[^"]*"'), re.compile(r"\s(\w+)=")
EMPTY, INSIDE = re.compile(r"<(\w+)[^<>]*/>"), re.compile(r">([^<>\s][^<>]*)<")


def spoilt(text: str, r: random.Random) -> str:
    for _ in range(r.randint(1, 3)):
        way = r.randrange(6)
        found = list((VALUE, ATTRIBUTE, EMPTY, EMPTY, INSIDE, NAME)[way].finditer(text))
        if not found:
            continue
        own = r.choice(found)
        group = 1 if way > 2 else 0
        new = (
            f'"{r.choice(WORDS)}"',
            "",
            r.choice(["", own[0] * 2]),
            r.choice(TAGS),
            r.choice(WORDS),
            r.choice(found)[group],
        )[way]
        text = text[: own.start(group)] + new + text[own.end(group) :]
    return text


@pytest.mark.parametrize("start", range(0, 90, 30))
def test_every_file_is_read_or_refused(start: int) -> None:
    for seed in range(start, start + 30):
        r = random.Random(seed)
        text = spoilt(r.choice(TEXTS), r)
        try:
            m = lw.loads(text)
        except lw.LinkworkError as error:
            assert str(error)
        else:
            lw.check(m)
            assert lw.loads(lw.dumps(m)) == m

"""Model files that are wrong: every problem at once, with its line, its place and what to try."""

from __future__ import annotations

import json

import pytest
from bad_documents import BAD, MANY, MANY_FINDINGS, Finding
from file_documents import DESIGN

import linkwork as lw
from linkwork.files.tree import MAX_PROBLEMS, read_tree

JARGON = ("pydantic", "input should", "validation", "traceback", "nonetype", "dict", "tuple", "none is")


def problems_of(text: str | bytes, is_json: bool = False) -> tuple[lw.Problem, ...]:
    """The problems of the one error that loading, or else the check of what was loaded, raises."""
    with pytest.raises(lw.ModelError) as caught:
        lw.check(lw.loads(text, source="test", is_json=is_json)).raise_if_unsound()
    return caught.value.problems


def assert_found(problems: tuple[lw.Problem, ...], findings: list[Finding]) -> None:
    assert [(p.line, p.where) for p in problems] == [(line, where) for line, where, _ in findings]
    for problem, (_, _, fragment) in zip(problems, findings, strict=True):
        assert fragment in str(problem)
        assert not any(word in str(problem).lower() for word in JARGON), str(problem)
        assert len(str(problem)) < 500


@pytest.mark.parametrize("name", BAD)
def test_bad(name: str) -> None:
    text, findings = BAD[name]
    # That nothing stands on ground is true of most of these scraps, and not what is tested.
    assert_found(tuple(p for p in problems_of(text) if "is joined to the ground" not in p.what), findings)


def test_many_problems_at_once() -> None:
    assert len(MANY_FINDINGS) >= 20
    assert_found(problems_of(MANY), MANY_FINDINGS)


def json_of(value: object, indent: int = 0) -> str:
    """JSON with every entry on a line of its own."""
    return json.dumps(value, indent=1, ensure_ascii=True)


def test_lines_of_json() -> None:
    data = {
        "linkwork": 1,
        "description": '\U0001f600 a surrogate pair, a quote " and a brace }',
        "units": {"length": "mmm"},
        "bodies": {"a": {"mass": "1 m", "com": [1, 2, "3 kg"]}, "b": {"mas": 1}, "x y": {}},
        "joints": {"A": {"revolute": ["a", "b"], "at": [0, 0], "axis": [0, 0, 0]}},
    }
    text = json.dumps(data, indent=1)
    lines = text.split("\n")
    problems = problems_of(text, is_json=True)
    found = {p.where: lines[(p.line or 0) - 1].strip() for p in problems}
    assert found == {
        "units.length": '"length": "mmm"',
        "bodies.a.mass": '"mass": "1 m",',
        "bodies.a.com[2]": '"3 kg"',
        "bodies.b.mas": '"mas": 1',
        "bodies.x y": '"x y": {}',
        "joints.A.at": '"at": [',
        "joints.A.axis": '"axis": [',
    }


def test_json_that_yaml_would_not_read() -> None:
    text = '{"linkwork"\n: 1, "bodies"\n:\n{"a": {"mass"\n:-1}, "\\u0061":\n{}, "' + "k" * 2000 + '": {"\\/": 1}}}'
    found = [(p.line, p.where[:16], p.what[:30]) for p in problems_of(text, is_json=True)]
    assert found == [
        (4, "bodies.a.mass", "the mass is negative: -1"),
        (5, "bodies", "there are two entries named 'a"),
        (6, "bodies.kkkkkkkkk", repr("k" * 76)[:30]),
    ]


@pytest.mark.parametrize(
    ("text", "line", "fragment"),
    [
        ("", 1, "this is not JSON"),
        ("[1]", 1, "this is not a model file"),
        ('{"linkwork": 1,\n}', 2, "this is not JSON"),
        ('{"linkwork": 1,\n"description": "\\ud800"}', 2, "half of a surrogate pair"),
        ('{"linkwork": 1,\n"bodies": {"a": {"mass": NaN}}}', 2, "nan is not a number"),
        ('{"linkwork": 1,\n"bodies": ' + "[" * 30 + "]" * 30 + "}", 2, "nested more than 24 deep"),
        ("[\n" + "[" * 100_000, 2, "nested more than 24 deep"),
        ('{"a": ' + "9" * 5000 + "}", None, "this is not JSON"),
        ('{"linkwork": 1, "bodies": [\n' + "0," * 1_000_001 + "0]}", 2, "more than 1000000 entries"),
    ],
)
def test_bad_json(text: str, line: int | None, fragment: str) -> None:
    (problem,) = problems_of(text, is_json=True)
    assert problem.line == line
    assert fragment in problem.what


def test_too_many_problems_are_cut_short() -> None:
    text = "linkwork: 1\nbodies:\n" + "".join(f"  b{i}: {{mass: x}}\n" for i in range(5000))
    problems = problems_of(text)
    assert len(problems) == MAX_PROBLEMS + 1
    assert "the rest of the file is not looked at" in problems[-1].what


def test_message_is_a_list_with_the_name_of_the_file() -> None:
    with pytest.raises(lw.ModelError) as caught:
        lw.loads("linkwork: 1\nbodies: {a: {mas: 1, com: 2}}", source="crank.yaml")
    assert str(caught.value) == (
        "crank.yaml: 2 problems\n"
        "  1. line 2, bodies.a.com: 2 is not a list\n"
        "  2. line 2, bodies.a.mas: unknown key 'mas'; did you mean 'mass'?"
    )


def test_what_follows_from_a_problem_is_not_told() -> None:
    text = DESIGN.replace("mass: 800 g", "mass: 800 m").replace("length: mm", "length: km")
    assert [p.where for p in problems_of(text)] == ["bodies.crank.mass"]


CHECKED: dict[str, tuple[str, list[Finding]]] = {
    "impossible inertia": ("  a: {mass: 1, inertia: [1, 1, 9]}", [(3, "bodies.a", "break the triangle inequality")]),
    "inertia without mass": ("  a: {inertia: [1, 1, 1]}", [(3, "bodies.a", "inertia without mass")]),
    "more cut out than there is": (
        "  a: {density: 1, solids: [{box: [1, 1, 1], minus: true}]}",
        [(3, "bodies.a", "the solids add up to -1 kg")],
    ),
    "no density": ("  a: {solids: [{box: [1, 1, 1]}]}", [(3, "bodies.a", "the box has no density")]),
    "point off its curve": (
        "  a: {}\ncurves:\n  c: {fourier: {u_cos: [1], v_sin: [1]}}\njoints:\n"
        "  J: {rigid: [ground, a]}\n  K: {point_on_curve: [ground, a], curve: c, axis: z, to: [3, 0, 0]}",
        [(8, "joints.K", "its two frames do not fit a point_on_curve joint")],
    ),
    "frames in a circle": (
        "  a: {frame: {at: [0, 0, 0], in: b}}\n  b: {frame: {at: [0, 0, 0], in: a}}",
        [(3, "bodies.a.frame", "body frames are given in a circle")],
    ),
    "expectation": (
        "  a: {}\njoints:\n  J: {revolute: [ground, a]}\npoints:\n  P: {on: a, at: [1, 0, 0]}\nexpect:\n  P.x: 2",
        [(9, "expect.P.x", "2 m is expected, 1 m is found")],
    ),
    "chain": (
        "  a: {}\nchains:\n  arm:\n    base: b\n    rows:\n      - {joint: J, body: L}\n"
        "      - {joint: K, body: M, mass: 1, inertia: [1, 1, 9]}",
        [
            (8, "bodies.L.frame", "there is no body 'b'"),
            (8, "joints.J", "there is no body 'b'"),
            (9, "bodies.M", "break the triangle inequality"),
        ],
    ),
}


@pytest.mark.parametrize("name", CHECKED)
def test_what_only_the_whole_model_tells(name: str) -> None:
    text, findings = CHECKED[name]
    problems = problems_of(f"linkwork: 1\nbodies:\n{text}\n")
    told = tuple(p for p in problems if "is joined to the ground" not in p.what)
    assert_found(tuple(dict.fromkeys(told)), findings)


def test_reading_is_bounded() -> None:
    """A megabyte of one thing is read or refused, not brooded over."""
    for scrap in ("a: {}\n", "[", "{", "- ", "'", '"', "? ", "&a ", "*a ", "!t ", "\t", "a:\n ", "| ", "% ", "\\u"):
        raw = ("linkwork: 1\nbodies:\n" + scrap * (200_000 // len(scrap))).encode()
        for is_json in (False, True):
            try:
                read_tree(raw, is_json)
            except lw.ModelError as error:
                assert len(str(error)) < 20_000

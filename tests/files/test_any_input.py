"""Whatever is fed to the loader: a mechanism that can be checked, or a ModelError, and nothing else, and soon."""

from __future__ import annotations

import json
import time
import warnings
from typing import Any

import pytest
import yaml
from bad_documents import BAD, MANY
from file_documents import GOOD
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from validator import validator

import linkwork as lw
from linkwork.files import entries
from linkwork.files.schema import ModelFile
from linkwork.files.tree import read_tree

quick = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
LONGEST = 10.0  # seconds for one input, on a busy machine

SEEDS = [*GOOD.values(), MANY, *(lw.dumps(lw.example(name)) for name in list(lw.examples())[:6])]


def feed(raw: bytes | str, is_json: bool = False) -> lw.Mechanism | None:
    """Load and check; every failure other than ModelError, every warning and every delay is a bug."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            m = lw.loads(raw, is_json=is_json)
        except lw.ModelError as error:
            assert error.problems
            str(error).encode()
            return None
        str(lw.check(m)).encode()
    assert time.perf_counter() - start < LONGEST
    return m


@quick
@given(st.binary(max_size=300), st.booleans())
def test_bytes(raw: bytes, is_json: bool) -> None:
    feed(raw, is_json)
    feed(b"linkwork: 1\nbodies:\n" + raw)


@quick
@given(st.text(max_size=300), st.booleans())
def test_text(text: str, is_json: bool) -> None:
    feed(text, is_json)
    feed("linkwork: 1\nbodies:\n" + text)


yaml_scraps = st.lists(
    st.sampled_from(
        [
            *"{}[],:-?&*!|>'\"%@`# \n\t",
            "linkwork: 1\n",
            "bodies:\n",
            "  a: ",
            "&a ",
            "*a",
            "---\n",
            "<<: ",
            "0",
            "x",
            "- ",
        ]
    )
    | st.text(max_size=3),
    max_size=40,
).map("".join)


@quick
@given(yaml_scraps)
def test_scraps_of_yaml(text: str) -> None:
    feed(text)
    feed("linkwork: 1\n" + text)


# ------------------------------------------------------------ structures of the right words in the wrong places


def _all_keys() -> list[str]:
    kinds: list[type[entries.Entry]] = [entries.Entry, ModelFile]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    return sorted({f.alias or n for kind in kinds for n, f in kind.model_fields.items()})


KEYS = _all_keys()
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 30),
    st.sampled_from([0, -1, 10**18, 10**30, -(10**400), 1e308, -1e-308, 5e-324, float("nan"), float("inf"), -0.0]),
    st.floats(),
    st.sampled_from(
        [
            "",
            " ",
            "a",
            "b",
            "ground",
            "J",
            "x",
            "-z",
            "3 mm",
            "1 kg",
            "1 parsec",
            "1/0 m",
            "t**9",
            "sin(t)",
            "1/t",
            "com",
        ]
    ),
    st.sampled_from(
        ["dh", "origin", "1e999 mm", "0x10", "１２", "\x00", "\ud83d\ude00", "a" * 300, "((((", "t" * 200, "-" * 99]
    ),
    st.text(max_size=8),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def _dumped(data: Any, is_json: bool) -> str:
    return json.dumps(data) if is_json else yaml.safe_dump(data, allow_unicode=True)


sections = st.dictionaries(st.sampled_from(["a", "b", "J", "P", "ground", "1"]), values, max_size=4)
models = st.fixed_dictionaries(
    {"linkwork": st.just(1)},
    optional={name: sections | values for name in ModelFile.model_fields if name != "linkwork"},
)


@quick
@given(models, st.booleans())
def test_words_in_any_order(data: Any, is_json: bool) -> None:
    feed(_dumped(data, is_json), is_json)


def _paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(p for key, v in inner for p in _paths(v, (*at, key)))]


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """A good model with something else in one to three places."""
    data = read_tree(draw(st.sampled_from(list(GOOD.values()))).encode()).data
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(_paths(data)[1:] or [("linkwork",)]))
        inner = data
        for key in path[:-1]:
            inner = inner[key]
        action = draw(st.sampled_from(["replace", "replace", "delete", "move"]))
        if action == "delete":
            del inner[path[-1]]
        elif action == "move" and isinstance(inner, dict):
            inner[draw(st.sampled_from(KEYS))] = inner.pop(path[-1])
        else:
            inner[path[-1]] = draw(values)
    return data


@quick
@given(spoilt(), st.booleans())
def test_spoilt_models(data: Any, is_json: bool) -> None:
    text = _dumped(data, is_json)
    m = feed(text, is_json)
    if m is not None:  # what loads is also right for editors
        validator().validate(data if is_json else read_tree(text.encode()).data)
        assert lw.loads(lw.dumps(m)) == m


EXTREMES = [0.0, -0.0, 1e-30, -1e-20, 1e-9, 1e9, -1e20, 1e30, 1e160, -1e308]


@st.composite
def stretched(draw: st.DrawFn) -> Any:
    """A good model with numbers that no machine has."""
    data = read_tree(draw(st.sampled_from(SEEDS)).encode()).data
    for _ in range(draw(st.integers(1, 4))):
        numbers = []
        for path in _paths(data)[1:]:
            inner = data
            for key in path[:-1]:
                inner = inner[key]
            if type(inner[path[-1]]) in (int, float) and path != ("linkwork",):
                numbers.append((inner, path[-1]))
        inner, key = draw(st.sampled_from(numbers))
        inner[key] = draw(st.sampled_from(EXTREMES))
    return data


@quick
@given(stretched())
def test_extreme_numbers(data: Any) -> None:
    m = feed(_dumped(data, is_json=True), is_json=True)
    assert m is None or lw.loads(lw.dumps(m)) == m


# ------------------------------------------------------------ bytes of good models, changed


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    raw = bytearray(draw(st.sampled_from(SEEDS)).encode())
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, max(0, len(raw) - 1)))
        end = start + draw(st.integers(0, 12))
        action = draw(st.sampled_from(["delete", "double", "replace", "insert", "swap"]))
        if action == "delete":
            del raw[start:end]
        elif action == "double":
            raw[start:start] = raw[start:end]
        elif action == "insert":
            raw[start:start] = draw(
                st.sampled_from([b"-", b"0", b"e9", b"\n", b" ", b",", b"]", b"{", b"&a ", b"*a", b"\xff", b"'"])
            )
        elif action == "replace":
            raw[start:end] = draw(st.binary(max_size=4))
        else:
            other = draw(st.integers(0, max(0, len(raw) - 1)))
            raw[start:end], raw[other : other + end - start] = raw[other : other + end - start], raw[start:end]
    return bytes(raw)


@quick
@given(mutated())
def test_mutated_models(raw: bytes) -> None:
    feed(raw)


@pytest.mark.parametrize("name", BAD)
def test_bad_documents_as_json(name: str) -> None:
    text, _ = BAD[name]
    feed(text, is_json=True)


# ------------------------------------------------------------ large and hostile


def _flood(entry: str, section: str, count: int) -> str:
    return f"linkwork: 1\n{section}:\n" + "".join(f"  n{i}: {entry}\n" for i in range(count))


HOSTILE = {
    "unknown keys at the top": "linkwork: 1\n" + "".join(f"boddies{i}: 1\n" for i in range(20_000)),
    "unknown keys in an entry": "linkwork: 1\nbodies:\n  a:\n" + "".join(f"    mss{i}: 1\n" for i in range(20_000)),
    "units": "linkwork: 1\nunits:\n" + "".join(f"  lengthh{i}: 1\n" for i in range(20_000)),
    "bad bodies": _flood("{mass: x}", "bodies", 20_000),
    "bad joints": _flood("{revolut: [a, b]}", "joints", 20_000),
    "joints to nobody": _flood("{revolute: [a, b], at: 1}", "joints", 20_000),
    "bad expectations": _flood("x", "expect", 20_000),
    "same names": "linkwork: 1\nbodies:\n" + "  a: {}\n" * 50_000,
    "a long name": f"linkwork: 1\n{'x' * 500_000}: 1\n",
    "a long text": f"linkwork: 1\nbodies: {{a: {{mass: {'9' * 500_000}}}}}\n",
    "a long list": f"linkwork: 1\nbodies: {{a: {{com: [{'0, ' * 100_000}]}}}}\n",
    "a list of bad solids": f"linkwork: 1\nbodies: {{a: {{solids: [{'{}, ' * 50_000}]}}}}\n",
    "a list of bad rows": f"linkwork: 1\nchains: {{a: {{rows: [{'{}, ' * 50_000}]}}}}\n",
    "aliases": "linkwork: 1\nbodies:\n  a: &a {solids: ["
    + "{}, " * 500
    + "]}\n"
    + "".join(f"  b{i}: *a\n" for i in range(900)),
    "a long expression": f"linkwork: 1\ncurves: {{c: {{expression: {{u: {'sin(' * 5000}, v: {'-' * 5000}t}}}}}}\n",
    "a tower of powers": "linkwork: 1\ncurves: {c: {expression: {u: " + "**".join(["9"] * 60) + ", v: t}}}\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str) -> None:
    feed(HOSTILE[name])

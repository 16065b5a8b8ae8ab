"""The JSON Schema for editors agrees with the loader."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from bad_documents import BAD, UNKNOWN_KEYS
from file_documents import GOOD
from file_machines import mechanisms
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator
from validator import schema, validator

import linkwork as lw
from linkwork.files.gallery import example_text
from linkwork.files.tree import read_tree
from linkwork.files.write import as_data


def data_of(text: str | bytes) -> Any:
    return read_tree(text.encode() if isinstance(text, str) else text).data


def test_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())
    assert json.loads(json.dumps(schema())) == schema()


@pytest.mark.parametrize("name", GOOD)
def test_documents(name: str) -> None:
    validator().validate(data_of(GOOD[name]))


@pytest.mark.parametrize("name", lw.examples())
def test_gallery(name: str) -> None:
    validator().validate(data_of(example_text(name)))


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(mechanisms())
def test_what_is_written(m: lw.Mechanism) -> None:
    validator().validate(json.loads(json.dumps(as_data(m))))


STRUCTURE = (
    *UNKNOWN_KEYS,
    *("alias of in", "units not table", "true for a number", "many numbers"),
    *("null body in joint", "bool name", "no kind", "two kinds", "joint list", "joint text", "names"),
    *("section text", "lead", "gear teeth", "bevel", "bad curve", "curve none", "curve two", "inertia about", "solids"),
    *("solids again", "chain once more", "header", "header again", "list", "text", "nothing behind a key", "axis name"),
    *("axis units", "matrix", "limits again"),
)


@pytest.mark.parametrize("name", STRUCTURE)
def test_what_has_the_wrong_shape_is_refused(name: str) -> None:
    assert not validator().is_valid(data_of(BAD[name][0]))


def misspelt(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The data with one key more, in each mapping that has keys of its own."""

    def changed(at: tuple[Any, ...]) -> Any:
        whole = copy.deepcopy(data)
        inner = whole
        for key in at:
            inner = inner[key]
        inner["flavour"] = "red"
        return whole

    def walk(value: Any, at: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        free = len(at) == 1 and at[0] != "units"  # names of the user's own
        values = len(at) > 2 and at[-1] in ("value", "limits", "parameters")
        # Names of variables in cases, and names with an index in repeated groups, are seen by the loader.
        values |= len(at) > 2 and (at[0] == "repeat" or (at[0] == "cases" and at[-1] != "units"))
        if isinstance(value, dict):
            if not (free or values):
                yield at
            for key, inner in value.items():
                yield from walk(inner, (*at, key))
        elif isinstance(value, list):
            for i, inner in enumerate(value):
                yield from walk(inner, (*at, i))

    for at in walk(data, path):
        yield at, changed(at)


@pytest.mark.parametrize("name", GOOD)
def test_no_entry_takes_an_unknown_key(name: str) -> None:
    for at, data in misspelt(data_of(GOOD[name])):
        assert not validator().is_valid(data), at
        with pytest.raises(lw.ModelError) as caught:
            lw.loads(json.dumps(data), is_json=True)
        assert any(
            "unknown key 'flavour'" in p.what or "no variable 'flavour'" in p.what for p in caught.value.problems
        ), at


def test_an_open_limit_is_accepted() -> None:
    entry = {"prismatic": ["ground", "a"], "axis": "x", "limits": [0.1, None]}
    validator().validate({"linkwork": 1, "bodies": {"a": {}}, "joints": {"A": entry}})


def test_it_is_light_enough_for_editors() -> None:
    assert len(json.dumps(lw.json_schema())) < 100_000

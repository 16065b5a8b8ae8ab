"""The JSON Schema of model files, made when a test first asks for it: it takes half a second."""

from __future__ import annotations

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

import linkwork as lw


@cache
def schema() -> dict[str, Any]:
    return lw.json_schema()


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(schema())

"""The editor of the model's text: a frame in the page with its own script, which writes for a field of viser.

viser has boxes for text and no editor, but shows any HTML: `assets/editor.js` is one. It knows the keys of model files
from their schema, and the problems from an element of the page.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from linkwork.errors import Problem
from linkwork.files.schema import json_schema
from linkwork.views.workbench.texts import element_id
from linkwork.views.workbench.texts import problems as problem_list

SAVE = "Save the model"
DEEP = 4
"""Levels of keys that are completed."""
VALUES = ("x", "-x", "y", "-y", "z", "-z", "true", "false")
STYLE = """
<style>div:has(> * > * > label[for="{field}"]){{position:absolute;width:1px;height:1px;
overflow:hidden;opacity:0.01}}
.lw-editor{{display:block;width:calc(100% - 1.2em);margin:0 auto 0.5em;height:max(22em,52vh);border:0;
resize:vertical}}</style>
"""


def editor(field: Any) -> str:
    """The editor for a text field of the page, as HTML; the field itself is put out of sight."""
    own = element_id(field)
    words = json.dumps(keys_by_place()).replace("<", "\\u003c")
    before = f'const FIELD = "{own}", SAVE = "{SAVE}", WORDS = {words}, VALUES = {json.dumps(VALUES)};'
    document = (
        f"<!doctype html><html><head><meta charset='utf-8'><style>{_asset('editor.css')}</style></head><body>"
        "<div id='bar'><button id='undo' title='Ctrl-Z'>Undo</button><button id='redo' title='Ctrl-Y'>Redo</button>"
        "<label><input type='checkbox' id='wrap' checked>wrap</label></div>"
        "<div id='box'><div id='lines' aria-hidden='true'></div>"
        "<textarea aria-label='text of the model' spellcheck='false' autocapitalize='off'></textarea>"
        "<ul id='list' hidden></ul></div><div id='foot'><button id='told'></button><span id='place'></span></div>"
        f"<script>{before}\n{_asset('editor.js')}</script></body></html>"
    )
    source = html.escape(document, quote=True)
    return f'{STYLE.format(field=own).strip()}<iframe class="lw-editor" title="editor" srcdoc="{source}"></iframe>'


def problems_for(field: Any, found: Sequence[Problem]) -> str:
    """Problems as a list, and as data from which the editor marks its lines."""
    data = json.dumps([{"line": None if p.file else p.line, "text": str(p)} for p in found], ensure_ascii=False)
    known = f'data-problems-of="{element_id(field)}" data-problems="{html.escape(data, quote=True)}"'
    return f"<div hidden {known}></div>{problem_list(found)}"


@cache
def _asset(name: str) -> str:
    return files("linkwork.views.workbench").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def keys_by_place() -> dict[str, list[str]]:
    """Keys that may stand at a place of a model file: "" for its top, "joints.*" for a joint, from the schema."""
    schema, found = json_schema(), dict[str, list[str]]()

    def walk(node: Mapping[str, Any], place: tuple[str, ...], seen: tuple[str, ...]) -> None:
        if len(place) > DEEP:
            return
        name = str(node.get("$ref", "")).rpartition("/")[2]
        if name:
            if name not in seen:
                walk(schema["$defs"][name], place, (*seen, name))
            return
        for key in ("anyOf", "oneOf", "allOf"):
            for one in node.get(key, ()):
                walk(one, place, seen)
        properties = node.get("properties", {})
        if properties:
            known = found.setdefault(".".join(place), [])
            known += [k for k in properties if k not in known]
        for key, below in properties.items():
            walk(below, (*place, key), seen)
        for key in ("additionalProperties", "items"):
            if isinstance(below := node.get(key), Mapping):
                walk(below, (*place, "*") if key == "additionalProperties" else place, seen)
        for below in node.get("patternProperties", {}).values():
            walk(below, (*place, "*"), seen)

    walk(schema, (), ())
    return found

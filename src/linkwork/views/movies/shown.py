"""A movie below the cell of a notebook, inside of the page, so that it stays where the notebook goes."""

from __future__ import annotations

import base64
import html
from pathlib import Path

LARGEST = 30_000_000
"""Bytes of a file that still belong into a notebook."""
HEIGHT = 480


def movie_html(path: Path, told: str) -> str:
    """The movie with what is told of it; of a file that is gone or too large the words alone."""
    words = html.escape(told)
    try:
        data = path.read_bytes()
    except OSError as error:
        return f"<div>{words} ({html.escape(error.strerror or str(error))})</div>"
    if len(data) > LARGEST:
        return f"<div>{words} (too large to be shown here)</div>"
    kind = path.suffix.lower()
    if kind == ".html":
        page = html.escape(data.decode("utf-8"), quote=True)
        shown = f'<iframe srcdoc="{page}" width="100%" height="{HEIGHT}" style="border:none"></iframe>'
    elif kind == ".mp4":
        source = f"data:video/mp4;base64,{base64.b64encode(data).decode()}"
        shown = f'<video controls loop autoplay muted playsinline src="{source}" style="max-width:100%"></video>'
    else:
        source = f"data:image/gif;base64,{base64.b64encode(data).decode()}"
        shown = f'<img src="{source}" alt="{words}" style="max-width:100%">'
    return f"<div>{shown}<div>{words}</div></div>"

"""Bytes as text that an HTML page can hold: gzip, then five letters for four bytes.

The letters are those of RFC 1924 with `<`, `>`, `&`, `` ` `` and `$` exchanged, so that no text can end a script
element or begin a comment. `assets/unpack.js` reads it back.
"""

from __future__ import annotations

import gzip
from base64 import b85encode
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

from linkwork.errors import MissingExtra
from linkwork.kernels.cache import Cache, user_cache

_LETTERS = bytes.maketrans(b"<>&`$", b".,:[]")


def packed(content: str) -> str:
    """A text, packed. The same text gives the same letters."""
    return b85encode(gzip.compress(content.encode(), 9, mtime=0)).translate(_LETTERS).decode("ascii")


@lru_cache(maxsize=1)
def packed_plotly() -> str:
    """The library that draws figures on the page, packed: half a second, once for every version of it."""
    try:
        library = files("plotly").joinpath("package_data", "plotly.min.js").read_text(encoding="utf-8")
    except ImportError:
        raise MissingExtra("plotly", "view", "writing a report") from None
    folder = user_cache().folder
    cache = Cache(None if folder is None else folder.parent / "pages")
    key = f"plotly-{sha256(library.encode()).hexdigest()[:32]}"
    found = cache.get(key)
    if found is None:
        found = packed(library).encode("ascii")
        cache.put(key, found)
    return found.decode("ascii")

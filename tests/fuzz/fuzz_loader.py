"""Coverage-guided fuzzing of the loader and the check: whatever the bytes, a mechanism or a ModelError.

    python tests/fuzz/fuzz_loader.py -max_total_time=60

All options are those of libFuzzer. The gallery's files are where it starts from.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["linkwork", "yaml", "json"]):
    import linkwork as lw
    from linkwork.files.gallery import example_text


def feed(raw: bytes) -> None:
    """One input; its first byte says whether it is JSON."""
    try:
        m = lw.loads(raw[1:], is_json=raw[:1] == b"{")
    except lw.ModelError as error:
        str(error).encode()
        return
    str(lw.check(m)).encode()
    assert lw.loads(lw.dumps(m)) == m


def write_seeds(folder: Path) -> None:
    """The gallery as YAML, and the smaller half of it as JSON."""
    for name in lw.examples():
        (folder / f"{name}.yaml").write_bytes(b" " + example_text(name).encode())
        as_json = lw.dumps(lw.example(name), is_json=True)
        if len(as_json) < 4000:
            (folder / f"{name}.json").write_bytes(b"{" + as_json.encode())


def main() -> None:
    """Fuzz until the time is up or something breaks."""
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        write_seeds(Path(folder))
        arguments = [sys.argv[0], "-timeout=20", "-rss_limit_mb=4000", "-max_len=6000", *sys.argv[1:], folder]
        atheris.Setup(arguments, feed)
        atheris.Fuzz()


if __name__ == "__main__":
    main()

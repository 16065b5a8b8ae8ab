"""The main job on an example: check the slider-crank and draw it. Run by `make demo`."""

from pathlib import Path

import linkwork as lw
from linkwork.cli import app

out = Path("out")
out.mkdir(exist_ok=True)

file = lw.save(lw.example("slider-crank"), out / "slider-crank.yaml")
app(["check", str(file)], standalone_mode=False)
app(["show", str(file)], standalone_mode=False)
app(
    ["show", str(file), "--graph", str(out / "slider-crank-graph.svg"), "--layout", str(out / "slider-crank.svg")],
    standalone_mode=False,
)
print(f"\nOpen {(out / 'slider-crank.svg').resolve()}")

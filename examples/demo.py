"""The main job on an example: check the slider-crank and draw it. Run by `make demo`."""

from pathlib import Path

from linkwork.cli import app
from linkwork.files.gallery import example_text

out = Path("out")
out.mkdir(exist_ok=True)

file = out / "slider-crank.yaml"
file.write_text(example_text("slider-crank"), encoding="utf-8")
app(["check", str(file)], standalone_mode=False)
app(["show", str(file)], standalone_mode=False)
app(
    ["show", str(file), "--graph", str(out / "slider-crank-graph.svg"), "--layout", str(out / "slider-crank.svg")],
    standalone_mode=False,
)
print(f"\nOpen {(out / 'slider-crank.svg').resolve()}")

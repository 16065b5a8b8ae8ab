"""The main job on an example: check the slider-crank, draw it, assemble it, drive it, report it. Run by `make demo`."""

from pathlib import Path

import linkwork as lw
from linkwork.cli import app
from linkwork.files.gallery import example_text
from linkwork.units import deg, rpm
from linkwork.views.workbench.server import has_display

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

machine = lw.load(file).assemble()
print(f"\n{machine}\n")
print("One turn at 3000 rpm; the first motion compiles the equations of this machine ...\n")
run = machine.motion(A=lw.ramp(0, 360 * deg, speed=3000 * rpm))
print(run)
units = {"angle": "deg", "D.slide": "mm"}
run.plot("D.slide", "D.rate", "D.acceleration", x="A", units=units).save(out / "piston.svg")
run["P"].path(units={"length": "mm"}).save(out / "path-of-P.svg")
run.save(out / "slider-crank.csv")
report = lw.write_report(run, out / "slider-crank-report.html")
print("\nOpen")
for name in ("slider-crank.svg", "piston.svg", "path-of-P.svg", "slider-crank.csv"):
    print(f"  {(out / name).resolve()}")
print(f"and, in a browser, the report with its animation\n  {report.resolve().as_uri()}")
if has_display():
    print("\nThe workbench opens in your browser; Ctrl-C here ends it.")
    run.view()

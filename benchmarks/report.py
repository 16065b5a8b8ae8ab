"""How large a report is, and how long it takes to write: a motion of 1,000 frames of 10 bodies.

    python benchmarks/report.py [--json FILE] [--bodies 10] [--frames 1000]

The machine is a chain of four-bars. `first` is the first page of a new process whose kernels are compiled already, as a
second call of `linkwork report` finds them; `again` the median of the pages after it. Wall time means something on an
idle machine only, so CPU time stands beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MOST_BYTES = 3_000_000
MOST_SECONDS = 3.0
ROUNDS = 3
PROGRAM = """
import json, sys, time
import linkwork as lw
from linkwork.files.generators import n_four_bar
bodies, frames, rounds, path = (*map(int, sys.argv[1:4]), sys.argv[4])
m = n_four_bar((bodies - 2) // 2)
found = []
for _ in range(rounds):
    wall, cpu = time.perf_counter(), time.process_time()
    size = lw.write_report(m, path, samples=frames).stat().st_size
    found.append((size, time.perf_counter() - wall, time.process_time() - cpu))
print(json.dumps([len(m.bodies), found]))
"""


def main() -> None:
    """Measure, print, and write JSON if asked."""
    parser = argparse.ArgumentParser(description="Size and time of a report.")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    parser.add_argument("--bodies", type=int, default=10, help="of the machine, ground included")
    parser.add_argument("--frames", type=int, default=1000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LINKWORK_CACHE": folder}

        def measured(rounds: int) -> tuple[int, list[tuple[int, float, float]]]:
            words = [str(asked.bodies), str(asked.frames), str(rounds), str(Path(folder) / "report.html")]
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM, *words], check=True, capture_output=True, text=True, env=environment
            )
            bodies, rows = json.loads(done.stdout)
            return bodies, rows

        measured(1)  # compiles the kernels
        began = time.perf_counter()
        bodies, rows = measured(1 + ROUNDS)
        whole = time.perf_counter() - began
    sizes = {size for size, _, _ in rows}
    assert len(sizes) == 1, f"the pages differ: {sorted(sizes)} bytes"
    (size,) = sizes
    first, again = rows[0], [statistics.median(row[k] for row in rows[1:]) for k in (1, 2)]
    print(f"report of {bodies} bodies, {asked.frames:,} frames")
    print(f"  size   {size:12,} bytes   {'ok' if size < MOST_BYTES else 'MISSED'} (below {MOST_BYTES:,})")
    judged = "ok" if first[1] < MOST_SECONDS else "MISSED"
    print(f"  first  {first[1]:12.2f} s, CPU {first[2]:.2f} s   {judged} (below {MOST_SECONDS:g} s)")
    print(f"  again  {again[0]:12.2f} s, CPU {again[1]:.2f} s")
    print(f"  {1 + ROUNDS} pages with start and imports: {whole:.2f} s")
    if asked.json:
        numbers = {"bodies": bodies, "frames": asked.frames, "bytes": size, "first": first[1:], "again": again}
        asked.json.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

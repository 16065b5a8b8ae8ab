"""How quick the workbench is: seconds from the command to the first picture, milliseconds from a slider to the screen.

    python benchmarks/workbench.py

The command is started as users start it; the browser (headless Chromium, drawing in software) is open already. The
first picture is there when the page shows colours where the machine stands. A slider is moved by keys, 40 times: the
new posture has arrived when the page has its numbers, which come in one message with the poses, and is drawn at the
second animation frame after that; medians, and what nine of ten drags stay below.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "browser"))

DRAG = """
() => new Promise(done => {
  const thumb = document.querySelector('.mantine-Slider-thumb');
  const times = [];
  const once = (left) => {
    if (left === 0) { done(times); return; }
    const start = performance.now();
    const seen = new MutationObserver(() => {
      seen.disconnect();
      const arrived = performance.now() - start;
      requestAnimationFrame(() => requestAnimationFrame(() => {
        times.push([arrived, performance.now() - start]);
        setTimeout(() => once(left - 1), 50);
      }));
    });
    for (const table of document.querySelectorAll('table'))
      seen.observe(table.parentElement.parentElement, {childList: true, subtree: true, characterData: true});
    thumb.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  };
  thumb.focus();
  once(40);
})
"""


def started(model: str) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "linkwork", "view", model, "--no-browser", "--port", "8700"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"http://\S+", line)
        if found:
            return process, found[0]
    raise SystemExit(f"`linkwork view {model}` ended")


def shows_something(page: Any) -> bool:
    """Whether anything with a colour is seen where the machine stands."""
    import numpy as np
    from PIL import Image

    clip = {"x": 320, "y": 100, "width": 560, "height": 600}  # beside the panel and the notices
    picture = np.asarray(Image.open(BytesIO(page.screenshot(clip=clip))).convert("RGB")).astype(int)
    return bool((np.ptp(picture, axis=2) > 60).sum() > 500)


def measure(browser: Any, model: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    begin = time.monotonic()
    process, url = started(model)
    served = time.monotonic() - begin
    try:
        page.goto(url)
        while not shows_something(page):
            pass
        seen = time.monotonic() - begin
        page.get_by_role("button", name="Home", exact=True).wait_for(timeout=120_000)
        ready = time.monotonic() - begin
        page.get_by_text("All joints").click()
        time.sleep(5.0)  # what the first drag needs is compiled in the background
        arrived, drawn = zip(*page.evaluate(DRAG), strict=True)
        figures = (statistics.median(arrived), statistics.median(drawn), sorted(drawn)[int(0.9 * len(drawn))])
        print(f"{model:18s} {served:8.2f} {seen:8.2f} {ready:8.2f}", *(f"{x:8.1f}" for x in figures))
    finally:
        process.terminate()
        page.close()


def main() -> None:
    from chromium import find_chromium, launch_options
    from playwright.sync_api import sync_playwright

    heads = ("served", "picture", "sliders", "arrived", "drawn", "9 of 10")
    print(" " * 18, *(f"{head:>8s}" for head in heads))
    print(" " * 18, *(f"{unit:>8s}" for unit in ("s", "s", "s", "ms", "ms", "ms")))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=launch_options())
        for model in sys.argv[1:] or ("slider-crank", "four-bar", "stewart-platform"):
            measure(browser, model)
        browser.close()


if __name__ == "__main__":
    main()

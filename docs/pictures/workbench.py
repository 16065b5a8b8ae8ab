"""Takes workbench.png: the workbench in a browser. Run it in this folder; needs the `test` extra and Chromium."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "browser"))

from chromium import find_chromium, launch_options
from playwright.sync_api import sync_playwright

import linkwork as lw

bench = lw.example("four-bar").assemble().view(wait=False, browser=False)
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=find_chromium(), args=launch_options())
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(120_000)
    page.goto(bench.url)
    page.get_by_role("button", name="Home", exact=True).wait_for()
    page.get_by_role("tab", name="Motion").click()
    (desk,) = bench.desks.values()
    desk.live.idle(60.0)
    desk.panels[1].laws["O2.angle"].value = "40:400deg in 4s"
    time.sleep(1.0)
    page.get_by_role("button", name="Run", exact=True).click()
    play = page.get_by_role("button", name="Play", exact=True)
    play.wait_for()
    time.sleep(4.0)
    page.get_by_label("velocity arrows").click()
    play.click()
    time.sleep(2.5)
    page.get_by_role("button", name="Pause", exact=True).click()
    for close in page.locator(".mantine-Notification-closeButton").all():
        close.click()
    time.sleep(3.0)
    page.screenshot(path="workbench.png")
    browser.close()
bench.stop()

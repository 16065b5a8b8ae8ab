"""The browser that tests use. Run as a program it installs one where there is none: `python tests/browser/chromium.py`.

Debian's Chromium, since the download of Playwright's own is not to be had everywhere. Where apt is not available, or
may not be used, one plain line says so and the tests in the browser are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MISSING = "there is no Chromium: install it (apt-get install chromium), or run `make browser` where apt is available"
OPTIONS = (
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--use-angle=swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def find_chromium() -> str | None:
    """The program, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def launch_options() -> list[str]:
    """How it is started; as root it has no sandbox."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*OPTIONS, *(["--no-sandbox"] if root else [])]


def _as_root() -> list[str] | None:
    """What goes before a command for it to be run by root; None where that is not possible without asking."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def install() -> None:
    """Install Chromium with apt where it is absent; say so in one line where that cannot be done."""
    if find_chromium():
        return
    before = _as_root()
    if shutil.which("apt-get") and before is not None:
        print("installing Chromium for the tests in the browser ...")
        quiet = {"capture_output": True, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
        for words in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
            subprocess.run([*before, "apt-get", "-qq", *words], **quiet)  # type: ignore[call-overload]
    if not find_chromium():
        print(f"tests in the browser will be skipped: {MISSING}", file=sys.stderr)


if __name__ == "__main__":
    install()

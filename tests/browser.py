"""Find a Chromium for the tests that look at pages, or install one.

``python -m tests.browser`` prints the browser that the tests will use;
``python -m tests.browser --install`` also installs one where there is none: Debian's package when
run as root, else the one that Playwright downloads.  A failed installation is not an error here:
the tests then say that they were skipped, or fail where the environment variable CI is set.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
INSTALL_SECONDS = 600


def find_browser() -> str | None:
    """Path of a Chromium: ``UNEVEN_BROWSER``, the system's, else Playwright's own."""
    named = os.environ.get("UNEVEN_BROWSER")
    if named:
        return named
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return _playwright_browser()


def install_browser() -> None:
    """Install a Chromium by the first way that works."""
    ways = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    apt = shutil.which("apt-get")
    if apt and hasattr(os, "geteuid") and os.geteuid() == 0:
        ways.insert(0, [apt, "install", "-y", "--no-install-recommends", "chromium"])
        _run([apt, "update", "-q"])
    for way in ways:
        if _run(way) and find_browser():
            return


@contextmanager
def open_browser() -> Iterator[Any]:
    """Run a headless Chromium; yields a Playwright browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def _playwright_browser() -> str | None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _run(command: list[str]) -> bool:
    print("+", *command, flush=True)
    try:
        return subprocess.run(command, timeout=INSTALL_SECONDS, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)
        return False


def main() -> None:
    """Say which browser the tests will use; with ``--install``, see to it that there is one."""
    if "--install" in sys.argv[1:] and not find_browser():
        install_browser()
    print("browser for the tests:", find_browser() or "none found; the page tests cannot run")


if __name__ == "__main__":
    main()

"""A browser and pages for it."""

from functools import cache

import pytest

from tests.report.samples import make_compared, make_results, with_noise, with_stack
from uneven.report import write_report

CASES = {
    "usual": lambda: make_results(failed=True),
    "many": lambda: make_results(26, 12, 6),
    "nasty": lambda: make_results(6, 5, 1, nasty=True),
    "noisy": lambda: with_noise(make_results(26, 12, 1)),
    "nasty noise": lambda: with_noise(make_results(6, 5, 1, nasty=True)),
    "stack": lambda: with_stack(make_results(26, 12, 1, nasty=True)),
    "rows": lambda: make_compared(),
    "hostile": lambda: make_compared(hostile=True),
    "single": lambda: make_compared(single=True),
}
OWN = ("file:", "data:", "blob:")


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """Writes a report when it is asked for the first time."""
    folder = tmp_path_factory.mktemp("reports")

    @cache
    def report(name):
        return write_report(CASES[name](), folder / f"{name}.html")

    return report


@pytest.fixture
def visit(browser, reports):
    """Open a report; complaints and requests of the page are kept and must stay empty."""
    contexts, complaints = [], []

    def open_page(name, *, width=1280, theme="light", script=True):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,
            java_script_enabled=script,
            accept_downloads=True,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(f"console {m.type}: {m.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (complaints.append("dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda r: (
                None if r.url.startswith(("file:", "data:", "blob:")) else complaints.append(r.url)
            ),
        )
        page.goto(reports(name).as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []

"""The page in a real browser: no errors, nothing outside, sorting, narrow screens, no script."""

import pytest

from tests.report.samples import NASTY

pytestmark = pytest.mark.slow


HIDDEN = "[...document.querySelectorAll('section h2')].filter(h => !h.checkVisibility()).length"
FLAT = (
    "[...document.querySelectorAll('svg')].filter(s => s.checkVisibility() &&"
    " s.getBoundingClientRect().height < 10).length"
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["usual", "many", "nasty", "noisy", "nasty noise", "stack"])
def test_page_renders_and_never_scrolls_sideways(visit, name):
    page = visit(name)
    assert page.locator("section h2").count() == (7 if name == "nasty" else 8)
    for width, theme in [(1280, "light"), (375, "light"), (375, "dark"), (1280, "dark")]:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        assert page.evaluate("innerWidth") == width
        assert page.evaluate(HIDDEN) == 0, (width, theme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, theme)
        assert page.evaluate(FLAT) == 0, (width, theme)


@pytest.mark.parametrize("name", ["usual", "noisy"])
def test_every_column_of_the_ranking_is_seen_on_a_desk(visit, name):
    page = visit(name, width=1280)
    beyond = "(e => e.scrollWidth - e.clientWidth)(document.querySelector('#ranking .wide'))"
    assert page.evaluate(beyond) <= 0
    if name == "noisy":
        page.evaluate("document.querySelector('.ranking').classList.remove('crowded')")
        assert page.evaluate(beyond) > 0


def test_no_section_is_faded(visit):
    parts = "[...document.querySelectorAll('section, section > *')]"
    faded = f"{parts}.filter(e => getComputedStyle(e).opacity < 1).length"
    assert visit("usual").evaluate(faded) == 0


def test_theme_follows_the_reader(visit):
    ground = "getComputedStyle(document.body).backgroundColor"
    assert visit("usual", theme="light").evaluate(ground) == "rgb(255, 255, 255)"
    assert visit("usual", theme="dark").evaluate(ground) == "rgb(18, 23, 29)"


def test_sorting_by_a_measure_and_back(visit):
    page = visit("usual")
    names = "[...document.querySelectorAll('.ranking tbody tr')].map(r => r.dataset.method)"
    values = (
        "[...document.querySelectorAll('.ranking tbody tr')].map(r => r.cells[4].dataset.value)"
    )
    first = page.evaluate(names)
    button = page.locator(".ranking thead button", has_text="G-mean")
    button.click()
    rising = [float(v) for v in page.evaluate(values)]
    assert rising == sorted(rising)
    assert page.evaluate(names) != first
    button.click()
    falling = [float(v) for v in page.evaluate(values)]
    assert falling == sorted(rising, reverse=True)
    head = page.locator(".ranking thead th", has_text="G-mean")
    assert head.get_attribute("aria-sort") == "descending"
    page.locator(".ranking thead button", has_text="#").click()
    assert page.evaluate(names) == first
    assert page.locator(".ranking thead th[aria-sort]").count() == 1


def test_sorting_works_from_the_keyboard(visit):
    page = visit("usual")
    page.locator(".ranking thead button", has_text="method").focus()
    page.keyboard.press("Enter")
    labels = page.locator(".ranking tbody th .name").all_inner_texts()
    assert labels == sorted(labels, key=str.lower)


def test_page_is_complete_without_script(visit):
    page = visit("usual", script=False)
    assert page.locator("section").count() == 8
    assert page.locator(".ranking tbody tr").count() == 5
    assert page.locator("thead button").count() == 0


def test_nasty_names_are_shown_as_they_are(visit):
    page = visit("nasty")
    assert page.locator("h1").inner_text() == f"Comparison on {NASTY[0]}"
    shown = page.locator("#classes tbody th .name").all_inner_texts()
    assert set(NASTY) <= set(shown)


@pytest.mark.slow
def test_every_fold_out_opens_for_print(visit):
    page = visit("usual")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0

"""The page in a real browser: keyboard, touch, reload, two people, and a server that is killed."""

import io
import os
import re
import signal
import subprocess
import sys

import pandas as pd
import pytest

from uneven.labelling.curve import Point
from uneven.labelling.demo import CLASSES, demo_messages
from uneven.labelling.pool import pool_of_frame
from uneven.labelling.project import Options, Project
from uneven.labelling.serving import LabelServer
from uneven.labelling.statuspanel import curve_chart
from uneven.labelling.store import Event

pytestmark = pytest.mark.slow

FRAME, TRUTH = demo_messages(200)
ABOUT = dict(zip(FRAME["ticket"], map(str, TRUTH)))


@pytest.fixture
def server(tmp_path):
    pool = pool_of_frame(tmp_path / "pool.csv", FRAME, "ticket", text=("message",))
    options = Options(classes=CLASSES, people=("ann", "bob"), overlap=0.5)
    with LabelServer(Project(pool, tmp_path / "project", None, options, process=False)) as running:
        yield running


@pytest.fixture
def visit(browser):
    contexts, complaints = [], []

    def open_page(address, *, width=1280, theme="light", touch=False, failing=False):
        context = browser.new_context(
            viewport={"width": width, "height": 850}, color_scheme=theme, has_touch=touch
        )
        contexts.append(context)
        page = context.new_page()
        if not failing:
            page.on("console", lambda m: complaints.append(f"console {m.type}: {m.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        own = address.partition("/?")[0]
        page.on("request", lambda r: None if r.url.startswith(own) else complaints.append(r.url))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def shown(page):
    return page.locator("#work").get_attribute("data-row")


def name_of(page):
    return page.locator(".row-name").inner_text().split()[-1]


def wait_for_next(page, row):
    page.locator(f"#work:not([data-row='{row}'])").wait_for(timeout=60_000)


def label_by_key(page):
    row, label = shown(page), ABOUT[name_of(page)]
    page.keyboard.press(str(CLASSES.index(label) + 1))
    wait_for_next(page, row)
    return label


def test_sixty_rows_by_keyboard_undo_reload_and_export(server, visit):
    address = server.addresses["ann"]
    page = visit(address)
    assert "token" not in page.url
    names = []
    for _ in range(60):
        names.append(name_of(page))
        label_by_key(page)
    kept = server.labels()
    assert len(kept) == 60
    assert all(kept[name] == ABOUT[name] for name in names)

    here = shown(page)
    page.keyboard.press("u")
    wait_for_next(page, here)
    assert name_of(page) == names[-1]
    assert len(server.labels()) == 59
    page.reload()
    assert name_of(page) == names[-1]

    page.keyboard.press("w")
    page.keyboard.press("c")
    page.keyboard.type("hard 1")
    page.keyboard.press("Escape")
    label_by_key(page)
    event = server.project.last_answer(1)
    assert (event.comment, event.sure, event.seconds > 0) == ("hard 1", False, True)

    assert page.locator("#guess").is_hidden()
    page.keyboard.press("g")
    page.locator("#guess .bars, #guess p").first.wait_for(timeout=60_000)

    here = shown(page)
    page.keyboard.press("n")
    page.keyboard.type("complaint")
    page.keyboard.press("Enter")
    wait_for_next(page, here)
    assert "complaint" in server.labels().values()

    page.get_by_role("link", name="People").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="answers.csv").click()
    table = pd.read_csv(io.BytesIO(download.value.path().read_bytes()))
    assert len(table) == 61
    assert set(table["annotator"]) == {"ann"}


def test_a_second_person_on_a_phone(server, visit):
    ann = visit(server.addresses["ann"])
    first = name_of(ann)
    page = visit(server.addresses["bob"], width=360, theme="dark", touch=True)
    assert name_of(page) != first
    for _ in range(6):
        row = shown(page)
        page.wait_for_timeout(350)  # quicker taps would be one double tap
        page.locator(f".choice[data-label={ABOUT[name_of(page)]}]").tap()
        wait_for_next(page, row)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360
    sizes = page.evaluate(
        "[...document.querySelectorAll('.choice')].map(b => b.getBoundingClientRect().height)"
    )
    assert min(sizes) >= 44
    assert {who for row in server.labels() for who in server.project.ledger.votes(row)} == {2}
    for path in ("answers", "again", "people"):
        page.goto(f"{server.addresses['bob'].partition('/?')[0]}/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.fixture
def long_rows(tmp_path):
    frame = FRAME[:40]
    frame = frame.assign(message=[f"{text} " * 400 for text in frame["message"]])
    pool = pool_of_frame(tmp_path / "pool.csv", frame, "ticket", text=("message",))
    project = Project(pool, tmp_path / "project", None, Options(classes=CLASSES), process=False)
    with LabelServer(project) as running:
        yield running


COVERED = """() => [...document.querySelectorAll('a:not(.skip), button, summary')]
  .filter((e) => e.checkVisibility()).filter((e) => {
    e.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    const box = e.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return !e.contains(top); }).map((e) => e.textContent)"""


@pytest.mark.parametrize(("width", "height"), [(1280, 850), (360, 640)])
def test_classes_stay_in_sight_below_a_long_row_and_cover_nothing(long_rows, visit, width, height):
    page = visit(long_rows.addresses["you"], width=width, touch=width < 400)
    page.set_viewport_size({"width": width, "height": height})
    assert page.locator(".card").bounding_box()["height"] > 2 * height
    for choice in page.locator(".choice").all():
        box = choice.bounding_box()
        assert height / 2 < box["y"] < box["y"] + box["height"] <= height
    assert page.get_by_text("Show all").count() == 1
    assert page.evaluate(COVERED) == []
    page.evaluate("document.querySelector('.further').scrollIntoView({ behavior: 'instant' })")
    below = page.locator("#choices").bounding_box()
    assert below["y"] + below["height"] <= page.locator(".further").bounding_box()["y"]


def test_many_classes_do_not_hide_the_row_or_each_other(long_rows, visit):
    for k in range(12):
        long_rows.project.add_class(f"class {k}")
    page = visit(long_rows.addresses["you"], width=360, touch=True)
    page.evaluate("document.querySelector('#choices').scrollIntoView({ behavior: 'instant' })")
    assert page.locator("#choices").evaluate("box => box.scrollHeight <= box.clientHeight")
    page.evaluate("window.scrollTo({ top: 0, behavior: 'instant' })")
    assert page.locator(".choice").first.bounding_box()["y"] > 850
    assert page.evaluate(COVERED) == []


def test_open_notes_stay_open_when_the_panel_is_new(server, visit):
    page = visit(server.addresses["ann"])
    row = shown(page)
    page.locator("#status summary").click()
    page.locator("#status > div").evaluate("panel => { panel.id = 'before'; }")
    page.keyboard.press("1")
    wait_for_next(page, row)
    page.locator("#before").wait_for(state="detached", timeout=30_000)
    assert page.locator("#status details").evaluate("notes => notes.open")


SECOND_CLICK = """() => new MutationObserver(() => setTimeout(() =>
  document.querySelector('.choice').dispatchEvent(
    new MouseEvent('click', { bubbles: true, detail: 2 })), 0))
  .observe(document.getElementById('work'), { attributeFilter: ['data-row'] })"""


def test_a_double_click_does_not_label_the_next_row(server, visit):
    page = visit(server.addresses["ann"])
    row = shown(page)
    page.evaluate(SECOND_CLICK)
    page.locator(".choice").first.click()
    wait_for_next(page, row)
    page.get_by_text("two quick clicks").wait_for()
    assert len(server.labels()) == 1


def test_a_new_class_goes_to_the_row_that_was_shown_and_to_no_other(server, visit):
    page = visit(server.addresses["ann"])
    row, name = shown(page), name_of(page)
    slow = []
    page.route("**/class", lambda route: slow.append(route))
    page.keyboard.press("n")
    page.keyboard.type("complaint")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.wait_for_timeout(300)
    assert shown(page) == row
    assert len(slow) == 1
    slow[0].continue_()
    wait_for_next(page, row)
    assert server.labels() == {name: "complaint"}


def test_answers_wait_for_their_person_and_are_sent_when_they_are_in_again(server, visit):
    page = visit(server.addresses["ann"], failing=True)
    name = name_of(page)
    page.context.clear_cookies()
    page.keyboard.press("2")
    page.get_by_text("Not saved yet").wait_for()
    assert server.labels() == {}
    page.goto(server.addresses["bob"])
    page.wait_for_timeout(300)
    assert server.labels() == {}
    page.goto(server.addresses["ann"])
    page.locator(f".row-name:not(:text('{name}'))").wait_for()
    assert server.labels() == {name: CLASSES[1]}


def test_two_decisions_that_did_not_arrive_are_both_sent_after_a_reload(server, visit):
    project = server.project
    for row in ("T1000", "T1001"):
        for who, label in ((1, "praise"), (2, "refund")):
            project.answer(Event(f"key-{row}-{who}", who, row, "label", label))
    page = visit(server.addresses["ann"], failing=True)
    page.get_by_role("link", name="People").click()
    page.route("**/answer", lambda route: route.abort())
    for row in ("T1000", "T1001"):
        page.get_by_role("button", name=f"Decide for refund in ticket {row}").click()
    page.get_by_text("Not saved yet").wait_for()
    assert project.ledger.rulings() == []
    page.unroute("**/answer")
    page.reload()
    page.locator("#decisions tbody tr").nth(1).wait_for()
    assert {event.row: event.label for event in project.ledger.rulings()} == {
        "T1000": "refund", "T1001": "refund",
    }  # fmt: skip
    page.locator("#decisions").get_by_role("button", name="Undo").first.click()
    page.locator("#disputes").wait_for()
    assert len(project.ledger.rulings()) == 1


def test_a_comment_on_a_row_that_was_answered_elsewhere_is_not_lost(server, visit):
    page = visit(server.addresses["ann"], failing=True)
    name = name_of(page)
    server.project.answer(Event("another-window", 1, name, "label", "praise"))
    page.keyboard.press("c")
    page.keyboard.type("it is late")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.get_by_text("You answered this row in another window").wait_for()
    page.get_by_text("your answer: praise").wait_for()
    assert page.locator("#comment").input_value() == "it is late"


CONTRAST = """() => {
  const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const put = (colour) => { paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1); };
  const light = () => [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3)
    .map((v) => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; })
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (e) => { if (!e) { put('white'); return; }
    ground(e.parentElement); put(getComputedStyle(e).backgroundColor); };
  const low = [];
  let seen = 0;
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest(':disabled, .skip, .hidden, #said')) continue;
    const style = getComputedStyle(e);
    ground(e);
    const below = light();
    put(e.closest('svg') ? style.fill : style.color);
    const front = light();
    const ratio = (Math.max(front, below) + .05) / (Math.min(front, below) + .05);
    seen += 1;
    if (ratio < 4.5) low.push(`${e.tagName} ${e.getAttribute('class')} ${ratio.toFixed(2)}`);
  }
  return seen > 8 ? low : [`only ${seen} texts found`];
}"""


def faint(page):
    """Texts whose contrast is below level AA of WCAG, in light and in dark."""
    found = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        found += [f"{theme}: {text}" for text in page.evaluate(CONTRAST)]
    return found


def test_contrast_of_texts_on_their_background_is_reckoned_right(server, visit):
    page = visit(server.addresses["ann"])
    page.evaluate("""() => { document.querySelector('#main').innerHTML =
      '<p>plain text</p>'.repeat(9) + '<p id="faint">half of black</p><div><b>white</b></div>';
      document.querySelector('#faint').style.color = 'rgb(0 0 0 / 50%)';
      const box = document.querySelector('#main div');
      box.style.background = 'color-mix(in srgb, black 50%, transparent)';
      box.firstChild.style.color = 'white'; }""")
    low = [line.rsplit(" ", 1) for line in page.evaluate(CONTRAST)]
    assert [text for text, _ in low] == ["P null", "B null"]
    assert [float(ratio) for _, ratio in low] == pytest.approx([3.98, 3.98], abs=0.04)


def test_contrast_and_names_for_screen_readers(server, visit, monkeypatch):
    project = server.project
    monkeypatch.setattr(project, "suspicious", lambda who: [(0, "refund", "praise", 0.9)])
    for k, (name, label) in enumerate(list(ABOUT.items())[:24]):
        project.answer(Event(f"ann-{k:06d}", 1, name, "label", label, comment="a comment"))
        other = "praise" if k % 5 == 0 else label
        project.answer(Event(f"bob-{k:06d}", 2, name, "label", other))
    project.answer(Event("ruling-1", 2, project.ledger.disputed()[0], "ruling", "refund"))
    page = visit(server.addresses["ann"])
    for key in "gwn":
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.locator("#guess .bars").wait_for(timeout=60_000)
    chart = curve_chart([Point(10, 9, 4, 0.2, 0.7), Point(90, 9, 1, 0.0, 0.4)])
    page.locator("main").evaluate("(main, svg) => main.insertAdjacentHTML('beforeend', svg)", chart)
    page.locator("#banner").evaluate(
        "banner => { banner.hidden = false; banner.textContent = 'Not saved yet'; }"
    )
    assert faint(page) == []
    page.locator(".choice").first.evaluate("button => button.classList.add('sent')")
    page.locator(".choice").last.hover()
    assert faint(page) == []
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, input, textarea, a')]"
        ".filter(e => !(e.innerText || e.ariaLabel || e.labels?.length)).length"
    )
    assert nameless == 0
    assert page.locator("[role=status]").count() == 1
    assert page.locator("main, nav, header").count() == 3
    own = server.addresses["ann"].partition("/?")[0]
    for path in ("answers", "again", "people", "report"):
        page.goto(f"{own}/{path}")
        for k, deepest in enumerate(("tint9", "off9") if path in ("people", "report") else ()):
            page.locator(".cell").nth(k).evaluate(
                "(cell, tint) => cell.classList.add(tint)", deepest
            )
        assert faint(page) == [], path


SERVER = """
import sys
from pathlib import Path
from uneven.labelling.demo import CLASSES, demo_messages
from uneven.labelling.pool import pool_of_frame
from uneven.labelling.project import Options, Project
from uneven.labelling.serving import LabelServer
folder = Path(sys.argv[1])
pool = pool_of_frame(folder / "pool.csv", demo_messages(200)[0], "ticket", text=("message",))
project = Project(pool, folder / "project", None, Options(classes=CLASSES), process=False)
server = LabelServer(project, port=int(sys.argv[2])).start()
print(server.addresses["you"], flush=True)
server.wait()
server.stop()
"""


def start(folder, port=0):
    paths = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(folder), str(port)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return process, process.stdout.readline().strip()


def test_the_page_goes_on_after_its_server_was_killed(tmp_path, visit):
    process, address = start(tmp_path)
    try:
        page = visit(address, failing=True)
        for _ in range(3):
            label_by_key(page)
        process.send_signal(signal.SIGKILL)
        process.wait()
        row, name = shown(page), name_of(page)
        page.keyboard.press("2")
        page.get_by_text("Not saved yet").wait_for()
        assert shown(page) == row
        port = re.search(r":(\d+)/", address)[1]
        process, again = start(tmp_path, port)
        assert again == address
        wait_for_next(page, row)
        assert page.locator("#banner").is_hidden()
        label_by_key(page)
    finally:
        process.terminate()
        process.wait(timeout=20)
    table = pd.read_csv(tmp_path / "project" / "labels.csv", dtype=str)
    assert len(table) == 5
    assert table.set_index("ticket").loc[name, "label"] == CLASSES[1]

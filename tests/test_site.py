"""The documentation site: its pages, its gallery, and the tools that build and check it.

`make docs` builds it, runs the whole gallery and checks links and searches.
"""

import doctest
import importlib
import re
import runpy
from pathlib import Path

import pytest
from matplotlib import pyplot as plt

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GALLERY = sorted((ROOT / "examples" / "gallery").rglob("plot_*.py"))
RUN = ("plot_08_prior_shift.py", "plot_31_noise_matrix.py")


@pytest.fixture
def tool(monkeypatch):
    """A module of the folder of extensions."""
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))
    return importlib.import_module


def test_every_page_is_in_the_menu():
    pages = [path for path in DOCS.rglob("*.md") if "generated" not in path.parts]
    listed = {"index"}
    for page in pages:
        for block in re.findall(r"```{toctree}\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            listed |= {line for line in block.splitlines() if line and not line.startswith(":")}
    assert {path.relative_to(DOCS).with_suffix("").as_posix() for path in pages} <= listed


def test_examples_of_pages_stand_in_blocks():
    """Without a block `>>>` is a quotation of a quotation, on the site and elsewhere."""
    for page in [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]:
        prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        assert not re.search(r"^(>>>|\$ )", prose, re.MULTILINE), page.name


def test_the_gallery_has_twenty_examples_that_compile():
    assert len(GALLERY) >= 20
    assert len({path.name for path in GALLERY}) == len(GALLERY)
    for path in GALLERY:
        text = path.read_text(encoding="utf-8")
        compile(text, path, "exec")
        title, rule = text.splitlines()[1:3]
        assert rule == "=" * len(title), path.name


@pytest.mark.parametrize("name", RUN)
def test_an_example_of_the_gallery_draws(name):
    plt.close("all")
    runpy.run_path(str(next(path for path in GALLERY if path.name == name)))
    assert plt.get_fignums()


@pytest.mark.parametrize("module", ["api_reference", "published_pages"])
def test_examples_of_the_extensions(tool, module):
    failed, attempted = doctest.testmod(tool(module))
    assert attempted
    assert not failed


def test_every_public_name_has_one_page(tool):
    api = tool("api_reference")
    packages = api.public_names(api.KEPT.read_text(encoding="utf-8"))
    assert packages["uneven.boosting"]["ComboClassifier"] == "uneven.ComboClassifier"
    assert packages["uneven.metrics"]["confusion_norm"] == "uneven.metrics.confusion_norm"
    for package, names in packages.items():
        page = api.package_page(package, names)
        for full in names.values():
            assert re.search(rf"^   {re.escape(full.removeprefix(f'{package}.'))}$", page, re.M)


def test_published_exhibits_keep_their_anchors_when_the_page_is_split(tool):
    text = (DOCS / "published.md").read_text(encoding="utf-8")
    head, pages = tool("published_pages").split(text)
    together = "\n".join([head, *pages.values()])
    for anchor in re.findall(r'<a id="([^"]+)"', text):
        assert f"({anchor})=" in together
    assert len(pages) >= 5


@pytest.fixture
def site(tmp_path, tool):
    """A site of two pages, with a page for every name, that is in order."""
    api = tool("api_reference")
    for names in api.public_names(api.KEPT.read_text(encoding="utf-8")).values():
        for full in names.values():
            page = tmp_path / "generated" / "api" / f"{full}.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text("<p>", encoding="utf-8")
    (tmp_path / "one.html").write_text('<a href="two.html#there">', encoding="utf-8")
    (tmp_path / "two.html").write_text('<p id="there">', encoding="utf-8")
    words = "imbalanc multiclass threshold label nois known confus matrix multi view miss modal"
    terms = ",".join(f'"{word}":[0,1,2]' for word in words.split())
    index = f'{{"docnames":["decisions","noise","views"],"terms":{{{terms}}},"titleterms":{{}}}}'
    (tmp_path / "searchindex.js").write_text(f"Search.setIndex({index})", encoding="utf-8")
    return tmp_path


def test_a_site_in_order_passes(site, tool):
    assert tool("check_site").problems(site) == []


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("two.html", "<p>", "broken link: one.html: two.html#there"),
        ("one.html", '<a href="three.html">', "broken link: one.html: three.html"),
        ("one.html", '<script src="https://cdn.org/x.js">', "loads something from elsewhere"),
        (
            "searchindex.js",
            'Search.setIndex({"docnames":["noise"],"terms":{"label":0},"titleterms":{}})',
            "a search for 'label noise known confusion matrix' does not find noise",
        ),
    ],
)
def test_what_is_wrong_with_a_site_is_said(site, tool, name, text, problem):
    (site / name).write_text(text, encoding="utf-8")
    assert any(problem in line for line in tool("check_site").problems(site))


def test_a_public_name_without_a_page_is_said(site, tool):
    (site / "generated" / "api" / "uneven.compare.html").unlink()
    assert "no page: uneven.compare" in tool("check_site").problems(site)

"""What classes and functions declare beside themselves is what help and pages say."""

import subprocess
import sys
from pathlib import Path

import pytest

from uneven.cli.texts import COMPARE, fill_lists
from uneven.comparison import METHODS, knows_noise
from uneven.metrics.scoring import MEASURES, scorers
from uneven.utils.registry import Registry, read_declarations

FIELDS = ("name", "label", "description")
ABILITIES = ("staged", "joins_views", "needs_noise", "on_request")
PAGE = Path(__file__).parents[1] / "docs" / "command-line.md"


def test_declarations_of_methods_are_read_as_they_are_registered():
    read = {one["name"]: one for one in read_declarations("method", *FIELDS)}
    assert list(read) == list(METHODS)
    for name, method in METHODS.items():
        assert [read[name][field] for field in FIELDS] == [name, method.label, method.description]
        assert read[name].get("kind", "ours") == method.kind
        assert read[name].get("takes_noise", False) == knows_noise(method)
        for ability in ABILITIES:
            assert read[name].get(ability, False) == getattr(method, ability)
        assert read[name].get("package", "") == method.package


def test_declarations_of_measures_are_read_as_they_are_registered():
    read = {one["name"]: one for one in read_declarations("measure", *FIELDS)}
    labelled = {name: one["label"] for name, one in read.items() if "label" in one}
    assert list(labelled.items()) == [(name, one.label) for name, one in MEASURES.items()]
    assert set(scorers) == set(read)


def test_help_lists_every_method_and_measure_and_leaves_no_gap():
    text = " ".join(fill_lists(COMPARE).split())
    for entry in [*METHODS.values(), *MEASURES.values()]:
        assert f"{entry.name}: {entry.description}" in text
    assert "{" not in text


def test_help_waits_for_no_library():
    code = "import sys; from uneven.cli import run; run(sys.argv[1:]); "
    code += "print([m for m in ('sklearn', 'numpy', 'pandas', 'numba') if m in sys.modules])"
    for words in (["--help"], ["compare", "--help"]):
        command = [sys.executable, "-c", code, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]"


def by_default(method) -> str:
    if method.joins_views:
        return "with several views"
    if method.needs_noise:
        return "with `--noise-matrix`"
    if method.package:
        return f"with the package {method.package}"
    return "only by name" if method.on_request else "yes"


def tables() -> dict[str, list[str]]:
    """Lines of the tables on the page about the command line, by their names."""
    methods = [
        f"| `{one.name}` | {one.label}: {one.description} | {by_default(one)} "
        f"| {'yes' if one.staged else ''} |"
        for one in METHODS.values()
    ]
    measures = [
        f"| `{one.name}` | {one.description} | {'' if one.greater_is_better else 'yes'} |"
        for one in MEASURES.values()
    ]
    return {
        "methods": ["| name | what it is | by default | learns in rounds |", "|---|---|---|---|"]
        + methods,
        "measures": ["| name | what it says | lower is better |", "|---|---|---|", *measures],
    }


def renewed(page: str) -> str:
    for name, lines in tables().items():
        before, mark, rest = page.partition(f"<!-- {name}: derived -->\n")
        after = rest[rest.index("<!-- end -->") :]
        page = "".join([before, mark, *(f"{line}\n" for line in lines), after])
    return page


def test_page_lists_every_method_and_measure():
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(": derived -->") == len(tables())
    assert renewed(page) == page, "renew it: python -m tests.test_declarations"


def test_registry_refuses_a_second_entry_and_names_the_nearest():
    rules = Registry("rule")
    rules.register("late", 1, order=60)
    rules.register("first", 2)
    rules["late"] = 3
    assert dict(rules) == {"first": 2, "late": 3}
    assert list(rules) == ["first", "late"]
    assert rules.find("late") == 3
    with pytest.raises(ValueError, match="there is a rule 'first' already"):
        rules.register("first", 4)
    with pytest.raises(ValueError, match="unknown rule 'frist'; did you mean 'first'\\? the rules"):
        rules.find("frist")
    del rules["first"]
    assert "first" not in rules
    assert len(rules) == 1


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

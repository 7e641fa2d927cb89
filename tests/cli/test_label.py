"""``uneven label``: options, the folder of a project, and a model from it."""

from pathlib import Path

import pytest

from uneven.cli.label import open_project, page_request
from uneven.labelling.demo import demo_messages
from uneven.labelling.store import Event


def request(**more):
    names = ("image", "key", "kernel", "gamma", "budget", "schema", "label_column", "project")
    lists = ("text", "drop", "keep", "missing")
    given = dict.fromkeys((*names, *lists))
    given |= {"annotators": "1", "overlap": 0.2, "random_share": 0.1, "port": 0, "seed": 0}
    given |= {"host": "127.0.0.1", "consent": False, "browser": False, "flip": 0.0}
    given |= {"query": "centre_of_gravity", "encoding": "auto"}
    first = {"pool": None, "demo": False, "labels": None, "classes": None}
    return page_request(**first | given | more)


def test_what_cannot_be_served_is_told(uneven):
    assert "give a POOL, or --demo" in uneven("label").complaint
    assert "there is no" in uneven("label", "missing.csv").complaint
    demo_messages(30)[0].to_csv("pool.csv", index=False)
    told = uneven("label", "pool.csv", "--host", "0.0.0.0").complaint
    assert "--i-know" in told
    assert "leave out POOL" in uneven("label", "pool.csv", "--demo").complaint
    assert "unknown --query" in uneven("label", "pool.csv", "--query", "nearest").complaint


@pytest.mark.slow
def test_a_refused_command_leaves_nothing_behind(uneven):
    demo_messages(30)[0].to_csv("pool.csv", index=False)
    before = set(Path().iterdir())
    for refused in (
        ("pool.csv", "--host", "0.0.0.0"),
        ("pool.csv", "--query", "nearest"),
        ("pool.csv", "--id", "nothing"),
        ("pool.csv", "--classes", "a,=1"),
        ("pool.csv", "--annotators", "@all"),
        ("pool.csv", "--annotators", "0"),
        ("pool.csv", "--project", "pool.csv"),
        ("pool.csv", "--labels", "nowhere/labels.csv"),
        ("pool.csv", "--id", "message", "--text", "message"),
        ("pool.csv", "--host", "192.0.2.1", "--i-know", "--project", "a/b/c"),
        ("--demo", "--annotators", "0"),
        ("--demo", "--query", "nearest"),
        ("--demo", "--classes", "a,=1"),
        ("--demo", "--host", "192.0.2.1", "--i-know"),
    ):
        told = uneven("label", *refused, "--no-browser")
        assert told.code == 2
        assert set(Path().iterdir()) == before, refused
    Path("pool-labelling").mkdir()
    assert uneven("label", "pool.csv", "--classes", "a,=1").code == 2
    assert list(Path("pool-labelling").iterdir()) == []


@pytest.mark.slow
def test_a_model_from_the_folder_of_a_project(uneven):
    frame, truth = demo_messages(60)
    frame.to_csv("pool.csv", index=False)
    asked = request(pool=Path("pool.csv"), key="ticket", text=["message"])
    project = open_project(asked)
    assert project.pool.text == ["message"]
    for row, label in enumerate(truth[:40]):
        project.answer(Event(f"key-{row:06d}", 1, f"T{1000 + row}", "label", str(label)))
    fit = ("fit", "pool-labelling", "--method", "logistic_regression")
    assert uneven(*fit).code == 2
    project.exchange()
    assert "fitted on 40 rows" in uneven(*fit).out
    project.answer(Event("key-last", 1, "T1040", "label", str(truth[40])))
    project.store.close()
    assert "fitted on 41 rows" in uneven(*fit).out
    assert "is no folder of uneven label" in uneven("fit", ".").complaint
    assert "--target" in uneven("fit", "pool.csv").complaint


def test_the_embedded_messages(uneven, tmp_path):
    uneven("--version")
    asked = request(demo=True)
    project = open_project(asked)
    assert project.classes == ["delivery", "refund", "praise", "question"]
    assert len(project.pool.names) == 600
    project.store.close()
    found = {path.name for path in Path("uneven-label-demo").iterdir()}
    assert {"answers.sqlite", "messages.csv", "project.json"} <= found

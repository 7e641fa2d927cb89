"""The file of labels: what people type there, what the page writes, and what can go wrong."""

import time

from tests.labelling.conftest import Visitor
from uneven.labelling import project as projects


def wait_until(holds, seconds=30.0):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_a_very_long_cell_is_written_and_read_back(make_project, messages):
    frame = messages[0][:4].copy()
    frame.loc[0, "message"] = "a long story " * 20_000
    project = make_project(frame)
    Visitor(project).enter().answer(0, "praise")
    project.stop()
    again = make_project(frame)
    assert again.final_labels() == {"T1000": "praise"}


def test_any_failure_to_write_is_told_and_tried_again(make_project, monkeypatch):
    monkeypatch.setattr(projects, "EXCHANGE_SECONDS", 0.05)
    project = make_project(start=True)
    write, failures = projects.write_labels, []

    def fail_twice(*given):
        if len(failures) < 2:
            failures.append(given)
            raise RuntimeError("the disk is on fire")
        return write(*given)

    monkeypatch.setattr(projects, "write_labels", fail_twice)
    visitor = Visitor(project).enter()
    visitor.answer(0, "praise")
    assert wait_until(lambda: project.store.written() == {"T1000": "praise"})
    assert project.notes.count("the disk is on fire") == 1
    assert "the disk is on fire" in visitor.web.get("/status").text

"""What a run of the benchmarks says at its end."""

import pytest

from benchmarks import learning
from benchmarks.lines import NOT_RUN, Line, summary

MET, MISSED = Line("speed", "1 s", met=True), Line("memory", "9 GB", met=False)
SHOWN, ABSENT = Line("errors", "0.1"), Line("digits: no such file", NOT_RUN)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([MET, SHOWN], "every target met"),
        ([MET, MISSED], "1 target(s) missed: ['memory']"),
        (
            [MET, ABSENT],
            "every target that was measured is met; 1 line(s) not run: ['digits: no such file']",
        ),
        ([SHOWN, ABSENT], "no target was measured; 1 line(s) not run: ['digits: no such file']"),
        (
            [MISSED, ABSENT],
            "1 target(s) missed: ['memory']; 1 line(s) not run: ['digits: no such file']",
        ),
    ],
)
def test_what_was_not_run_is_not_called_met(lines, sentence):
    assert summary(lines) == sentence


def test_data_that_is_not_there_leaves_a_line(monkeypatch, tmp_path):
    monkeypatch.setenv("UNEVEN_DATA", str(tmp_path))
    lines = learning.criteria()
    assert len(lines) == len(learning.PUBLISHED)
    assert {line.ours for line in lines} == {NOT_RUN}

"""Rows through standard input, models as ONNX files, and loops compiled ahead."""

import gc
import io
import os
import sys
import threading
import time
import weakref

import pandas as pd
import pytest

from uneven.cli import warmup
from uneven.cli.stream import CHUNK, _frame, _split, _whole_rows


@pytest.fixture
def model(uneven, table):
    words = ("--method", "combo", "--rounds", 4, "--out", "m.skops")
    assert uneven("fit", table, "-t", "label", *words).code == 0
    return "m.skops"


@pytest.fixture
def stream(uneven, monkeypatch):
    """Run ``uneven predict --stream`` with bytes, or pieces of them, as standard input."""

    def call(model, data, *words):
        pieces = [data] if isinstance(data, bytes) else data
        reading, writing = os.pipe()

        def feed():
            with os.fdopen(writing, "wb") as pipe:
                for piece in pieces:
                    pipe.write(piece)
                    pipe.flush()

        feeder = threading.Thread(target=feed)
        feeder.start()
        with os.fdopen(reading, "r") as given:
            monkeypatch.setattr(sys, "stdin", given)
            done = uneven("predict", model, "--stream", *words)
            while given.buffer.read(1 << 16):
                pass
        feeder.join()
        return done

    return call


def test_a_stream_is_answered_as_a_table(uneven, stream, table, model):
    words = ("--proba", "--copy", "text__length")
    by_table = uneven("predict", model, table, *words)
    data = table.read_bytes()
    assert stream(model, data, *words).out == by_table.out
    pieces = [data[start : start + 7] for start in range(0, len(data), 7)]
    assert stream(model, pieces, *words).out == by_table.out
    assert stream(model, data.rstrip(b"\n"), *words).out == by_table.out


def test_quotes_separators_and_empty_lines(stream, model):
    header = b"text__word;sound__pitch;sound__noise;text__length;note\n"
    rows = b'common;1,5;0,25;7;"two\nlines; one cell"\n\nless;-1;;9;"say ""x"""\n'
    done = stream(model, header + rows, "--copy", "note")
    assert done.code == 0
    answers = pd.read_csv(io.StringIO(done.out))
    assert answers["note"].tolist() == ["two\nlines; one cell", 'say "x"']
    assert len(answers) == 2


def test_a_header_alone_and_nothing(stream, model, table):
    header = table.read_bytes().split(b"\n")[0] + b"\n"
    assert stream(model, header).out == "predicted_label\n"
    assert "standard input is empty" in stream(model, b"").complaint


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"a,b\n1,2\n", "lacks columns"),
        (b"text__word,text__word\n1,2\n", "two columns of the name 'text__word'"),
        (b"\xff\xfe,\n", "not UTF-8"),
    ],
)
def test_wrong_headers_are_refused(stream, model, data, says):
    done = stream(model, data)
    assert done.code == 2
    assert says in done.complaint


def test_wrong_rows_are_refused_by_their_number(stream, model, table):
    lines = table.read_bytes().splitlines(keepends=True)
    assert (
        "row 2 of the stream has 1 cells" in stream(model, lines[0] + lines[1] + b"x\n").complaint
    )
    bad = lines[2].replace(lines[2].split(b",")[0], b"high", 1)
    said = stream(model, [lines[0] + lines[1], bad]).complaint
    assert "holds 'high'" in said


def test_a_stream_has_no_file_and_no_sheet(uneven, model, table):
    assert "leave the TABLE out" in uneven("predict", model, table, "--stream").complaint
    assert "--sheet" in uneven("predict", model, "--stream", "--sheet", "x").complaint
    assert "UTF-8" in uneven("predict", model, "--stream", "--encoding", "latin-1").complaint
    assert "TABLE" in uneven("predict", model).complaint


def test_a_file_of_answers_appears_when_all_are_there(stream, table, model, tmp_path):
    done = stream(model, table.read_bytes(), "--out", "answers.csv")
    assert done.code == 0
    assert len(pd.read_csv(tmp_path / "answers.csv")) == len(pd.read_csv(table))
    stream(model, b"a,b\n1,2\n", "--out", "other.csv")
    assert not (tmp_path / "other.csv").exists()


def test_an_open_quote_does_not_take_quadratic_time():
    def seconds(n):
        data = b'1,"2\n' + b"1,2\n" * n
        begun = time.process_time()
        assert _whole_rows(data) == 0
        assert len(_split(data)) == 1
        return time.process_time() - begun

    assert min(seconds(40_000) for _ in range(3)) < 10 * min(seconds(10_000) for _ in range(3))


def test_memory_does_not_grow_with_the_rows(stream, table, model, monkeypatch):
    header, _, body = table.read_bytes().partition(b"\n")
    made, alive = [], []

    def frame(lines, *rest):
        assert sum(map(len, lines)) <= CHUNK + len(body)
        found = _frame(lines, *rest)
        made.append(weakref.ref(found))
        gc.collect()
        alive.append(sum(one() is not None for one in made))
        return found

    monkeypatch.setattr("uneven.cli.stream._frame", frame)
    data = [header + b"\n", *[body] * (4 * CHUNK // len(body))]
    assert stream(model, data, "--out", "said.csv").code == 0
    assert len(alive) >= 4
    assert max(alive) <= 2


def test_export_writes_a_graph_with_an_input_per_column(uneven, model, tmp_path):
    onnx = pytest.importorskip("onnx")
    done = uneven("export", model, "m.onnx")
    assert done.code == 0
    assert "4 inputs gives label, probabilities, scores" in done.err
    names = {one.name for one in onnx.load(tmp_path / "m.onnx").graph.input}
    assert names == {"sound__pitch", "sound__noise", "text__word", "text__length"}


def test_export_says_what_cannot_be_exported(uneven, table):
    words = ("--method", "bayespoint", "--out", "b.skops")
    assert uneven("fit", table, "-t", "label", *words).code == 0
    done = uneven("export", "b.skops", "b.onnx")
    assert done.code == 2
    assert "with a kernel cannot be exported to ONNX" in done.complaint


def test_export_without_the_package_says_how_to_get_it(uneven, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    done = uneven("export", model, "m.onnx")
    assert done.code == 2
    assert "pip install 'uneven[onnx]'" in done.complaint


def test_warmup_compiles_what_a_fit_needs(uneven, table):
    done = uneven("warmup", "--methods", "combo")
    assert done.code == 0
    assert "kernels compiled and cached, 1 methods" in done.err
    before = warmup.compiled()
    words = ("--method", "combo", "--rounds", 3, "--out", "m.skops")
    assert uneven("fit", table, "-t", "label", *words).code == 0
    assert warmup.compiled() == before
    assert "no method 'cymbal'" in uneven("warmup", "--methods", "cymbal").complaint

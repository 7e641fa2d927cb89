"""Corpora in files: what is written is read back, and every bad line is named."""

import gzip
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uneven.dialogues import Dialogue, Turn, make_dialogues, read_dialogues, write_dialogues

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
names = texts.filter(str.strip)
times = st.none() | st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)


@st.composite
def corpora(draw):
    ids = draw(st.lists(names, max_size=4, unique=True))
    lists = st.lists(texts, max_size=4)

    def turn():
        start, end = draw(times) or (None, None)
        letters = draw(st.none() | st.integers(0, 99))
        return Turn(draw(names), start, end, draw(lists), draw(lists), letters)

    return [
        Dialogue(
            name,
            [turn() for _ in range(draw(st.integers(0, 3)))],
            draw(st.none() | names),
            draw(lists),
        )
        for name in ids
    ]


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
@given(corpus=corpora())
def test_what_is_written_is_read_back(suffix, corpus):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"corpus{suffix}"
        write_dialogues(path, corpus)
        assert read_dialogues(path) == corpus
        assert [file.name for file in Path(folder).iterdir()] == [path.name]


def test_emulated_dialogues_survive_and_give_the_same_bytes(tmp_path):
    calls = make_dialogues(30, random_state=0).dialogues_asr
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_dialogues(tmp_path / name, calls)
    first, second = ((tmp_path / name).read_bytes() for name in ("a.jsonl.gz", "b.jsonl.gz"))
    assert first == second
    assert first[4:8] == bytes(4), "the time of writing is in the file"
    assert read_dialogues(str(tmp_path / "a.jsonl.gz")) == list(calls)


def test_the_form_is_one_readable_object_per_line(tmp_path):
    call = Dialogue("d1", [Turn("user", 0, 1.5, "où ça", ["Nation"], 4)], "itinerary", ["RER A"])
    write_dialogues(tmp_path / "c.jsonl", [call, Dialogue("d2", [Turn("user", None, None, "")])])
    first, second = (tmp_path / "c.jsonl").read_text("utf-8").splitlines()
    assert "où" in first
    assert json.loads(first) == {
        "id": "d1",
        "theme": "itinerary",
        "entities": ["RER A"],
        "turns": [
            {
                "speaker": "user",
                "start": 0.0,
                "end": 1.5,
                "words": ["où", "ça"],
                "entities": ["Nation"],
                "letters": 4,
            }
        ],
    }
    assert json.loads(second) == {"id": "d2", "turns": [{"speaker": "user", "words": []}]}


def test_a_start_at_zero_and_no_letters_are_kept(tmp_path):
    calls = [Dialogue("d1", [Turn("user", 0, 0, "", letters=0)])]
    write_dialogues(tmp_path / "c.jsonl", calls)
    assert read_dialogues(tmp_path / "c.jsonl") == calls


def test_lenient_about_bom_empty_lines_line_ends_and_null(tmp_path):
    line = '{"id":"d%d","theme":null,"turns":[{"speaker":"u","words":"a b","start":null}]}'
    text = "\ufeff" + line % 1 + "\r\n\r\n  \n" + line % 2
    (tmp_path / "c.jsonl").write_bytes(text.encode())
    calls = read_dialogues(tmp_path / "c.jsonl")
    assert [call.id for call in calls] == ["d1", "d2"]
    assert calls[0] == Dialogue("d1", [Turn("u", None, None, ("a", "b"))])


GOOD = '{"id": "d1", "turns": []}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "d2", "turns": [}', r"line 3: not JSON at character \d+ .*one whole dialogue"),
        ("[1, 2]", r"line 3: a dialogue must be a JSON object \{...\}, got \[1, 2\]"),
        ("[" * 100_000, "line 3: nested too deeply"),
        ('{"id": "d2"}', "line 3: a dialogue needs the key 'turns'"),
        ('{"id": null, "turns": []}', "line 3: a dialogue needs the key 'id'"),
        ('{"id": 5, "turns": []}', "line 3: id must be a non-empty string, got 5"),
        ('{"id": "d1", "turns": []}', "line 3: id 'd1' was already used on line 1"),
        ('{"id": "d2", "turns": {}}', r"line 3: turns must be a list of turns, got \{\}"),
        ('{"id": "d2", "turns": [], "tema": "x"}', "unknown key 'tema'; the keys are id, theme"),
        ('{"id": "d2", "turns": ["a"]}', "line 3: turn 1: a turn must be a JSON object"),
        (
            '{"id": "d2", "turns": [{"words": []}]}',
            "line 3: turn 1: a turn needs the key 'speaker'",
        ),
        (
            '{"id": "d2", "turns": [{"speaker": "u", "words": ""}, {"speaker": "u", "words":[1]}]}',
            "line 3: turn 2: words must hold non-empty strings, got 1",
        ),
        (
            '{"id": "d2", "turns": [{"speaker": "u", "words": [], "start": NaN, "end": 1}]}',
            "line 3: turn 1: start=nan: times must be finite",
        ),
        (
            '{"id": "d2", "turns": [{"speaker": "u", "words": [], "start": 3, "end": 1}]}',
            r"line 3: turn 1: the turn ends \(1.0\) before",
        ),
        (
            '{"id": "d2", "turns": ' + "9" * 5000 + "}",
            "line 3: a number of 5000 digits is too long",
        ),
        ('{"id": "d2", "id": "d3", "turns": []}', "line 3: the key 'id' stands twice"),
        (
            '{"id": "d2", "turns": [{"speaker": "u", "words": "a", "words": "b"}]}',
            "line 3: the key 'words' stands twice",
        ),
        (r'{"id": "d2", "theme": "\uD83d", "turns": []}', r"line 3: half a character, '.ud83d'"),
        (
            '{"id": "d2", "turns": [{"speaker": "u", "words": "a", "letters": 1'
            + "0" * 200
            + "}]}",
            "line 3: turn 1: letters=10+ is above",
        ),
        (
            '{"id": "d2", "turns": [{"speaker": "u", "words": "a", "start": 0, "end": 1e400}]}',
            "line 3: turn 1: end=inf: times must be finite",
        ),
    ],
)
def test_bad_lines_are_named(tmp_path, line, message):
    path = tmp_path / "corpus.jsonl"
    path.write_text(f"{GOOD}\n\n{line}\n", "utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        read_dialogues(path)
    assert str(caught.value).startswith(str(path))


def test_bytes_that_are_not_utf8_are_named(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(GOOD.encode() + b'\n{"id": "d\xe9"}\n')
    with pytest.raises(ValueError, match=r"line 2: byte 10 is not UTF-8.*save the file in UTF-8"):
        read_dialogues(path)


def test_broken_archives_are_named(tmp_path):
    path = tmp_path / "corpus.jsonl.gz"
    for text in (GOOD, ""):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"corpus\.jsonl\.gz is not a gzip file: compress it"):
            read_dialogues(path)
    plain = tmp_path / "corpus.jsonl"
    plain.write_bytes(gzip.compress(GOOD.encode()))
    with pytest.raises(ValueError, match=r"is a gzip file: let its name end in \.jsonl\.gz"):
        read_dialogues(plain)
    path.write_bytes(gzip.compress(GOOD.encode() * 100)[:-12])
    with pytest.raises(ValueError, match="not a whole gzip file"):
        read_dialogues(path)


def test_other_names_and_absent_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"corpus.json: the name of a corpus ends in \.jsonl"):
        read_dialogues(tmp_path / "corpus.json")
    with pytest.raises(ValueError, match=r"ends in \.jsonl or \.jsonl\.gz"):
        write_dialogues(tmp_path / "corpus.gz", [])
    with pytest.raises(FileNotFoundError):
        read_dialogues(tmp_path / "corpus.jsonl")


@pytest.mark.parametrize(
    ("calls", "error", "message"),
    [
        ([Dialogue("d1", []), "d2"], TypeError, "item 1 is 'd2', not a Dialogue"),
        ([Dialogue("d1", []), Dialogue("d1", [])], ValueError, "two dialogues have the id 'd1'"),
        ([Dialogue("d1", [], "\ud800")], ValueError, r"'d1' holds half a character, '\\ud800'"),
    ],
)
@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
def test_a_failed_write_leaves_the_earlier_file(tmp_path, calls, error, message, name):
    write_dialogues(tmp_path / name, [Dialogue("old", [])])
    with pytest.raises(error, match=message):
        write_dialogues(tmp_path / name, calls)
    assert [call.id for call in read_dialogues(tmp_path / name)] == ["old"]
    assert len(list(tmp_path.iterdir())) == 1


def test_whole_characters_in_escapes_are_read(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(r'{"id": "d2", "theme": "\ud83d\ude00 \\ud83d", "turns": []}', "utf-8")
    assert read_dialogues(path)[0].theme == "\U0001f600 \\ud83d"

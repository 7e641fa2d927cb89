from __future__ import annotations

import pytest

from tests.cli.conftest import files_in
from uneven.utils.files import replace_file, replace_folder


def write_half(path, error):
    path.write_text("half")
    raise error


def test_file_appears_whole(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with replace_file(target) as draft:
        draft.write_text("new")
        assert target.read_text() == "old"
        assert draft.suffix == ".txt"
    assert target.read_text() == "new"
    assert files_in(tmp_path) == {"a.txt"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_failure_leaves_the_old_file(tmp_path, error):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(error), replace_file(target) as draft:
        write_half(draft, error)
    assert target.read_text() == "old"
    assert files_in(tmp_path) == {"a.txt"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_failure_leaves_no_folder(tmp_path, error):
    with pytest.raises(error), replace_folder(tmp_path / "b" / "c") as draft:
        write_half(draft / "x", error)
    assert files_in(tmp_path) == set()


def test_folder_is_created_with_its_parents(tmp_path):
    with replace_folder(tmp_path / "b" / "c") as draft:
        (draft / "x").write_text("1")
    assert files_in(tmp_path) == {"b", "b/c", "b/c/x"}


def test_new_files_are_readable_like_any_other(tmp_path):
    (tmp_path / "plain").write_text("")
    usual = (tmp_path / "plain").stat().st_mode
    with replace_file(tmp_path / "a") as draft:
        draft.write_text("")
    with replace_folder(tmp_path / "b") as draft:
        (draft / "x").write_text("")
    assert (tmp_path / "a").stat().st_mode == usual
    assert (tmp_path / "b" / "x").stat().st_mode == usual


def test_wrong_destinations(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(IsADirectoryError), replace_file(tmp_path):
        pass
    with pytest.raises(FileNotFoundError), replace_file(tmp_path / "no" / "a"):
        pass
    with pytest.raises(NotADirectoryError), replace_folder(tmp_path / "file" / "a"):
        pass


def test_nothing_is_moved_if_a_folder_is_in_the_way(tmp_path):
    (tmp_path / "out" / "b").mkdir(parents=True)
    folder = replace_folder(tmp_path / "out")
    draft = folder.__enter__()
    (draft / "a").write_text("a")
    (draft / "b").write_text("b")
    with pytest.raises(IsADirectoryError, match="b is a folder"):
        folder.__exit__(None, None, None)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b"]


@pytest.mark.parametrize("given", ["out", "deep/out"])
def test_errors_name_the_folder_that_was_given(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError) as caught, replace_folder(given) as draft:
        (draft / "no" / "a.txt").write_text("a")
    assert caught.value.filename == f"{given}/no/a.txt"
    with (
        pytest.raises(FileNotFoundError) as caught,
        replace_folder(given) as draft,
        replace_file(draft / "b.txt") as inner,
    ):
        inner.unlink()
    assert caught.value.filename == f"{given}/b.txt"
    assert files_in(tmp_path) == set()


def test_errors_name_the_file_that_was_given(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, replace_file(tmp_path / "no" / "a.txt"):
        pass
    assert caught.value.filename == str(tmp_path / "no" / "a.txt")


def test_a_folder_that_cannot_be_made_is_named_as_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(NotADirectoryError, match=r"^a\.txt is a file"), replace_folder("a.txt/b"):
        pass
    long = "x" * 300
    with pytest.raises(OSError, match="too long") as caught, replace_folder(long):
        pass
    assert caught.value.filename == long

"""Runs that are killed at every operation on files: what is there is old or new, never both."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import uneven
from uneven.utils.drafts import draft_name
from uneven.utils.files import replace_file, replace_folder

KILLED = """
import os, signal, sys
from pathlib import Path
from uneven.utils import drafts, files

target, kind, last = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if kind == "folder without exchange":
    drafts._renames_at_once = lambda draft, target: False
count = 0

def watch(event, args):
    global count
    if not any(str(target.parent) in str(one) for one in args):
        return
    if event in ("open", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.link", "os.chmod"):
        count += 1
        if count == last:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
if kind == "file":
    with files.replace_file(target) as draft:
        draft.write_text("new")
else:
    with files.replace_folder(target) as draft:
        for name in ("a.txt", "b.txt", "c.txt"):
            (draft / name).write_text("new")
print(count)
"""


def run_until(target, kind, last):
    """Run with a kill at operation ``last``; the number of operations if there were fewer."""
    source = str(Path(uneven.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(target), kind, str(last)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": source},
    )
    if done.returncode == -signal.SIGKILL:
        return None
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def old_folder(target):
    (target / "mine").mkdir(parents=True)
    (target / "mine" / "notes.txt").write_text("kept")
    (target / "other.txt").write_text("kept")
    for name in ("a.txt", "b.txt", "c.txt"):
        (target / name).write_text("old")


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["file", "folder", "folder without exchange"])
def test_killed_at_every_operation(tmp_path, kind):
    for last in range(1, 60):
        home = tmp_path / f"{last}"
        home.mkdir()
        target = home / "out"
        if kind == "file":
            target.write_text("old")
        else:
            old_folder(target)
        finished = run_until(target, kind, last)
        if kind == "folder":
            assert {target.joinpath(f"{name}.txt").read_text() for name in "abc"} in (
                {"old"},
                {"new"},
            )
            assert (target / "other.txt").read_text() == "kept"
        elif kind == "file":
            assert target.read_text() in ("old", "new")
        assert run_until(target, kind, 10**6) is not None
        assert [path.name for path in home.iterdir()] == ["out"]
        if kind == "file":
            assert target.read_text() == "new"
        else:
            new = dict.fromkeys(("a.txt", "b.txt", "c.txt"), "new")
            assert contents(target) == new | {"other.txt": "kept", "mine/notes.txt": "kept"}
        if finished is not None:
            break
    assert last > 4
    assert finished is not None


def test_drafts_of_living_processes_stay(tmp_path):
    alive = tmp_path / draft_name("a", ".txt")
    alive.write_text("")
    dead = tmp_path / draft_name("a", ".txt").replace(f"-{os.getpid()}-", "-999999999-")
    dead.write_text("")
    elsewhere = tmp_path / ".a-00000000-1-00000000.txt"
    elsewhere.write_text("")
    with replace_file(tmp_path / "a.txt") as draft:
        draft.write_text("new")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"a.txt", alive.name, elsewhere.name}


def test_the_current_folder_is_filled_file_by_file(tmp_path, monkeypatch):
    old_folder(tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out")
    before = (tmp_path / "out").stat().st_ino
    with replace_folder(".") as draft:
        (draft / "a.txt").write_text("new")
    assert (tmp_path / "out").stat().st_ino == before
    assert contents(tmp_path / "out")["a.txt"] == "new"


def test_folders_of_others_and_links_stay(tmp_path):
    old_folder(tmp_path / "out")
    (tmp_path / "out" / "link").symlink_to("other.txt")
    (tmp_path / "out").chmod(0o755)
    with replace_folder(tmp_path / "out") as draft:
        (draft / "a.txt").write_text("new")
    found = contents(tmp_path / "out")
    assert found["a.txt"] == "new"
    assert found["b.txt"] == "old"
    assert found["mine/notes.txt"] == "kept"
    assert os.readlink(tmp_path / "out" / "link") == "other.txt"
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o755

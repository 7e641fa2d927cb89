"""Destinations that are no plain files: links, pipes, devices."""

import os
import stat
import threading

import pytest

from uneven.utils.files import replace_file


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    target, link = tmp_path / "kept" / "real.txt", tmp_path / "link.txt"
    target.parent.mkdir()
    target.write_text("old")
    link.symlink_to(target)
    with replace_file(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "link.txt"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe, read = tmp_path / "pipe.csv", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    with replace_file(pipe) as draft:
        assert draft.suffix == ".csv"
        draft.write_text("rows")
    reader.join(30)
    assert read == ["rows"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_full_device_is_an_error_and_stays_a_device(tmp_path):
    device = tmp_path / "full"
    device.symlink_to("/dev/full")
    if not device.exists() or not stat.S_ISCHR(device.stat().st_mode):
        pytest.skip("the system has no /dev/full")
    with pytest.raises(OSError, match="No space left"), replace_file(device) as draft:
        draft.write_text("rows")
    assert stat.S_ISCHR(device.stat().st_mode)

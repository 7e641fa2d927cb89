"""Where the page is served."""

import socket

import pytest

from uneven.comparison import InputError
from uneven.labelling.serving import LabelServer, open_server


def serve_once(project):
    with LabelServer(project) as server:
        return server.port


def test_a_project_is_served_at_the_same_port_again(make_project):
    first = serve_once(make_project())
    assert serve_once(make_project()) == first


def test_a_project_without_a_port_leaves_nothing_behind(make_project):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        project = make_project()
        with pytest.raises(InputError, match="Name another --port"):
            open_server(project, port=other.getsockname()[1])
    assert not project.folder.exists()


def test_a_host_that_is_not_this_machine_is_told_as_such(make_project):
    with pytest.raises(InputError, match=r"--host 192.0.2.1 is no address of this machine"):
        open_server(make_project(), "192.0.2.1")


def test_a_port_that_is_taken_gives_way_to_a_free_one(make_project):
    first = serve_once(make_project())
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", first))
        other.listen()
        assert serve_once(make_project()) not in (0, first)

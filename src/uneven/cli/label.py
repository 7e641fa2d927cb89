"""``uneven label``: a page in the browser that shows the most informative rows first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uneven.cli.requests import PageRequest
from uneven.comparison.errors import InputError
from uneven.utils.files import replace_file
from uneven.utils.optional import require

if TYPE_CHECKING:
    from uneven.labelling.pool import PoolTable

PLAN = "project.json"
DEMO_FOLDER = Path("uneven-label-demo")


def page_request(
    pool: Path | None, demo: bool, labels: Path | None, classes: str | None, **given: Any
) -> PageRequest:
    """Build the request of a page.

    Parameters
    ----------
    pool, demo
        The table, or whether to take the embedded one.
    labels : Path or None
        File of labels; that of the project by default.
    classes : str or None
        Names, separated by commas.
    **given : object
        Further attributes of `PageRequest`; None for those that were not given.
    """
    from uneven.labelling.naming import read_people
    from uneven.web.server import check_host

    check_host(given["host"], given["consent"])
    read_people(given["annotators"])
    if demo:
        if pool is not None:
            raise InputError("--demo brings its own table; leave out POOL.")
        from uneven.labelling.demo import CLASSES

        given["project"] = folder = given["project"] or DEMO_FOLDER
        given["text"], given["key"] = ["message"], "ticket"
        pool, classes = folder / "messages.csv", classes or ",".join(CLASSES)
    if pool is None:
        raise InputError("give a POOL, or --demo. Try: uneven label --help")
    for name in ("text", "drop", "keep", "missing"):
        given[name] = tuple(given[name] or ())
    names = tuple(name.strip() for name in (classes or "").split(",") if name.strip())
    folder = given["project"] or Path(f"{pool.name.partition('.')[0]}-labelling")
    labels = labels or folder / "labels.csv"
    return PageRequest(pool=pool, labels=labels, classes=names, demo=demo, **given)


def label(request: PageRequest) -> None:
    """Serve the page until Ctrl-C.

    Raises
    ------
    InputError
        If the table and the stored answers do not match, or another server holds them.
    """
    from uneven.cli import terminal
    from uneven.labelling.serving import announce, open_server
    from uneven.web.server import check_host

    require_server("uneven label")
    with terminal.busy(f"reading {request.pool}"):
        project = open_project(request)
    terminal.notes([*project.notes, *project.doubts])
    warning = check_host(request.host, request.consent)
    terminal.notes([warning] if warning else [])
    with open_server(project, request.host, request.port) as server:
        announce(server, request.browser)
        terminal.stdout().print("Stop with Ctrl-C; the same command goes on.", markup=False)
        server.wait()
    labels = len(project.final_labels())
    say = terminal.stdout().print
    say(f"Answers        {project.folder} ({labels} rows)", soft_wrap=True, markup=False)
    say(f"Labels         {project.labels}", soft_wrap=True, markup=False)
    say(f"Learn          uneven fit {project.folder}", soft_wrap=True)


def require_server(command: str) -> None:
    """Refuse a command whose server is not installed."""
    for package in ("fastapi", "uvicorn"):
        try:
            require(package, command, "label")
        except ImportError as error:
            raise InputError(str(error)) from error


def open_project(request: PageRequest) -> Any:
    """The project of a request, as it was left."""
    from uneven.labelling.naming import read_people
    from uneven.labelling.project import Options, Project
    from uneven.versionspace import BayesPointClassifier

    pool = _read_pool(request)
    kernel = request.kernel or ("linear" if pool.text else "rbf")
    gamma = "scale" if request.gamma is None else request.gamma
    options = Options(
        classes=request.classes,
        people=read_people(request.annotators),
        query=request.query,
        model=BayesPointClassifier(kernel, gamma=gamma, flip=request.flip),
        random_share=request.random_share,
        overlap=request.overlap,
        budget=request.budget,
        seed=request.seed,
    )
    project = Project(pool, request.folder, request.labels, options)
    try:
        _remember(request)
    except BaseException:
        project.abandon()
        raise
    return project


def _read_pool(request: PageRequest) -> PoolTable:
    from uneven.comparison.schemafile import decide
    from uneven.labelling.demo import demo_messages
    from uneven.labelling.pool import pool_of_frame, read_pool

    if request.demo and not request.pool.exists():
        return pool_of_frame(request.pool, demo_messages()[0], request.key, text=request.text)
    return read_pool(
        request.pool,
        request.key,
        text=request.text,
        drop=request.drop,
        keep=request.keep,
        label_column=request.label_column,
        image=request.image,
        encoding=request.encoding,
        decisions=decide(request.schema, request.missing, request.text),
    )


def _remember(request: PageRequest) -> None:
    """Keep how the table is read, so that the folder alone is enough for ``uneven fit``."""
    from uneven.labelling.demo import write_demo

    if request.demo:
        write_demo(request.pool)
    plan = {
        name: str(value.absolute()) if isinstance(value, Path) else value
        for name, value in asdict(request).items()
    }
    with replace_file(request.folder / PLAN) as draft:
        draft.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")


def labelled_table(
    folder: Path, target: str | None, text: Sequence[str] | None, drop: Sequence[str] | None
) -> tuple[Path, str, list[str], list[str]]:
    """The table of labels of a project, and how to learn from it.

    Parameters
    ----------
    folder : Path
    target, text, drop
        What the user gave.

    Returns
    -------
    path, target, text, drop
    """
    from uneven.comparison.labelfile import LABEL, read_label_file
    from uneven.labelling.labels import unused_columns
    from uneven.labelling.store import InUseError

    try:
        plan = json.loads((folder / PLAN).read_text(encoding="utf-8"))
        paths = ("pool", "labels", "output", "project", "schema")
        values: dict[str, Any] = {k: Path(v) if k in paths and v else v for k, v in plan.items()}
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        request = PageRequest(**values)
    except (OSError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{folder} is no folder of uneven label ({PLAN} is missing or damaged); name a table."
        ) from error
    with suppress(InUseError):  # the running server keeps the file of labels up to date
        open_project(request).store.close()
    pool = _read_pool(request)
    file = read_label_file(request.labels, pool.key)
    unused = [*(drop or ()), *unused_columns(file.columns, pool)]
    texts = [*(text or ()), *pool.text]
    return request.labels, target or LABEL, list(dict.fromkeys(texts)), list(dict.fromkeys(unused))

"""Open the labelling page from Python."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uneven.utils.optional import require


def serve(
    pool: Any,
    *,
    labels: Any = None,
    classes: Sequence[str] = (),
    text: str | Sequence[str] = (),
    image: str | None = None,
    id: str | None = None,
    drop: Sequence[str] = (),
    annotators: int | str | Sequence[str] = 1,
    project: Any = None,
    query: str = "centre_of_gravity",
    estimator: Any = None,
    random_share: float = 0.1,
    overlap: float = 0.2,
    random_state: int = 0,
    host: str = "127.0.0.1",
    port: int = 0,
    i_know: bool = False,
    browser: bool = True,
    block: bool = True,
) -> Any:
    """Label the rows of a table on a page in the browser, the most informative ones first.

    Needs ``pip install 'uneven[label]'``. The same as ``uneven label``.

    Parameters
    ----------
    pool : path, pandas or polars frame, or array-like of shape (n_rows, n_columns)
    labels : path, optional
        CSV file of labels; that in the folder of the project by default.
    classes : sequence of str
        Classes that are known from the start; more can be added on the page.
    text : str or sequence of str
        Columns of running text, found out by default.
    image : str, optional
        Column of image files, below the folder of the table, or below the working folder if the
        pool is no file.
    id : str, optional
        Column that names the rows; they are numbered from 1 by default.
    drop : sequence of str
        Columns to leave out.
    annotators : int, str or sequence of str, default=1
        How many people label, or their names.
    project : path, optional
        Project folder; named after the table by default.
    query : str, default="centre_of_gravity"
        Query rule, see `ActiveLearner`.
    estimator : BayesPointClassifier, optional
        By default with the linear kernel for running text, else with the Gaussian one.
    random_share, overlap : float
        Share of random rows, and of rows that up to three people label.
    random_state : int, default=0
    host, port : str and int
        Where the page is served; port 0 takes that of the last time, or a free one.
    i_know : bool, default=False
        Required for a host that others can reach: nothing is encrypted.
    browser : bool, default=True
        Whether to open the page.
    block : bool, default=True
        Whether to wait for Ctrl-C.

    Returns
    -------
    LabelServer
        With ``addresses``, ``labels()`` and ``stop()``.

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> frame = pd.DataFrame({"size": range(40), "width": [3.5, 1.25] * 20})
    >>> server = serve(frame, classes=["cat", "dog"], project=tempfile.mkdtemp(),
    ...                browser=False, block=False)
    you            http://127.0.0.1:.../?token=...
    >>> server.labels()
    {}
    >>> server.stop()
    """
    for package in ("fastapi", "uvicorn", "pandas"):
        require(package, "uneven.active.serve", "label")
    serving, projects, naming, server_of = (
        importlib.import_module(f"uneven.{name}")
        for name in ("labelling.serving", "labelling.project", "labelling.naming", "web.server")
    )
    warning = server_of.check_host(host, i_know)
    options = projects.Options(
        classes=tuple(map(str, classes)),
        people=naming.read_people(annotators),
        query=query,
        model=estimator,
        random_share=random_share,
        overlap=overlap,
        seed=random_state,
    )
    table = serving.make_pool(pool, id, text=text, image=image, drop=drop)
    named = f"{Path(pool).stem}-labelling" if isinstance(pool, str | Path) else "labelling"
    file = Path(labels) if labels is not None else None
    made = projects.Project(table, Path(project or named), file, options)
    server = serving.open_server(made, host, port).start()
    if warning:
        print(f"Warning: {warning}")
    serving.announce(server, browser)
    if block:
        server.wait()
        server.stop()
    return server

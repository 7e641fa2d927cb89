"""Models in files that run no code when they are opened.

A model file is a skops archive of a dict: the fitted pipeline, and a card in JSON that says what
table it expects and how it was made. It calls types by the stable names under which their classes
are registered (:mod:`uneven.utils.model_types`), so that files survive when a class moves.

Opening one never unpickles: the archive is looked at as data first (:mod:`.archive`), and one that
names a type which is not registered is refused. What was loaded is checked before use, attribute
by attribute, because compiled code follows the indices of trees without looking.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from uneven.comparison.errors import InputError
from uneven.noise import check_noise_matrix
from uneven.persistence.archive import ForeignTypesError, dumps, loads, unpacked
from uneven.persistence.scikit_learn import check_structure
from uneven.utils.files import replace_file
from uneven.utils.model_types import UnknownPartError

FORMAT = "uneven-model-2"


class ModelFileError(ValueError):
    """A model file cannot be written or read; the message says why."""


@dataclass(frozen=True)
class ModelCard:
    """What is known about a saved model.

    Attributes
    ----------
    method, label : str
        Which method, by key and by name.
    target : str
        The predicted column.
    classes : list of str of length K
        Class names.
    class_counts : list of int of length K
        Training rows per class.
    columns : list of dict
        The columns the model reads: name, kind and categories of each.
    rows : int
        Training rows.
    data, sha256 : str
        Training table and its digest.
    missing_share : float
        Share of empty feature cells in training.
    params : dict of str to str
        Parameters of the method.
    versions : dict of str to str
        Versions the model was made with.
    created, command : str
        When and how it was made.
    """

    method: str
    label: str
    target: str
    classes: list[str]
    class_counts: list[int]
    columns: list[dict[str, Any]]
    rows: int
    data: str = ""
    sha256: str = ""
    missing_share: float = 0.0
    params: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    created: str = ""
    command: str = ""

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> ModelCard:
        """Build a card from plain data, ignoring entries of later versions."""
        return cls(**{f.name: raw[f.name] for f in fields(cls) if f.name in raw})


def save_model(pipeline: Pipeline, card: ModelCard, path: str | os.PathLike[str]) -> None:
    """Write a fitted pipeline and its card to a file, whole or not at all.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.
    card : ModelCard
        What to know about it.
    path : str or path-like
        Destination; its folder must exist.

    Raises
    ------
    ModelFileError
        If the pipeline holds a type that `load_model` would refuse, or an unknown part.
    """
    pipeline = _slim(pipeline)
    try:
        check_structure(copy.deepcopy(pipeline))
    except ValueError as error:
        raise ModelFileError(
            f"the model cannot be kept in a model file: {error}. Model files hold an encoder as "
            "the command line makes it and a classifier of this library or of the comparison."
        ) from error
    content = {"format": FORMAT, "card": json.dumps(asdict(card)), "pipeline": pipeline}
    data = dumps(content)
    _, foreign = unpacked(data)
    if foreign:
        raise ModelFileError(
            f"the model holds types that a model file may not: {', '.join(foreign)}."
        )
    with replace_file(path) as draft:
        draft.write_bytes(data)


def _slim(pipeline: Any) -> Any:
    """A copy as files hold it: matrices are arrays, not frames; stacks have no level-1 scores.

    Level-1 scores are large, and no prediction needs them.
    """
    model: Any = pipeline[-1] if isinstance(pipeline, Pipeline) and pipeline.steps else None
    matrix = getattr(model, "noise_matrix", None)
    has_frame = hasattr(matrix, "columns") and hasattr(model, "classes_")
    if not has_frame and not hasattr(model, "level_one_"):
        return pipeline
    plain = copy.copy(model)
    if has_frame:
        plain.noise_matrix = check_noise_matrix(matrix, plain.classes_)
    if hasattr(plain, "level_one_"):
        del plain.level_one_
    kept = copy.copy(pipeline)
    kept.steps = [*pipeline.steps[:-1], (pipeline.steps[-1][0], plain)]
    return kept


def load_model(path: str | os.PathLike[str]) -> tuple[Pipeline, ModelCard]:
    """Read a model file without running code from it.

    Parameters
    ----------
    path : str or path-like
        A file written by `save_model`.

    Returns
    -------
    pipeline : Pipeline
        Fitted.
    card : ModelCard
        What is known about it.

    Raises
    ------
    ModelFileError
        If the file is missing, damaged, not a model file, or holds a type that is not trusted.
    """
    path = Path(path)
    if not path.is_file():
        raise ModelFileError(f"there is no model file {path}.")
    try:
        content = loads(path.read_bytes())
    except ForeignTypesError as error:
        raise ModelFileError(
            f"{path} is refused: it holds types that are not trusted ({error}). "
            "Nothing of it was run; make the model again with this version of uneven."
        ) from error
    except Exception as error:  # a damaged archive can fail anywhere inside the reader
        raise ModelFileError(
            f"{path} is not a model file of uneven, or it is damaged "
            f"({type(error).__name__}: {_first_line(error)})."
        ) from error
    return _unpack(content, path)


def _unpack(content: Any, path: Path) -> tuple[Pipeline, ModelCard]:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError(
            f"{path} is a skops file, but not a model file of this version of uneven."
        )
    pipeline: Any = content.get("pipeline")
    with in_use(path):
        card = ModelCard.from_dict(json.loads(content["card"]))
        check_structure(pipeline)
        if [str(label) for label in pipeline.classes_] != card.classes:
            raise ValueError("its card names other classes than its model")
        if len(card.class_counts) != len(card.classes):
            raise ValueError("its card does not count its classes")
    return pipeline, card


@contextmanager
def in_use(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn any failure in the block into the error that the model file is damaged.

    Parameters
    ----------
    path : str or path-like
        The file that the model comes from.

    Raises
    ------
    ModelFileError
        In place of any error except running out of memory and those of what is read and written.

    Examples
    --------
    >>> with in_use("m.skops"):
    ...     raise IndexError("index 5 is out of bounds")
    Traceback (most recent call last):
    ...
    uneven.persistence.model_file.ModelFileError: m.skops is damaged: index 5 is out of bounds.
    """
    try:
        yield
    except (MemoryError, OSError, ModelFileError, InputError):
        raise
    except UnknownPartError as error:
        raise ModelFileError(f"{path} is refused: {_first_line(error)}.") from error
    except Exception as error:  # a forged array can fail anywhere inside a model
        what = _first_line(error) or type(error).__name__
        raise ModelFileError(f"{path} is damaged: {what}.") from error


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0].rstrip(".")

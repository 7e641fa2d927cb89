"""``uneven export``: a saved model as an ONNX file."""

from __future__ import annotations

from pathlib import Path

from uneven.cli import terminal
from uneven.comparison import InputError
from uneven.persistence.model_file import load_model
from uneven.persistence.onnx import NotExportableError, export_onnx


def export(model_path: Path, out: Path) -> None:
    """Export a model file to ONNX and say what the graph needs and gives.

    Parameters
    ----------
    model_path, out : Path
    """
    model, card = load_model(model_path)
    try:
        made = export_onnx(model, out)
    except ImportError as error:
        raise InputError(str(error)) from error
    except NotExportableError as error:
        raise InputError(f"{model_path} holds {card.label}: {error}") from error
    inputs = [one.name for one in made.graph.input]
    outputs = [one.name for one in made.graph.output]
    terminal.stderr().print(
        f"{card.label} with {len(inputs)} inputs gives {', '.join(outputs)} ({_size(out)}): {out}",
        markup=False,
        soft_wrap=True,
    )


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 2**20:.1f} MB" if size >= 2**20 else f"{size / 2**10:.1f} kB"

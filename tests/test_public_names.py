"""Public names, signatures and default parameters, kept in ``tests/data/public_names.txt``.

After a change that is meant: `python -m tests.test_public_names`, and look at the diff.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uneven

KEPT = Path(__file__).parent / "data" / "public_names.txt"
NOT_PUBLIC = {"cli", "distributed", "labelling", "report", "utils"}


def rooms() -> Iterator[str]:
    """The package and its public rooms."""
    yield "uneven"
    for room in pkgutil.iter_modules(uneven.__path__):
        if room.ispkg and room.name not in NOT_PUBLIC and not room.name.startswith("_"):
            yield f"uneven.{room.name}"


def signature(thing: Any) -> str:
    """Names and defaults of the parameters, without types and addresses."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    plain = [
        p.replace(annotation=p.empty, default=short(p.default))
        for p in found.parameters.values()
        if p.name != "self"
    ]
    text = str(found.replace(parameters=plain, return_annotation=found.empty))
    return re.sub(r"<(?:function|class) '?([\w.]+)'?[^>]*>", r"\1", text)


class Long:
    """Stands for a default that is too long to be kept."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"{type(self.value).__name__}(...)"


def short(default: Any) -> Any:
    is_long = default is not inspect.Parameter.empty and len(repr(default)) > 80
    return Long(default) if is_long else default


def members(cls: type) -> Iterator[str]:
    """Public methods and properties that a class of ours has from anywhere in the library."""
    for name in sorted(dir(cls)):
        owner = next((base for base in cls.__mro__ if name in vars(base)), None)
        ours = owner is not None and owner.__module__.startswith("uneven")
        if name.startswith(("_", "set_")) or not ours:
            continue
        member = inspect.getattr_static(cls, name)
        if isinstance(member, property):
            yield f"    .{name}"
        elif callable(getattr(cls, name, None)):
            yield f"    .{name}{signature(getattr(cls, name))}"


def listing() -> list[str]:
    """One line per public name and per public method."""
    lines, told = [], {}
    for room in rooms():
        module = importlib.import_module(room)
        for name in sorted(getattr(module, "__all__", ())):
            thing = getattr(module, name)
            key = id(thing) if inspect.isclass(thing) or inspect.isfunction(thing) else name
            if isinstance(thing, type(inspect)):
                lines.append(f"{room}.{name}: module")
            elif told.setdefault(key, f"{room}.{name}") != f"{room}.{name}":
                lines.append(f"{room}.{name} = {told[key]}")
            elif callable(thing):
                lines.append(f"{room}.{name}{signature(thing)}")
                if inspect.isclass(thing):
                    lines += members(thing)
            else:
                lines.append(f"{room}.{name}: {type(thing).__name__}")
    return lines


def test_public_names_are_as_kept():
    kept, now = KEPT.read_text().splitlines(), listing()
    assert len(now) > 300
    changes = "\n".join(difflib.unified_diff(kept, now, "kept", "now", lineterm="", n=1))
    assert not changes, (
        f"{changes}\n\nIf that is meant, run `python -m tests.test_public_names`, and say in the "
        "changelog what users must change."
    )


if __name__ == "__main__":
    KEPT.write_text("\n".join(listing()) + "\n")

"""The archive that a model file is: what may stand in it is checked before anything is built.

A model file is a zip archive as skops writes it: ``schema.json``, a tree of nodes that say which
type is built of which parts, and arrays in NumPy's format. Types of this library and of those that
it persists stand there under stable names (:mod:`uneven.utils.model_types`).

Reading looks at the archive as data first. Refused are: archives with too many entries, or that
unpack to far more than their size; nodes nested too deeply; every type and every kind of node that
no model file needs, whether skops would trust it or not; two different parts under one number,
which would let a small file grow without bound; and arrays that claim another size than they have.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import skops.io

import uneven.comparison.words
import uneven.persistence.scikit_learn  # noqa: F401 - both register what they persist
from uneven.utils.model_types import (
    HELPER_TYPES,
    MODEL_TYPES,
    ModelType,
    find_type,
    trusted_types,
)
from uneven.utils.registry import import_families

OURS = "uneven model type"
"""Stands in the place of a module where a file names a type by its stable name."""

SMALL, DENSEST = 2**24, 100
"""Files may unpack to 16 MiB, or to so many times their size."""

MOST_ENTRIES, DEEPEST = 100_000, 200

_SCHEMA = "schema.json"
_PLAIN_NODES = {
    "DictNode": {"builtins.dict"},
    "ListNode": {"builtins.list"},
    "TupleNode": {"builtins.tuple"},
    "SetNode": {"builtins.set"},
    "SliceNode": {"builtins.slice"},
    "JsonNode": {"builtins.str"},
    "TypeNode": {f"builtins.{name}" for name in ("str", "int", "float", "bool")},
    "NdArrayNode": {"numpy.ndarray"},
    "RandomStateNode": {"numpy.random.mtrand.RandomState"},
    "RandomGeneratorNode": {"numpy.random._generator.Generator"},
}
_SCALARS = {f"numpy.{kind.__name__}" for kind in set(np.sctypeDict.values())} - {"numpy.object_"}
for _node in ("TypeNode", "NdArrayNode"):
    _PLAIN_NODES[_node] |= _SCALARS
_MOVED = {"_loss": "sklearn._loss._loss"}
"""Where scikit-learn's compiled classes are whose older versions name another module."""
_TYPED_NODES = ("ObjectNode", "TreeNode", "LossNode", "DTypeNode", "SparseMatrixNode")


class ForeignTypesError(Exception):
    """Something holds types that model files may not; the message lists them."""


def dumps(content: Any) -> bytes:
    """Pack an object with stable names of the types in it; equal objects give equal bytes.

    Parameters
    ----------
    content : object
        Types that are not registered keep the names of their modules.

    Returns
    -------
    bytes
        A skops archive; no check of what it holds has been made.
    """
    names = {kind.home: kind.name for kind in MODEL_TYPES.values()}

    def to_stable(module: str, name: str) -> tuple[str, str]:
        module = _MOVED.get(module, module)
        home = f"{module}.{name}"
        return (OURS, names[home]) if home in names else (module, name)

    plain = skops.io.dumps(content)
    data, _ = _renamed(plain, to_stable, zipfile.ZIP_DEFLATED, _numbered)
    too_dense = len(plain) > max(SMALL, DENSEST * len(data))
    return _renamed(plain, to_stable, zipfile.ZIP_STORED, _numbered)[0] if too_dense else data


def loads(data: bytes) -> Any:
    """Unpack what `dumps` has packed, without running code from it.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    object
        Of allowed types, but what they hold is not checked.

    Raises
    ------
    ForeignTypesError
        If the archive names a type that model files may not hold.
    ValueError
        If it breaks a limit, or is no such archive.
    """
    plain, foreign = unpacked(data)
    if foreign:
        raise ForeignTypesError(", ".join(foreign))
    return skops.io.loads(plain, trusted=sorted(_allowed_types()))


def unpacked(data: bytes) -> tuple[bytes, list[str]]:
    """The archive as skops reads it, and the types in it that are not allowed."""
    foreign: set[str] = set()

    def to_home(module: str, name: str) -> tuple[str, str]:
        if module != OURS:
            foreign.update({f"{module}.{name}"} & homes)
            return module, name
        kind = MODEL_TYPES.get(name) or _find_type(name)
        if kind is None:
            foreign.add(name)
            return module, name
        module, _, name = kind.home.rpartition(".")
        return module, name

    homes = set(trusted_types())
    plain, schema = _renamed(data, to_home, zipfile.ZIP_STORED)
    known = _allowed_types()
    odd = {_type_of(node) for node in _nodes(schema) if not _is_known(node, known)}
    foreign |= odd - {f"{OURS}.{name}" for name in foreign}
    if not foreign:
        _check_numbering(schema)
        foreign |= set(skops.io.get_untrusted_types(data=plain)) - known
    return plain, sorted(foreign)


def _allowed_types() -> set[str]:
    return set(trusted_types()) | HELPER_TYPES


def _find_type(name: str) -> ModelType | None:
    """The type of that name once all packages, and then other distributions, have registered."""
    import_families()
    return find_type(name)


def _numbered(schema: Any) -> dict[str, str]:
    """Number the parts of a schema in their order, not by where they were in memory.

    Equal words and numbers are one part. Returns the new names of the entries.
    """
    numbers: dict[Any, int] = {}
    entries: dict[str, str] = {}
    for node in _nodes(schema):
        if "__id__" in node:
            is_plain = node["__loader__"] == "JsonNode"
            key = ("plain", node["content"]) if is_plain else node["__id__"]
            node["__id__"] = numbers.setdefault(key, len(numbers) + 1)
        if "file" in node:
            suffix = node["file"].rpartition(".")[2]
            node["file"] = entries.setdefault(node["file"], f"{len(entries) + 1}.{suffix}")
    return entries


def _renamed(
    data: bytes,
    rename: Callable[[str, str], tuple[str, str]],
    method: int,
    number: Callable[[Any], dict[str, str]] = lambda schema: {},
) -> tuple[bytes, Any]:
    """The same archive with other names of types in its schema, and that schema.

    ``number`` may number the parts of the schema anew; it returns new names of entries.
    """
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(packed, "w", compression=method) as new,
    ):
        _check_sizes(old.infolist(), len(data))
        schema = json.loads(old.read(_SCHEMA))
        for node in _nodes(schema):
            _unwrap(node)
            module, name = node["__module__"], node["__class__"]
            node["__module__"], node["__class__"] = rename(module, name)
        names = number(schema)
        for entry in old.namelist():
            part = old.read(entry)
            if entry == _SCHEMA:
                part = json.dumps(schema).encode()
            else:
                check_array(part, entry, len(data))
            info = zipfile.ZipInfo(names.get(entry, entry))
            info.compress_type = method
            new.writestr(info, part)
    return packed.getvalue(), schema


def _unwrap(node: dict[str, Any]) -> None:
    """Turn a list class of scikit-learn 1.6 into the list that it holds."""
    if _type_of(node) == "sklearn.compose._column_transformer._RemainderColsList":
        held = node["content"]["content"]["data"]
        node.clear()
        node.update(held)


def _check_sizes(entries: list[zipfile.ZipInfo], packed: int) -> None:
    """Refuse an archive that is not what it seems before anything of it is unpacked."""
    if len(entries) > MOST_ENTRIES or len({entry.filename for entry in entries}) < len(entries):
        raise ValueError(f"{len(entries)} entries, or two of the same name")
    size = sum(entry.file_size for entry in entries)
    if size > max(SMALL, DENSEST * packed):
        raise ValueError(f"{packed} bytes unpack to {size}")


def check_array(part: bytes, entry: str, packed: int) -> None:
    """Refuse an entry that is no array of exactly the size that it claims.

    Parameters
    ----------
    part : bytes
        An array in NumPy's format, or an archive of arrays, which is a sparse matrix.
    entry : str
        Its name in the archive, for messages.
    packed : int
        Size of the whole file.

    Raises
    ------
    ValueError
    """
    if entry.endswith(".npz"):
        with zipfile.ZipFile(io.BytesIO(part)) as inner:
            _check_sizes(inner.infolist(), packed)
            for name in inner.namelist():
                check_array(inner.read(name), f"{entry}/{name.removesuffix('.npz')}", packed)
        return
    stream = io.BytesIO(part)
    version = np.lib.format.read_magic(stream)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in read:
        raise ValueError(f"{entry} is an array of another format, {version}")
    shape, _, dtype = read[version](stream)
    size, held = dtype.itemsize, len(part) - stream.tell()
    for length in shape:
        size *= int(length)
    if dtype.hasobject or size != held or (dtype.itemsize == 0 and max(shape, default=0) > 1):
        raise ValueError(f"{entry} claims {shape} cells of type {dtype}, but holds {held} bytes")


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """All nodes of a schema, parents first; each says how it is built and of which type it is."""
    waiting = [(schema, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError(f"parts are nested more than {DEEPEST} levels deep")
        if isinstance(node, dict):
            if "__loader__" in node or "__id__" in node or "__class__" in node:
                told = [node.get(key) for key in ("__loader__", "__module__", "__class__")]
                if not all(type(word) is str for word in told):
                    raise ValueError("a part does not say what it is")
                yield node
            waiting += [(part, depth + 1) for part in node.values()]
        elif isinstance(node, list):
            waiting += [(part, depth + 1) for part in node]


def _type_of(node: dict[str, Any]) -> str:
    return f"{node['__module__']}.{node['__class__']}"


def _is_known(node: dict[str, Any], known: set[str]) -> bool:
    """Whether a node is of a kind, and names a type, that model files may hold."""
    loader = node["__loader__"]
    if loader in _TYPED_NODES:
        return _type_of(node) in known
    return _type_of(node) in _PLAIN_NODES.get(loader, ())


def _check_numbering(schema: Any) -> None:
    """Refuse parts of one number that differ in size, and entries that two parts read.

    Readers build a part once and put it wherever its number stands. Where all that carry a number
    are as large as each other, what is built is not larger than what is written, and no part
    stands in itself.
    """
    nodes = list(_nodes(schema))
    sizes: dict[int, int] = {}
    known: dict[Any, tuple[str, int]] = {}
    reader: dict[Any, Any] = {}
    for node in reversed(nodes):
        number, entry = node.get("__id__"), node.get("file")
        sizes[id(node)] = 1 + sum(_sizes_below(node, sizes))
        told = (_type_of(node), sizes[id(node)])
        if number is not None and known.setdefault(number, told) != told:
            raise ValueError(f"two different parts have the number {number}")
        if entry is not None and reader.setdefault(entry, number) != number:
            raise ValueError(f"two parts read the entry {entry}")


def _sizes_below(node: dict[str, Any], sizes: dict[int, int]) -> Iterator[int]:
    """Sizes of the nodes nearest below a node."""
    waiting = list(node.values())
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict) and id(part) in sizes:
            yield sizes[id(part)]
        elif isinstance(part, dict | list):
            waiting += part.values() if isinstance(part, dict) else part

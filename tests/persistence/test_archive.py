"""What a model file may be as an archive: limits and types, before anything is built."""

import io
import json
import zipfile

import numpy as np
import pytest

from tests.persistence.corpus import FOLDER
from uneven.persistence import archive
from uneven.persistence.archive import ForeignTypesError, check_array, dumps, loads

COMBO = (FOLDER / "combo.skops").read_bytes()


def parts_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        return {name: old.read(name) for name in old.namelist()}


def packed(parts, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as new:
        for name, part in parts.items():
            new.writestr(name, part)
    return stream.getvalue()


def with_schema(change, data=COMBO):
    """The archive with a changed schema; what `change` returns, if anything, replaces it."""
    parts = parts_of(data)
    schema = json.loads(parts["schema.json"])
    schema = change(schema) or schema
    return packed(parts | {"schema.json": json.dumps(schema).encode()})


def nodes_in(schema, loader):
    return [node for node in archive._nodes(schema) if node["__loader__"] == loader]


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_what_is_packed_comes_back():
    content = {"a": [1, 2.5, None, "b"], "c": np.arange(3), "d": (slice(1, 2), np.float64)}
    again = loads(dumps(content))
    assert again["a"] == content["a"]
    assert again["d"] == content["d"]
    np.testing.assert_array_equal(again["c"], content["c"])


def test_archives_that_unpack_to_too_much_are_refused():
    with pytest.raises(ValueError, match=r"bytes unpack to 2"):
        loads(packed(parts_of(COMBO) | {"x.npy": npy(np.zeros(3 * 2**20))}))


def test_dense_models_are_written_so_that_they_can_be_read(monkeypatch):
    monkeypatch.setattr(archive, "SMALL", 2**10)
    content = {"zeros": np.zeros(10**5)}
    assert len(dumps(content)) > 8 * 10**5
    np.testing.assert_array_equal(loads(dumps(content))["zeros"], 0.0)


def test_too_many_entries_are_refused(monkeypatch):
    monkeypatch.setattr(archive, "MOST_ENTRIES", 3)
    with pytest.raises(ValueError, match="entries"):
        loads(COMBO)


def test_deep_nesting_is_refused():
    def deepen(schema):
        node = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
        for _ in range(archive.DEEPEST):
            node = {**node, "content": [node]} if "content" in node else node | {"content": []}
        schema["content"]["pipeline"] = node

    with pytest.raises(ValueError, match="levels deep"):
        loads(with_schema(deepen))
    with pytest.raises(RecursionError):
        loads(packed(parts_of(COMBO) | {"schema.json": b"[" * 10**5}))


@pytest.mark.parametrize(
    ("loader", "module", "name"),
    [
        ("ObjectNode", "sklearn.ensemble._forest", "RandomTreesEmbedding"),
        ("ObjectNode", "builtins", "object"),
        ("FunctionNode", "numpy", "exp"),
        ("MethodNode", "builtins", "dict"),
        ("OperatorFuncNode", "operator", "methodcaller"),
        ("PartialNode", "functools", "partial"),
        ("TypeNode", "subprocess", "Popen"),
        ("DictNode", "collections", "OrderedDict"),
        ("JsonNode", "os", "system"),
    ],
)
def test_types_and_nodes_outside_of_the_list_are_refused(loader, module, name):
    def forge(schema):
        node = schema["content"]["card"]
        node["__loader__"], node["__module__"], node["__class__"] = loader, module, name

    with pytest.raises(ForeignTypesError, match=name):
        loads(with_schema(forge))


def test_a_small_schema_cannot_stand_for_a_large_object():
    """Lists of the same list of the same list: few parts, 10^12 cells."""

    def inflate(schema):
        text = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
        node = {**text, "content": '"x"', "is_json": True, "__id__": 1}
        for level in range(2, 6):
            short = {k: v for k, v in node.items() if k not in ("content", "is_json")}
            alike = [short | {"content": []} for _ in range(999)]
            kind = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
            node = {**kind, "content": [node, *alike], "__id__": level}
        schema["content"]["pipeline"] = node

    with pytest.raises(ValueError, match="two different parts have the number"):
        loads(with_schema(inflate))


def test_a_part_cannot_stand_in_itself():
    def close(schema):
        inner = nodes_in(schema, "TupleNode")[0]
        outer = nodes_in(schema, "ListNode")[-1]
        inner["__id__"] = outer["__id__"]
        outer["content"].append(inner)

    with pytest.raises(ValueError, match="two different parts have the number"):
        loads(with_schema(close))


def test_one_entry_is_read_once():
    def share(schema):
        first, second = [n for n in nodes_in(schema, "NdArrayNode") if "file" in n][:2]
        second["file"] = first["file"]

    with pytest.raises(ValueError, match="two parts read the entry"):
        loads(with_schema(share))


def test_arrays_are_as_large_as_they_claim():
    good = npy(np.arange(6.0).reshape(2, 3))
    check_array(good, "a.npy", len(good))
    check_array(npy(np.zeros(0, dtype="<U3")), "a.npy", 200)
    check_array(npy(np.float64(3.0)), "a.npy", 200)
    large = good.replace(b"(2, 3)", b"(9, 9)")
    with pytest.raises(ValueError, match=r"claims \(9, 9\) cells"):
        check_array(large, "a.npy", len(large))
    with pytest.raises(ValueError, match="holds"):
        check_array(good[:-1], "a.npy", len(good))
    with pytest.raises(ValueError, match="claims"):
        check_array(npy(np.zeros(7, dtype="V0")), "a.npy", 200)
    with pytest.raises(ValueError):
        check_array(b"not an array", "a.npy", 12)


def test_sparse_matrices_do_not_hide_large_archives():
    inner = packed({"data.npy": npy(np.zeros(3 * 2**20))})
    with pytest.raises(ValueError, match="unpack"):
        check_array(inner, "a.npz", len(inner))


def test_the_same_entry_twice_is_refused():
    stream = io.BytesIO(COMBO)
    with zipfile.ZipFile(stream, "a") as again, pytest.warns(UserWarning, match="Duplicate"):
        again.writestr("schema.json", "{}")
    with pytest.raises(ValueError, match="two of the same name"):
        loads(stream.getvalue())

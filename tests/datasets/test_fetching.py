import json
import os
import sys
from dataclasses import replace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.utils import Bunch

from uneven.datasets import (
    DatasetUnavailableError,
    available,
    downloadable,
    fetch,
    make_balance_scale,
    openml,
)
from uneven.datasets.cache import cache_folder


def openml_answer(rows, columns, classes, offset=0):
    """Return what fetch_openml gives: numeric columns, one category, a categorical target."""
    rng = np.random.default_rng(rows + columns + offset)
    data = pd.DataFrame(rng.random((rows, columns))).add_prefix("f")
    target = pd.Series(np.arange(rows) % classes, name="class").astype(str).astype("category")
    return Bunch(data=data, target=target)


@pytest.fixture
def server(monkeypatch):
    """Replace the network: data by OpenML number, and the list of numbers asked for."""
    answers, asked = {}, []

    def answer(*, data_id, as_frame, cache):
        assert as_frame
        assert not cache
        asked.append(data_id)
        if data_id not in answers:
            raise URLError("no network")
        return answers[data_id]

    monkeypatch.setattr(openml, "fetch_openml", answer)
    return Bunch(answers=answers, asked=asked)


def test_download_is_stored_once_and_read_back_equal(server, tmp_path):
    car = openml_answer(1728, 2, 4)
    car.data["doors"] = pd.Categorical(["two", "four"] * 864)
    server.answers[40975] = car
    home = tmp_path / "new" / "cache"
    first = fetch("car", home)
    second = fetch("car", home)
    assert server.asked == [40975]
    assert os.listdir(home) == ["car.parquet"]
    for bunch in (first, second):
        pd.testing.assert_frame_equal(bunch.data, car.data, check_categorical=False)
        assert isinstance(bunch.data["doors"].dtype, pd.CategoricalDtype)
        assert bunch.target.tolist() == car.target.tolist()
        assert bunch.views is None
        assert bunch.name == "car"
        assert bunch.feature_names == ["f0", "f1", "doors"]


def test_parts_become_views(server, tmp_path):
    for size, number in enumerate(openml.RECIPES["mfeat"].parts.values(), start=1):
        server.answers[number] = openml_answer(2000, size, 10)
    for _ in range(2):
        mfeat = fetch("mfeat", tmp_path)
        assert list(mfeat.views) == ["fac", "fou", "kar", "mor", "pix", "zer"]
        assert mfeat.views["kar"] == slice(3, 6)
        assert mfeat.data.columns[3:6].tolist() == ["kar__0", "kar__1", "kar__2"]
        assert_array_equal(mfeat.data.iloc[:, 3:6], server.answers[16].data)


def test_parts_in_another_order_are_refused(server, tmp_path):
    for number in openml.RECIPES["mfeat"].parts.values():
        server.answers[number] = openml_answer(2000, 2, 10)
    server.answers[18].target = server.answers[18].target.iloc[::-1]
    with pytest.raises(DatasetUnavailableError, match="18 are in another order"):
        fetch("mfeat", tmp_path)
    assert available(tmp_path) == []


def test_preparations(server, tmp_path):
    nursery = openml_answer(12958, 2, 4)
    nursery.data = pd.concat([nursery.data, nursery.data.iloc[:2]], ignore_index=True)
    nursery.target = pd.Series([*nursery.target, "rare", "rare"], dtype="category")
    server.answers[26] = nursery
    assert len(fetch("nursery_s", tmp_path).target) == 12958
    segment = openml_answer(2310, 3, 7)
    segment.data["same"] = 9
    server.answers[36] = segment
    assert fetch("segment", tmp_path).feature_names == ["f0", "f1", "f2"]
    server.answers[60] = openml_answer(5000, 40, 3)
    assert fetch("waveform", tmp_path).data.shape == (5000, 21)
    vowel = openml_answer(990, 10, 11)
    vowel.data.insert(0, "Sex", pd.Categorical(["m", "f"] * 495))
    server.answers[307] = vowel
    assert fetch("vowel", tmp_path).feature_names == [f"f{i}" for i in range(10)]


def test_ecoli5_is_derived_from_ecoli(server, tmp_path):
    sizes = [143, 77, 52, 35, 20, 5, 2, 2]
    ecoli = openml_answer(336, 7, 8)
    ecoli.target = pd.Series(np.repeat(list("abcdefgh"), sizes), dtype="category")
    server.answers[39] = ecoli
    five = fetch("ecoli5", tmp_path)
    assert len(five.target) == len(five.data) == 327
    assert np.unique(five.target).tolist() == list("abcde")
    assert_array_equal(five.data.iloc[-1], ecoli.data.iloc[326])
    assert "removed" in five.description
    assert len(fetch("ecoli", tmp_path).target) == 336
    assert available(tmp_path) == ["ecoli", "ecoli5"]


def test_images(server, tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (70_000, 4), dtype=np.uint8)
    target = pd.Series(np.arange(70_000) % 10).astype(str).astype("category")
    server.answers[554] = Bunch(data=pd.DataFrame(pixels), target=target)
    small = replace(openml.RECIPES["mnist"], image_shape=(2, 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(openml.RECIPES, "mnist", small)
        for _ in range(2):
            mnist = fetch("mnist", tmp_path)
            assert_array_equal(mnist.data, pixels)
            assert mnist.images.shape == (70_000, 2, 2)
            assert mnist.target[:3].tolist() == [0, 1, 2]
            assert (len(mnist.train_rows), mnist.test_rows[0]) == (60_000, 60_000)
    assert len(server.asked) == 1


def test_changed_source_is_refused_and_nothing_stored(server, tmp_path):
    server.answers[41] = openml_answer(100, 9, 6)
    with pytest.raises(DatasetUnavailableError, match="100 rows in 6 classes, expected 214"):
        fetch("glass", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_network_the_error_says_everything(server, tmp_path):
    with pytest.raises(DatasetUnavailableError) as caught:
        fetch("car", tmp_path)
    message = str(caught.value)
    for part in ("'car'", str(tmp_path), "UNEVEN_DATA", "no network"):
        assert part in message


def test_download_can_be_forbidden(server, tmp_path):
    with pytest.raises(DatasetUnavailableError, match="download=False"):
        fetch("car", tmp_path, download=False)
    with pytest.raises(DatasetUnavailableError, match="'ecoli' is not in"):
        fetch("ecoli5", tmp_path, download=False)
    assert server.asked == []


def test_unknown_and_dangerous_names(server, tmp_path):
    with pytest.raises(DatasetUnavailableError, match="Did you mean 'nursery_s'"):
        fetch("nursery", tmp_path)
    for name in ("../car", "a/b", "", ".hidden"):
        with pytest.raises(ValueError, match="is no data set"):
            fetch(name, tmp_path)


def test_interrupted_write_leaves_nothing(server, tmp_path, monkeypatch):
    server.answers[187] = openml_answer(178, 3, 3)

    def fail(self, path, **kwargs):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(pd.DataFrame, "to_parquet", fail)
    with pytest.raises(KeyboardInterrupt):
        fetch("wine", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_unwritable_folder_warns_but_returns_the_data(server, tmp_path):
    server.answers[187] = openml_answer(178, 3, 3)
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.warns(UserWarning, match="could not be stored"):
        wine = fetch("wine", blocked / "cache")
    assert wine.data.shape == (178, 3)


def test_sparse_text_with_views_and_split(tmp_path):
    matrix = csr_array(np.arange(24).reshape(6, 4) % 3)
    np.savez(
        tmp_path / "text.npz",
        data=matrix.data,
        indices=matrix.indices,
        indptr=matrix.indptr,
        shape=matrix.shape,
        target=np.arange(6) % 2,
        view_of_column=np.array(["en", "fr", "en", "fr"]),
        train_rows=[0, 1, 2],
        test_rows=[3, 4, 5],
    )
    text = fetch("text", tmp_path)
    assert text.data.format == "csr"
    assert_array_equal(text.data.toarray(), matrix.toarray())
    assert text.views == {"en": [0, 2], "fr": [1, 3]}
    assert text.test_rows.tolist() == [3, 4, 5]


def test_own_tables_and_descriptions(tmp_path):
    pd.DataFrame({"x": [1.0, np.nan], "target": [1, 2]}).to_parquet(tmp_path / "mine.parquet")
    (tmp_path / "manifest.json").write_text(json.dumps({"mine": {"source": "me", "note": "two"}}))
    mine = fetch("mine", tmp_path)
    assert mine.target.tolist() == ["1", "2"]
    assert mine.description == "me. two"
    assert available(tmp_path) == ["mine"]
    (tmp_path / "manifest.json").write_text("{broken")
    assert fetch("mine", tmp_path).description == ""


def test_a_table_has_views_only_if_every_column_names_one(tmp_path):
    frame = pd.DataFrame({"a__x": [1], "b__y": [2], "target": ["k"]})
    frame.to_parquet(tmp_path / "all.parquet")
    frame.rename(columns={"b__y": "y"}).to_parquet(tmp_path / "some.parquet")
    assert list(fetch("all", tmp_path).views) == ["a", "b"]
    assert fetch("some", tmp_path).views is None


@pytest.mark.parametrize("suffix", ["parquet", "npz"])
def test_broken_files_are_named(tmp_path, suffix):
    path = tmp_path / f"broken.{suffix}"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match=rf"broken\.{suffix} cannot be read"):
        fetch("broken", tmp_path)


def test_files_without_labels_or_data_are_named(tmp_path):
    pd.DataFrame({"x": [1]}).to_parquet(tmp_path / "bare.parquet")
    np.savez(tmp_path / "odd.npz", x=[1])
    np.savez(tmp_path / "loose.npz", target=[1], x=[1])
    with pytest.raises(ValueError, match="no column 'target'"):
        fetch("bare", tmp_path)
    with pytest.raises(ValueError, match="no array 'target'"):
        fetch("odd", tmp_path)
    with pytest.raises(ValueError, match=r"holds \['target', 'x'\]"):
        fetch("loose", tmp_path)


@pytest.mark.parametrize("module", ["pandas", "pyarrow"])
def test_missing_package_is_a_clear_error(tmp_path, monkeypatch, module):
    pd.DataFrame({"x": [1], "target": ["a"]}).to_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"Reading t.parquet needs {module}"):
        fetch("t", tmp_path)


def test_folder_comes_from_argument_then_variable_then_user(monkeypatch, tmp_path):
    monkeypatch.setenv("UNEVEN_DATA", str(tmp_path / "variable"))
    assert cache_folder(tmp_path) == tmp_path
    assert cache_folder() == tmp_path / "variable"
    monkeypatch.delenv("UNEVEN_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "uneven"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder().parts[-2:] == (".cache", "uneven")


def test_every_listed_set_can_be_asked_for(server, tmp_path):
    for name in downloadable():
        with pytest.raises(DatasetUnavailableError, match="no network"):
            fetch(name, tmp_path)


@pytest.fixture
def real_or_written(tmp_path, monkeypatch):
    """Use the folder in UNEVEN_DATA if it has the set, else write the same rows there."""
    if "balance" not in available():
        balance = make_balance_scale(as_frame=True)
        codes = balance.target.map({"L": "1", "B": "2", "R": "3"})
        balance.data.assign(target=codes).to_parquet(tmp_path / "balance.parquet")
        monkeypatch.setenv("UNEVEN_DATA", str(tmp_path))


@pytest.mark.usefixtures("real_or_written")
def test_cached_balance_holds_the_rows_of_the_generator():
    cached, made = fetch("balance", download=False), make_balance_scale()
    assert sorted(map(tuple, cached.data.to_numpy(float))) == sorted(map(tuple, made.data))
    assert sorted(np.unique(cached.target, return_counts=True)[1]) == [49, 288, 288]


@pytest.mark.usefixtures("real_or_written")
def test_whatever_is_cached_can_be_read():
    names = set(available()) - {"mnist", "mfeat", "newsgroups20"}
    assert "balance" in names
    for name in names:
        bunch = fetch(name, download=False)
        assert bunch.data.shape[0] == len(bunch.target) > 0
        assert len(np.unique(bunch.target)) > 1

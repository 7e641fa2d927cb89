"""Several files joined by a key: each is a view, missing where it lacks the key."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from uneven import compare
from uneven.comparison import InputError, join_tables


def write_tables(tmp_path):
    """Two tables in different orders; each lacks some keys of the other."""
    rng = np.random.default_rng(0)
    kind = np.array(["calm", "storm"])[np.arange(80) % 2]
    strength = (kind == "storm") * 2.0
    wind = pd.DataFrame({"id": [f"{k:03}" for k in range(80)], "kind": kind})
    wind["speed"] = strength + rng.normal(size=80)
    sky = pd.DataFrame({"id": wind["id"], "cloud": strength + rng.normal(size=80)})
    sky["code"] = [f"{k % 3:02}" for k in range(80)]
    wind.iloc[:72].to_csv(tmp_path / "wind.csv", index=False)
    wind.iloc[72:, :2].to_csv(tmp_path / "labels.csv", index=False)
    sky.iloc[:9:-1].to_parquet(tmp_path / "sky.parquet")


@pytest.fixture
def folder(tmp_path):
    write_tables(tmp_path)
    return tmp_path


def test_a_folder_is_joined_by_its_key(folder):
    joined = join_tables(folder, "id", "kind")
    assert list(joined.columns) == ["id", "kind", "sky__cloud", "sky__code", "wind__speed"]
    by_key = joined.set_index("id")
    assert by_key["kind"].notna().sum() == len(by_key) == 80
    assert by_key["sky__cloud"].isna().sum() == 10
    assert by_key["wind__speed"].isna().sum() == 8
    wind = pd.read_csv(folder / "wind.csv", dtype={"id": str}).set_index("id")
    there = by_key["wind__speed"].dropna()
    np.testing.assert_allclose(there, wind["speed"].loc[there.index])
    assert by_key.loc[["000", "079"], "kind"].tolist() == ["calm", "storm"]


def test_frames_give_what_files_give(folder):
    given = {"sky": pd.read_parquet(folder / "sky.parquet"), "wind": folder / "wind.csv"}
    joined = join_tables(given, "id", "kind")
    files = join_tables([folder / "sky.parquet", folder / "wind.csv"], "id", "kind")
    pd.testing.assert_frame_equal(joined, files)


@pytest.mark.slow
def test_compare_takes_tables_as_views(folder):
    paths = [folder / name for name in ("wind.csv", "sky.parquet", "labels.csv")]
    found = compare(paths, "kind", on="id", methods=["mucombo"], cv=2, rounds=5)
    assert [view.name for view in found.views] == ["wind", "sky"]
    assert found.winner.name == "mucombo"
    assert "on='id'" in found.command
    assert sorted(found.predictions.index.get_level_values("id")) == [f"{k:03}" for k in range(80)]


def change(folder, name, **cells):
    table = pd.read_csv(folder / name, dtype=str)
    table.assign(**cells).to_csv(folder / name, index=False)


def test_what_cannot_be_joined_is_refused(folder):
    with pytest.raises(InputError, match=r"'key'.*the columns are"):
        join_tables(folder, "key", "kind")
    with pytest.raises(InputError, match="joins several tables, but there is only"):
        join_tables(folder / "wind.csv", "id")
    with pytest.raises(InputError, match="'weather'"):
        join_tables(folder, "id", "weather")
    with pytest.raises(InputError, match="say by on which column"):
        compare([folder / "wind.csv", folder / "sky.parquet"], "kind")
    (folder / "old").mkdir()
    (folder / "old" / "wind.csv").write_text("id,x\n1,2\n")
    with pytest.raises(InputError, match="two tables are called 'wind'"):
        join_tables([folder / "wind.csv", folder / "old" / "wind.csv"], "id")


def test_repeated_and_empty_keys_are_refused(folder):
    change(folder, "wind.csv", id=["007"] * 72)
    with pytest.raises(InputError, match="more than one row with id = '007'"):
        join_tables(folder, "id", "kind")
    change(folder, "wind.csv", id=[str(k) if k else None for k in range(72)])
    with pytest.raises(InputError, match="has no id in row 1"):
        join_tables(folder, "id", "kind")


def test_labels_that_contradict_each_other_are_refused(folder):
    table = pd.read_csv(folder / "wind.csv", dtype=str).assign(kind="calm")
    table.to_csv(folder / "more.csv", index=False)
    with pytest.raises(InputError, match="different labels: kind of '001' is 'calm' and 'storm'"):
        join_tables(folder, "id", "kind")


def test_labels_of_one_type_keep_it():
    left = pd.DataFrame({"id": [1, 2, 3], "x": [1.0, 2.0, 3.0], "y": [True, False, True]})
    right = pd.DataFrame({"id": [1, 2, 3], "z": [5, 6, 7], "y": [True, False, True]})
    assert join_tables({"a": left, "b": right}, "id", "y")["y"].tolist() == [True, False, True]


def test_a_table_whose_keys_are_written_otherwise_is_refused(folder):
    change(folder, "labels.csv", id=[f"{k:03}" for k in range(72, 80)])
    sky = pd.read_parquet(folder / "sky.parquet")
    sky.assign(id="N" + sky["id"]).to_parquet(folder / "sky.parquet")
    with pytest.raises(InputError, match=r"'sky' shares no id .* has 'N079', they have '072'"):
        join_tables(folder, "id", "kind")
    assert len(join_tables(folder, "id")) == 150
    sky.assign(kind="calm", id="N" + sky["id"]).to_parquet(folder / "sky.parquet")
    with pytest.raises(InputError, match="shares no id with the other tables"):
        join_tables(folder, "id", "kind")


@pytest.mark.parametrize(
    "keys",
    [
        np.array([2.0, 3.0, 4.0]),
        ["2", " 3", "4 "],
        ["2.0", "3.00", "4"],
        pd.Categorical([2, 3, 4]),
        pd.array([2, 3, 4], dtype="Int64"),
    ],
)
def test_the_same_number_is_the_same_key_however_it_is_stored(keys):
    left = pd.DataFrame({"id": [1, 2, 3], "x": [1.0, 2.0, 3.0], "y": ["p", "q", "p"]})
    joined = join_tables({"a": left, "b": pd.DataFrame({"id": keys, "z": [5, 6, 7]})}, "id", "y")
    assert joined["id"].tolist() == ["1", "2", "3", "4"]
    np.testing.assert_array_equal(joined["b__z"], [np.nan, 5.0, 6.0, 7.0])


def test_leading_zeros_and_fractions_belong_to_a_key():
    left = pd.DataFrame({"id": ["007", "1.50", "a.0"], "x": 1.0})
    right = pd.DataFrame({"id": ["7", "1.5", "a"], "z": 2.0})
    assert len(join_tables({"a": left, "b": right}, "id")) == 6


def test_the_index_of_a_frame_may_be_the_key():
    left = pd.DataFrame({"id": [1, 2], "x": [1.0, 2.0], "y": [0, 1]})
    right = pd.DataFrame({"id": [2, 1], "z": [5.0, 6.0], "y": [1.0, 0.0]})
    plain = join_tables({"a": left, "b": right}, "id", "y")
    indexed = join_tables({"a": left.set_index("id"), "b": right.set_index("id")}, "id", "y")
    pd.testing.assert_frame_equal(plain, indexed)
    assert plain["y"].tolist() == [0, 1]


def test_what_is_no_table_is_refused():
    left = pd.DataFrame({"id": [1, 2], "y": ["p", "q"]})
    with pytest.raises(InputError, match="table 'b' has no rows"):
        join_tables({"a": left, "b": left[:0]}, "id", "y")
    with pytest.raises(InputError, match="table 'b' must be a path or a data frame, got a dict"):
        join_tables({"a": left, "b": {"id": [1]}}, "id", "y")
    with pytest.raises(InputError, match="are the same column, 'id'"):
        join_tables({"a": left, "b": left}, "id", "id")
    with pytest.raises(InputError, match=r"uneven\.join_views"):
        compare(SimpleNamespace(X=np.eye(2), obsm={}), ["p", "q"])


def test_names_with_which_columns_could_be_read_in_two_ways_are_refused(folder):
    for name in ("wind__north.csv", "wind_.csv"):
        (folder / "wind.csv").rename(folder / name)
        with pytest.raises(InputError, match=rf"{name}: its view would be called 'wind_.*Rename"):
            join_tables(folder, "id", "kind")
        (folder / name).rename(folder / "wind.csv")
    left = pd.DataFrame({"id": [1, 2], "b__x": [1.0, 2.0], "y": ["p", "q"]})
    right = pd.DataFrame({"id": [1, 2], "x": [3.0, 4.0]})
    for name in ("a__b", "", "a_"):
        with pytest.raises(InputError, match=f"a view would be called '{name}'"):
            join_tables({name: right, "a": left}, "id", "y")
    with pytest.raises(InputError, match="two tables are called '1'"):
        join_tables({1: right, "1": left}, "id", "y")
    assert "a__b__x" in join_tables({"a": left, "b": right}, "id", "y")


@pytest.mark.parametrize("empty", ["", "  ", None, np.nan])
def test_keys_of_frames_without_text_are_empty(empty):
    left = pd.DataFrame({"id": ["p", "q"], "x": [1.0, 2.0]})
    right = pd.DataFrame({"id": ["p", empty], "z": [1.0, 2.0]})
    with pytest.raises(InputError, match="table 'b' has no id in row 2"):
        join_tables({"a": left, "b": right}, "id")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ([0.0, 1.0], ["0", "1"], ["0", "1", "1"]),
        (["p", "q"], ["p ", "q"], ["p", "q", "q"]),
        ([0, 1], [0.0, 1.0], [0, 1, 1]),
        (pd.Categorical(["p", "q"]), ["p", " "], ["p", "q", "q"]),
    ],
)
def test_labels_in_several_tables_are_compared_like_keys(left, right, expected):
    one = pd.DataFrame({"id": [1, 2], "x": [1.0, 2.0], "y": left})
    other = pd.DataFrame({"id": [1, 2, 3], "z": [1.0, 2.0, 3.0], "y": [*right, expected[-1]]})
    labels = join_tables({"a": one, "b": other}, "id", "y")["y"]
    assert labels.tolist() == expected
    assert labels.map(type).nunique() == 1


def test_errors_say_which_table_is_meant(folder):
    left = pd.DataFrame({"id": [1, 2], "x": [1.0, 2.0]})
    with pytest.raises(InputError, match=r"a list of tables holds paths, got a DataFrame.*dict"):
        join_tables([left, left], "id")
    labels = left.assign(**{"a__x": ["p", "q"]})
    with pytest.raises(InputError, match=r"'a__x' would be .* two columns.*'x' of table 'a'"):
        join_tables({"a": left, "b": labels}, "id", "a__x")
    with pytest.raises(InputError, match=r"'a__x' would be .* two columns"):
        join_tables({"a": left.assign(**{"a__x": [1, 2]}), "b": labels}, "a__x")
    with pytest.raises(InputError, match=r"labels\.csv: on 'key' is not a column"):
        compare(folder, "kind", on="key")
    (folder / "._wind.csv").write_bytes(bytes(range(256)))
    assert len(join_tables(folder, "id", "kind")) == 80


@pytest.mark.parametrize("table", [np.eye(2), sp.eye_array(2), pd.DataFrame(np.eye(2))])
def test_a_dict_of_tables_is_told_how_to_be_joined(table):
    with pytest.raises(InputError, match=r"on which column joins them.*uneven\.join_views"):
        compare({"a": table, "b": table}, ["p", "q"])
    with pytest.raises(InputError, match=r"give pandas\.DataFrame"):
        compare({"a": [1, 2], "b": [3, 4]}, ["p", "q"])

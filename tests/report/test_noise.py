"""What the page and the results say about noisy labels."""

from dataclasses import replace

import numpy as np
import pytest

from tests.report.samples import make_results, with_noise
from tests.report.test_page import Reader
from uneven.cli.ranking import noise_table, ranking_table
from uneven.report import CompareResults, NoiseSummary, render_report


@pytest.mark.parametrize("arguments", [{}, {"n_classes": 26, "n_methods": 12}, {"n_classes": 2}])
def test_results_with_noise_survive_json(arguments):
    results = with_noise(make_results(**arguments))
    again = CompareResults.from_json(results.to_json())
    assert again.noise == results.noise
    assert [m.corrected for m in again.methods] == [m.corrected for m in results.methods]
    assert again.methods[0].knows_noise


def test_results_without_noise_know_nothing_of_it():
    results = make_results()
    assert CompareResults.from_json(results.to_json()).noise is None
    assert results.shown_measures == results.measures
    with pytest.raises(ValueError, match="no noise matrix"):
        noise_table(results)


def test_a_corrected_measure_stands_beside_the_biased_one():
    results = with_noise(make_results())
    names = [measure.name for measure in results.shown_measures]
    assert names[:2] == ["corrected_gmean", "gmean"]
    other = replace(results, metric="accuracy")
    names = [measure.name for measure in other.shown_measures]
    assert names[:2] == ["accuracy", "corrected_gmean"]
    assert "gmean" not in names


def test_parts_of_other_sizes_are_refused():
    results = with_noise(make_results(4))
    with pytest.raises(ValueError, match="the noise matrix must be 4 x 4"):
        replace(results, noise=NoiseSummary("n", [[1.0]], 1.0, [1.0], [1.0], [1.0]))
    with pytest.raises(ValueError, match="one per class"):
        NoiseSummary("n", [[1.0]], 1.0, [1.0, 2.0], [1.0], [1.0])
    with pytest.raises(ValueError, match=r"corrected of method 'combo' must be 4 x 4"):
        replace(results, methods=[replace(results.methods[0], corrected=[])])


def test_the_page_shows_the_matrix_and_both_confusions():
    results = with_noise(make_results(6, nasty=True))
    page = render_report(results)
    reader = Reader.read(page)
    ids = [a["id"] for name, a in reader.elements if name == "section"]
    assert ids.index("noise") == ids.index("ranking") + 1
    matrices = [a for name, a in reader.elements if name == "svg" and a["class"] == "matrix"]
    assert len(matrices) == 2 * len(results.methods)
    wrong = [a for name, a in reader.elements if name == "td" and a.get("class") == "heat error"]
    assert len(wrong) == 30
    assert "noise &lt;&amp;&gt; matrix.csv" in page
    assert page.count("knows the noise") == sum(m.knows_noise for m in results.methods)
    assert "Recalls are corrected" in page
    said = " ".join(reader.texts)
    assert f"{100 * results.noise.wrong_share:.0f} % of the labels are wrong" in said
    assert f"Condition number {results.noise.condition:.1f}" in said


def test_corrected_counts_make_the_recalls():
    results = with_noise(make_results(3))
    method = results.methods[0]
    counts = np.array(method.corrected)
    np.testing.assert_allclose(method.recalls(), np.diag(counts) / counts.sum(axis=1))
    plain = replace(method, corrected=[])
    assert plain.recalls() != method.recalls()


@pytest.mark.parametrize("condition", [1.5, 10.0, 200.0])
def test_the_condition_is_told_in_words(condition):
    results = with_noise(make_results(3))
    page = render_report(replace(results, noise=replace(results.noise, condition=condition)))
    words = ("costs little", "less certain", "hides much")
    said = [word for word in words if word in page]
    assert said == [words[(condition > 3) + (condition > 30)]]


def test_terminal_tables_tell_who_knows_and_how_labels_are_wrong():
    results = with_noise(make_results(3))
    ranking = ranking_table(results)
    assert list(ranking.columns[1].cells) == [
        "yes" if m.knows_noise else "no" for m in results.ranked()
    ]
    table = noise_table(results, ascii_only=True)
    assert [str(cell) for cell in table.columns[0].cells] == results.data.classes
    assert next(iter(table.columns[4].cells)).endswith(" x")
    assert "of the labels are wrong" in table.caption

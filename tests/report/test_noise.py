"""What the page and the results say about noisy labels."""

from dataclasses import replace

import numpy as np
import pytest

from tests.report.samples import make_results, with_noise
from tests.report.test_page import Reader
from uneven.cli.resulttables import noise_table, ranking_table
from uneven.comparison import Comparison, NoiseSummary
from uneven.report import render_report
from uneven.report.outcome import impossible, leaders, verdict


@pytest.mark.parametrize("arguments", [{}, {"n_classes": 26, "n_methods": 12}, {"n_classes": 2}])
def test_results_with_noise_survive_json(arguments):
    results = with_noise(make_results(**arguments))
    again = Comparison.from_json(results.to_json())
    assert again.noise == results.noise
    assert [m.corrected for m in again.methods] == [m.corrected for m in results.methods]
    assert again.methods[0].knows_noise


def test_results_without_noise_know_nothing_of_it():
    results = make_results()
    assert Comparison.from_json(results.to_json()).noise is None
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
    assert page.count("uses the noise matrix") == sum(m.knows_noise for m in results.methods)
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
    words = ("costs little", "less certain", "is strong")
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


def moved(results, **shifts):
    """The same comparison with other values of the chosen measure."""
    methods = [
        replace(m, scores=m.scores | {results.metric: [shifts[m.name]] * 5})
        if m.name in shifts
        else m
        for m in results.methods
    ]
    return replace(results, methods=methods)


def test_what_cannot_be_is_no_headline_and_wins_nothing():
    results = with_noise(make_results(3))
    plain = verdict(results)
    assert impossible(results) == ""
    assert "cannot be" not in plain.sentence
    odd = moved(results, combo=1.02, random_forest=1.2, logistic_regression=-0.1)
    assert [m.name for m in odd.ranked()][:2] == ["combo", "random_forest"]
    assert {m.name for m in leaders(odd, odd.metric)} == {"combo", "random_forest"}
    told = verdict(odd)
    assert (
        told.headline == "CoMBo comes out first, but its corrected G-mean, 1.020 ± 0.000, "
        "cannot be."
    )
    assert "above the best baseline" not in told.detail
    assert "above 1 cannot be (CoMBo 1.020, Random forest 1.200)" in told.detail
    assert "below 0 cannot be (Logistic regression −0.100)" in told.detail
    assert "does not fit these labels" in told.detail
    assert "are tied" in told.detail
    assert told.headline in render_report(odd)
    alone = verdict(moved(results, random_forest=1.2))
    assert "Random forest comes out first, but" in alone.headline
    assert "above the best method of uneven" in alone.detail


def test_a_measure_that_is_not_corrected_keeps_its_values():
    results = replace(make_results(3), metric="confusion_norm")
    big = moved(results, combo=1.7, random_forest=1.9, adaboost_mm=2.0)
    order = [m.name for m in big.ranked()]
    assert order[-3:] == ["combo", "random_forest", "adaboost_mm"]
    assert impossible(big) == ""


def test_a_matrix_from_few_rows_is_called_a_guess():
    results = with_noise(make_results(3))
    few = replace(results, noise=replace(results.noise, condition=1.5, rows=[80.0, 12.0, 90.0]))
    best = replace(few.winner, matrix_range={few.metric: [0.7, 0.95]})
    few = replace(few, methods=[best if m.name == best.name else m for m in few.methods])
    page = render_report(few)
    assert "costs little" not in page
    assert "a rough guess, from 12 rows of digit 1" in page
    interval = "over the matrices compatible with them, CoMBo is between 0.70 and 0.95"
    assert f"estimated from 182 rows; {interval}" in page
    assert "between 0.70 and 0.95" in ranking_table(few).caption
    assert list(noise_table(few).columns[5].cells) == ["80", "12", "90"]
    assert Comparison.from_json(few.to_json()) == few
    many = replace(few, noise=replace(few.noise, rows=[80.0, 120.0, 90.0]))
    assert "costs little" in render_report(many)
    with pytest.raises(ValueError, match="one per class"):
        replace(results.noise, rows=[1.0])

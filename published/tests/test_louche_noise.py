"""The noise figures of Louche: print, protocols on small settings, claims."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from uneven.metrics import confusion_rate
from uneven_published import Context
from uneven_published.louche import NOISE, illustrations
from uneven_published.louche import noise_studies as studies
from uneven_published.louche.cheap_labels import (
    CHEAP,
    CORE,
    SAMPLE,
    TOPIC_SIZES,
    UMA,
    Draw,
    KernelImages,
    Rows,
    draw_labelled,
    seen_matrix,
    topic_documents,
    uma,
)
from uneven_published.louche.noise_studies import (
    SSVM,
    SSVM_UNPROJECTED,
    ClassSizes,
    ErrorTable,
    GrowingSample,
    RuleRace,
)
from uneven_published.louche.noise_toy import (
    LEVELS,
    NO_MATRIX,
    PERCEPTRON,
    Circle,
    MoreNoise,
    WrongMatrix,
)
from uneven_published.numbers import Printed, Value

EXHIBITS = {exhibit.name: exhibit for exhibit in NOISE}
STUDIES = {study.name: study for exhibit in NOISE for study in exhibit.studies}
CONTRADICTED_BY_PRINT = {
    "louche-figure-4.1-right": 1,
    "louche-figure-4.3": 1,
}


class FewTopics:
    """A source of few generated documents."""

    n_per_class, steps = 8, 10

    def rows(self, context, repeat):
        return topic_documents(repeat, sizes=(80, 50, 40), n_words=80)

    def unprojected(self, context, repeat):
        return self.rows(context, repeat)


SOURCES = {"few": FewTopics()}


def test_every_figure_before_chapter_five_is_listed():
    places = [exhibit.place.removeprefix("Figure ") for exhibit in NOISE]
    assert places == [
        *("1.1", "1.2", "1.3", "1.4", "2.1", "3.1", "3.2", "3.3"),
        *("4.1 left", "4.1 right", "4.2", "4.3", "4.4", "4.5", "4.6"),
    ]
    assert len(EXHIBITS) == len(places)


def test_the_print_contradicts_only_the_claims_that_the_errata_name():
    for name, exhibit in EXHIBITS.items():
        verdicts = [claim.check(exhibit.printed) for claim in exhibit.claims]
        wrong = sum(verdict.held is False for verdict in verdicts)
        assert wrong == CONTRADICTED_BY_PRINT.get(name, 0), (name, verdicts)


def test_claims_of_the_error_table_follow_the_print():
    exhibit = EXHIBITS["louche-figure-4.3"]
    held = {claim.text: claim.check(exhibit.printed).held for claim in exhibit.claims}
    assert sum(value is True for value in held.values()) == 8
    assert held["UMA always has a lower error than h_Sy."] is True


@pytest.mark.parametrize(
    ("name", "text", "changed"),
    [
        ("4.2", "about eight times", {("Reuters", "training rows", "largest"): 15_000}),
        ("4.3", "Few labels cost much", {("Letter Recognition", "h_St", "error"): 0.27}),
        ("4.3", "clearly better", {("Letter Recognition", "h_SSVM", "error"): 0.37}),
    ],
)
def test_claims_fail_where_their_words_no_longer_hold(name, text, changed):
    exhibit = EXHIBITS[f"louche-figure-{name}"]
    (claim,) = [one for one in exhibit.claims if text in one.text]
    assert claim.check(exhibit.printed).held is True
    other = Printed({key: Value(value) for key, value in changed.items()})
    assert claim.check(exhibit.printed | other).held is False


@pytest.mark.parametrize(("many", "held"), [(0.30, True), (0.36, False), (0.2, False)])
def test_almost_a_tenth_is_seven_to_thirteen_hundredths(many, held):
    (claim,) = [c for c in EXHIBITS["louche-figure-4.3"].claims if "almost 0.1" in c.text]
    rows = {studies.TOPIC_ROW: 0.39, studies.TOPIC_ROW_70: many}
    found = Printed({(row, UMA, "error"): Value(error) for row, error in rows.items()})
    assert claim.check(found).held is held


def test_plots_are_as_long_as_their_curves():
    steps = studies.RACE.measure.steps
    assert {len(plot.x) for plot in EXHIBITS["louche-figure-4.6"].plots} == {steps}
    for name in ("louche-figure-4.4", "louche-figure-4.5"):
        (plot,) = EXHIBITS[name].plots
        assert plot.x == studies.TEXT_SAMPLES.measure.shares == studies.IMAGE_SAMPLES.measure.shares


@pytest.mark.parametrize("name", STUDIES)
def test_studies_can_be_sent_to_other_processes(name):
    study = STUDIES[name]
    assert pickle.loads(pickle.dumps(study.measure)) == study.measure
    assert set(study.fast_items or ()) <= {item.name for item in study.items}


class TestCircle:
    def test_answers_hold_a_curve_and_its_ends(self):
        measure = MoreNoise({"Toy": "error"}, n_classes=4, n_train=100, n_test=200, steps=8)
        found = measure("Toy", 0, Context())
        assert list(found) == [UMA, PERCEPTRON, NO_MATRIX]
        norms = np.asarray(found[UMA]["norm"])
        assert norms.shape == (1, len(LEVELS))
        assert found[UMA]["weakest"] == norms[0, 0]
        assert found[UMA]["strongest"] == norms[0, -1]
        again = measure("Toy", 0, Context())
        np.testing.assert_array_equal(norms, again[UMA]["norm"])
        assert not np.array_equal(norms, measure("Toy", 1, Context())[UMA]["norm"])

    def test_knowing_the_noise_helps_where_it_is_moderate(self):
        gaps = []
        for seed in range(3):
            circle = Circle.draw(seed, 6, 1000, 1000)
            labels = circle.noisy(6)
            gaps.append(circle.norm(labels, None, "error", 200))
            gaps[-1] -= circle.norm(labels, 6, "error", 200)
        assert np.mean(gaps) > 0.1

    def test_level_ten_is_the_matrix_itself(self):
        circle = Circle.draw(3, 5, 60, 60)
        off = circle.matrix - np.diag(np.diag(circle.matrix))
        assert circle.noise_size(10) == pytest.approx(np.linalg.norm(off))
        assert circle.noise_size(3) == pytest.approx(0.3 * np.linalg.norm(off))

    def test_sides_of_a_wrong_matrix_leave_the_exact_one_out(self):
        measure = WrongMatrix({"Toy": "error"}, n_classes=3, n_train=80, n_test=200, steps=8)
        found = measure("Toy", 0, Context())[UMA]
        norms = found["norm"][0]
        assert norms.shape == (21,)
        assert found["exact"] == norms[10]
        assert found["under"] == pytest.approx(np.nanmean(norms[1:10]))
        assert found["over"] == pytest.approx(np.nanmean(norms[11:]))

    def test_a_matrix_without_inverse_gives_no_number(self):
        circle = Circle.draw(0, 2, 50, 50)
        singular = Circle(0, circle.train, circle.test, np.full((2, 2), 0.5))
        assert np.isnan(singular.norm(circle.train.target, 10, "error", 5))


class TestCheapLabels:
    def test_labelled_rows_are_apart_and_balanced(self):
        t = np.repeat([0, 1, 2], (70, 20, 10))
        labelled = draw_labelled(t, 4, seed=1, share=0.3)
        assert np.bincount(t[labelled.few]).tolist() == [4, 4, 4]
        assert len(labelled.sample) == 30
        assert not set(labelled.few) & set(labelled.sample)
        assert set(t[labelled.sample]) == {0, 1, 2}

    def test_a_sample_takes_what_is_left(self):
        labelled = draw_labelled(np.repeat([0, 1], 10), 8, seed=0, share=0.9)
        assert len(labelled.sample) == 4

    def test_a_class_that_is_not_seen_counts_as_right(self):
        rows = topic_documents(0, sizes=(40, 30, 20), n_words=30)
        draw = Draw.of(rows, draw_labelled(rows.t, 5, 0))
        first = np.flatnonzero(rows.t == 0)
        matrix = seen_matrix(draw, first)
        np.testing.assert_array_equal(matrix[:, 1:], np.eye(3)[:, 1:])
        np.testing.assert_allclose(matrix.sum(axis=0), 1.0)
        assert matrix[0, 0] == pytest.approx(np.mean(draw.cheap[first] == 0))

    def test_a_table_has_a_sample_of_every_learner_per_draw(self):
        found = ErrorTable(SOURCES, n_draws=2)("few", 0, Context())
        assert list(found) == [*CORE, SSVM, SSVM_UNPROJECTED]
        assert all(len(one["error"]) == 2 for one in found.values())
        assert found[SSVM] == found[SSVM_UNPROJECTED]

    def test_growing_samples_hold_the_smaller_ones(self, monkeypatch):
        seen = []

        def watch(draw, sample, steps):
            seen.append(sample)
            return 0.0, 1.0, float(len(sample))

        monkeypatch.setattr(studies, "_errors", watch)
        found = GrowingSample(SOURCES, (0.1, 0.2, 0.5))("few", 0, Context())
        assert [len(sample) for sample in seen] == [17, 34, 85]
        assert set(seen[0]) <= set(seen[1]) <= set(seen[2])
        np.testing.assert_array_equal(found[SSVM]["error"], [[17, 34, 85]])
        assert found[SAMPLE]["first"] == [1.0]
        assert found[SSVM]["last"] == [85.0]

    def test_more_labels_help_the_perceptron(self):
        found = GrowingSample(SOURCES, (0.06, 0.6))("few", 0, Context())
        assert found[SAMPLE]["last"][0] < found[SAMPLE]["first"][0]
        assert np.shape(found[UMA]["error"]) == (1, 2)

    def test_steps_watched_one_by_one_end_where_a_fit_ends(self):
        found = RuleRace(SOURCES, ("error", "random"), steps=12)("few", 2, Context())
        rows = FewTopics().rows(None, 2)
        draw = Draw.of(rows, draw_labelled(rows.t, 8, 202))
        for rule, curves in found.items():
            model = uma(12, seen_matrix(draw), selection=rule, random_state=202)
            model.fit(rows.X, draw.cheap)
            assert np.shape(curves["error"]) == (1, 12)
            assert curves["last error"] == rows.error(model)
            assert curves["last rate"] == confusion_rate(rows.t_test, model.predict(rows.X_test))

        assert np.any(found["error"]["rate"] != found["random"]["rate"])

    def test_the_semi_supervised_learner_sees_no_label_outside_the_sample(self):
        rows = FewTopics().rows(None, 0)
        sample = np.arange(0, 170, 5)
        others = np.setdiff1d(np.arange(170), sample)
        wrong = rows.t.copy()
        wrong[others] = (wrong[others] + 1) % 3
        blurred = Rows(rows.X, wrong, rows.X_test, rows.t_test)
        coefs = [studies._semi_supervised(one, sample).coef_ for one in (rows, blurred)]
        np.testing.assert_array_equal(*coefs)

    def test_class_sizes_are_sorted_and_padded(self):
        found = ClassSizes(SOURCES, most=5)("few", 0, Context())["training rows"]
        np.testing.assert_array_equal(found["sizes"], [[80, 50, 40, np.nan, np.nan]])
        assert (found["classes"], found["largest"], found["smallest"]) == (3, 80, 40)


class TestRows:
    @pytest.fixture
    def images(self, monkeypatch):
        X = np.random.default_rng(0).normal(size=(60, 3))
        t = (X[:, 0] > 0).astype(int)
        monkeypatch.setattr(KernelImages, "plain", lambda self, context: (X, t))
        return KernelImages("x", 40, 1.0, 2, 10, 40, width=1.5, steps=5)

    def test_without_projection_the_products_are_the_centred_kernel(self, images):
        X, t = images.plain(None)
        rows = images.unprojected(Context(), 0)
        squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        K = np.exp(-squares / (2 * 1.5**2))
        P = np.eye(60)
        P[:, :40] -= 1 / 40
        K = P @ K @ P.T
        scale = np.sqrt(np.diag(K))
        Z = np.vstack([rows.X, rows.X_test])
        known = slice(None, 40)
        np.testing.assert_allclose(
            (Z @ Z.T)[known, known], (K / np.outer(scale, scale))[known, known], atol=1e-5
        )
        np.testing.assert_array_equal(rows.t_test, t[40:])

    def test_all_axes_are_the_whole_kernel(self, images):
        full = KernelImages("x", 40, 1.0, 2, 39, 40, width=1.5, steps=5)
        Z, whole = full.rows(Context(), 0).X, images.unprojected(Context(), 0).X
        np.testing.assert_allclose(Z @ Z.T, whole @ whole.T, atol=1e-4)

    def test_documents_have_unit_length_and_the_published_imbalance(self):
        rows = topic_documents(1, sizes=(30, 20), n_words=60)
        np.testing.assert_allclose(np.sqrt((rows.X * rows.X).sum(axis=1)), 1.0)
        assert np.any(np.diff(rows.t) < 0)
        assert (sum(TOPIC_SIZES), max(TOPIC_SIZES), min(TOPIC_SIZES)) == (10_950, 4000, 500)


class TestIllustrations:
    def test_risks_are_convex_or_not_as_the_source_says(self):
        measure = illustrations.RiskSurface({"clean": 0.0, "noisy": 0.15}, n_grid=21)
        clean, noisy = (measure(name, 0, Context()) for name in ("clean", "noisy"))
        assert clean["0-1"]["lowest"] == 0.0 < noisy["0-1"]["lowest"]
        assert clean["hinge"]["bent"] == noisy["hinge"]["bent"] == 0.0
        assert noisy["0-1"]["bent"] > 0.1

    def test_lines_shatter_three_points_but_not_four(self):
        measure = illustrations.Shattering({"3": 3, "4": 4})
        assert measure("3", 0, Context())["lines"] == {"labellings": 8, "produced": 8}
        assert measure("4", 0, Context())["lines"] == {"labellings": 16, "produced": 14}

    def test_support_vectors_find_the_same_classifier(self):
        found = illustrations.Compression()("50 points", 0, Context())["Gaussian SVM"]
        assert found["points"] == 50 > found["support"]
        assert found["agreement"] > 0.999

    def test_printed_norms_are_squares(self):
        exhibit = EXHIBITS["louche-figure-3.3"]
        measure = illustrations.CONFUSIONS.measure
        for row in ("top", "bottom"):
            found = measure(row, 0, Context())["classifier"]
            assert found["error"] == exhibit.printed.mean(row, "classifier", "error")
            printed = exhibit.printed.mean(row, "classifier", "square")
            assert found["square"] == pytest.approx(printed)
            assert found["norm"] == pytest.approx(np.sqrt(printed))

    def test_losses_at_known_margins(self):
        found = illustrations.LossCurves()("Losses", 0, Context())
        at = {name: dict(zip(illustrations.MARGINS, one["loss"][0])) for name, one in found.items()}
        assert [at[name][0.0] for name in at] == pytest.approx([0.0, 1.0, 1.0, np.log(2)])
        assert [at[name][-1.0] for name in at] == pytest.approx([1.0, 4.0, 2.0, np.log(1 + np.e)])


def test_rows_know_their_classes_and_errors():
    rows = Rows(np.eye(2), np.array([5, 3]), np.eye(2), np.array([3, 3]))

    class Model:
        def predict(self, X):
            return np.array([3, 5])

    assert rows.classes.tolist() == [3, 5]
    orders = [rows.shuffled(seed) for seed in range(8)]
    assert {tuple(one.t) for one in orders} == {(5, 3), (3, 5)}
    assert all(np.array_equal(one.X[one.t == 5], [[1, 0]]) for one in orders)
    assert rows.error(Model()) == 0.5
    assert CHEAP in CORE

"""Rules that join many classifiers: golden values, theorems, silent members, odd inputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uneven.fusion.rules import (
    RULES,
    WEIGHTED_RULES,
    count_votes,
    join_scores,
    majority,
    mean,
    median,
    product,
    trimmed_mean,
    weighted_mean,
    weighted_product,
)
from uneven.fusion.trained_rules import (
    TRAINED_RULES,
    DecisionTemplates,
    DempsterShafer,
)
from uneven.fusion.weighted_rules import accuracy_weights

FIRST = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4], [0.1, 0.2, 0.7]]
SECOND = [[0.5, 0.3, 0.2], [0.6, 0.2, 0.2], [0.3, 0.4, 0.3], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3]]
P = np.stack([[*FIRST, [0.3, 0.4, 0.3]], [*SECOND, [0.1, 0.2, 0.7]]], axis=1)
Y = np.array([0, 0, 1, 1, 2, 2])


def equal_weights(opinions):
    return np.ones(np.shape(opinions)[1])


EVERY = {
    **RULES,
    **{
        name: lambda opinions, rule=rule: rule(opinions, equal_weights(opinions))
        for name, rule in WEIGHTED_RULES.items()
    },
}


@st.composite
def opinions(draw, with_silence=False):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = [draw(st.integers(1, 8)) for _ in range(2)] + [draw(st.integers(2, 5))]
    scores = rng.dirichlet(np.ones(shape[2]), size=shape[:2])
    if with_silence:
        scores[rng.random(shape[:2]) < 0.4] = np.nan
    return scores, rng


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("mean", [0.5, 0.35, 0.15]),
        ("trimmed_mean", [0.5, 0.35, 0.15]),
        ("median", [0.5, 0.35, 0.15]),
        ("minimum", [0.4, 0.2, 0.1]),
        ("maximum", [0.6, 0.5, 0.2]),
        ("majority", [1.5, 1.0, 0.0]),
    ],
)
def test_golden_values_of_the_fixed_rules(rule, expected):
    np.testing.assert_allclose(join_scores(P, rule)[1], expected)


def test_golden_products_and_votes():
    np.testing.assert_allclose(product(P)[1] ** 2, [0.24, 0.10, 0.02])
    np.testing.assert_array_equal(count_votes(P)[1], [1, 1, 0])
    weighted = weighted_product(P, [1.0, 2.0])[1] ** 3
    np.testing.assert_allclose(weighted, [0.4 * 0.36, 0.5 * 0.04, 0.1 * 0.04])
    np.testing.assert_allclose(weighted_mean(P, [1.0, 2.0])[1] * 3, [1.6, 0.9, 0.5])


def test_golden_templates():
    rule = DecisionTemplates().fit(P, Y)
    expected = [
        [[0.55, 0.35, 0.10], [0.55, 0.25, 0.20]],
        [[0.25, 0.45, 0.30], [0.20, 0.60, 0.20]],
        [[0.20, 0.30, 0.50], [0.15, 0.35, 0.50]],
    ]
    np.testing.assert_allclose(rule.templates, expected)
    np.testing.assert_allclose(rule.scores(P)[1], [0.991667, 0.935833, 0.907500], atol=1e-6)


def test_golden_beliefs():
    rule = DempsterShafer().fit(P, Y)
    np.testing.assert_allclose(rule.scores(P)[1], [0.476134, 0.293191, 0.230674], atol=1e-6)
    alone = [DempsterShafer(rule.templates[:, [m]]).scores(P[[1]][:, [m]])[0] for m in range(2)]
    for found, belief in zip(
        alone, [[0.200636, 0.194384, 0.152023], [0.242034, 0.153832, 0.154756]], strict=True
    ):
        np.testing.assert_allclose(found, np.array(belief) / np.sum(belief), atol=2e-6)


def test_golden_weights_by_accuracy():
    right = (P.argmax(axis=2) == Y[:, None]).mean(axis=0)
    np.testing.assert_allclose(right, [0.5, 5 / 6])
    np.testing.assert_allclose(accuracy_weights(P, Y), [0.5, 1.5])
    heavy = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    np.testing.assert_allclose(accuracy_weights(P, Y, heavy), [4 / 3, 2 / 3])


@settings(max_examples=60, deadline=None)
@given(opinions())
def test_a_weighted_product_answers_as_the_weighted_sum_of_logarithms(drawn):
    scores, rng = drawn
    weights = rng.uniform(0.1, 2.0, scores.shape[1])
    plain = np.prod(scores ** weights[:, None], axis=1)
    logs = np.einsum("m,imn->in", weights, np.log(np.maximum(scores, 1e-12)))
    found = weighted_product(scores, weights)
    assert np.array_equal(found.argmax(axis=1), logs.argmax(axis=1))
    clear = (scores > 1e-12).all(axis=(1, 2))
    assert np.array_equal(found[clear].argmax(axis=1), plain[clear].argmax(axis=1))


@settings(max_examples=60, deadline=None)
@given(opinions(with_silence=True))
def test_equal_weights_make_no_difference(drawn):
    scores, _ = drawn
    ones = 3.0 * equal_weights(scores)
    np.testing.assert_allclose(weighted_mean(scores, ones), mean(scores))
    np.testing.assert_allclose(weighted_product(scores, ones), product(scores))
    np.testing.assert_allclose(trimmed_mean(scores, 0), mean(scores))


@settings(max_examples=60, deadline=None)
@given(opinions())
def test_templates_are_a_linear_rule(drawn):
    scores, rng = drawn
    n_members, n_classes = scores.shape[1:]
    y = rng.permutation(np.resize(np.arange(n_classes), 4 * n_classes))
    rows = rng.dirichlet(np.ones(n_classes), size=(len(y), n_members))
    rule = DecisionTemplates().fit(rows, y)
    flat, size = scores.reshape(len(scores), -1), n_members * n_classes
    for label in range(n_classes):
        template = rows[y == label].mean(axis=0).ravel()
        linear = 2.0 / size * flat @ template + 1.0 - template @ template / size
        both = (flat**2).sum(axis=1) / size
        np.testing.assert_allclose(rule.scores(scores)[:, label], linear - both)


@settings(max_examples=60, deadline=None)
@given(opinions(), st.sampled_from(sorted(EVERY)))
def test_a_silent_member_is_as_if_it_were_not_there(drawn, name):
    scores, rng = drawn
    silent = np.full((len(scores), 2, scores.shape[2]), np.nan)
    more = np.concatenate([silent[:, :1], scores, silent[:, 1:]], axis=1)
    np.testing.assert_allclose(EVERY[name](more), EVERY[name](scores), atol=1e-12)
    alone = np.full_like(scores, np.nan)
    speaker = rng.integers(scores.shape[1], size=len(scores))
    rows = np.arange(len(scores))
    alone[rows, speaker] = scores[rows, speaker]
    said = np.maximum(scores[rows, speaker], 1e-12)
    if name == "majority":
        said = np.eye(scores.shape[2])[said.argmax(axis=1)]
    np.testing.assert_allclose(EVERY[name](alone), said, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(opinions(with_silence=True), st.sampled_from(sorted(EVERY)))
def test_the_order_of_members_makes_no_difference(drawn, name):
    scores, rng = drawn
    other = scores[:, rng.permutation(scores.shape[1])]
    np.testing.assert_allclose(EVERY[name](other), EVERY[name](scores), atol=1e-12)


@pytest.mark.parametrize("name", sorted(EVERY))
def test_rows_in_which_nobody_speaks_get_zeros(name):
    scores = P.copy()
    scores[2] = np.nan
    found = EVERY[name](scores)
    assert not found[2].any()
    assert found[[0, 1, 3, 4, 5]].any(axis=1).all()


@pytest.mark.parametrize("name", sorted(TRAINED_RULES))
def test_trained_rules_live_with_silence(name):
    rule = TRAINED_RULES[name]().fit(P, Y)
    scores = P.copy()
    scores[2] = np.nan
    scores[3, 0] = np.nan
    found = rule.scores(scores)
    assert not found[2].any()
    assert found[3].argmax() == P[3, 1].argmax()
    np.testing.assert_array_equal(found[[0, 1, 4, 5]], rule.scores(P)[[0, 1, 4, 5]])
    scores[2, 0] = P[2, 0]
    taught = TRAINED_RULES[name]().fit(scores, Y).scores(P)
    assert np.isfinite(taught).all()
    assert not np.allclose(taught, rule.scores(P))


@pytest.mark.parametrize("kind", [DecisionTemplates, DempsterShafer])
def test_templates_of_silent_members_are_left_out(kind):
    rule = kind().fit(P, Y)
    scores = P.copy()
    scores[:, 0] = np.nan
    alone = kind(rule.templates[:, 1:]).scores(P[:, 1:])
    np.testing.assert_allclose(rule.scores(scores), alone)


@pytest.mark.parametrize("name", sorted(TRAINED_RULES))
def test_weights_of_rows_are_repetitions(name):
    times = np.array([1, 3, 2, 1, 1, 4])
    weighted = TRAINED_RULES[name]().fit(P, Y, times / times.sum()).scores(P)
    repeated = TRAINED_RULES[name]().fit(np.repeat(P, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(weighted, repeated.scores(P))
    plain = TRAINED_RULES[name]().fit(P, Y).scores(P)
    assert not np.allclose(weighted, plain)


def test_trimming_drops_the_ends_of_each_class():
    scores = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 5.0, 0.6, 0.7, 0.8, -9.0])[None, :, None]
    middle = np.sort(scores.ravel())
    for percent, cut in ((0, 0), (9, 0), (10, 1), (25, 2), (30, 3), (49.9, 4)):
        expected = middle[cut : 10 - cut].mean()
        np.testing.assert_allclose(trimmed_mean(scores, percent), [[expected]])
    np.testing.assert_allclose(median(scores), [[np.median(scores)]])
    np.testing.assert_allclose(median(scores[:, :9]), [[np.median(scores[:, :9])]])


def test_a_tied_vote_goes_to_the_class_of_the_larger_mean():
    three = np.array([[[0.9, 0.1, 0.0], [0.0, 0.4, 0.6], [0.3, 0.6, 0.1], [0.1, 0.1, 0.8]]])
    np.testing.assert_array_equal(count_votes(three), [[1, 1, 2]])
    np.testing.assert_array_equal(majority(three), [[1, 1, 2]])
    np.testing.assert_array_equal(majority(three[:, :3]), [[1.5, 1, 1]])
    np.testing.assert_array_equal(majority(three[:, 1:3]), [[0, 1.5, 1]])
    np.testing.assert_array_equal(majority(-three[:, :1] - 5.0), [[0, 0, 1]])


def test_a_third_class_does_not_win_a_tie_by_its_mean():
    scores = np.array([[[0.51, 0.0, 0.49], [0.0, 0.51, 0.49]]])
    assert mean(scores).argmax() == 2
    np.testing.assert_array_equal(majority(scores), [[1.5, 1, 0]])


def test_products_of_hundreds_of_members_neither_vanish_nor_veto():
    rng = np.random.default_rng(0)
    many = rng.dirichlet([1.2, 1.0, 1.0], size=(20, 400))
    logs = np.log(np.maximum(many, 1e-12)).sum(axis=1)
    assert np.array_equal(product(many).argmax(axis=1), logs.argmax(axis=1))
    assert (product(many) > 0.0).all()
    np.testing.assert_allclose(product([[[0.0, 1.0], [1.0, 1.0]]]), [[1e-6, 1.0]])
    many[:, 0] = [0.0, 0.5, 0.5]
    many[:, 1:, 0] = 0.9
    many[:, 1:, 1:] = 0.05
    assert (product(many).argmax(axis=1) == 0).all()


def test_beliefs_of_hundreds_of_members_do_not_vanish():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    many = rng.dirichlet(np.ones(3), size=(60, 300)) + 0.3 * np.eye(3)[y][:, None]
    scores = DempsterShafer().fit(many, y).scores(many)
    np.testing.assert_allclose(scores.sum(axis=1), 1.0)
    assert (scores.argmax(axis=1) == y).all()
    wide = DempsterShafer().fit(many * 1e200, y).scores(many * 1e200)
    assert np.isfinite(wide).all()
    spiky = DempsterShafer(np.array([[[0.0, 0.0]], [[1e120, 1e120]]]))
    np.testing.assert_allclose(spiky.scores([[[0.0, 0.0]]]), [[1.0, 0.0]], atol=1e-12)


def test_members_that_are_sure_of_different_classes_leave_it_open():
    certain = np.array([[[0.0, 0.0]] * 2, [[1e120, 1e120]] * 2])
    torn = DempsterShafer(certain).scores([[[0.0, 0.0], [1e120, 1e120]]])
    np.testing.assert_allclose(torn, [[0.5, 0.5]])


@settings(max_examples=30, deadline=None)
@given(opinions())
def test_beliefs_follow_the_formulas(drawn):
    scores, rng = drawn
    n_members, n_classes = scores.shape[1:]
    templates = rng.dirichlet(np.ones(n_classes), size=(n_classes, n_members))
    expected = np.ones((len(scores), n_classes))
    for i, m in np.ndindex(scores.shape[:2]):
        near = 1.0 / (1.0 + ((templates[:, m] - scores[i, m]) ** 2).sum(axis=1))
        phi = near / near.sum()
        for n in range(n_classes):
            q = np.prod(1.0 - np.delete(phi, n))
            expected[i, n] *= phi[n] * q / (1.0 - phi[n] * (1.0 - q))
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(DempsterShafer(templates).scores(scores), expected)


def test_members_that_only_guess_get_no_weight_unless_all_do():
    scores = np.tile([[[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]], (4, 1, 1))
    scores[2:, 0] = [1.0, 0.0]
    np.testing.assert_allclose(accuracy_weights(scores, [1, 1, 0, 0]), [3, 0, 0])
    np.testing.assert_allclose(accuracy_weights(scores[:, 1:], [1, 1, 0, 0]), [1, 1])
    scores[2:, 2] = np.nan
    np.testing.assert_allclose(accuracy_weights(scores, [1, 1, 0, 0]), [1.5, 0, 1.5])


@pytest.mark.parametrize("name", sorted(EVERY))
def test_arrays_of_every_kind(name):
    expected = EVERY[name](P)
    for same in (P.tolist(), np.asfortranarray(P)):
        np.testing.assert_array_equal(EVERY[name](same), expected)
    np.testing.assert_allclose(EVERY[name](P.astype(np.float32)), expected, atol=1e-6)
    assert EVERY[name](P[:0]).shape == (0, 3)
    assert EVERY[name](P[:, :, :1]).shape == (6, 1)
    np.testing.assert_allclose(EVERY[name](P[:, :1]).argmax(axis=1), P[:, 0].argmax(axis=1))
    given_back = P.copy()
    EVERY[name](P)
    np.testing.assert_array_equal(P, given_back)


def spoilt(value, part=(2, 1, 0)):
    scores = P.copy()
    scores[part] = value
    return scores


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean(P[0]), r"shape \(2, 3\): they must be \(rows, members, classes\)"),
        (lambda: mean(P[:, :0]), "at least one member"),
        (lambda: mean([[["a", "b"]]]), "must be numbers"),
        (lambda: mean([[[0.1, 0.9]], [[1.0]]]), "must be numbers"),
        (lambda: mean(spoilt(np.nan)), "member 1 gives nan for some of the classes only in row 2"),
        (lambda: median(spoilt(np.inf)), "member 1 gives an infinite score in row 2"),
        (lambda: product(spoilt(-0.5)), "member 1 gives -0.5 to class 0 in row 2"),
        (lambda: trimmed_mean(P, 50), "less than 50 percent at each end, got 50"),
        (lambda: trimmed_mean(P, -1), "got -1"),
        (lambda: trimmed_mean(P, "10"), "got '10'"),
        (lambda: trimmed_mean(P, np.nan), "got nan"),
        (lambda: weighted_mean(P, [1.0]), r"weights has shape \(1,\), but there are 2 members"),
        (lambda: weighted_mean(P, [0.0, 0.0]), "not all zero"),
        (lambda: weighted_product(P, [1.0, -1.0]), "weights must be finite, >= 0"),
        (lambda: join_scores(P, "sum of squares"), "rule must be one of 'majority'"),
        (lambda: join_scores(P, "mean", [1.0, 2.0]), "rule='mean' takes no weights"),
        (lambda: join_scores(P, "weighted_mean"), "needs a weight for every member"),
        (lambda: accuracy_weights(P, Y[:3]), r"y has shape \(3,\)"),
        (lambda: accuracy_weights(P, Y.astype(float)), "type float64"),
        (lambda: accuracy_weights(P, Y + 1), "y holds 3, but the scores have 3 classes"),
        (lambda: accuracy_weights(P[:0], Y[:0]), "no rows of scores"),
        (lambda: accuracy_weights(P, Y, [1.0]), r"share has shape \(1,\)"),
        (lambda: accuracy_weights(P, Y, -np.ones(6)), "share must hold finite numbers >= 0"),
        (lambda: DecisionTemplates().fit(P[:4], Y[:4]), "class 2 has no training row"),
        (lambda: DecisionTemplates().fit(P, Y, Y != 1), "class 1 has no training row"),
        (lambda: DecisionTemplates().fit(spoilt(np.nan, np.s_[2:4, 1]), Y), "member 1 is silent"),
        (lambda: DecisionTemplates().scores(P), "call fit first"),
        (lambda: TRAINED_RULES["weighted_mean"]().scores(P), "needs a weight for every"),
        (lambda: DempsterShafer().fit(P[:, :, :1], Y * 0), "only one"),
        (lambda: DempsterShafer().fit(P, Y).scores(P[:, :1]), "1 members and 3 classes"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()

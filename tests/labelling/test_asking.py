"""Questions, their order, the curve and the advice."""

import queue
from dataclasses import replace

import numpy as np
import pandas as pd

from tests.labelling.conftest import Visitor
from uneven.labelling.advice import advise, changed_share
from uneven.labelling.agreement import Reliability, kappas, reliability, settle
from uneven.labelling.asking import Asker, Review, Setup, Snapshot, Thought
from uneven.labelling.assigning import INFORMATION, RANDOM, Desk
from uneven.labelling.curve import Checkpoint, points
from uneven.labelling.ledger import Ledger
from uneven.labelling.outcome import Outcome
from uneven.labelling.reasons import Guess
from uneven.labelling.store import Event
from uneven.labelling.worker import work
from uneven.noise import corrupt_labels, uniform_noise
from uneven.versionspace import BayesPointClassifier


def plane(n=300, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    y = np.where(X @ [1.0, 2.0] > 0, "yes", "no")
    order = np.random.default_rng(seed + 1).permutation(n)
    return Setup(X, order, ["a", "b"], BayesPointClassifier("linear")), y


def last(steps):
    return [step for step in steps if step is not None][-1]


def test_the_queue_is_near_the_border_and_leaves_closed_rows_out():
    setup, y = plane()
    rows = list(range(30))
    asker = Asker(setup)
    thought = asker.think(Snapshot(1, rows, y[rows].tolist(), wanted=10))
    margin = np.abs(setup.X @ [1.0, 2.0])
    assert margin[thought.queue[0]] < np.quantile(margin, 0.2)
    shares = thought.shares[thought.queue[0]]
    assert abs(sum(shares.values()) - 1) < 1e-6
    closed = Snapshot(2, rows, y[rows].tolist(), closed=thought.queue[:3], wanted=10)
    assert not set(asker.think(closed).queue) & set(thought.queue[:3])


def test_the_curve_is_judged_by_rows_that_were_not_learnt_from():
    """With labels drawn at random, what was learnt is right by chance only."""
    setup, _ = plane()
    y = np.random.default_rng(5).choice(["yes", "no"], 300)
    rows = setup.order[:120].tolist()
    asker = Asker(setup)
    now = Snapshot(1, rows, y[rows].tolist(), sample=120)
    asker.think(now)
    review = last(asker.review(now))
    assert isinstance(review, Review)
    assert review.curve[-1].tested == 120
    assert 0.3 < review.curve[-1].error < 0.7
    assert review.curve[-1].low < review.curve[-1].error < review.curve[-1].high


def test_the_curve_falls_and_the_advice_stops_where_all_is_known():
    setup, y = plane(400)
    rows = setup.order[:150].tolist()
    asker = Asker(setup)
    for size in (60, 90, 110, 150):
        now = Snapshot(size, rows[:size], y[rows[:size]].tolist(), sample=size)
        asker.think(now)
        review = last(asker.review(now))
    assert review.curve[0].error > review.curve[-1].error
    assert review.curve[-1].error < 0.1
    assert review.advice is not None
    assert "changed" in review.advice.sentence


def test_a_wrong_label_is_suspicious():
    setup, y = plane()
    rows = np.argsort(-np.abs(setup.X @ [1.0, 2.0]))[:80].tolist()
    labels = y[rows].tolist()
    labels[3] = "no" if labels[3] == "yes" else "yes"
    now = Snapshot(1, rows, labels)
    asker = Asker(setup)
    asker.think(now)
    found = last(asker.review(now)).suspicious
    assert found[0][:2] == (rows[3], labels[3])
    assert len(found) < 10


def test_reasons_name_the_column_that_decides():
    setup, y = plane()
    rows = list(range(60))
    asker = Asker(setup)
    asker.think(Snapshot(1, rows, y[rows].tolist()))
    row = int(np.argmax(setup.X[:, 1]))
    guess = asker.guess(row)
    assert guess.shares[0][0] == "yes"
    assert guess.reasons[0][0] == "b"
    assert len(guess.alike) == 3


def test_work_answers_the_last_of_several_snapshots_and_ends():
    setup, y = plane(60)
    inbox, heard = queue.Queue(), []
    for size in (4, 8, 20):
        inbox.put(Snapshot(size, list(range(size)), y[:size].tolist()))
    for _ in range(3):
        inbox.put(5)

    def send(message):
        heard.append(message)
        if isinstance(message, Review):
            inbox.put(None)

    work(setup, inbox, send)
    assert [m.version for m in heard if isinstance(m, Thought)] == [20]
    assert [m[0] for m in heard if isinstance(m, tuple)] == [5]


def make_desk(n=400, people=(1,), **options):
    names = [str(k) for k in range(n)]
    order = np.random.default_rng(0).permutation(n)
    ledger = Ledger()
    return Desk(names, ledger, order, range(n), lambda: list(people), **options)


def say(desk, person, row, label="x", kind="label"):
    number = desk.ledger.last + 1
    text = label if kind == "label" else ""
    event = Event(str(number), person, desk.names[row], kind, text, id=number)
    desk.ledger.add(event)
    desk.heard(event.row)


def test_about_one_in_ten_questions_is_random_and_the_sample_has_no_gap():
    desk = make_desk()
    desk.thought = Thought(0, list(range(400)), {k: {"x": 1.0} for k in range(400)})
    whys = []
    for _ in range(200):
        question = desk.next(1)
        whys.append(question.why)
        say(desk, 1, question.row)
    assert 8 <= whys.count(RANDOM) <= 36
    assert set(whys) == {RANDOM, INFORMATION}
    assert all(desk.ledger.votes(desk.names[row]) for row in desk.order[: desk.sample])
    assert desk.sample >= whys.count(RANDOM)


def test_two_people_never_hold_the_same_row_unless_it_is_shared():
    desk = make_desk(people=(1, 2, 3), overlap=0.0)
    for _ in range(30):
        held = [desk.next(who).row for who in (1, 2, 3)]
        assert len(set(held)) == 3
        say(desk, 1, held[0])


def test_shared_rows_are_labelled_by_up_to_three_people():
    people = (1, 2, 3, 4)
    desk = make_desk(60, people, overlap=0.5, random_share=0.0)
    while any((questions := {who: desk.next(who) for who in people}).values()):
        for who, question in questions.items():
            if question is not None:
                say(desk, who, question.row)
    votes = [len(desk.ledger.votes(name)) for name in desk.names]
    assert set(votes) == {1, 3}
    assert 10 < votes.count(3) < 50


def test_rows_go_to_those_who_are_reliable_for_them():
    good, bad = np.array([[0.95, 0.05], [0.05, 0.95]]), np.array([[0.95, 0.5], [0.05, 0.5]])
    known = Reliability(["a", "b"], np.array([0.5, 0.5]), {1: good, 2: bad})
    desk = make_desk(people=(1, 2), overlap=0.0, random_share=0.0)
    shares = {k: {"a": 0.1, "b": 0.9} if k % 2 else {"a": 0.9, "b": 0.1} for k in range(400)}
    desk.thought = Thought(0, list(range(400)), shares, known)
    first = {1: [], 2: []}
    for _ in range(40):
        for who in (1, 2):
            row = desk.next(who).row
            first[who].append(row % 2)
            say(desk, who, row)
    assert np.mean(first[1]) > np.mean(first[2]) + 0.2


def test_reliability_weighs_votes():
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], 300)
    rates = {1: 0.05, 2: 0.1, 3: 0.45}
    given = {}
    for who, rate in rates.items():
        noisy = corrupt_labels(truth, uniform_noise(2, rate), rng)
        given[who] = {str(k): str(label) for k, label in enumerate(noisy)}
    known = reliability(given)
    right = {who: known.right([who], [{"a": 0.5, "b": 0.5}])[0] for who in rates}
    both = known.right([1, 3], [{"a": 0.5, "b": 0.5}])[0]
    assert np.isclose(both, (right[1] + right[3]) / 2)
    assert right[1] > right[3] + 0.2
    assert settle({1: "a", 3: "b"}, known)[0] == "a"
    assert settle({3: "b"}, known)[0] == "b"
    assert settle({3: "b"}, known)[1] < settle({1: "b"}, known)[1]
    pairs = {(a, b): kappa for a, b, _, _, kappa in kappas(given)}
    assert pairs[1, 2] > pairs[1, 3]


def test_labels_follow_what_is_known_about_the_annotators():
    votes = [Event(str(k), k, "7", "label", label, id=k) for k, label in ((1, "a"), (2, "b"))]
    outcome = Outcome(Ledger([*votes, Event("3", 1, "8", "unsure", id=3)]))
    assert outcome.labels() == {"7": "a", "8": "?"}
    good, bad = np.array([[0.9, 0.1], [0.1, 0.9]]), np.full((2, 2), 0.5)
    outcome.rely_on(Reliability(["a", "b"], np.array([0.5, 0.5]), {1: bad, 2: good}))
    assert outcome.labels() == {"7": "b", "8": "?"}
    assert +outcome.counts == {"b": 1}


def test_nothing_is_said_about_too_few_shared_rows():
    assert reliability({1: {"a": "x"}, 2: {"a": "y"}}) is None
    assert reliability({}) is None


def test_points_leave_rows_out_that_nobody_answered_for():
    found = points([Checkpoint(10, {1: "a", 2: "b"})], {1: "a", 2: "a", 3: "a"})
    assert (found[0].tested, found[0].wrong) == (2, 1)


def test_advice_stops_only_when_both_say_so():
    assert advise((40, 0.0), (0.001, 0.0, 0.004)).stop
    assert not advise((40, 0.0), (0.001, 0.0, 0.05)).stop
    assert not advise((40, 0.2), (0.001, 0.0, 0.004)).stop
    assert advise(None, None) is None
    assert changed_share([]) is None


def test_a_guess_from_before_two_classes_were_known_is_asked_for_again(make_project):
    project = make_project(start=True)
    visitor = Visitor(project).enter()
    project._hear((3, Guess([], [], [])))
    assert "before two classes" in visitor.web.get("/guess/3").text
    visitor.answer(0, "praise")
    visitor.answer(1, "refund")
    project._hear((3, Guess([], [], [])))
    assert visitor.web.get("/guess/3").status_code == 202
    project._hear((3, Guess([("praise", 1.0)], [], [])))
    project.desk.thought = replace(project.desk.thought, version=99)
    assert visitor.web.get("/guess/3").status_code == 200


def test_a_project_learns_while_people_answer(make_project):
    X = np.random.default_rng(0).normal(size=(120, 3))
    truth = np.where(X[:, 0] > 0, "yes", "no")
    project = make_project(pd.DataFrame(X, columns=list("abc")), start=True, classes=())
    visitor = Visitor(project).enter()
    for _ in range(25):
        row = visitor.question()["row"]
        visitor.answer(row, str(truth[row]))
    for _ in range(400):
        if project.review and project.review.version == 25 == project.desk.thought.version:
            break
        project._keeper.join(0.05)
    assert project.desk.thought.version == 25
    assert project.review.curve
    panel = visitor.web.get("/status").text
    assert "25" in panel
    page = visitor.web.get("/guess/3")
    for _ in range(200):
        if page.status_code == 200:
            break
        project._keeper.join(0.05)
        page = visitor.web.get("/guess/3")
    assert "less" in page.text

"""One labelling project: a pool, its answers, and the active learner.

A folder holds it: the answers (`answers.sqlite`), the file of labels that spreadsheets and
``uneven label-next`` share (`labels.csv`, if no other is named), the learner's history
(`history.json`), and the noise matrix of several annotators (`noise.csv`).
"""

from __future__ import annotations

import math
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

from uneven.active import ActiveLearner
from uneven.comparison import InputError, LabelFile, write_noise_matrix
from uneven.comparison.labelfile import SKIP
from uneven.labelling.agreement import confusion
from uneven.labelling.asking import Review, Setup, Snapshot, Thought
from uneven.labelling.assigning import Desk, Question
from uneven.labelling.exchange import exchange
from uneven.labelling.ledger import Ledger, labels_by_person
from uneven.labelling.naming import RefusedError, check_label, check_name, read_classes
from uneven.labelling.outcome import Outcome
from uneven.labelling.pool import PoolTable
from uneven.labelling.reasons import Guess
from uneven.labelling.store import FILE, FROM_FILE, Event, InUseError, Person, Store
from uneven.labelling.worker import Worker
from uneven.noise import ConfusionEstimate
from uneven.utils.registry import listing
from uneven.versionspace import BayesPointClassifier

FIRST = 12
"""Questions that are spread over the pool before anything is known."""

LONGEST_COMMENT = 2000
EXCHANGE_SECONDS = 3.0
THINK_SECONDS = 15.0
GUESS_SECONDS = 10.0


@dataclass(frozen=True)
class Options:
    """How to label.

    Attributes
    ----------
    classes : tuple of str
        Classes that are known from the start.
    people : tuple of str, or int
        Names of those who label, or how many they are.
    query : str
        Name of a query rule.
    model : BayesPointClassifier or None
        The classifier; None takes the linear kernel for running text, else the Gaussian one.
    random_share, overlap : float
        Share of random rows, and of rows that up to three people label.
    budget : int or None
        After how many labels to propose to stop.
    seed : int
    """

    classes: tuple[str, ...] = ()
    people: tuple[str, ...] | int = 1
    query: str = "centre_of_gravity"
    model: BayesPointClassifier | None = None
    random_share: float = 0.1
    overlap: float = 0.2
    budget: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("random_share", "overlap"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"{name} must be between 0 and 1, got {getattr(self, name)!r}.")


class ChangedError(RefusedError):
    """The row was answered in the meantime, in another window."""


@dataclass
class Project:
    """A pool that people label.

    Parameters
    ----------
    pool : PoolTable
    folder : Path
        Made if it is not there.
    labels : Path, optional
        File of labels; that in the folder by default.
    options : Options
    process : bool, default=True
        Whether the learner works in a process of its own.
    """

    pool: PoolTable
    folder: Path
    labels: Path | None = None
    options: Options = field(default_factory=Options)
    process: bool = True

    def __post_init__(self) -> None:
        wanted = (self.folder / FILE, self.folder, *self.folder.parents)
        self._made = [path for path in wanted if not path.exists()]
        self.folder.mkdir(parents=True, exist_ok=True)
        self.labels = self.labels or self.folder / "labels.csv"
        self.notes: list[str] = list(self.pool.notes)
        self.doubts: list[str] = []
        self.trouble = ""
        self._lock = threading.RLock()
        self._files = threading.Lock()
        self._guesses: dict[int, tuple[int, float, Guess | None]] = {}
        self.review: Review | None = None
        self._file: LabelFile | None = None
        try:
            self.store = Store(self.folder / FILE)
            self._open()
        except InUseError:  # somebody else has begun there
            raise
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Let go of a project that is not served after all; what was made for it goes as well."""
        if hasattr(self, "store"):
            self.store.close()
        if self.folder in self._made:
            shutil.rmtree(self.folder, ignore_errors=True)
        elif self._made:
            for end in ("", "-wal", "-shm"):
                self.folder.joinpath(FILE + end).unlink(missing_ok=True)
        with suppress(OSError):
            for path in self._made[2:]:
                path.rmdir()

    def _open(self) -> None:
        self.ledger = Ledger(self.store.events())
        self.outcome = Outcome(self.ledger)
        self._check_pool()
        self._invite(self.options.people)
        self.store.add_classes(read_classes(self.options.classes))
        self.people = {person.id: person for person in self.store.people()}
        self.classes = self.store.classes()
        seed = self.options.seed
        order = np.random.default_rng(seed).permutation(len(self.pool.names))
        model = self.options.model or BayesPointClassifier(self.kernel)
        X = self.pool.matrix(constant=model.kernel == "linear")
        columns = self.pool.column_names
        self.setup = Setup(X, order, columns, model, self.options.query, seed)
        learner = ActiveLearner(model, self.options.query, random_state=seed).start(X)
        first = learner.ask(min(FIRST, len(order)))
        self.desk = Desk(
            self.pool.names,
            self.ledger,
            order,
            first,
            lambda: list(self.people),
            random_share=self.options.random_share,
            overlap=self.options.overlap,
            seed=seed,
        )
        self.exchange()

    def _invite(self, people: tuple[str, ...] | int) -> None:
        """Addresses for those who label; who has one keeps it, whatever their name is now."""
        if isinstance(people, int):
            known = [person.name for person in self.store.people()]
            numbered = (f"annotator {k}" for k in count(len(known) + 1))
            free = (name for name in numbered if name not in known)
            new = tuple(islice(free, max(people - len(known), 0)))
            people = ("you",) if people == 1 and not known else new
        self.store.add_people(people)

    @property
    def kernel(self) -> str:
        """Linear for running text, else Gaussian."""
        return "linear" if self.pool.text else "rbf"

    def start(self) -> None:
        """Begin to think, and to keep the file of labels up to date."""
        self._stopping = threading.Event()
        self._news = threading.Event()
        self._thinking = -1
        self._asked_at = 0.0
        self.worker = Worker(self.setup, self._hear, process=self.process)
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()
        self._news.set()

    def stop(self, *further: Callable[[], object]) -> None:
        """End the learner, write the files, and let the answers go, whatever goes wrong.

        Parameters
        ----------
        *further : callable
            Write further files.

        Raises
        ------
        InputError
            If some file could not be written, after all else is done.
        """
        if hasattr(self, "_stopping") and not self._stopping.is_set():
            self._stopping.set()
            self._news.set()
            self.worker.stop()
            self._keeper.join(timeout=30)
        failures = []
        for write in (*further, self.exchange, self.save_history, self._save_noise):
            try:
                write()
            except Exception as error:
                failures.append(str(error).rstrip(".") or type(error).__name__)
        self.store.close()
        if failures:
            raise InputError(
                f"not all files could be written: {'; '.join(dict.fromkeys(failures))}. Every "
                f"answer that was acknowledged is kept in {self.store.path}; the same command "
                "writes the files again."
            )

    # -- what people say

    def answer(self, event: Event, seen: int | None = None) -> Event:
        """Keep an answer; returns once it is on the disk.

        Parameters
        ----------
        event : Event
        seen : int, optional
            Number of the answer that the person saw for this row, of the decision for a ruling, 0
            for none; another one is refused. None does not look.

        Raises
        ------
        RefusedError, NotKeptError
        """
        if event.row not in self.pool.where:
            raise RefusedError("there is no such row.")
        with self._lock:
            if (known := self._known(event)) is not None:
                return known
            if seen is not None:
                self._check_seen(event, seen)
            if event.kind == "ruling" and not self.ledger.votes(event.row):
                raise RefusedError("nobody has labelled this row: there is nothing to decide.")
            if event.kind in ("label", "ruling"):
                event = replace(event, label=check_label(event.label))
                self.add_class(event.label)
            return self._append(event)

    def _check_seen(self, event: Event, seen: int) -> None:
        if event.kind == "ruling":
            now = self.ledger.ruling(event.row)
        else:
            now = self.ledger.answer(event.person, event.row)
        if seen == (now.id if now else 0):
            return
        if event.kind == "ruling":
            said = f"{self.person(now.person).name} decided for {now.label!r}" if now else ""
            raise ChangedError(
                f"{said or 'the decision was taken back'} in the meantime. Look at it again."
            )
        raise ChangedError(
            f"you answered this row in another window: {_in_words(now)}. Look at it again."
        )

    def undo(self, key: str, person: int, number: int) -> Event:
        """Take back an earlier answer of a person."""
        with self._lock:
            target = self.ledger.events.get(number)
            if target is None or target.kind == "undo" or target.person != person:
                raise RefusedError("there is no such answer of yours.")
            event = Event(key, person, target.row, "undo", undoes=number)
            if (known := self._known(event)) is not None:
                return known
            if number in self.ledger.undone:
                raise RefusedError("this answer was taken back already.")
            return self._append(event)

    def last_answer(self, person: int) -> Event | None:
        """The latest answer of a person that was not taken back."""
        with self._lock:
            for event in reversed(self.ledger.events.values()):
                if (
                    event.person == person
                    and event.kind != "undo"
                    and event.id not in self.ledger.undone
                ):
                    return event
        return None

    def add_class(self, name: str) -> str:
        """One more class."""
        name = check_label(name)
        with self._lock:
            if name not in self.classes:
                self.store.add_classes([name])
                self.classes = self.store.classes()
        return name

    def rename(self, person: int, name: str) -> None:
        """Call a person otherwise."""
        name = check_name(name)
        with self._lock:
            if any(other.name == name for other in self.people.values() if other.id != person):
                raise RefusedError("somebody else has this name.")
            self.store.rename(person, name)
            self.people = {one.id: one for one in self.store.people()}

    def next(self, person: int) -> Question | None:
        """The next question for a person."""
        with self._lock:
            return self.desk.next(person)

    def guess(self, row: int) -> Guess | None:
        """What the learner thinks of a row; None while it thinks about it.

        One that is a few seconds old will do, since others may answer all the time.
        """
        version, made, guess = self._guesses.get(row, (-2, -math.inf, None))
        young = version == self.desk.thought.version or time.monotonic() - made < GUESS_SECONDS
        if guess is not None and young and (guess.shares or len(self.counts()) < 2):
            return guess
        self.worker.tell(row)
        return None

    # -- what follows

    def final(self, row: str) -> tuple[str, float | None] | None:
        """The label of a row by all answers, and its probability; None without a label."""
        with self._lock:
            return self.outcome.final(row)

    def final_labels(self) -> dict[str, str]:
        """Labels by row, in the order in which rows got one; ``?`` where it cannot be labelled."""
        with self._lock:
            return self.outcome.labels()

    def counts(self) -> Counter[str]:
        """How many rows have each label."""
        with self._lock:
            return +self.outcome.counts

    def given(self) -> dict[int, dict[str, str]]:
        """Label by person and row."""
        with self._lock:
            return labels_by_person(self.ledger)

    def confusion(self, who: int | str = "pooled") -> ConfusionEstimate | None:
        """How an annotator errs, or any of them, as of the last look back.

        Nothing is computed while people wait: that is left to the process of the learner.
        """
        if self.review is not None and self.review.confusions:
            return self.review.confusions.get(who)
        served = hasattr(self, "_stopping") and not self._stopping.is_set()
        return None if served or len(self.people) < 2 else confusion(self.given(), who)

    def person(self, number: int) -> Person:
        """Who it is; labels of a file have a name as well."""
        if number == FROM_FILE:
            return Person(FROM_FILE, "file of labels", "")
        return self.people[number]

    def snapshot(self) -> Snapshot:
        """The answers now, for the learner."""
        with self._lock:
            labels = self.final_labels()
            rows = [row for row, label in labels.items() if label != SKIP]
            where = self.pool.where
            return Snapshot(
                version=self.ledger.last,
                rows=[where[row] for row in rows],
                labels=[labels[row] for row in rows],
                closed=[where[row] for row, label in labels.items() if label == SKIP],
                sample=self.desk.sample,
                given=labels_by_person(self.ledger) if len(self.people) > 1 else {},
                wanted=min(10 + 6 * len(self.people), 120),
            )

    def suspicious(self, person: int) -> list[tuple[int, str, str, float]]:
        """Labels of a person that the others contradict, and that were not looked at again."""
        found = self.review.suspicious if self.review else []
        names = self.pool.names
        with self._lock:
            return [
                one
                for one in found
                if (said := self.ledger.answer(person, names[one[0]])) is not None
                and said.label == one[1]
                and self.ledger.times_labelled(person, names[one[0]]) < 2
            ]

    # -- files

    def exchange(self) -> None:
        """Take what people typed into the file of labels, and write the labels there."""
        with self._files:
            self._file = exchange(self, self._file)

    def save_history(self) -> None:
        """Write the answers as the history of an `ActiveLearner`, which can go on with them."""
        now = self.snapshot()
        if now.rows:
            model, query = self.setup.model, self.setup.query
            learner = ActiveLearner(model, query, random_state=self.setup.seed)
            learner.start(self.setup.X)
            for row, label in zip(now.rows, now.labels):
                learner._note(np.array([row]), np.array([label]))
            learner.save(self.folder / "history.json")

    def _save_noise(self) -> None:
        found = self.confusion()
        if found is not None:
            path = self.folder / "noise.csv"
            write_noise_matrix(found.matrix, found.classes.tolist(), path, found.sizes)

    def _check_pool(self) -> None:
        unknown = [row for row in self.ledger.said() if row not in self.pool.where]
        if unknown:
            raise InputError(
                f"{self.folder} holds answers about {self.pool.key} {listing(unknown)}, not in "
                f"{self.pool.path}: it belongs to another table. Name another --project folder, or "
                "the right table or --id column."
            )

    def _known(self, event: Event) -> Event | None:
        """The kept event of that key, if it is the same; a key must not be used twice."""
        kept = self.ledger.keys.get(event.key)
        if kept is None:
            return None
        if (kept.person, kept.row, kept.kind) != (event.person, event.row, event.kind):
            raise RefusedError("this key was used for another answer.")
        return kept

    def _append(self, event: Event) -> Event:
        looks = self.pool.check(self.pool.where[event.row]) if event.kind != "undo" else ""
        kept = self.store.append(replace(event, looks=looks))
        self.take(kept)
        return kept

    def take(self, event: Event) -> None:
        """Go on from an event that is kept."""
        self.ledger.add(event)
        self.outcome.heard(event.row)
        self.desk.heard(event.row)
        if hasattr(self, "_news"):
            self._news.set()

    # -- the process of the learner

    def _hear(self, message: Any) -> None:
        if isinstance(message, Thought):
            with self._lock:
                self.desk.thought = message
                self.outcome.rely_on(message.reliability)
            self._thinking = -1
            self._news.set()
        elif isinstance(message, Review):
            self.review = message
        else:
            row, guess = message
            self._guesses = {**dict(list(self._guesses.items())[-500:])}
            self._guesses[row] = (self.desk.thought.version, time.monotonic(), guess)

    def _keep(self) -> None:
        """Send the answers to the learner when it is free, and write the file of labels."""
        written, due = -1, 0.0
        while not self._stopping.is_set():
            self._news.wait(EXCHANGE_SECONDS)
            self._news.clear()
            if self._stopping.is_set():
                return
            version, now = self.ledger.last, time.monotonic()
            free = self._thinking < 0 or now - self._asked_at > THINK_SECONDS
            if free and version != self.desk.thought.version:
                self._thinking, self._asked_at = version, now
                self.worker.tell(self.snapshot())
            if version != written and now > due:
                try:
                    self.exchange()
                    written, self.trouble = version, ""
                except Exception as error:  # whatever it is: say it and try again, never end
                    self.trouble = str(error) or type(error).__name__
                spent = time.monotonic() - now
                due = time.monotonic() + max(EXCHANGE_SECONDS, 20 * spent)


def _in_words(event: Event | None) -> str:
    if event is None:
        return "it was taken back"
    return {"label": f"as {event.label!r}", "skip": "skipped", "unsure": "cannot tell"}[event.kind]

"""Texts of ``--help``.

Lists of methods and measures are read from what these declare next to their classes, without
importing them, when the help is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand

from uneven.utils.registry import read_declarations

MOST_WIDTH, MARGINS = 100, 2
"""Longest line of a help text, and how much of it the margins take."""
COMMAND_PARTS = re.compile(r"--?\w\S*(?: [^-\s]\S*)?|\S+")
"""An option stays with its value."""
MARKUP = re.compile(r"\[/?bold\]|\\(?=\[)")

MAIN = """Classification when the data is uneven: rare classes, unequal views, wrong labels.

Start with [bold]uneven compare --demo[/bold], then with your own table:

[bold]uneven compare table.csv --target label[/bold]
"""

EXIT_CODES = (
    "Exit codes: 0 done, 1 unexpected failure, 2 invalid input (with a one-line message), "
    "130 interrupted, 141 output pipe closed. A failure leaves no partial files."
)

VIEWS = (
    "Groups of columns (views): 'prefix' uses the part of the column names before '__'; "
    "a TOML file lists them, as in: [views] text = ['text_*'], sound = ['mfcc_*']."
)
VIEWS = VIEWS.replace("[views]", r"\[views]").replace("['", r"\['")

METHOD = (
    "Method to train; default uneven, or combo with --noise-matrix. With --stack several, or all."
)

NOISE_MATRIX = (
    "Noise matrix of the labels: a table (CSV, TSV, JSON or Parquet) whose first line names the "
    "true classes and whose first column names the observed labels; columns sum to 1. A matrix "
    "without names is taken in sorted class order."
)

CV = (
    "Number of folds. A class with fewer rows is held out in as many folds as it has rows; a class "
    "with a single row is always in the training part."
)

GROUPS = (
    "Column of groups (patient, machine, document): a group is never split between training and "
    "held-out rows, and the column is not used as a feature."
)

TIME = (
    "Column of dates or numbers: methods are trained on the past and evaluated on the future, in "
    "--cv time splits."
)

TEST = "Test table, instead of cross-validation; methods are trained on TABLE alone."

ID = (
    "Column that identifies the rows in predictions.parquet, such as a customer number; it is not "
    "used as a feature."
)

CSV = "Also write the held-out predictions as predictions.csv."

METRIC = (
    "Metric used for ranking, and nothing else; that of --measure by default, else confusion_norm, "
    "balanced_accuracy with --noise-matrix, cost with --cost."
)

MEASURE = (
    "Metric to optimise: decision thresholds are tuned for it on out-of-fold probabilities and "
    "saved with the model."
)

COST = (
    "Cost matrix: a table (CSV, TSV or Parquet) whose first column names the true classes and "
    "whose first line names the predicted classes. The class of smallest expected cost is "
    "predicted."
)

CALIBRATE = (
    "Calibrate the probabilities out-of-fold; implied by --measure and --cost. Alone, it also "
    "tunes decision thresholds for the ranking metric."
)

ROW = (
    "Number of a row of TABLE, from 1: show the contribution of each column to the score of each "
    "class. May be given several times."
)

TUNE = (
    "Number of hyperparameter settings to try per method, by nested cross-validation with --metric."
)

TIME_LIMIT = (
    "Start no further fit after this time (90s, 10m, 1.5h): methods take turns fold by fold, and a "
    "note lists what was left out."
)

JOBS = "Threads per method; -1 means all cores, the default with one worker."
WORKERS = (
    "Processes that train in parallel; 1, or one per core up to 4 with --demo. Always 1 with "
    "--time-limit."
)
RESUME = "Continue an interrupted run: finished fits are kept in the folder of --out."

SCHEMA = (
    "How to read columns: an edited copy of the schema that every run writes (schema.toml next to "
    "the report, or MODEL.schema.toml next to a model)."
)

ON_EMPTY = (
    "A class without checked rows is an error, or its labels are assumed to be correct (identity) "
    "or random (uniform)."
)

LABELS_OUT = (
    "With --annotators: write the table with two more columns, majority (the majority label, whose "
    "noise is estimated without --observed) and likeliest (the most probable class)."
)

STACK = (
    "Also evaluate a stacking classifier, which learns a weight for each method and class and "
    "drops redundant methods."
)

STACK_FIT = (
    "Train a stacking classifier of the methods of --method, which learns a weight for each method "
    "and class and drops redundant methods."
)

ON = (
    "Key column that joins several tables, such as an id. Each table is a view, named after its "
    "file; it is missing in rows whose key is not in the table."
)

COMPARE = """Cross-validate methods on a table and write a report.

All methods use the same stratified folds. A table of the results is printed. The folder
given by --out gets [bold]report.html[/bold], [bold]results.json[/bold],
[bold]predictions.parquet[/bold] (out-of-fold predictions of every method),
[bold]model.skops[/bold] (the best method, trained on all rows) and [bold]schema.toml[/bold] (how
the table was read).

Separator, encoding, decimal comma, currency, units, dates, missing values, free text and
identifiers are detected; notes report what was ambiguous. To change it, edit schema.toml and pass
it with --schema.

[bold]Examples[/bold]

  uneven compare --demo

  uneven compare table.csv --target label

  uneven compare table.parquet -t label --views prefix --metric gmean --cv 10

  uneven compare table.csv -t label --methods combo,random_forest --drop patient_id

  uneven compare visits.csv -t label --groups patient_id

  uneven compare orders.csv -t label --time ordered_at --cv 4

  uneven compare train.csv -t label --test test.csv

  uneven compare words.csv sound.parquet -t label --on call_id

  uneven compare table.csv -t label --measure macro_f1

  uneven compare table.csv -t label --cost prices.csv

  uneven compare table.csv -t label --id customer_no --csv

  uneven compare export.xlsx -t label --sheet 2024 --missing 999 --text remarks

  uneven compare table.csv -t label --schema uneven-report/schema.toml

  zstdcat table.csv.zst | uneven compare - -t label

  uneven compare table.csv -t label --noise-matrix noise.csv

  uneven compare table.csv -t label --stack

  uneven compare table.csv -t label --tune 12 --time-limit 30m

  uneven compare table.csv -t label --tune 12 --time-limit 30m --resume

[bold]Validation that holds on new rows[/bold] (--groups, --time, --test)

  If rows of one patient, machine or document are in the training and in the held-out part, a
  method can recognise the group instead of the class; --groups keeps them together. To predict the
  future, --time trains on the past only. A column that looks like a group, or that alone
  determines the class, gets a note with the balanced accuracy of a quick forest with and without
  it; --no-diagnosis skips this.

[bold]Decisions[/bold] (--measure, --cost, --calibrate)

  For a metric or a cost matrix, the probabilities of a method are calibrated, and a decision rule
  predicts the class with the largest probability times a class factor, or the class of smallest
  expected cost. Rules are evaluated on rows that they were not fitted on, and used where they are
  better than the method's own predictions. The rule is saved with the model.

[bold]Stacking[/bold] (--stack)

  One more method: a stacking classifier of the others, on the same folds. Its weights are learnt
  from the scores that training rows got while other folds held them out, so that no method is
  trained again; with a single test part each is trained four more times. All classes have the same
  weight. Prediction needs only the methods that it keeps.

[bold]Noisy labels[/bold] (--noise-matrix)

  Methods that use the noise matrix: {aware}. Held-out labels are noisy, too, so all methods are
  ranked by corrected metrics: estimates of the metric on the true classes, from the labels and the
  matrix.

[bold]Methods[/bold] (--methods)

{methods}

All are compared by default, except {joining} (only with several --views), {noisy} (only with
--noise-matrix) and {requested} (only by name).

[bold]Measures[/bold] (--measure, --metric)

{measures}
"""

CLUSTER = (
    "Train on a Dask cluster from Parquet files: local starts worker processes on this computer, "
    "ADDRESS is that of a scheduler. The model is the same as without."
)

MEMORY = (
    "Train on Parquet files row group by row group; what exceeds SIZE, such as 4GB, is kept in "
    "temporary files instead of memory."
)

FIT = """Fit one method on a table and save the model.

[bold]Examples[/bold]

  uneven fit table.csv --target label --method combo --out model.skops

  uneven fit mails.csv -t label --text subject --text body --method logistic_regression

  uneven fit words.csv sound.parquet -t label --on call_id --method mucombo

  uneven fit table.csv -t label --drop checked --method uma --noise-matrix noise.csv

  uneven fit table.csv -t label --method random_forest --cost prices.csv

  uneven fit table.csv -t label --stack --method combo,random_forest,logistic_regression

  uneven fit pool-labelling

  uneven fit 'parts/*.parquet' -t label --cluster local

  uneven fit big.parquet -t label --method balanced_boosting --memory 4GB

TABLE can also be the project folder of uneven label; --target is then not needed.
"""

PREDICT = """Predict the classes of the rows of a table with a saved model.

Columns are checked against those of the training table: missing columns are an error, additional
ones are ignored. Opening a model file runs no code from it.

[bold]Examples[/bold]

  uneven predict model.skops new.csv --out predictions.csv

  uneven predict model.skops new.csv --proba --copy patient_id

  uneven predict model.skops words.csv sound.parquet --on call_id --proba

  tail -f rows.csv | uneven predict model.skops --stream
"""

STREAM = (
    "Read rows of a UTF-8 CSV table from standard input and predict each as soon as it arrives, in "
    "constant memory. The first line names the columns."
)

SERVE = """Predict rows that are sent over HTTP, until Ctrl-C.

The command prints an address and a token; with the variable UNEVEN_TOKEN in the environment that is
the token. POST /predict takes JSON such as {"rows": [{"age": 41, "city": "Bonn"}]}, with null for
missing values, and returns the predicted class and the probabilities of each row. GET /model lists
the columns, GET /health needs no token. At most 10 000 rows and 8 MB per request. The service
listens on this machine only, without TLS; put a reverse proxy in front to let others in.
Needs: pip install "uneven\\[label]", for ONNX files "uneven\\[label,onnx]".

[bold]Examples[/bold]

  uneven serve model.skops

  UNEVEN_TOKEN=$(cat token) uneven serve model.onnx --port 9000
"""

EXPORT = """Export a saved model to ONNX, to run it without Python.

Predicted labels are equal to those of uneven predict, probabilities up to rounding. The encoder of
the table is exported with the model: every column is an input of the graph. Boosted trees, linear
models, Uneven, tuned decisions, late fusion of such, random forests and gradient boosting can be
exported; for other models an error gives the reason. Needs: pip install "uneven\\[onnx]".

[bold]Examples[/bold]

  uneven export model.skops model.onnx
"""

WARMUP = """Compile and cache the numerical kernels, so that the first fit starts at once.

The cache is next to the library, or in NUMBA_CACHE_DIR. Run it once after installation, for
example when a container image is built.

[bold]Examples[/bold]

  uneven warmup

  uneven warmup --methods uneven,combo
"""

EXPLAIN = """Show what a saved model learnt: which views and columns support which class,
or which methods a stack has kept.

With a TABLE and --row: the contribution of each column to the score of each class, relative to the
mean of the table (Shapley values). They are exact for boosted trees; for other models they are
sampled, and shown with their standard error.

With a TABLE that contains the target: permutation importance of the columns, and whether larger
values support a class or not. If the model was trained on this table, it is trained again in
five-fold cross-validation and evaluated on held-out rows.

[bold]Examples[/bold]

  uneven explain model.skops --top 10

  uneven explain model.skops table.csv --row 17

  uneven explain model.skops test.csv

  uneven explain model.skops table.csv --row 17 --json
"""

REPEATED_LABELS = "Column that identifies the labelled object, if it is labelled in several rows."

NOISE = """Estimate the label noise, and write the noise matrix for --noise-matrix.

From rows with a noisy and a true label; from several annotators of the same rows, or repeated
labels, without any true label (Dawid and Skene's method); or, with --observed alone, from the
out-of-fold predictions of a forest (confident learning), which is the least reliable.

[bold]Examples[/bold]

  uneven noise table.csv --observed label --clean checked --out noise.csv

  uneven noise table.csv --annotators ann,bob,eve --observed ann --out ann.csv

  uneven noise table.csv --annotators ann,bob,eve --labels-out labelled.csv

  uneven noise answers.csv --observed label --id photo

  uneven noise table.csv --observed label

  uneven compare table.csv --target label --drop checked --noise-matrix noise.csv

The true labels may be empty in most rows. With --annotators and without --observed, the noise of
the majority label is estimated; --labels-out writes that label.

The file has a line for each observed label and a column for each true class. A column holds the
probabilities of the labels given the class, and sums to 1. You can write such a file by hand.
"""

LABEL_NEXT = """Select the rows of a table to label next (active learning in a spreadsheet).

The most informative rows are printed and appended to the label file. Open it in a spreadsheet, \
fill in the column [bold]label[/bold], save it as CSV, and run the same command again. Rows that \
you leave empty may be replaced by more informative ones; everything else that you typed is kept.

[bold]Examples[/bold]

  uneven label-next pool.csv --labels labels.csv --n 10

  uneven label-next mails.csv --id message_id --text subject --text body

  uneven label-next pool.parquet --budget 200 --output next.csv

  uneven label-next pool.csv --label-column species

[bold]From labels to a model[/bold]

  uneven fit labels.csv --target label

  uneven predict model.skops pool.csv --out predictions.csv

The command prints these two with the options for your table.

[bold]The label file[/bold]

  row, or the column named by --id: row number, from 1 below the header

  label: to be filled in; any text or number is a class

  label ?: cannot be labelled; the row has no class and is not selected again

  guess: the predicted class

  votes: the votes of the classifiers that are consistent with the labels

  why: the classes between which the row would decide

  check: detects changes of the table

  the columns of the table

You may start with your own file that has the columns row and label, or with \
a table in which some rows have labels: --label-column.

[bold]Rules[/bold] (--query)

{rules}

Before two classes are known, the rows are spread over the table.
"""

OVERLAP = "Share of the rows that are also labelled by a second and a third annotator."

RANDOM_SHARE = "Share of random rows, for an unbiased learning curve."

I_KNOW = (
    "Required with a --host that others can reach: the server is then open to everyone who knows a "
    "token, and the connection is not encrypted."
)

LABEL = """Label the rows of a table on a page in the browser, the most informative ones first.

The command prints an address with a token and opens it. The next rows are selected in the \
background. Every label is saved before the page continues; stop with Ctrl-C at any time, and \
continue later with the same command.

[bold]Examples[/bold]

  uneven label --demo

  uneven label pool.csv --classes spam,ham --text body

  uneven label pictures.csv --image file --classes cat,dog

  uneven label pool.csv --annotators ann,bob,eve --overlap 0.3

  uneven label pool.csv --labels labels.csv --id message_id --budget 300

[bold]The folder of the project[/bold] (--project)

  answers.sqlite: every label with annotator, time, duration and confidence; nothing is overwritten

  labels.csv: the label file of uneven label-next; either command can continue the other's work

  history.json: the same for ActiveLearner.resume

  report.html: learning curve, agreement, time per label; written when the server ends

  noise.csv: with several annotators, for --noise-matrix

[bold]From labels to a model[/bold]

  uneven fit pool-labelling

[bold]Keys[/bold]

  1 to 9, 0 and letters: the classes; s: skip; x: cannot tell; u: undo; g: show the prediction; \
c: comment; n: new class; w: not sure

[bold]Rules[/bold] (--query)

{rules}

Before two classes are known, the rows are spread over the table.
"""

REPRODUCE = """Rerun published tables and figures, and show them next to the published results.

For each one the folder given by --out gets a page (NAME.html), a table (NAME.md) and all numbers
(NAME.json): published and measured values, their difference in published standard deviations, the
significance test of the publication, and which of its claims hold. Errors of the publication are
footnotes; figures are redrawn.

[bold]Examples[/bold]

  uneven reproduce --list

  uneven reproduce koco-table-3.3 --fast

  uneven reproduce koco-table-3.3 combo --n-jobs 2

  uneven reproduce all --fast --out fast

  uneven reproduce --page docs/published.md --out docs/published

NAME is a table or figure (koco-table-3.3), the beginning of such names (koco-table-3), a document
(koco, combo, bregman, louche, sen, norm), or all.

Every finished cell (one repetition on one data set) is kept in the folder. The same command
continues an interrupted run; [bold]--kept[/bold] shows what is finished without running anything.
[bold]--fast[/bold] runs fewer repetitions, which a full run then need not repeat.

Data sets are read from the folder given by --data, or by the environment variable UNEVEN_DATA, or
from OpenML. Experiments whose data set is not available are listed, and the others are run. If a
cell fails, the others are run, the pages name the failure, and the exit code is 1.
"""


class HelpCommand(TyperCommand):
    """A command whose help fits the terminal and lists what the classes of this library declare."""

    def format_help(self, *where: Any) -> None:
        """Fill in the lists, break lines for the terminal, then show the help."""
        from rich.console import Console

        self.help = wrapped(fill_lists(self.help or ""), min(Console().width, MOST_WIDTH) - MARGINS)
        super().format_help(*where)


def fill_lists(text: str) -> str:
    """Put the declared methods, measures and query rules into a help text.

    Examples
    --------
    >>> fill_lists("{joining} join views.")
    'mucombo, mumbo, carako, bregman_vote and late_fusion join views.'
    """
    fields = ("name", "label", "description")
    methods = read_declarations("method", *fields)
    measures = [one for one in read_declarations("measure", *fields) if "label" in one]
    lists = {
        "methods": _lines(methods),
        "measures": _lines(measures),
        "rules": _lines(read_declarations("rule", "name", "description")),
        "aware": ", ".join(one["name"] for one in methods if one.get("takes_noise")),
        "joining": _sequence(one["name"] for one in methods if one.get("joins_views")),
        "noisy": _sequence(one["name"] for one in methods if one.get("needs_noise")),
        "requested": _sequence(one["name"] for one in methods if one.get("on_request")),
    }
    for name, words in lists.items():
        text = text.replace(f"{{{name}}}", words)
    return text


def wrapped(text: str, width: int) -> str:
    r"""Break the lines of every paragraph anew, with the indentation of its first line.

    Further lines of a list entry stand deeper; a command that is too long goes on after a
    backslash, so that it can be copied.

    Examples
    --------
    >>> print(wrapped("  norm: a word or two\n\n  uneven fit t.csv -t label --top 3", 24))
      norm: a word or two
    <BLANKLINE>
      uneven fit t.csv \
          -t label --top 3
    """
    return "\n\n".join(_broken(paragraph, width) for paragraph in text.split("\n\n"))


def _broken(paragraph: str, width: int) -> str:
    indent = " " * (len(paragraph) - len(paragraph.lstrip()))
    command = bool(indent) and re.match(r"(\w+ .* \| )?uneven ", paragraph.strip()) is not None
    deeper = indent + "    " if command or re.match(r" +[\w.]+: ", paragraph) else indent
    lines, line = [], indent
    for word in COMMAND_PARTS.findall(paragraph) if command else paragraph.split():
        longer = f"{line} {word}" if line.strip() else line + word
        if line.strip() and len(MARKUP.sub("", longer)) + 2 * command > width:
            lines.append(line + " \\" * command)
            longer = deeper + word
        line = longer
    return "\n".join([*lines, line])


def _lines(entries: Iterable[dict[str, Any]]) -> str:
    return "\n\n".join(f"  {one['name']}: {one['description']}" for one in entries)


def _sequence(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last

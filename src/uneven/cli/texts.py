"""What ``--help`` says.

Lists of methods and measures are read from what these declare beside their classes, without
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
    "Exit codes: 0 done, 1 unexpected failure, 2 wrong input (one line says what), "
    "130 interrupted, 141 output closed by its reader. After a failure nothing half-written is "
    "left behind."
)

VIEWS = (
    "How columns group into views: 'prefix' takes what stands before '__' in the column names; "
    "a TOML file lists them, as in: [views] text = ['text_*'], sound = ['mfcc_*']."
)
VIEWS = VIEWS.replace("[views]", r"\[views]").replace("['", r"\['")

METHOD = (
    "Which method; uneven by default, or combo with --noise-matrix. With --stack several, or all."
)

NOISE_MATRIX = (
    "How the labels are wrong: a table (CSV, TSV, JSON or Parquet) whose first line names the true "
    "classes and whose first column names the labels they get; each column sums to 1. Bare numbers "
    "are taken in sorted class order."
)

CV = (
    "Number of folds. A class with fewer rows is held out in as many folds as it has rows; the row "
    "of a class of one is always learnt from."
)

GROUPS = (
    "Column whose rows with the same value belong together (patient, machine, document): a group "
    "is never in the training and in the held-out rows, and the column is not learnt from."
)

TIME = (
    "Column of dates or numbers: methods learn from the past and answer for what comes after, in "
    "--cv parts."
)

TEST = "Table to answer for, in place of folds; methods learn from TABLE alone."

ID = (
    "Column that names the rows in predictions.parquet, such as a customer number; it is not "
    "learnt from."
)

CSV = "Also write the held-out answers as predictions.csv."

METRIC = (
    "Measure that ranks, and nothing else; that of --measure by default, else confusion_norm, "
    "balanced_accuracy with --noise-matrix, cost with --cost."
)

MEASURE = (
    "Measure that answers are to be good for: decision rules are chosen for it on out-of-fold "
    "probabilities, and go into the model."
)

COST = (
    "Prices of answers: a table (CSV, TSV or Parquet) whose first column names the true classes "
    "and whose first line names the answers. The answer of smallest expected cost is given."
)

CALIBRATE = (
    "Calibrate probabilities on out-of-fold ones; done with --measure and --cost. Alone, it "
    "chooses a rule for the measure that ranks."
)

ROW = (
    "Number of a row of TABLE, from 1: what each column says for and against the classes. May be "
    "given several times."
)

TUNE = (
    "Try so many settings of each method in every training part, by --metric on folds of it; the "
    "figures are those of search and fit together."
)

TIME_LIMIT = (
    "Begin no further fit after this time (90s, 10m, 1.5h): methods take turns fold by fold, and "
    "what is left out is said."
)

JOBS = "Threads per method; -1 means all cores, and is usual with one worker."
WORKERS = (
    "Processes that fit side by side; 1, or one per core up to 4 with --demo. With --time-limit "
    "one fit comes after another."
)
RESUME = "Go on with a run that was stopped: fits that it finished are kept in the folder of --out."

SCHEMA = (
    "How to read columns: a file as every run writes it (schema.toml beside the report, or "
    "MODEL.schema.toml beside a model), with your changes."
)

ON_EMPTY = (
    "What to do about a class without checked rows: refuse, assume that its labels are right "
    "(identity), or that it gets any label (uniform)."
)

LABELS_OUT = (
    "With --annotators: write the table with two further columns, majority (the label most of "
    "them give, which the matrix is about without --observed) and likeliest (the most probable "
    "class)."
)

STACK = (
    "Also join the methods in one that learns how much each counts for each class, and drops those "
    "that bring nothing."
)

STACK_FIT = (
    "Join the methods of --method in one that learns how much each counts for each class, and "
    "drops those that bring nothing; only this one is written."
)

ON = (
    "Column that joins several tables, such as an id. Each table is a view, named after its file "
    "and missing in the rows whose key it lacks."
)

COMPARE = """Cross-validate methods on a table and write a report.

Every method sees the same stratified folds. A table of the results is printed; the folder
given by --out gets [bold]report.html[/bold], [bold]results.json[/bold],
[bold]predictions.parquet[/bold], what each method said about every row it had not seen,
[bold]model.skops[/bold], the best method fitted on all rows, and [bold]schema.toml[/bold], how the
table was read.

Separator, encoding, decimal comma, currency, units, dates, missing marks, running text and
identifiers are found out, and said where it could have been otherwise. Change what you do not like
in schema.toml and give it back with --schema.

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

[bold]Figures that hold on new rows[/bold] (--groups, --time, --test)

  Rows of one patient, machine or document in training and held-out rows let a method recognise
  the group in place of the class; --groups keeps them together. Where the future is to be
  predicted, --time learns from the past only. A column that looks like a group, or that tells the
  class alone, draws a note with the balanced accuracy of a quick forest both ways; --no-diagnosis
  leaves this out.

[bold]Decisions[/bold] (--measure, --cost, --calibrate)

  A method answers in its own way. For a measure or for prices that count, its probabilities are
  calibrated and a rule answers: the class with the largest probability times a factor of the
  class, or the one of smallest expected cost. Rules are judged on rows that they were not chosen
  on, and used where they are better than the method's own answers. The rule goes into the model.

[bold]A stack[/bold] (--stack)

  One more row in the table: the methods joined by margin. Inside every training part each method
  is trained four times more, so that the weights are learnt from rows it has not seen; the rows of
  the folds are the same as for the others. All classes count alike in the weights. A stack takes
  five times as long as all its methods together, plus the choice of its penalty, which counts on
  small tables. It asks only the methods that it keeps.

[bold]Noisy labels[/bold] (--noise-matrix)

  The methods that can learn through the noise are told about it: {aware}. Held-out
  labels are noisy, too, so every method is judged by corrected measures: what the measure would be
  against the true classes, estimated from the labels and the matrix.

[bold]Methods[/bold] (--methods)

{methods}

By default all of them, but {joining} only where --views gives several views to join, {noisy} only
with --noise-matrix, and {requested} only by name.

[bold]Measures[/bold] (--measure, --metric)

{measures}
"""

CLUSTER = (
    "Learn on a Dask cluster from Parquet files: local starts worker processes here, ADDRESS is "
    "that of a scheduler. The model is the same as without."
)

MEMORY = (
    "Learn from Parquet files row group by row group; what would take more memory than SIZE, such "
    "as 4GB, is kept in temporary files."
)

FIT = """Fit one method on a table and save the model.

[bold]Examples[/bold]

  uneven fit table.csv --target label --method combo --out model.skops

  uneven fit mails.csv -t label --text subject --text body --method logistic_regression

  uneven fit words.csv sound.parquet -t label --on call_id --method mucombo

  uneven fit table.csv -t label --drop checked --method uma --noise-matrix noise.csv

  uneven fit table.csv -t label --method random_forest --cost prices.csv

  uneven fit table.csv -t label --stack --method combo,random_forest,logistic_regression

  uneven fit pool-labelling --method bayespoint

  uneven fit 'parts/*.parquet' -t label --method combo --cluster local

  uneven fit big.parquet -t label --method balanced_boosting --memory 4GB

A folder in which uneven label keeps a project stands for the table of its labels; --target is then
not needed.
"""

PREDICT = """Predict the classes of the rows of a table with a saved model.

Columns are checked against those the model learnt from: missing ones are an error, further ones
are ignored. Opening a model file runs no code from it.

[bold]Examples[/bold]

  uneven predict model.skops new.csv --out predictions.csv

  uneven predict model.skops new.csv --proba --copy patient_id

  uneven predict model.skops words.csv sound.parquet --on call_id --copy call_id

  tail -f rows.csv | uneven predict model.skops --stream
"""

STREAM = (
    "Read rows of a UTF-8 CSV table from standard input and answer each as soon as it is there, in "
    "constant memory. The first line names the columns."
)

EXPORT = """Export a saved model to ONNX, the format of many runtimes that need no Python.

Labels are equal to those of uneven predict, probabilities equal up to rounding. The encoder of the
table is exported with the model: every column is an input of the graph. Votes of trees, linear
models, Uneven, tuned decisions, late fusion of such, random forests and gradient boosting can be
exported; for others one line says why not. Needs: pip install "uneven[onnx]".

[bold]Examples[/bold]

  uneven export model.skops model.onnx
"""

WARMUP = """Compile the loops of the methods and keep them, so that the first fit does not wait.

Compiled loops are kept beside the library, or in NUMBA_CACHE_DIR. Run it once after an
installation, for instance while a container is built.

[bold]Examples[/bold]

  uneven warmup

  uneven warmup --methods uneven,combo
"""

EXPLAIN = """Show what a saved model learnt: which view and which columns support which class,
or which methods a stack has kept.

With a TABLE and --row: what each column says for and against each class in a row, above what is
usual in the table. Votes of trees are divided exactly (Shapley values); for other models the values
are sampled, and shown with their standard error.

With a TABLE that holds the target: what the answers lose if a column is shuffled, and whether more
of it supports a class or not. If the model has learnt from this very table, it is fitted
anew on five folds, so that the rows are new to it.

[bold]Examples[/bold]

  uneven explain model.skops --top 10

  uneven explain model.skops table.csv --row 17

  uneven explain model.skops test.csv

  uneven explain model.skops table.csv --row 17 --json
"""

REPEATED_LABELS = "Column that names what a line is about, if it is labelled on several lines."

NOISE = """Estimate how labels are wrong, and write it for --noise-matrix.

From rows with a noisy and a true label; from several annotators of the same rows, or rows that are
labelled again, without any true label (Dawid and Skene's method); or, with --observed alone, from
what a forest learns of the labels of other rows (confident learning), which is the least certain.

[bold]Examples[/bold]

  uneven noise table.csv --observed label --clean checked --out noise.csv

  uneven noise table.csv --annotators ann,bob,eve --observed ann --out ann.csv

  uneven noise table.csv --annotators ann,bob,eve --labels-out labelled.csv

  uneven noise answers.csv --observed label --id photo

  uneven noise table.csv --observed label

  uneven compare table.csv --target label --drop checked --noise-matrix noise.csv

The true labels may be empty in most rows. With --annotators and without --observed, the noise is
that of the label most annotators give; --labels-out writes that label.

The file has a line for each label and a column for each true class; a column says how often the
class gets each label, and sums to 1. You can write such a file by hand.
"""

LABEL_NEXT = """Say which rows of a table a person should label next, and learn from the answers.

The rows whose labels would tell most are printed and put at the end of the \
file of labels. Open it in a spreadsheet, fill in the column [bold]label[/bold], save it \
as CSV, and run the same command again: it goes on where it stood. Rows that you \
leave empty may be replaced by better questions; what you typed is kept, in \
whatever column.

[bold]Examples[/bold]

  uneven label-next pool.csv --labels labels.csv --n 10

  uneven label-next mails.csv --id message_id --text subject --text body

  uneven label-next pool.parquet --budget 200 --output next.csv

  uneven label-next pool.csv --label-column species

[bold]From labels to a model[/bold]

  uneven fit labels.csv --target label --method bayespoint

  uneven predict model.skops pool.csv --out predictions.csv

The command prints these two with the options that fit your table.

[bold]The file of labels[/bold]

  row, or the column named by --id: which row; 1 is the first below the header

  label: for you to fill in; any text or number is a class

  label ?: you cannot say; the row has no class and is not asked for again

  guess: what the classifier thinks

  votes: how the classifiers that agree with your labels vote

  why: between which classes the row would decide

  check: notices if the table has changed

  the columns of the table, for you to look at

You may start with a file of your own that has the columns row and label, or with \
a table some of whose rows have labels: --label-column.

[bold]Rules[/bold] (--query)

{rules}

Before two classes are known, the rows are spread over the table.
"""

OVERLAP = "Share of the rows that a second and a third person label, too."

RANDOM_SHARE = "Share of questions about random rows, for an honest curve."

I_KNOW = (
    "Needed with a --host that others can reach: the page is then open to everybody who knows a "
    "token, and nothing is encrypted."
)

LABEL = """Label the rows of a table on a page in the browser, the most telling ones first.

The command prints an address with a token and opens it. The next rows are chosen while you think. \
Every answer is on the disk before the page goes on; stop with Ctrl-C, or pull the plug, and go on \
later with the same command.

[bold]Examples[/bold]

  uneven label --demo

  uneven label pool.csv --classes spam,ham --text body

  uneven label pictures.csv --image file --classes cat,dog

  uneven label pool.csv --annotators ann,bob,eve --overlap 0.3

  uneven label pool.csv --labels labels.csv --id message_id --budget 300

[bold]The folder of the project[/bold] (--project)

  answers.sqlite: every answer with who, when, how long and how sure; nothing is overwritten

  labels.csv: the labels as uneven label-next writes them; either command goes on with the other

  history.json: the same for ActiveLearner.resume

  report.html: curve, agreement, time per answer, when the server ends

  noise.csv: with several annotators, for --noise-matrix

[bold]From labels to a model[/bold]

  uneven fit pool-labelling --method bayespoint

[bold]Keys[/bold]

  1 to 9, 0 and letters: the classes; s: skip; x: cannot tell; u: undo; g: show the guess; \
c: comment; n: new class; w: not sure

[bold]Rules[/bold] (--query)

{rules}

Before two classes are known, the rows are spread over the table.
"""

REPRODUCE = """Run published tables and figures again, and show them next to the published results.

For each one the folder given by --out gets a page (NAME.html), a table (NAME.md) and all numbers
(NAME.json): what was printed, what we measured, how far apart they are in published deviations,
the significance test of the source, and which of its claims held. Errors of the source are
footnotes; figures are redrawn.

[bold]Examples[/bold]

  uneven reproduce --list

  uneven reproduce koco-table-3.3 --fast

  uneven reproduce koco-table-3.3 combo --n-jobs 2

  uneven reproduce all --fast --out fast

  uneven reproduce --page docs/published.md --out docs/published

NAME is a table or figure (koco-table-3.3), the beginning of such names (koco-table-3), a document
(koco, combo, bregman, louche, sen, norm), or all.

Every finished cell (one repetition on one data set) is kept in the folder. A run that was stopped
or killed goes on where it was when the same command is given again; [bold]--kept[/bold] shows what
there is without running anything. [bold]--fast[/bold] runs fewer repetitions, which a full run
then need not repeat.

Data sets come from the folder given by --data, or from the one that the variable UNEVEN_DATA
names, or from OpenML. Whatever needs a set that cannot be had is named, and the rest is run. If a
cell fails, the rest is run, too, its pages name it, and the exit code is 1.
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

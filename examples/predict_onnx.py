"""Predict CSV rows from standard input with an exported model; needs NumPy and onnxruntime only.

``python predict_onnx.py model.onnx < rows.csv > predictions.csv``. The first line names columns;
empty cells are missing values.
"""

import csv
import itertools
import json
import sys

import numpy as np
import onnxruntime

ROWS = 1000
"""Rows that are predicted together."""


def column(cells, text):
    """One input of the model, (n, 1): text, or doubles with NaN for empty cells."""
    if text:
        return np.array([[cell] for cell in cells], dtype=object)
    return np.array([[float(cell) if cell else np.nan] for cell in cells], dtype=np.float64)


def main(path, source=sys.stdin, target=sys.stdout):
    """Read rows until the end; write a label and the probabilities of the classes for each."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    inputs = {one.name: one.type == "tensor(string)" for one in session.get_inputs()}
    outputs = [one.name for one in session.get_outputs() if one.name != "scores"]
    classes = json.loads(session.get_modelmeta().custom_metadata_map["classes"])
    rows = csv.DictReader(source)
    missing = [name for name in inputs if name not in (rows.fieldnames or ())]
    if missing:
        sys.exit(f"the rows lack columns that the model needs: {', '.join(missing)}")
    out = csv.writer(target, lineterminator="\n")
    out.writerow(["label", *(classes if "probabilities" in outputs else ())])
    while block := list(itertools.islice(rows, ROWS)):
        cells = {name: column([row[name] for row in block], text) for name, text in inputs.items()}
        label, *shares = session.run(outputs, cells)
        for k, one in enumerate(label):
            out.writerow([one, *(shares[0][k] if shares else ())])


if __name__ == "__main__":
    main(*sys.argv[1:2])

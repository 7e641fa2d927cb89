"""Slow and obvious twins of the compiled loops of the compression perceptron."""

import struct

import numpy as np

WORD = 2**64 - 1
ODD = 0x9E3779B97F4A7C15


def stir(mark):
    mark = ((mark ^ (mark >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    mark = ((mark ^ (mark >> 27)) * 0x94D049BB133111EB) & WORD
    return mark ^ (mark >> 31)


def mark(row, seed):
    found = stir((seed + ODD) & WORD)
    for d, value in enumerate(row):
        if value != 0:
            (bits,) = struct.unpack("<Q", struct.pack("<d", value))
            found = stir(found ^ stir((d + ODD) & WORD) ^ bits)
    return found


def correct(gram, pick, limit, counts):
    """Additions in order, by products taken anew each time."""
    counts, log, clean = list(counts), [], False
    while not clean and len(log) < limit:
        clean = True
        margins = gram @ np.array(counts)
        order = [int(margins.argmin())] if pick == "lowest_margin" else range(len(counts))
        for i in order:
            if gram[i] @ np.array(counts) <= 0 and len(log) < limit:
                counts[i] += 1
                log.append(i)
                clean = False
    return log, counts

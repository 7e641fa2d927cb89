"""The five publications, our own table, and what was done about a set that several of them use."""

from __future__ import annotations

from uneven_published.description import Document

KOCO = Document(
    "koco",
    "S. Koço (2013), Tackling the uneven views problem with cooperation based ensemble learning "
    "methods, PhD thesis, Aix-Marseille Université",
)
COMBO = Document(
    "combo",
    "S. Koço and C. Capponi (2013), On multi-class learning through the minimization of the "
    "confusion matrix norm, Asian Conference on Machine Learning",
)
BREGMAN = Document(
    "bregman",
    "A. Goyal, E. Morvant and M.-R. Amini (2018), Multiview learning of weighted majority vote by "
    "Bregman divergence minimization, Intelligent Data Analysis",
)
LOUCHE = Document(
    "louche",
    "U. Louche (2016), From confusion noise to active learning: playing on label availability in "
    "linear classification problems, PhD thesis, Aix-Marseille Université",
)
SEN = Document(
    "sen",
    "M. U. Şen (2011), Max-margin stacking with group sparse regularization for classifier "
    "combination, MSc thesis, Sabancı University",
)

NORM = Document("norm", "uneven: the norm of the confusion matrix on rare classes")

CONNECT_REBUILT = (
    "For the results in the documentation Connect-4 was rebuilt from the rules of the game and a "
    "solved opening book: the same 67557 positions and class sizes as in the public file, in "
    "another order."
)

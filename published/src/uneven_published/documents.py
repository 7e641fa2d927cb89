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

FINDINGS = {
    KOCO.key: (
        "Boosting in which views cooperate, or whose classes end with similar errors. Classes that "
        "plain boosting neglects gain, on the original tables too; the views could be tried on "
        "generated data only."
    ),
    COMBO.key: (
        "CoMBo lowers the norm of the confusion matrix on imbalanced classes, for a few more "
        "errors. It does, as long as the trees are small."
    ),
    BREGMAN.key: (
        "A vote learnt by a Bregman divergence is said to be the best of eight methods. It is not: "
        "boosted trees are better, and the published step has errors."
    ),
    LOUCHE.key: (
        "A perceptron that undoes label noise (UMA), and labels asked for by the centre of a "
        "version space. The geometry and the queries come out; UMA gains on toy data and digits, "
        "less on letters and texts."
    ),
    SEN.key: (
        "Stacks whose weights have a large margin and are sparse. Fewer classifiers do as well, as "
        "published; losses, penalties and kernels hardly differ in error."
    ),
    NORM.key: "Our own comparison of methods for rare classes, with targets instead of claims.",
}
"""What a document claims, and what came of it, by its key."""

CONNECT_REBUILT = (
    "For the results in the documentation Connect-4 was rebuilt from the rules of the game and a "
    "solved opening book: the same 67557 positions and class sizes as in the public file, in "
    "another order."
)

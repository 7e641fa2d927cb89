"""Words for missing cells, for true and for false, as people write them."""

from __future__ import annotations

MISSING_MARKS = frozenset(
    [
        "?",
        "??",
        "???",
        "na",
        "n/a",
        "n.a.",
        "#n/a",
        "#na",
        "<na>",
        "nan",
        "null",
        "none",
        "nil",
        "-",
        "--",
        "---",
        "–",
        "—",
        ".",
        "..",
        "...",
        "k.a.",
        "k.a",
        "n.v.",
        "nv",
        "#null!",
        "#div/0!",
        "#wert!",
        "#value!",
        "#ref!",
        "#name?",
        "\\n",
        "(null)",
        "(none)",
        "missing",
        "unknown",
        "unbekannt",
        "fehlt",
        "n.d.",
        "nd",
        "s/d",
    ]
) | {"k. a.", "keine angabe", "not available", "not applicable", "no data", "sin dato"}
MISSING_MARKS |= {"n.c.", "nc", "s.o.", "s.d.", "nr", "tbd", "tba", "t.b.d.", "not stated"}
MISSING_MARKS |= {"no answer", "don't know", "do not know", "prefer not to say"}
MISSING_MARKS |= {"prefer not to answer", "not specified", "nicht angegeben", "keine antwort"}
MISSING_MARKS |= {"weiß nicht", "weiss nicht", "non renseigné", "no contesta"}
MISSING_MARKS |= {"not done", "not known", "not recorded", "undefined", "n/d", "s/i", "n.a", "n.b."}
MISSING_MARKS |= {"entfällt", "ohne angabe", "nicht bekannt", "inconnu", "desconocido"}
MISSING_MARKS |= {"<lod", "<loq", ">loq", "< lod", "< loq", "> loq", "bdl", "lod", "loq", "#num!"}
MISSING_MARKS |= {"#n/v", "#nv", "#bezug!", "#zahl!", "#valeur!", "#valor!", "#¡valor!", "#¡div/0!"}
MISSING_MARKS |= {"#n/a n/a", "-nan", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"}
MISSING_MARKS |= {"[null]", "<null>", "(blank)", "(leer)", "(vide)", "(unknown)", "na()"}
MISSING_MARKS |= {"0000-00-00", "0000-00-00 00:00:00", "00.00.0000", "00/00/0000"}
"""Cells of this spelling are missing in columns of numbers, dates and truth values."""

MISSING_CATEGORIES = frozenset(
    [
        "#div/0!",
        "#n/v",
        "#nv",
        "#bezug!",
        "[null]",
        "<null>",
        "(blank)",
        "(leer)",
        "?",
        "n/a",
        "n.a.",
        "#n/a",
        "<na>",
        "nan",
        "null",
        "k.a.",
        "#null!",
        "#value!",
        "#ref!",
        "\\n",
        "(null)",
    ]
) | {"k. a.", "keine angabe", "not available", "not applicable"}
"""Cells of this spelling are missing beside other words, too, where ``NA`` may be a name."""

TRUTH_WORDS = (
    ({"false", "f"}, {"true", "t"}),
    ({"no", "n"}, {"yes", "y"}),
    ({"nein", "n"}, {"ja", "j"}),
    ({"falsch"}, {"wahr"}),
    ({"non"}, {"oui"}),
    ({"faux"}, {"vrai"}),
    ({"no"}, {"si", "sí", "sì"}),
    ({"off"}, {"on"}),
    ({"não", "nao"}, {"sim"}),
    ({"falso"}, {"vero", "verdadeiro", "verdadero"}),
    ({"nie"}, {"tak"}),
    ({"nee", "onwaar"}, {"ja", "waar"}),
    ({"nej"}, {"ja"}),
    ({"нет"}, {"да"}),
    ({"hayır", "hayir"}, {"evet"}),
    ({"ei"}, {"kyllä"}),
    ({"ne"}, {"ano", "da"}),
    ({"nem"}, {"igen"}),
    ({"否"}, {"是"}),
    ({"いいえ"}, {"はい"}),
    ({"아니오", "아니요"}, {"예", "네"}),
    ({"nu"}, {"da"}),
    ({"όχι"}, {"ναι"}),
    ({"לא"}, {"כן"}),
    ({"لا"}, {"نعم"}),
    ({"✗", "✘", "☐"}, {"✓", "✔", "☑"}),
)
"""Words for false and for true that one column may mix, with 0 and 1 among them."""

ANSWERS = frozenset(
    word for no, yes in TRUTH_WORDS for word in no | yes if len(word) > 1 and not {"off", "✗"} & no
)
"""Words that a column in several languages may mix."""

TRUTH = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0}
TRUTH |= {word: float(truth) for pair in TRUTH_WORDS for truth in (0, 1) for word in pair[truth]}

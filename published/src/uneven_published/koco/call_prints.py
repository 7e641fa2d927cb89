"""What tables 2.2 to 2.4, 3.5 to 3.7 and 4.5 to 4.7 print about calls."""

from __future__ import annotations

from uneven_published.koco.calls import ALL_VIEWS
from uneven_published.numbers import Printed, printed_methods, printed_table


def _by_view(column: str, text: str) -> Printed:
    """A line per measure, a heading per view."""
    table = printed_table(text, "")
    return Printed({(view, column, key): value for (key, view, _), value in table.values.items()})


def _by_class(view: str, text: str) -> Printed:
    """A line per class, headings of method and condition."""
    table = printed_table(text)
    return Printed(
        {(view, name, f"{kind}.{c}"): value for (c, name, kind), value in table.values.items()}
    )


TABLE_2_2 = _by_view(
    "AdaBoost",
    """
    measure    | view 1 | view 2 | view 3 | view 4 | view 5
    gold.error | 26.3   | 28.3   | 70.4   | 68.4   | 53.9
    asr.error  | 42.7   | 36.2   | 70.4   | 68.4   | 53.9
    """,
)
TABLE_2_3 = printed_methods(
    """
    method           | gold.error | asr.error
    AdaBoost (early) | 24.3       | 32.2
    AdaBoost (late)  | 24.3       | 30.3
    MuMBo            | 21.1       | 25.0
    """,
    ALL_VIEWS,
)
_ROUNDS = printed_methods(
    """
    method           | users | operators | turns | prosody | entities
    MuMBo            | 393   | 429       | 16    | 92      | 70
    AdaBoost (early) | 418   | 452       | 18    | 80      | 48
    """,
    ALL_VIEWS,
)
TABLE_2_4 = Printed({(row, m, f"rounds.{v}"): n for (row, m, v), n in _ROUNDS.values.items()})
TABLE_3_5 = TABLE_2_2 | _by_view(
    "CoMBo",
    """
    measure    | view 1 | view 2 | view 3 | view 4 | view 5
    gold.error | 30.3   | 27.6   | 73.0   | 76.3   | 60.5
    asr.error  | 46.1   | 40.8   | 73.0   | 76.3   | 60.5
    """,
)
WORDS_ALONE = Printed(
    {key: value for key, value in TABLE_3_5.values.items() if key[0] in ("view 1", "view 2")}
)
"""The views of words in table 3.5."""
TABLE_3_6 = _by_view(
    "CoMBo",
    """
    measure    | view 1 | view 2 | view 3 | view 4 | view 5
    gold.mauc  | .901   | .898   | .548   | .539   | .789
    asr.mauc   | .839   | .828   | .548   | .539   | .789
    gold.gmean | .618   | .602   | 0      | 0      | .355
    asr.gmean  | .476   | .507   | 0      | 0      | .355
    gold.norm  | .501   | .630   | 1.357  | .896   | .832
    asr.norm   | .684   | .621   | 1.357  | .896   | .832
    """,
) | _by_view(
    "AdaBoost",
    """
    measure    | view 1 | view 2 | view 3 | view 4 | view 5
    gold.mauc  | .912   | .884   | .529   | .559   | .784
    asr.mauc   | .855   | .804   | .529   | .559   | .784
    gold.gmean | 0      | .448   | 0      | 0      | 0
    asr.gmean  | 0      | .217   | 0      | 0      | 0
    gold.norm  | .730   | .599   | 1.556  | 1.359  | 1.141
    asr.norm   | .780   | .829   | 1.556  | 1.359  | 1.141
    """,
)
TABLE_3_7 = _by_class(
    "view 1",
    """
    class | AdaBoost: gold | CoMBo: gold | AdaBoost: asr | CoMBo: asr
    aapl  | 80.0           | 33.3        | 93.3          | 73.3
    etfc  | 7.3            | 21.9        | 31.7          | 36.6
    horr  | 80.0           | 60.0        | 80.0          | 60.0
    itnr  | 0.0            | 9.5         | 28.6          | 33.3
    nvgo  | 31.8           | 27.3        | 54.5          | 45.5
    objt  | 25.0           | 41.7        | 33.3          | 33.3
    pv    | 0.0            | 10.0        | 30.0          | 30.0
    vgc   | 45.5           | 45.5        | 45.5          | 72.7
    other | 40.0           | 66.7        | 26.7          | 60.0
    error | 26.3           | 30.3        | 42.7          | 46.1
    """,
) | _by_class(
    "view 2",
    """
    class | AdaBoost: gold | CoMBo: gold | AdaBoost: asr | CoMBo: asr
    aapl  | 66.7           | 53.3        | 80.0          | 66.7
    etfc  | 7.3            | 12.2        | 7.3           | 29.3
    horr  | 80.0           | 60.0        | 60.0          | 60.0
    itnr  | 4.8            | 9.5         | 19.0          | 28.6
    nvgo  | 27.3           | 31.8        | 31.8          | 40.9
    objt  | 25.0           | 16.7        | 33.3          | 25.0
    pv    | 30.0           | 30.0        | 40.0          | 60.0
    vgc   | 54.5           | 54.5        | 81.8          | 63.6
    other | 46.7           | 40.0        | 46.7          | 40.0
    error | 28.3           | 27.6        | 36.2          | 40.8
    """,
)
TABLE_4_5 = printed_methods(
    """
    method           | gold.error | asr.error
    MuMBo            | 20.4       | 25.0
    CoMBo (early)    | 22.4       | 28.3
    CoMBo (late)     | 19.7       | 25.0
    µCoMBo           | 19.7       | 27.0
    AdaBoost (early) | 23.7       | 32.2
    AdaBoost (late)  | 22.4       | 29.6
    """,
    ALL_VIEWS,
)
TABLE_4_6 = printed_methods(
    """
    method           | rate.users | rate.operators | rate.turns | rate.prosody | rate.entities
    AdaBoost (early) | 42.0       | 46.5           | 0          | 6.3          | 5.2
    CoMBo (early)    | 47.7       | 42.3           | 0          | 4.5          | 5.5
    MuMBo            | 40.0       | 44.7           | 1.1        | 9.0          | 5.2
    """,
    ALL_VIEWS,
)
TABLE_4_7 = printed_methods(
    """
    method           | gold.mauc | gold.gmean | gold.norm | asr.mauc | asr.gmean | asr.norm
    MuMBo            | .948      | 0          | .992      | .904     | .558      | .693
    CoMBo (early)    | .931      | .704       | .584      | .824     | .263      | 1.1546
    CoMBo (late)     | .940      | .747       | .493      | .910     | .596      | .589
    µCoMBo           | .894      | .526       | .537      | .866     | .373      | .705
    AdaBoost (early) | .930      | .498       | .595      | .886     | .303      | .738
    AdaBoost (late)  | .942      | 0          | .829      | .904     | 0         | 1.125
    """,
    ALL_VIEWS,
)

"""Signs of numbers and dates as a keyboard has them, in place of those that programs put in.

One cell is looked at alone, so that a later table is read alike: digits of other scripts, signs
that nobody sees, powers of ten, fractions, feet and inches.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd

_OTHER_DIGITS = "".join(chr(zero + j) for zero in (0x660, 0x6F0, 0x966, 0xFF10) for j in range(10))
_TO_ASCII = {ord(sign): str(j % 10) for j, sign in enumerate(_OTHER_DIGITS)}
_WIDE = "．，－＋％：／￥＄￡٫٬"
_TO_ASCII |= {ord(wide): sign for wide, sign in zip(_WIDE, ".,-+%:/¥$£.,")}
_UNSEEN = "\u200b-\u200f\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069"
_FRACTIONS = dict(
    zip("½¼¾⅓⅔⅕⅛⅜⅝⅞", (0.5, 0.25, 0.75, 1 / 3, 2 / 3, 0.2, 0.125, 0.375, 0.625, 0.875))
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−", "0123456789+--")
_TIMES_TEN = (
    r"(?<=\d)(?:\s*[x×·*]\s*|\s+)10(?:(?:\^|\*\*?)\(?([-+−]?\d{1,2})\)?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))"
)
_FEET = r"(\d{1,2})\s?(?:['′’]|ft\.?)\s?(\d|1[01])(\.\d+)?\s?(?:[\"″”]|''|in\.?)?"

_REWRITTEN: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (f"[{_UNSEEN}]", ""),
    (r"^='?\"(.*)\"$", r"\1"),
    (r"^'(?=[-+]?[\d.,]+$)", ""),
    (_TIMES_TEN, lambda m: "e" + (m[1] or m[2]).translate(_RAISED)),
    (r"^([-+]?\d*\.\d+)[dD]([-+]?\d{2})$", r"\1e\2"),
    (
        rf"(\d*) ?([{''.join(_FRACTIONS)}])",
        lambda m: f"{int(m[1] or 0) + _FRACTIONS[m[2]]:.10g}",
    ),
    (r"(?<=\d) (?:out of|of|von|sur|de|su) (?=\d+$)", "/"),
    (r"^(?:#|№|[Nn][or°º]\.?) ?(?=\d+$)", ""),
    (r"^pH[ :=]*(?=\d)", ""),
    (r"^([-+−]?)% ?([-+−]?[\d.,]+)$", r"\1\2%"),
    (r"/\(([\w²³]+)[*·⋅ ]?([\w²³]+)\)$", r"/\1\2"),
    (rf"^{_FEET}$", lambda m: f"{12 * int(m[1]) + float(m[2] + (m[3] or '')):g} in"),
)
"""Patterns and what stands there instead; all but the first ask for a digit."""

_LOOKED_AT = (
    rf"[{_OTHER_DIGITS}{_WIDE}{_UNSEEN}{''.join(_FRACTIONS)}'’′=#№]|10[\^*⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]|[0-9][dD][-+0-9]"
    r"|[0-9] (?:out of|of|von|sur|de|su) [0-9]|^[Nn][or°º]|^pH|^[-+−]?%|/\(|[0-9] ?ft"
)
"""A cell without any of this stays as it is."""


def plain_signs(cells: pd.Series) -> pd.Series:
    r"""Cells with plain signs for numbers and dates.

    Parameters
    ----------
    cells : Series of str, shape (n,)

    Examples
    --------
    >>> plain_signs(pd.Series(["４２，５", "3.2 x 10⁻³", "1½", "4 out of 5", "#7"])).tolist()
    ['42,5', '3.2e-3', '1.5', '4/5', '7']
    >>> plain_signs(pd.Series(["5'11\"", '="12"', "%27,5", "90 kWh/(m²*a)", "word"])).tolist()
    ['71 in', '12', '27,5%', '90 kWh/m²a', 'word']
    """
    if not len(cells):
        return cells
    odd = cells.str.contains(_LOOKED_AT).to_numpy(bool)
    if not odd.any():
        return cells
    found = cells.astype(object)
    found[odd] = [_plain(cell) for cell in found[odd]]
    return pd.Series(found, dtype=str)


def _plain(cell: str) -> str:
    cell = cell.translate(_TO_ASCII)
    for pattern, other in _REWRITTEN:
        cell = re.sub(pattern, other, cell)
    return cell.strip()

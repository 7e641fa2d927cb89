"""Which table of letters a text file without a mark was written in, by the letters that it gives.

One byte above 127 is another letter in each table: what is ``Łódź`` on a Polish computer reads as
``£ódŸ`` on a German one. The words of the file decide, by how often languages use such letters.

Looked at before this was written: charset-normalizer and chardet, which nothing that is needed
here depends on, and which tell the tables of short files apart by chance; pandas, pyarrow and
polars have to be told.
"""

from __future__ import annotations

import math
import re
from functools import cache

USUAL = "cp1252"
"""Western Europe, which spreadsheets write most often; another table needs evidence."""

LANGUAGES = {
    "cp1252": [
        "ü30 ä28 ö18 ß12 é1",
        "é62 à12 è11 ê6 ç3 ô2 î2 û2 ù2 â1 ï1 ë1 œ1",
        "ó26 í24 á18 é16 ñ8 ú6 ü1 ª1 º2",
        "ã22 ç17 é16 á14 í10 ó8 ê6 õ6 ú4 â3 à3 ô2",
        "è35 à28 ù15 ò12 ì6 é8",
        "ä36 å28 ö27 é2",
        "å30 ø29 æ21 é2 ö1 ä1",
        "á15 í14 ð22 þ9 é5 ó9 ö8 æ8 ú5 ý4",
        "é40 ë25 ï12 ö6 ü5 è4",
    ],
    "cp1250": [
        "ł19 ą14 ę13 ó11 ż10 ś9 ć6 ń4 ź2",
        "á16 í22 é9 ě12 ý7 ř9 š6 ž7 č8 ů5 ú1 ó1 ň1 ť1 ď1",
        "á22 é9 í12 ý11 č12 š9 ž11 ú8 ť6 ľ5 ó2 ô2 ň1 ä1 ď1",
        "á27 é28 ö9 ő8 ó9 ü5 í5 ú2 ű2",
        "š24 č26 ž16 ć20 đ6",
        "ă22 ş13 ţ12 î11 â10",
    ],
    "cp1251": [
        "о11 е8 а8 и7 н7 т6 с5 р5 в5 л4 к3 м3 д3 п3 у3 я2 ы2 ь2 г2 з2 б2 ч1 й1 х1 ж1 ш1 ю1 ц1 щ1",
        "о9 а8 и6 н7 в5 е5 р5 т5 с4 і6 к4 м3 д3 л4 п3 у4 я2 ь2 г2 з2 б2 ч1 й1 х1 ж1 ш1 ю1 ї1 є1",
    ],
    "cp1253": [
        "α11 ο9 ι7 ε7 τ7 σ5 ν6 η4 υ4 ς4 ρ4 π4 κ4 μ3 λ3 ί3 ό2 ά2 έ2 ή2 ω2 δ2 γ2 χ1 θ1 φ1 ύ1 ώ1 β1 ξ1"
    ],
    "cp1254": ["ı30 ü14 ş12 ğ8 ç8 ö6 İ3 â1"],
}
"""For each table the letters beyond ASCII of the languages that are written in it, and how often
they stand among 100 such letters."""

RARE, STRANGE, WITHIN = math.log(2e-3), math.log(1e-3), math.log(1e-5)
"""A letter of another language; a sign beside letters; a sign between letters."""

MARGIN = 4.0
"""So much likelier (in natural logarithms) another table than the usual one must be."""

MOST_WORDS = 3000
_WORD = re.compile(rb"[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*")


def codepage(data: bytes) -> str:
    """Table of letters of a text that is not UTF-8.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    str
        Name of an encoding.

    Examples
    --------
    >>> codepage("Łódź, Kraków, Gdańsk, Wrocław".encode("cp1250"))
    'cp1250'
    >>> codepage("Köln, Zürich, 20 m³, £5".encode("cp1252"))
    'cp1252'
    """
    words = set[bytes]()
    for found in _WORD.finditer(data):
        words.add(found.group())
        if len(words) == MOST_WORDS:
            break
    usual = _fit(words, USUAL)
    others = {name: _fit(words, name) for name in LANGUAGES if name != USUAL}
    best = max(others, key=lambda name: others[name])
    return best if others[best] >= usual + MARGIN else USUAL


def _fit(words: set[bytes], name: str) -> float:
    """How well words fit the one of the languages of a table that they fit best."""
    texts = [word.decode(name, "replace") for word in words]
    return max(sum(_word_fit(text, shares) for text in texts) for shares in _shares(name))


def _word_fit(text: str, shares: dict[str, float]) -> float:
    fit = 0.0
    for place, sign in enumerate(text):
        if sign.isascii():
            continue
        if sign.isalpha() and sign not in "ªº":
            fit += shares.get(sign, shares.get(sign.lower(), RARE))
        elif 0 < place < len(text) - 1:
            fit += WITHIN
        elif len(text) > 4:  # a shorter one is m³ or £m
            fit += STRANGE
        else:
            fit += math.log(0.3)
    return fit


@cache
def _shares(name: str) -> list[dict[str, float]]:
    """For each language of a table the logarithm of the share of each letter."""
    return [
        {part[0]: math.log(int(part[1:]) / 100.0) for part in language.split()}
        for language in LANGUAGES[name]
    ]

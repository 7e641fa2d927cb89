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

WESTERN = [
    "ü30 ä28 ö18 ß12 é1",
    "é62 à12 è11 ê6 ç3 ô2 î2 û2 ù2 â1 ï1 ë1 œ1",
    "ó26 í24 á18 é16 ñ8 ú6 ü1 ª1 º2",
    "ã22 ç17 é16 á14 í10 ó8 ê6 õ6 ú4 â3 à3 ô2",
    "è35 à28 ù15 ò12 ì6 é8",
    "ä36 å28 ö27 é2",
    "å30 ø29 æ21 é2 ö1 ä1",
    "á15 í14 ð22 þ9 é5 ó9 ö8 æ8 ú5 ý4",
    "é40 ë25 ï12 ö6 ü5 è4",
]
CENTRAL = [
    "ł19 ą14 ę13 ó11 ż10 ś9 ć6 ń4 ź2",
    "á16 í22 é9 ě12 ý7 ř9 š6 ž7 č8 ů5 ú1 ó1 ň1 ť1 ď1",
    "á22 é9 í12 ý11 č12 š9 ž11 ú8 ť6 ľ5 ó2 ô2 ň1 ä1 ď1",
    "á27 é28 ö9 ő8 ó9 ü5 í5 ú2 ű2",
    "š24 č26 ž16 ć20 đ6",
    "ă22 ş13 ţ12 î11 â10",
]
CYRILLIC = [
    "о11 е8 а8 и7 н7 т6 с5 р5 в5 л4 к3 м3 д3 п3 у3 я2 ы2 ь2 г2 з2 б2 ч1 й1 х1 ж1 ш1 ю1 ц1 щ1",
    "о9 а8 и6 н7 в5 е5 р5 т5 с4 і6 к4 м3 д3 л4 п3 у4 я2 ь2 г2 з2 б2 ч1 й1 х1 ж1 ш1 ю1 ї1 є1",
]
GREEK = [
    "α11 ο9 ι7 ε7 τ7 σ5 ν6 η4 υ4 ς4 ρ4 π4 κ4 μ3 λ3 ί3 ό2 ά2 έ2 ή2 ω2 δ2 γ2 χ1 θ1 φ1 ύ1 ώ1 β1 ξ1"
]
TURKISH = ["ı30 ü14 ş12 ğ8 ç8 ö6 İ3 â1"]
BALTIC = [
    "ė22 š18 ų14 ž12 ą10 į10 ū6 č5 ę3",
    "ā34 ī20 ē16 ņ6 š8 ū5 ž3 ļ6 ģ1 ķ1 č1",
]
HEBREW = ["י11 ו11 ה10 ל8 א6 ר6 ת6 ב5 ש5 מ5 נ4 ם3 ח3 ק3 ע3 ד3 פ2 ן2 כ2 ט1 צ1 ס1 ג1 ז1 ך1 ף1 ץ1"]
ARABIC = [
    "ا14 ل11 ي7 م6 و6 ن6 ر6 ت5 ب4 ة4 ع4 د4 س3 ف3 ه3 ك2 ق2 أ2 ح2 ج2 ش1 ص1 خ1 ط1 ذ1 ى1 "
    "ث1 ض1 ز1 غ1 إ1 ء1"
]
THAI = [
    "า8 น7 ร7 อ5 ก5 เ5 ง4 ่4 ้4 ม4 ย4 ล4 ว4 ั4 ี3 ด3 ท4 ิ3 ส3 ต3 ุ2 ะ2 ป3 บ3 ค3 ห3 แ2 จ2 พ2 "
    "ไ2 ู1 ์1 ็1 ข2 โ1 ใ1 ช2 ำ1 ื1"
]
"""Letters beyond ASCII of each language, and how often they stand among 100 such letters."""

LANGUAGES = {
    "cp1252": WESTERN,
    "cp1250": CENTRAL,
    "cp1251": CYRILLIC,
    "cp1253": GREEK,
    "cp1254": TURKISH,
    "cp1255": HEBREW,
    "cp1256": ARABIC,
    "cp1257": BALTIC,
    "cp874": THAI,
    "mac_roman": WESTERN,
    "cp850": WESTERN,
    "cp852": CENTRAL,
    "cp866": CYRILLIC,
    "koi8_r": CYRILLIC,
}
"""The languages that are written in each table of one byte per letter."""

LEADS = {
    "cp932": (0x81, 0x97),
    "gb18030": (0xB0, 0xD7),
    "cp949": (0xB0, 0xC8),
    "big5": (0xA4, 0xC6),
}
"""First bytes of the usual signs in the tables of East Asia, which have two bytes for each."""

KANA, HANGUL = math.log(1 / 60), math.log(1 / 500)
SIGN, RARE_SIGN = math.log(1 / 600), math.log(1 / 50_000)
"""Syllables of Japan and Korea, other usual signs of East Asia, and rare ones."""

RARE, STRANGE, WITHIN = math.log(2e-3), math.log(1e-3), math.log(1e-5)
"""A letter of another language; a sign beside letters; a sign, or a letter of another script than
its neighbour, inside a word."""

LAST_LATIN = "\u024f"
SOME = math.log(0.3)
QUOTES, UNIT_SIGNS = "‘“”„«»–…", "°²³½¼¾€£¥¢§©®™±×"
"""Signs that people write beside words, and beside short ones."""

MARGIN = {
    "cp1254": 1.0,
    "mac_roman": 10.0,
    "cp850": 10.0,
    "cp852": 10.0,
    "cp866": 10.0,
    "koi8_r": 10.0,
}
"""So much likelier (in natural logarithms) than the usual table one must be that few write."""

USUAL_MARGIN = 4.0
"""And so much any other."""

MOST_WORDS, MOST_BYTES = 3000, 1 << 23
_WORD = re.compile(rb"[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*")
_SIGNS = re.compile(rb"[A-Za-z]*(?:[\x81-\xfe][\x40-\xfe]|[\x80-\xff])+[A-Za-z]*")


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
    >>> codepage("東京, 大阪".encode("cp932"))
    'cp932'
    """
    words, pairs = _words(_WORD, data), _words(_SIGNS, data)
    fits = {name: _fit(words, name) for name in LANGUAGES}
    fits |= {name: sum(_sign_fit(word, name) for word in pairs) for name in LEADS}
    usual = fits.pop(USUAL)
    gains = {name: fit - MARGIN.get(name, USUAL_MARGIN) for name, fit in fits.items()}
    best = max(gains, key=lambda name: gains[name])
    return best if gains[best] >= usual else USUAL


def _words(pattern: re.Pattern[bytes], data: bytes) -> set[bytes]:
    """The first different words of a text that hold more than ASCII."""
    words = set[bytes]()
    for found in pattern.finditer(data, 0, MOST_BYTES):
        words.add(found.group())
        if len(words) == MOST_WORDS:
            break
    return words


def _fit(words: set[bytes], name: str) -> float:
    """How well words fit the one of the languages of a table that they fit best."""
    texts = [word.decode(name, "replace") for word in words]
    return max(sum(_word_fit(text, shares) for text in texts) for shares in _shares(name))


def _word_fit(text: str, shares: dict[str, float]) -> float:
    fit = 0.0
    for place, sign in enumerate(text):
        inside = 0 < place < len(text) - 1
        if sign.isascii():
            continue
        neighbours = text[max(place - 1, 0) : place + 2]
        if sign.isalpha() and sign > LAST_LATIN and re.search("[A-Za-z]", neighbours):
            fit += WITHIN
        elif sign in shares or (sign.isalpha() and sign not in "ªº"):
            fit += shares.get(sign, shares.get(sign.lower(), RARE))
            fit += RARE if sign.isupper() and text[:place][-1:].islower() else 0.0
        elif sign == "’" or (sign in QUOTES and not inside):
            fit += SOME
        elif inside:
            fit += WITHIN
        else:
            fit += SOME if len(text) < 5 and sign in UNIT_SIGNS else STRANGE
    return fit


def _sign_fit(word: bytes, name: str) -> float:
    """How well a word fits a table of East Asia, in which signs do not stand beside letters."""
    fit, text = 0.0, word.decode(name, "replace")
    first, last = LEADS[name]
    for place, sign in enumerate(text):
        if sign.isascii():
            continue
        lead = sign.encode(name, "replace")[0]
        if sign == "\ufffd" or re.search("[A-Za-z]", text[max(place - 1, 0) : place + 2]):
            fit += WITHIN
        elif "\u3041" <= sign <= "\u30fe":
            fit += KANA
        elif first <= lead <= last:
            fit += HANGUL if sign >= "\uac00" else SIGN
        else:
            fit += RARE_SIGN
    return fit


@cache
def _shares(name: str) -> list[dict[str, float]]:
    """For each language of a table the logarithm of the share of each letter."""
    return [
        {part[0]: math.log(int(part[1:]) / 100.0) for part in language.split()}
        for language in LANGUAGES[name]
    ]

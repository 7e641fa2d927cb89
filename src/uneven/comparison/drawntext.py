r"""Text files that draw a table for the eye, or protect quotes in their own way, as plain CSV.

Rulers (``+-----+``), bars at both ends of a line and ``\"`` come from databases, reports and
Markdown. Lines keep their numbers.
"""

from __future__ import annotations

import re

HEAD_BYTES = 1 << 16
FIRST_LINES = 20
_RULER = rb"^[ \t]*[|+:]?[-=+|: \t]*(?:--|==)[-=+|: \t]*\r?$"
_ESCAPED = rb'\\"(?=[^,;\t|\r\n])'


def plain_table(data: bytes) -> bytes:
    r"""The text of a table without rulers and without bars at both ends of its lines.

    Parameters
    ----------
    data : bytes
        In UTF-8 or another encoding that extends ASCII.

    Examples
    --------
    >>> plain_table(b"+---+---+\n| x | y |\n+---+---+\n| 1 | 2 |\n")
    b'\n x | y \n\n 1 | 2 \n'
    >>> plain_table(b'x,y\n1,"say \\"yes\\" now"\n')
    b'x,y\n1,"say ""yes"" now"\n'
    """
    head = data[:HEAD_BYTES]
    if re.search(_ESCAPED, head):
        data = data.replace(b'\\"', b'""')
    first = head.split(b"\n", FIRST_LINES)[:FIRST_LINES]
    if not any(re.match(_RULER, line) for line in first):
        return data
    data = re.sub(_RULER, b"", data, flags=re.MULTILINE)
    lines = [line.strip() for line in data[:HEAD_BYTES].split(b"\n")[:-1]]
    drawn = [line for line in lines if b"|" in line]
    if len(drawn) > 1 and all(line.startswith(b"|") and line.endswith(b"|") for line in drawn):
        data = re.sub(rb"^[ \t]*\|(.*)\|[ \t]*(\r?)$", rb"\1\2", data, flags=re.MULTILINE)
    return data

"""Dialogues: their form, their files, their views, and a generator to try things on."""

from uneven.dialogues.emulator import THEMES, make_dialogues
from uneven.dialogues.jsonlines import read_dialogues, write_dialogues
from uneven.dialogues.recogniser import WORD_ERROR_RATES, recognise
from uneven.dialogues.records import Dialogue, Turn
from uneven.dialogues.views import VIEWS, DialogueViews

__all__ = [
    "THEMES",
    "VIEWS",
    "WORD_ERROR_RATES",
    "Dialogue",
    "DialogueViews",
    "Turn",
    "make_dialogues",
    "read_dialogues",
    "recognise",
    "write_dialogues",
]

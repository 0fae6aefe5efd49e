"""What the form of a word tells by itself: whether it is a verb that somebody does or is told to do."""

import re
from functools import lru_cache
from typing import Final

from ricordo.language.lemmas import is_italian_verb
from ricordo.language.topics.word_classes import WordClass, word_class

_TOLD: Final = frozenset(
    """
    use swap start skip drop let show play cook run read plan go try list check book set call text email
    summarise summarize rewrite translate stop wait look thank thanks sorry please hold get
    guai dimmi dammi fammi dacci dicci vammi usa cerca trova proponi consiglia scegli spiega ricordamelo
    ricordamela fai fa' da' di' va' sta' scrivi metti togli leva tieni grazie scusa scusate
    """.split()
)
"""What people are told to do, and other words that begin a clause, though they may be nouns elsewhere."""
_NOUNS: Final = frozenset("ricamo cucito pop".split())
_NO_FINITE: Final = (
    "re",
    "rsi",
    "ata",
    "ate",
    "ato",
    "ati",
    "uta",
    "ute",
    "uto",
    "uti",
    "ita",
    "ite",
    "ito",
    "iti",
)
"""Infinitives, which name what is done, and participles, which many nouns are spelt like: "passeggiate"."""
_POINTING: Final = re.compile(r"\w{2,}(?:me|te|ce|glie)(?:lo|la|li|le|ne)|\w{3,}[aei](?:mi|ci|gli)")
"""An Italian imperative with what it points at: "ricordamelo", "proponimi"."""


@lru_cache(maxsize=16_384)
def is_verb(word: str, language: str) -> bool:
    """Say whether a word in lower case begins a clause rather than names a thing; an infinitive names one."""
    if word in _TOLD:
        return True
    if word in _NOUNS:
        return False
    if language == "en":
        return word_class(word, "en") is WordClass.VERB and not word.endswith("ing")
    if word.endswith(_NO_FINITE):
        return False
    return _POINTING.fullmatch(word) is not None or is_italian_verb(word)

"""Finds the spans of a message that assert something: neither asked, nor imagined, nor a joke."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from ricordo.language.data_files import word_list
from ricordo.language.facts.fact_tokens import Tokens
from ricordo.language.facts.fact_words import FactWords

PAUSES: Final = frozenset({",", ":", "(", ")", "–", "—", "-", "/"})
_LONGEST_LEAD: Final = 8
"""Pauses and joining words before a clause, at most: a text that is nothing else is read in linear time."""
_ENDS: Final = frozenset({".", "!", "?", "…", ";", '"'})
_ASKING: Final = word_list("asking_words")
_QUESTION_WITHIN: Final = 3
"""Words within which a question that follows a statement shows itself: "stasera quale guardo?"."""
_NICKNAMED: Final = frozenset({"detto", "detta"})
"""Behind a name and a comma, "called" and not "said": "mio fratello Bledar, detto Bled,"."""
_TAGS: Final = frozenset({"ok", "okay", "capito", "intesi"})  # at the end of what is said and not asked
_BUT: Final = frozenset({"but", "ma", "però"})
"""What is asked begins there at the earliest: "I graduated at Pisa, but when do I say so?"."""
_LEAST: Final = 3  # words of a statement
_LAST_LETTERS: Final = 0x2100  # pictures and signs come after it
_YOU: Final = re.compile(r"\w{2,}i")  # an Italian verb of the second person, behind "mi": "mi aiuti"


def in_jest(tokens: Tokens, words: FactWords) -> bool:
    """Whether the writer takes it all back ("just kidding")."""
    return not words.jesting.isdisjoint(map(" ".join, pairwise(tokens.low)))


def assertions(tokens: Tokens, words: FactWords) -> Iterator[tuple[int, int]]:
    """Yield the tokens of each stretch that asserts something."""
    begin, count = 0, len(tokens.low)
    is_end = [word in _ENDS or word[0] == "\n" for word in tokens.low]
    while begin < count:
        end = begin
        while end < count and not is_end[end]:
            end += 1
        after = end
        while after < count and is_end[after]:
            after += 1
        asked = "?" in tokens.low[end:after]
        last = _before_question(tokens, words, begin, end) if asked else end
        real = _before_unreal(tokens, words, begin, last)
        if begin < real:
            yield begin, real
        begin = after


def _before_question(tokens: Tokens, words: FactWords, begin: int, end: int) -> int:
    """Return where the question starts in "I live in Rome, and you?"; `begin` when all of it is asked."""
    if begin >= end or tokens.low[begin] in words.questions:
        return begin
    if tokens.low[end - 1] in _TAGS:
        return end - 1  # "I'm allergic to nuts, remember that, ok?"
    for at in range(end - 1, begin, -1):
        if _pauses(tokens.low[at]) or tokens.low[at] in words.joints:
            first, furthest = at + 1, min(end, at + 1 + _LONGEST_LEAD)
            while first < furthest and tokens.low[first] in words.joints:
                first += 1
            if _asks(tokens.low, words, first, end):
                return _before_pause(tokens, words, begin, at)
    but = next((at for at in range(begin + _LEAST, end) if tokens.low[at] in _BUT), begin)
    return _before_pause(tokens, words, begin, but)


def _pauses(word: str) -> bool:
    """Whether a word goes on after it: behind a comma, or a picture."""
    return word in PAUSES or (ord(word[0]) > _LAST_LETTERS and not word[0].isalnum())


def _asks(low: list[str], words: FactWords, first: int, end: int) -> bool:
    """Whether a question starts at `first`: by its first word, or by one soon after that only asks."""
    if first >= end:
        return False
    if low[first] in words.questions or low[first] in words.appeals:
        return True
    if low[first] in words.reflexives and first + 1 < end:
        return _YOU.fullmatch(low[first + 1]) is not None
    soon = low[first + 1 : min(end, first + _QUESTION_WITHIN)]
    return not _ASKING.isdisjoint(soon)


def _before_pause(tokens: Tokens, words: FactWords, begin: int, at: int) -> int:
    while at > begin and (tokens.low[at - 1] in PAUSES or tokens.low[at - 1] in words.conjunctions):
        at -= 1
    return at


def _before_unreal(tokens: Tokens, words: FactWords, begin: int, end: int) -> int:
    """Return where what is imagined, wished or reported starts: at the pause before its first word."""
    low, openings = tokens.low, words.unreal_openings
    for at in range(begin, end):
        if low[at] not in openings or not _unreal_at(low, words, at, end):
            continue
        if low[at] in words.saying and not words.possessives.isdisjoint(low[begin:at]):
            return at  # "my physio Greta says …"
        cut = at
        while cut > begin and not (low[cut] in PAUSES or low[cut] in words.joints):
            cut -= 1
        return cut
    return end


def _own_words(low: list[str], words: FactWords, at: int, end: int) -> bool:
    """Whether the user repeats what they said before: "I told you", "te l'ho detto: …"."""
    before = low[max(0, at - 3) : at]
    if not words.speaking.intersection(before):
        return False
    return words.negations.isdisjoint(low[max(0, at - 5) : at]) or ":" in low[at + 1 : min(end, at + 3)]


def _unreal_at(low: list[str], words: FactWords, at: int, end: int) -> bool:
    word = low[at]
    if word == "non" and at and low[at - 1] == "nome":
        return False  # "il mio nome non è Tania, è Tamara"
    if word in _NICKNAMED and at and low[at - 1] == ",":
        return False
    if word in words.saying:
        return not _own_words(low, words, at, end)
    if word in words.unreal or word in words.conditionals:
        return True
    return at + 1 < end and f"{word} {low[at + 1]}" in words.unreal_pairs

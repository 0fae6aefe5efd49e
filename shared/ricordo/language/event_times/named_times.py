"""Recognises words of time that are names: "Friday is our dog", "Yesterday by the Beatles"."""

import re
from typing import Final

from ricordo.language.assertion_scope import plain
from ricordo.language.data_files import Patterns
from ricordo.language.document import Document
from ricordo.language.event_times.windows import Works, signs_of
from ricordo.language.name_lists import is_given, starts_sentence

_WORD_BEHIND: Final = re.compile(r" ([^\W\d_]+)")
_MARKS: Final = frozenset('"`>“”«»')
_BEHIND: Final = 60  # characters behind a time that are read


def without_works(document: Document) -> Document:
    """Return a text without the content of the films, books and dreams that the speaker reports.

    "Ieri ho visto un film" tells what somebody did yesterday, though what the film tells is no deed of
    anybody. From the work on the sentence is left out, but for a time at its end.
    """
    works = signs_of(document.language).works
    if works.cues.isdisjoint(document.plain_words):
        return document
    sentences = map(document.with_text, document.evenly_spaced.sentences)
    return document.with_text("\n".join(_without_work(one, works) for one in sentences))


def _without_work(sentence: Document, works: Works) -> str:
    """Cut the work of a sentence that asserts nothing; what is marked or quoted stays whole."""
    text, low = sentence.text, sentence.plain
    deed = works.deed.search(low)
    if deed is None or sentence.assertions or "?" in low or not _MARKS.isdisjoint(low):
        return text
    when = works.when.match(low, deed.end())
    return text[: deed.start(deed.lastgroup or 0)] + (when[1] if when is not None else "")


def is_named(text: str, low: str, start: int, end: int, language: str) -> bool:
    """Return whether the words of time between two places of a text name somebody, a work or a street."""
    signs = signs_of(language).named
    reference = low[start:end]
    if signs.place.match(reference) and signs.place_before.search(low, 0, start):
        return True
    if signs.dated.match(reference) and signs.work_before.search(low, 0, start):
        return True
    if _is_title(text, start, end, signs):
        return True
    if not signs.alone.fullmatch(reference):
        return False
    if signs.being_behind.match(text[end : end + _BEHIND].lower()):
        return True
    return signs.needs_lead.fullmatch(reference) is not None and signs.leads.search(low, 0, start) is None


def _is_title(text: str, start: int, end: int, signs: Patterns) -> bool:
    """Return whether capitals make a name of what is written small as a time, or a part of a longer name."""
    if text.isupper():
        return False
    first = text[start:end].split(maxsplit=1)[0]
    titled = first[0].isupper() and not first.isupper() and not starts_sentence(text, start)
    if titled and _is_small(text[start:end], signs) and signs.at_before.search(plain(text[:start])) is None:
        return True
    if not text[start].isupper():
        return False
    behind = _WORD_BEHIND.match(text, end)
    named = behind is not None and len(behind[1]) > 1 and behind[1][0].isupper() and not is_given(behind[1])
    bare = signs.alone.fullmatch(plain(text[start:end])) is not None
    if named and bare and signs.leads.search(plain(text[:start])) is None:
        return True
    return signs.works_behind.match(text, end) is not None


def _is_small(reference: str, signs: Patterns) -> bool:
    """Say whether a time is one that is written small; of days and months, what is more than a name tells."""
    first = reference.partition(" ")[0].lower()
    day = signs.alone.fullmatch(plain(first)) is not None
    if day and signs.alone.fullmatch(plain(reference)) is None:
        return False
    return signs.small.fullmatch(plain(first)) is not None

"""Finds what set off a feeling, as the text says it: "I'm so happy that we got the flat"."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from ricordo.language.annotations import NEUTRAL, Emotion
from ricordo.language.data_files import LANGUAGES, either, read_table
from ricordo.language.document import Document
from ricordo.language.facts.grammar_data import load_grammar
from ricordo.language.text import stop_words

_LONGEST: Final = 120  # characters
_AROUND: Final = " \t\"'«»“”,-"


class _Patterns(NamedTuple):
    """Each of the first two finds `what` behind a word of feeling, the others in front of it."""

    about: re.Pattern[str]
    because: re.Pattern[str]
    verbs: re.Pattern[str]
    makes: re.Pattern[str]
    so: re.Pattern[str]
    ends: re.Pattern[str]


@lru_cache(maxsize=len(LANGUAGES))
def _patterns(language: str) -> _Patterns:
    table = {name: either(each) for name, each in read_table("triggers", language).items()}
    templates = {
        "about": r"\s+(?:{})(?:(?<=')|\s+)(?P<what>.+)",
        "because": r".*?\b(?:{})(?:(?<=')|\s+)(?P<what>.+)",
        "verbs": r"(?:{})",
        "makes": r"(?P<what>.+?)\s+(?:{})\s*",
        "so": r"(?P<what>.+?)(?:{})\b.*",
        "ends": r"{}",
    }
    found = {name: re.compile(templates[name].format(each), re.IGNORECASE) for name, each in table.items()}
    return _Patterns(**found)


def trigger_of(document: Document, emotion: Emotion) -> str:
    """Return the words that say what set off a feeling; "" where a text does not say.

    Args:
        emotion: what the text expresses; the words next to its keywords are read.

    Returns:
        As written, without what connects them with the feeling, at most 120 characters; no time, as how long
            it was felt is no reason.
    """
    if document.language not in LANGUAGES or emotion.primary == NEUTRAL.primary:
        return ""
    found = (
        _of_word(one, word, document.language) for one in document.sentences for word in emotion.keywords
    )
    return next(filter(None, found), "")


def _of_word(sentence: str, keyword: str, language: str) -> str:
    place = re.search(rf"(?<!\w){re.escape(keyword)}(?!\w)", sentence)
    if place is None:
        return ""
    for found in _candidates(sentence, place, _patterns(language)):
        what = _shortened(found)
        telling = [word for word in what.casefold().split() if word not in stop_words(language)]
        if telling and not _is_of_time(telling[0], language):
            return what
    return ""


def _candidates(sentence: str, place: re.Match[str], patterns: _Patterns) -> Iterator[str]:
    before, behind = sentence[: place.start()].strip(), sentence[place.end() :]
    for pattern, text in ((patterns.about, behind), (patterns.because, behind)):
        if found := pattern.match(text):
            yield patterns.ends.split(found["what"], maxsplit=1)[0]
    for pattern in (patterns.makes, patterns.so):
        if found := pattern.fullmatch(before):
            yield patterns.ends.split(found["what"])[-1]
    if patterns.verbs.fullmatch(place[0]):
        yield patterns.ends.split(behind, maxsplit=1)[0]


def _is_of_time(word: str, language: str) -> bool:
    return word[0].isdigit() or word in load_grammar(language).time_fillers


def _shortened(text: str) -> str:
    text = text.strip(_AROUND)
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0].rstrip(_AROUND)

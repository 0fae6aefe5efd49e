"""What of a question is searched for, and whether it asks when something happened."""

import re
from collections.abc import Iterable

from ricordo.language.query_analysis.model import Analysis
from ricordo.language.text import stem, stop_words
from ricordo.language.tokenization import content_words, words
from ricordo.language.topics import load_noun_cues

_WHEN = re.compile(
    r"\W*(?:(?:and|so|but|since|until|from|e|ma|da|fino\s+a|in)\s+)?"
    r"(?:when\b|how\s+long\b|(?:what|which)\s+(?:year|month|day|date|time|season|week)\b"
    r"|quando\b|da\s+quanto\b|(?:per\s+)?quanto\s+tempo\b"
    r"|(?:che|quale|a\s+che|in\s+che|in\s+quale)\s+(?:anno|mese|giorno|data|periodo|ora|stagione|settimana)\b)",
    re.IGNORECASE,
)

_SOMEBODY = "\0"
"""Stands for the name in a question."""
_HOW_THEY_ARE = re.compile(
    r"(?:and\s+|so\s+|e\s+|ma\s+)?(?:"
    r"\0"
    r"|how(?:['\u2019]s|\s+(?:is|are|was))\s+\0(?:\s+(?:doing|now|these\s+days))?"
    r"|what(?:\s+has|['\u2019]s)?\s+happened\s+(?:with|to)\s+\0"
    r"|(?:what|how)\s+about\s+\0"
    r"|(?:is\s+there\s+)?(?:any\s+)?news\s+(?:of|about|from|on)\s+\0"
    r"|what(?:['\u2019]s|\s+is)\s+(?:new|up|going\s+on)\s+with\s+\0"
    r"|come\s+(?:sta|stava|va)\s+(?:(?:con|a)\s+)?\0"
    r"|(?:che\s+|cosa\s+|che\s+cosa\s+)(?:[eè]['\u2019]?|era)\s+(?:successo|capitato|accaduto)\s+(?:a|con)\s+\0"
    r"|(?:che\s+)?novit[aà]['\u2019]?\s+(?:su|di|da)\s+\0"
    r"|che\s+(?:ne\s+)?[eè]['\u2019]?\s+di\s+\0"
    r"|(?:che\s+|cosa\s+|che\s+cosa\s+)mi\s+(?:dici|racconti|sai\s+dire)\s+di\s+\0"
    r")\W*",
    re.IGNORECASE,
)


def asks_for_a_time(query: str) -> bool:
    """Whether a question begins by asking for a time, in Italian or English."""
    return _WHEN.match(query) is not None


def nothing_but_time(analysis: Analysis) -> bool:
    """Whether a question asks for all of a time, and says nothing else that could be searched for.

    Of "what did we do last week" function words are left, which are near to texts that matter to nobody.
    """
    if analysis.time is None or not analysis.time.strict or analysis.entities or analysis.topics:
        return False
    language = analysis.language
    plain = load_noun_cues()[language].no_topic
    said = content_words(analysis.semantic_query, language)
    return all(word in stop_words(language) or stem(word, language) in plain for word in said)


def nothing_but_entities(analysis: Analysis) -> bool:
    """Whether a question holds nothing but names: "Cosa sai di Davide?", "Who is Davide?"."""
    if not analysis.entities or analysis.intent not in {"entity", "temporal"} or analysis.topics:
        return False
    if analysis.time is not None and not analysis.time.strict:
        return False
    ignored = stop_words(analysis.language)
    rest = words(_without_names(analysis.semantic_query, analysis.entities), analysis.language)
    return all(word in ignored for word in rest)


def nothing_but_a_name(analysis: Analysis) -> bool:
    """Whether a question asks for somebody, or how they are, and for nothing in particular about them.

    Who somebody is, is something in particular: what introduces them answers it. Else all that is about them
    is equally near to the question: of its words only the name counts, and each text has that.
    """
    if len(analysis.entities) != 1 or analysis.time is not None or analysis.topics or analysis.emotion_filter:
        return False
    name = re.escape(analysis.entities[0])
    asked = re.sub(rf"(?<!\w){name}(?!\w)", _SOMEBODY, analysis.semantic_query, flags=re.IGNORECASE)
    return _HOW_THEY_ARE.fullmatch(" ".join(asked.split())) is not None


def nameless(query: str, speakers: Iterable[str]) -> str:
    """Return `query` without the names of those who speak; as it is, where nothing else would be left.

    People do not name themselves. A question about Anna is answered by what Anna says, which a signal of its
    own finds, whereas the texts that hold her name are the ones that greet her.

    Args:
        query: all of it, or what its analysis left of it.
        speakers: the names in it that are of people who speak.
    """
    kept = _without_names(query, speakers)
    return kept if any(char.isalnum() for char in kept) else query


def _without_names(query: str, names: Iterable[str]) -> str:
    for name in names:
        query = re.sub(rf"(?<!\w){re.escape(name)}(?:['\u2019]s)?(?!\w)", " ", query, flags=re.IGNORECASE)
    return " ".join(query.split())


def speaking(names: Iterable[str], speakers: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return which of `names` are those of people who speak, and who these are.

    A name is a speaker's when it is the whole of what the speaker is called, or one word of it ("Anna" and
    "Anna Rossi").

    Args:
        names: in a question.
        speakers: who speak.

    Returns:
        By name, the speakers, case-folded.
    """
    called = {speaker.casefold() for speaker in speakers if speaker.strip()}
    found: dict[str, frozenset[str]] = {}
    for name in names:
        folded = name.casefold()
        if who := frozenset(one for one in called if one == folded or folded in one.split()):
            found[name] = who
    return found

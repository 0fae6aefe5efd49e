"""Derives the metadata of a message: emotion, importance, topics, participants, kind, title."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from ricordo.language.annotations import NEUTRAL, Emotion, MemoryKind, MemoryType, Role
from ricordo.language.classification import memory_kind, memory_type
from ricordo.language.corrections.correction_parsing import read_correction
from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
from ricordo.language.name_lists import whole_name
from ricordo.language.reading import UNREAD, Reading, Span
from ricordo.language.small_talk import meaningful_words
from ricordo.language.text import collapse, excerpt, normalise
from ricordo.language.titles import title_of
from ricordo.language.tokenization import is_question
from ricordo.language.topics import MAX_TOPICS, topic_form
from ricordo.memory.importance import importance

# Raised whenever the same message would be enriched otherwise, so that a backfill knows what is old.
VERSION = "rules-9"
_LONGEST_TRIGGER = 120  # characters
_MOST_NAMES = 16
_STRONGLY = 0.6  # valence times arousal of what somebody feels
_MUCH = 4  # words that are more than grammar and courtesy
_SURELY = 0.95  # from which on what only asks informs, and what an assistant says
_NAMED = frozenset({"person", "animal"})

_PLACEHOLDER: Final = re.compile(r"\\\{\w+\\\}")
_QUOTING: Final = ("answer_user", "answer_assistant", "answer_other")
_REMARKS: Final = ("since", "until", "disputed")
_LONGEST_DATE: Final = 40  # characters, with whoever spoke
_LONGEST_ANSWER: Final = 8_000  # characters; a full answer quotes five passages of 200 tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrichment:
    """The metadata of a message.

    Attributes:
        importance: [0, 1].
        topics: at most 5, case-folded, most salient first.
        participants: speaker, those present, those mentioned; each once.
        title: one line of at most 80 characters.
        informative: [0, 1]; from 0.5 on it is informative.
        version: of the rules, followed by a plus sign and the model's name if one contributed.
        rated_by: the version of the importance.
    """

    emotion: Emotion
    importance: float
    topics: tuple[str, ...]
    participants: tuple[str, ...]
    type: MemoryType
    kind: MemoryKind
    title: str
    informative: float = 1.0
    version: str = VERSION
    rated_by: str = VERSION


def enrich(
    document: Document,
    *,
    reading: Reading = UNREAD,
    role: Role = Role.USER,
    speaker: str = "",
    participants: Iterable[str] = (),
) -> Enrichment:
    """Derive the metadata of a message from its text and its reading.

    Args:
        document: empty text gives the neutral enrichment; only Italian and English are fully supported.
        role: the text of tools and the system carries no feeling.
    """
    spaced = document.evenly_spaced
    present = tuple(participants)
    mentioned = _people(document, reading, (*present, speaker))
    feels = role in {Role.USER, Role.ASSISTANT}
    emotion = felt(document.text, reading) if feels else NEUTRAL
    return Enrichment(
        emotion=emotion,
        importance=importance(reading.importance),
        topics=_topics(document, reading),
        participants=_each_once((speaker, *present, *mentioned)),
        type=memory_type(spaced, reading, emotion, role),
        kind=memory_kind(spaced),
        title=_title(document, reading) if spaced.text.strip() else "",
        informative=_informative(spaced, reading, role),
    )


def _people(document: Document, reading: Reading, known: Sequence[str]) -> tuple[str, ...]:
    """Return who is named in a text; a first name that one known name begins with is that name."""
    found = (document.text[start:end] for start, end, kind in reading.names if kind in _NAMED)
    return tuple(
        whole_name(collapse(name).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"), known)
        for name in islice(found, _MOST_NAMES)
    )


def _topics(document: Document, reading: Reading) -> tuple[str, ...]:
    """Return what a text is about; people are no topics."""
    people = [(start, end) for start, end, kind in reading.names if kind in _NAMED]
    things = (span for span in reading.topics if not any(_overlap(span, one) for one in people))
    found = (topic_form(document.text[slice(*span)], document.language) for span in things)
    return tuple(dict.fromkeys(filter(None, found)))[:MAX_TOPICS]


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _informative(document: Document, reading: Reading, role: Role) -> float:
    """Return how likely a text tells anything that memory does not hold yet, in [0, 1]."""
    if role == Role.ASSISTANT and _repeats_memory(document):
        return 0.0
    if reading.statements or (role == Role.USER and read_correction(document) is not None):
        return 1.0
    if all(map(is_question, document.sentences)):
        return _surely(reading)
    # In doubt it informs, as what is left out is not recalled.
    if any(map(str.isdigit, document.text)) or len([*islice(meaningful_words(document), _MUCH)]) == _MUCH:
        return 1.0
    if abs(reading.valence) * reading.arousal >= _STRONGLY:
        return 1.0
    return _surely(reading) if role == Role.ASSISTANT else reading.informative


def _surely(reading: Reading) -> float:
    """Return how likely a text tells anything that mostly asks, offers or confirms."""
    return 0.0 if reading.informative < _SURELY else reading.informative


@lru_cache(maxsize=len(LANGUAGES))
def _answer_patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a quotation up to its end, and of a sentence without its remarks."""
    phrases = read_table("context", language)
    quotes = (_pattern(phrases[name].partition("{what}")[0], rf".{{1,{_LONGEST_DATE}}}") for name in _QUOTING)
    closing = re.escape(phrases["answer_user"].rpartition("}")[2])
    remarks = "|".join(_pattern(phrases[name], r"\S+") for name in _REMARKS)
    longest_first = sorted(_fact_phrases(phrases), key=len, reverse=True)  # the most particular
    facts = "|".join(_pattern(each.rstrip("."), "(.+?)") for each in longest_first)
    return (
        re.compile(f"(?:{'|'.join(quotes)}).*{closing}\\s*$", re.DOTALL),
        re.compile(f"(?:{facts})(?:, (?:{remarks}))*\\.?"),
    )


def _fact_phrases(phrases: Mapping[str, Any]) -> Iterator[str]:
    yield from (phrases["answer_formerly"], phrases["nothing_about"])
    for name, table in phrases.items():
        if name.startswith("of_user"):
            yield from (each[:1].upper() + each[1:] for each in table.values())


def _pattern(phrase: str, gap: str) -> str:
    return _PLACEHOLDER.sub(lambda _: gap, re.escape(phrase))


def told_fact(sentence: str, language: str) -> str:
    """Return what the user is told to be, have or like, as "Trieste"; "" where a sentence tells no fact."""
    found = _answer_patterns(language)[1].fullmatch(sentence.strip())
    return " ".join(filter(None, found.groups())) if found else ""


def _repeats_memory(document: Document) -> bool:
    """Return whether all that a text says are answers that Ricordo wrote, as a bot passes them on.

    They are known by the phrases of `context.toml` that they are made of.
    """
    text, language = document.text, document.language
    if language not in LANGUAGES:
        return False
    # It may end by quoting what was said: "You said on 8 May 2023: ...".
    if len(text) <= _LONGEST_ANSWER and _answer_patterns(language)[0].search(text):
        return True
    whole, *each = (told_fact(part, language) for part in (text, *document.sentences))
    return whole != "" or all(each)


def felt(text: str, reading: Reading) -> Emotion:
    """Return the feeling of a text, the words that carry one, and what set it off: its news."""
    if not reading.emotions:
        return NEUTRAL
    (primary, _), *_ = reading.emotions
    feels = primary != NEUTRAL.primary
    news = reading.news if feels else None
    words = (text[slice(*span)] for span in reading.felt) if feels else ()
    return Emotion(
        valence=reading.valence,
        arousal=reading.arousal,
        dominance=reading.dominance,
        primary=primary,
        keywords=tuple(dict.fromkeys(words)),
        trigger="" if news is None else excerpt(text[slice(*news)], _LONGEST_TRIGGER),
    )


def _title(document: Document, reading: Reading) -> str:
    """Return the news of a text, or else its first statement."""
    news = document.text if reading.news is None else document.text[slice(*reading.news)]
    return title_of(document.with_text(news))


def _each_once(names: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in map(collapse, map(normalise, names)):
        if name:
            found.setdefault(name.casefold(), name)
    return tuple(found.values())

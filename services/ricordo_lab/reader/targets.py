"""What the reader is to say of each token of a turn, and of the turn as a whole."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ricordo.language.reading import (
    CERTAINTIES,
    DIRECTIONS,
    EMOTIONS,
    MESSAGE_KINDS,
    NAME_KINDS,
    PREDICATES,
    STATUSES,
)
from ricordo.models.reader.heads import CARRIED_OVER, IN_TEXT, OF_SPEAKER, OF_TOKENS, POINTER
from ricordo.models.reader.text_words import Spans
from ricordo_lab.reader.annotations import SPEAKER, AnnotatedTurn, Statement

Targets = Mapping[str, NDArray[Any]]
NONE: Final = -1
"""The class of a token, or of a turn, of which a head is to say nothing."""

WEIGHTS: Final[Mapping[str, float]] = {
    "object": 1.0,
    "clause": 0.5,
    "predicate": 1.0,
    "subject": 0.8,
    "status": 0.25,
    "denied": 0.1,
    "certainty": 0.1,
    "name": 0.3,
    "time": 0.4,
    "statement_time": 0.2,
    "news": 0.15,
    "topic": 0.15,
    "states": 0.3,
    "informative": 0.3,
    "importance": 0.4,
    "valence": 0.4,
    "arousal": 0.2,
    "emotion": 0.2,
    "kind": 0.1,
    POINTER: 0.8,
}
"""What each head counts in the loss; chosen by the figures of writers left out, not searched one by one."""
CLASS_WEIGHTS: Final[Mapping[str, tuple[float, ...]]] = {
    "object": (1.0, 2.0, 2.0),
    "clause": (1.0, 1.5, 1.5),
    "denied": (1.0, 3.0),
    "certainty": (1.0, 3.0, 3.0),
}
"""What each class counts where one is rare."""

_KIN: Final[Mapping[str, frozenset[str]]] = {
    words.split()[0]: frozenset(words.split())
    for words in (
        "sister sis sorella sorellina schwester",
        "brother bro fratello fratellino bruder",
        "mother mum mom mam mama mummy mommy madre mamma mami mutter",
        "father dad daddy padre papà babbo papa vater",
        "parents folks parent genitori eltern",
        "mother-in-law suocera mil",
        "father-in-law suocero fil",
        "sister-in-law cognata",
        "brother-in-law cognato",
        "daughter-in-law nuora",
        "son-in-law genero",
        "stepfather stepdad patrigno",
        "stepmother stepmum stepmom matrigna",
        "son boy lad figlio bimbo bambino pupo sohn",
        "daughter girl figlia bimba bambina tochter",
        "child kid kids bambino bambina bimbo bimba figli figlio figlia baby bairn children kind kinder",
        "wife moglie missus frau",
        "husband hubby marito mann",
        "partner compagno compagna fidanzato ragazzo ragazza boyfriend girlfriend gf bf moroso morosa fiancé",
        "boyfriend bf fella ragazzo moroso fidanzato",
        "girlfriend gf ragazza morosa fidanzata",
        "ex ex-husband ex-wife",
        "flatmate housemate roommate coinquilino coinquilina",
        "landlord padrone",
        "landlady padrona",
        "teacher prof professore professoressa maestra maestro",
        "friend mate amico amica freund freundin",
        "colleague coworker collega kollege kollegin",
        "boss capo manager gaffer titolare chef chefin",
        "neighbour neighbor vicino vicina nachbar nachbarin",
        "aunt auntie zia tante",
        "uncle zio onkel",
        "cousin cugino cugina",
        "grandmother gran nan nana granny grandma nonna oma",
        "grandfather grandad grandpa gramps nonno opa",
        "grandson grandsons nipote nipotino",
        "granddaughter granddaughters nipote nipotina",
        "nephew nipote neffe",
        "niece nipote nichte",
        "dog pup puppy cane cagnolino cagnolina cagna cagnetto hund",
        "cat kitten gatto gatta gattino gattina micio katze kater",
        "pet dog cat cane gatto gatta",
    )
}
"""How a tie of the guide is called in a text, so that the words that name the subject are found."""


def targets_of(turn: AnnotatedTurn, spans: Spans) -> Targets:
    """Return the right answer of each head: of tokens [t], of predicates [t, p], of the turn a number.

    Args:
        spans: of the tokens, [t].
    """
    count = len(spans)
    found: dict[str, NDArray[Any]] = {
        head.name: np.full(count, NONE if head.name in _OF_OBJECTS else 0, dtype=np.int64)
        for head in OF_TOKENS
    }
    found["predicate"] = np.zeros((count, len(PREDICATES)), dtype=np.float32)
    found[POINTER] = np.full(count, NONE, dtype=np.int64)
    for statement in turn.statements:
        _add_statement(found, turn.text, spans, statement)
    for text, kind in turn.names:
        for start in _occurrences(text, turn.text):
            _tag(found["name"], _tokens(spans, start, start + len(text)), NAME_KINDS.index(kind))
    for text, direction in turn.times:
        _tag(found["time"], tokens_of(text, turn.text, spans), DIRECTIONS.index(direction))
    for name, texts in (("news", (turn.news,)), ("topic", turn.topics)):
        for text in filter(None, texts):
            found[name][tokens_of(text, turn.text, spans)] = 1
    whole = {
        "states": int(bool(turn.statements)),
        "informative": int(turn.informative),
        "importance": turn.importance,
        "valence": turn.valence + 2,
        "arousal": turn.arousal,
        "emotion": EMOTIONS.index(turn.emotion),
        "kind": MESSAGE_KINDS.index(turn.kind) if turn.kind else NONE,
    }
    return found | {name: np.array(value) for name, value in whole.items()}


_OF_OBJECTS: Final = frozenset({"subject", "status", "denied", "certainty"})
"""Heads that say something of the tokens of objects only."""


def _add_statement(found: Mapping[str, NDArray[Any]], text: str, spans: Spans, statement: Statement) -> None:
    clause = max(0, text.find(statement.clause))
    start = text.find(statement.object, clause)
    tokens = _tokens(spans, start, start + len(statement.object)) if start >= 0 else []
    subject, at = _subject(text, spans, statement, clause)
    _tag(found["object"], tokens)
    found["predicate"][tokens, PREDICATES.index(statement.predicate)] = 1
    found["subject"][tokens] = subject
    found[POINTER][tokens] = at
    found["status"][tokens] = STATUSES.index(statement.status)
    found["denied"][tokens] = int(statement.denied)
    found["certainty"][tokens] = CERTAINTIES.index(statement.certainty)
    _tag(found["clause"], _tokens(spans, clause, clause + len(statement.clause)))
    if statement.time:
        found["statement_time"][tokens_of(statement.time, text, spans)] = 1


def _subject(text: str, spans: Spans, statement: Statement, clause: int) -> tuple[int, int]:
    """Return the class of the subject, and the token where it begins, nearest to the clause; 0 for none."""
    if statement.subject == SPEAKER:
        return OF_SPEAKER, 0
    words = {word for name in (statement.subject, *statement.also) for word in words_of(name)}
    starts = [start for word in words for start in _occurrences(word, text, "s?")]
    if not starts:
        return CARRIED_OVER, 0
    nearest = min(starts, key=lambda start: abs(start - clause))
    return IN_TEXT, next(iter(_tokens(spans, nearest, nearest + 1)), 0)


def words_of(subject: str) -> Iterable[str]:
    """Return the words that may name a subject in a text."""
    *_, tie = subject.split("'s ")
    return {subject} if tie == subject else _KIN.get(tie, {tie})


def _tag(tags: NDArray[Any], tokens: Iterable[int], kind: int = 0) -> None:
    for place, token in enumerate(tokens):
        if place == 0 or not tags[token]:
            tags[token] = 1 + 2 * kind + (place > 0)


def _occurrences(word: str, text: str, ending: str = "") -> Iterator[int]:
    for match in re.finditer(rf"(?<!\w){re.escape(word)}{ending}(?!\w)", text, re.IGNORECASE):
        yield match.start()


def tokens_of(part: str, text: str, spans: Spans) -> list[int]:
    """Return the tokens of a part of a text, where it occurs first."""
    start = text.find(part)
    return _tokens(spans, start, start + len(part))


def _tokens(spans: Spans, start: int, end: int) -> list[int]:
    return [
        at for at, (first, last) in enumerate(spans) if 0 <= first < last and first < end and last > start
    ]

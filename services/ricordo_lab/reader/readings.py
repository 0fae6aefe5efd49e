"""What the network says of a turn, read from its outputs: statements with how sure they are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ricordo_lab.reader.annotations import PREDICATES, STATUSES
from ricordo_lab.reader.targets import CARRIED_OVER, IN_TEXT, OF_SPEAKER, POINTER, Spans

Floats = NDArray[np.float32]
Probabilities = Mapping[str, Floats]
"""By head: of tokens [t, classes], of the turn [classes]; of the pointer [t, t]."""

FAMILIES: Final = tuple(
    frozenset(words.split())
    for words in (
        "likes reads_or_watches does plays skilled_in",
        "wants plans attends",
        "works_at works_as is_a",
        "studies studies_at",
        "has_sibling has_child has_parent partner friend knows related_to name",
        "lives_in born_in",
        "has_pet owns",
        "experienced visited plans attends",
        "has_condition allergic_to trait experienced",
    )
)
"""Predicates that two people may choose for the same statement."""
_BEGINS: Final = 0.35  # the least probability of the beginning of a further span inside of one


def is_like(predicate: str, other: str) -> bool:
    """Return whether two predicates are the same, or of one family."""
    return predicate == other or any({predicate, other} <= family for family in FAMILIES)


_LIKE: Final = np.array(
    [[is_like(one, other) for other in PREDICATES] for one in PREDICATES], dtype=np.float32
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement that was read: typed where it has a predicate, else noted.

    Attributes:
        start, end: of the object in the text, or of the clause that is noted.
        certainty: from 0 to 1, comparable among readings of one kind.
        subject: `OF_SPEAKER`, `IN_TEXT` or `CARRIED_OVER`.
        subject_start: where the subject begins in the text; -1 for none.
    """

    start: int
    end: int
    certainty: float
    subject: int
    subject_start: int
    predicate: str = ""
    status: str = ""
    denied: bool = False


def typed(text: str, spans: Spans, found: Probabilities, least: float) -> Iterator[Reading]:
    """Yield the objects of statements.

    Args:
        least: the probability from which on a word belongs to an object.
    """
    for tokens, probability in _spans(text, spans, found["object"], least):
        predicates = found["predicate"][tokens].mean(0)
        best = int(predicates.argmax())
        subjects = found["subject"][tokens].mean(0)
        sure = float(max(subjects[OF_SPEAKER], 1.0 - subjects[OF_SPEAKER]))
        start, end = spans[tokens[0]][0], spans[tokens[-1]][1]
        if any(character.isalnum() for character in text[start:end]):
            yield Reading(
                start,
                end,
                probability * float(predicates @ _LIKE[best]) * sure,
                *_subject(spans, found, tokens),
                PREDICATES[best],
                STATUSES[int(found["status"][tokens].mean(0).argmax())],
                bool(found["denied"][tokens].mean(0)[1] > 0.5),
            )


def noted(text: str, spans: Spans, found: Probabilities, least: float) -> Iterator[Reading]:
    """Yield the clauses that state something lasting, whatever it is."""
    for tokens, probability in _spans(text, spans, found["clause"], least):
        certainty = probability * float(found["states"][0])
        yield Reading(spans[tokens[0]][0], spans[tokens[-1]][1], certainty, *_subject(spans, found, tokens))


def _subject(spans: Spans, found: Probabilities, tokens: Sequence[int]) -> tuple[int, int]:
    subjects = found["subject"][tokens].mean(0)
    if subjects[OF_SPEAKER] >= 0.5:
        return OF_SPEAKER, -1
    if subjects[CARRIED_OVER] > subjects[IN_TEXT]:
        return CARRIED_OVER, -1
    return IN_TEXT, spans[int(found[POINTER][tokens].mean(0).argmax())][0]


def _spans(text: str, spans: Spans, tags: Floats, least: float) -> Iterator[tuple[list[int], float]]:
    """Yield the tokens of spans of whole words, and the mean probability of their words."""
    inside: list[tuple[list[int], float]] = []
    for word in [*_words(text, spans), None]:
        belongs = 0.0 if word is None else float((1.0 - tags[word, 0]).max())
        begins = word is not None and bool(tags[word[0], 1] > max(tags[word[0], 2], _BEGINS))
        if inside and (belongs <= least or begins):
            yield (
                [token for each, _ in inside for token in each],
                float(np.mean([share for _, share in inside])),
            )
            inside = []
        if word is not None and belongs > least:
            inside.append((word, belongs))


def _words(text: str, spans: Spans) -> list[list[int]]:
    """Return the tokens of each word."""
    words: list[list[int]] = []
    for token, (start, end) in enumerate(spans):
        if not 0 <= start < end:
            continue
        joins = words and spans[words[-1][-1]][1] == start and text[max(0, start - 1) : start + 1].isalnum()
        if joins:
            words[-1].append(token)
        else:
            words.append([token])
    return words


def probabilities(outputs: Mapping[str, Any], kinds: Mapping[str, str]) -> Probabilities:
    """Return the probabilities of logits, by the kind of each head; of the pointer a choice."""
    found = {}
    for name, logits in outputs.items():
        if kinds.get(name, "choice") in ("choice", "mixture"):
            powers = np.exp(logits - logits.max(-1, keepdims=True))
            found[name] = powers / powers.sum(-1, keepdims=True)
        else:
            found[name] = 1.0 / (1.0 + np.exp(-logits))
    return found

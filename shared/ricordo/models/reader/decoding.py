"""Turns what the network answers of a text into its reading.

A statement begins as a span of words that may be its object; predicate, subject and the rest are means over
the span's tokens. How certain the whole is, a logistic regression tells from these probabilities: it was
fitted on writers whom the network had not read, so that 0.8 means that eight of ten are right there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.language.reading import (
    CERTAINTIES,
    DIRECTIONS,
    EMOTIONS,
    MESSAGE_KINDS,
    NAME_KINDS,
    PREDICATES,
    STATED,
    STATUSES,
    Of,
    Reading,
    ReadStatement,
    Span,
    is_like,
)
from ricordo.models.reader.heads import CARRIED_OVER, FELT, IN_TEXT, OF_SPEAKER, POINTER
from ricordo.models.reader.reader_network import Floats, Probabilities, Thresholds
from ricordo.models.reader.text_words import Spans, Words

DECODING_VERSION: Final = 2  # increased with each change of what is read of the same probabilities
LEAST_OBJECT: Final = 0.3
"""The probability from which on a word belongs to the object of what may be a statement."""
_LEAST_CLAUSE: Final = 0.4
_LEAST_TAG: Final = 0.5
_LEAST_TOPIC: Final = 0.25
_EMOTIONS: Final = 3
_SPOKEN: Final = 0.5
"""How far people's own talk tells the valence, and texts that others have rated the rest of it."""
# Ratings come in standard deviations from a neutral text; a regression keeps close to the middle.
_VALENCE: Final = 0.65  # of which the tangent is taken
_AROUSAL: Final = (0.3, 0.13, 0.5)  # of a neutral text, by ratings, by talk
_DOMINANCE: Final = (0.5, 0.085)
_CLEAR: Final = 0.25  # the valence from which on words carry it
_CARRIES: Final = 0.8  # of what the strongest word does
_CARRIERS: Final = 3
_TINY: Final = 1e-9
_BEGINS: Final = 0.7  # the least probability of the beginning of a further span inside of one


_LIKE: Final = np.array(
    [[is_like(one, other) for other in PREDICATES] for one in PREDICATES], dtype=np.float32
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may be a statement.

    Attributes:
        tokens: of the object, or of the clause.
        evidence: what its certainty is told from, [features].
        predicate: its number; negative for a clause.
    """

    tokens: Sequence[int]
    span: Span
    evidence: NDArray[np.float32]
    predicate: int = -1


def typed_candidates(words: Words, found: Probabilities) -> Iterator[Candidate]:
    """Yield the objects of what may be statements."""
    of_text = [
        _logit(found["states"][0]),
        _logit(found["informative"][0]),
        float(found["importance"].sum()),
        float(np.log(max(1, len(words.tokens)))),
    ]
    for tokens, probability in _joined(words, list(_spans(words, found["object"], LEAST_OBJECT)), found):
        span = words.span(tokens)
        if not any(map(str.isalnum, words.text[slice(*span)])):
            continue
        predicates, subjects = (_of_object(found, head, tokens) for head in ("predicate", "subject"))
        best = int(predicates.argmax())
        first, second = np.sort(predicates)[::-1][:2]
        family = float(predicates @ _LIKE[best])
        sure = float(max(subjects[OF_SPEAKER], 1.0 - subjects[OF_SPEAKER]))
        clause = 1.0 - found["clause"][tokens, 0]
        own = [
            _logit(probability * family * sure),
            _logit(probability),
            _logit(family),
            _logit(first),
            _logit(sure),
            _logit(float(clause.mean())),
            float(first - second),
            float(len(tokens)),
            float(found["object"][tokens[0], 1]),
            1.0 - float(found["name"][tokens, 0].mean()),
            float(found["news"][tokens].mean()),
            float(found["topic"][tokens].mean()),
            float(found["denied"][tokens, 1].mean()),
            *subjects[1:],
            *found["certainty"][tokens].mean(0)[1:],
            *found["status"][tokens].mean(0)[1:],
        ]
        chosen = np.zeros(len(PREDICATES))
        chosen[best] = 1.0
        yield Candidate(tokens, span, np.array([*of_text, *own, *chosen], dtype=np.float32), best)


def _of_object(found: Probabilities, head: str, tokens: Sequence[int]) -> Floats:
    """Return what a head says of some tokens, each as far as it belongs to an object.

    Of a clause, too, it is its object of which the heads have learned to speak.
    """
    shares = 1.0 - found["object"][tokens, 0] + 1e-6
    return np.average(found[head][tokens], axis=0, weights=shares)


def _joined(
    words: Words, objects: Sequence[tuple[list[int], float]], found: Probabilities
) -> Iterator[tuple[list[int], float]]:
    """Yield objects; neighbours of like predicates are one: "the early train to" and "Pescara"."""
    place = {token: at for at, word in enumerate(words.tokens) for token in word}
    joined: list[tuple[list[int], float, str]] = []
    for tokens, probability in objects:
        kind = PREDICATES[int(_of_object(found, "predicate", tokens).argmax())]
        last = joined[-1] if joined else None
        if last and place[last[0][-1]] + 1 == place[tokens[0]] and is_like(last[2], kind):
            joined[-1] = ([*last[0], *tokens], (last[1] + probability) / 2, kind)
        else:
            joined.append((tokens, probability, kind))
    yield from ((tokens, probability) for tokens, probability, _ in joined)


def noted_candidates(words: Words, found: Probabilities) -> Iterator[Candidate]:
    """Yield the clauses that may state something lasting, whatever it is."""
    for tokens, probability in _spans(words, found["clause"], _LEAST_CLAUSE):
        objects = 1.0 - found["object"][tokens, 0]
        evidence = [
            _logit(probability),
            _logit(found["states"][0]),
            _logit(float(objects.max())),
            _logit(found["informative"][0]),
            float(found["importance"].sum()),
            float(np.log(len(tokens))),
            float(np.log(max(1, len(words.tokens)))),
            float(found["news"][tokens].mean()),
            *found["certainty"][tokens].mean(0)[1:],
        ]
        yield Candidate(tokens, words.span(tokens), np.array(evidence, dtype=np.float32))


def read(
    text: str,
    spans: Spans,
    found: Probabilities,
    *,
    certainty: Mapping[str, Floats],
    least: Thresholds,
    version: str,
) -> Reading:
    """Return the reading of a text.

    Args:
        certainty: the regressions `typed` and `noted`, each its weights and, last, its bias.
    """
    words = Words(text, spans)
    away = found["rated"].tolist()
    said, excited = float(found["valence"].sum()) / 2.0 - 1.0, float(found["arousal"].sum()) / 2.0
    valence = _within(_SPOKEN * said + (1 - _SPOKEN) * float(np.tanh(_VALENCE * away[0])), -1.0)
    news = [span for span, _ in _tagged(words, found["news"])]
    return Reading(
        version=version,
        informative=round(_shifted(float(found["informative"][0]), least.informative), 3),
        importance=round(float(found["importance"].sum()), 3),
        valence=valence,
        arousal=_within(_AROUSAL[0] + _AROUSAL[1] * away[1] + _AROUSAL[2] * excited, 0.0),
        dominance=_within(_DOMINANCE[0] + _DOMINANCE[1] * away[2], 0.0),
        felt=tuple(_felt(words, found[FELT], valence)),
        procedural=round(float(found["procedural"][0]), 3),
        emotions=tuple(
            (EMOTIONS[kind], round(float(found["emotion"][kind]), 3))
            for kind in np.argsort(-found["emotion"])[:_EMOTIONS].tolist()
        ),
        kind=MESSAGE_KINDS[int(found["kind"].argmax())],
        news=max(news, key=lambda span: span[1] - span[0], default=None),
        topics=tuple(span for span, _ in _tagged(words, found["topic"], _LEAST_TOPIC)),
        names=tuple((*span, NAME_KINDS[kind]) for span, kind in _tagged(words, found["name"])),
        times=tuple((*span, DIRECTIONS[kind]) for span, kind in _tagged(words, found["time"])),
        statements=tuple(_statements(spans, words, found, certainty, least)),
    )


def certainty_of(candidate: Candidate, regression: Floats) -> float:
    """Return the probability that a candidate is a statement."""
    return float(1.0 / (1.0 + np.exp(-(candidate.evidence @ regression[:-1] + regression[-1]))))


def _statements(
    spans: Spans,
    words: Words,
    found: Probabilities,
    certainty: Mapping[str, Floats],
    least: Thresholds,
) -> Iterator[ReadStatement]:
    clauses = [(one, certainty_of(one, certainty["noted"])) for one in noted_candidates(words, found)]
    typed: list[Span] = []
    for one in typed_candidates(words, found):
        probability = certainty_of(one, certainty["typed"])
        if probability >= least.typed:
            around = (each.span for each, _ in clauses if _overlap(each.span, one.span))
            clause = next(around, _sentence(words.text, one.span))
            clause = min(clause[0], one.span[0]), max(clause[1], one.span[1])
            typed.append(one.span)
            yield statement_of(one, found, spans, clause, probability)
    for one, probability in clauses:
        if probability >= least.noted and _says_more(one, found, spans, typed):
            yield statement_of(one, found, spans, one.span, probability)


def _says_more(clause: Candidate, found: Probabilities, spans: Spans, typed: Sequence[Span]) -> bool:
    """Whether a clause holds nothing that is typed, or an object besides: its own words tell that one."""
    if not any(_overlap(clause.span, each) for each in typed):
        return True
    rest = [token for token in clause.tokens if not any(_overlap(spans[token], each) for each in typed)]
    return bool((found["object"][rest, 0] < 1.0 - _LEAST_TAG).any())


def statement_of(
    one: Candidate, found: Probabilities, spans: Spans, clause: Span, certainty: float
) -> ReadStatement:
    """Return a candidate as the statement that it may be."""

    def of(head: str) -> Floats:
        return _of_object(found, head, one.tokens)

    subjects = of("subject")
    whose: Of = "speaker"
    if subjects[OF_SPEAKER] < _LEAST_TAG:
        whose = "named" if subjects[IN_TEXT] >= subjects[CARRIED_OVER] else "carried"
    at = spans[int(of(POINTER).argmax())][0] if whose == "named" else -1
    return ReadStatement(
        predicate=PREDICATES[one.predicate] if one.predicate >= 0 else STATED,
        object=one.span,
        clause=clause,
        of="carried" if whose == "named" and at < 0 else whose,
        subject_at=at,
        certainty=round(certainty, 3),
        status=STATUSES[int(of("status").argmax())],
        denied=bool(of("denied")[1] >= _LEAST_TAG),
        hedge=CERTAINTIES[int(of("certainty").argmax())],
    )


def _felt(words: Words, pulls: Floats, valence: float) -> Iterator[Span]:
    """Yield the words that draw the valence most to where it is, in order."""
    if abs(valence) < _CLEAR:
        return
    found = []
    for tokens in words.tokens:
        span = words.span(tokens)
        word = words.text[slice(*span)]
        if (len(word) > 1 and not word.isascii()) or word.isalpha():
            found.append((float(np.copysign(1.0, valence) * pulls[tokens].max()), span))
    strongest = sorted(found, reverse=True)[:_CARRIERS]
    least = max(0.0, _CARRIES * strongest[0][0]) if strongest else 0.0
    yield from sorted(span for pull, span in strongest if pull > least)


def _within(value: float, low: float) -> float:
    return round(min(1.0, max(low, value)), 4)


def _shifted(probability: float, least: float) -> float:
    """Return a probability whose odds are counted from those of another one, which becomes a half."""
    odds = probability / (1.0 - probability + _TINY) * (1.0 - least) / least
    return odds / (1.0 + odds)


def _tagged(words: Words, tags: Floats, least: float = _LEAST_TAG) -> Iterator[tuple[Span, int]]:
    """Yield spans of whole words, each with its class; of a head of one step all are of class 0."""
    if tags.shape[1] == 1:
        tags = np.concatenate([1.0 - tags, np.zeros_like(tags), tags], axis=1)
    for tokens, _ in _spans(words, tags, least):
        kinds = tags[tokens, 1:].mean(0).reshape(-1, 2).sum(1)
        yield words.span(tokens), int(kinds.argmax())


def _spans(words: Words, tags: Floats, least: float) -> Iterator[tuple[list[int], float]]:
    """Yield the tokens of spans of whole words, and the mean probability of their words."""
    if not words.tokens:
        return
    shares = 1.0 - np.minimum.reduceat(tags[words.joined, 0], words.starts)
    inside = np.flatnonzero(shares > least)
    if not len(inside):
        return
    firsts = tags[words.firsts[inside]]
    begins = firsts[:, 1::2].sum(1) > np.maximum(firsts[:, 2::2].sum(1), _BEGINS)
    begins[0] = False
    begins[1:] |= np.diff(inside) > 1
    for places in np.split(inside, np.flatnonzero(begins)):
        tokens = [token for place in places.tolist() for token in words.tokens[place]]
        yield tokens, float(shares[places].astype(np.float64).mean())


def _sentence(text: str, span: Span) -> Span:
    """Return the sentence around a span: up to the ends that stand before and behind it."""
    ends = ".!?\n"
    start = max(text.rfind(each, 0, span[0]) for each in ends) + 1
    behind = [at for each in ends if (at := text.find(each, span[1])) >= 0]
    start += len(text[start:]) - len(text[start:].lstrip())
    return start, min(behind, default=len(text.rstrip()))


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _logit(probability: float) -> float:
    return float(np.log((probability + 1e-3) / (1.0 - probability + 1e-3)))

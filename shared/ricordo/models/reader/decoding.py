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

Spans = Sequence[Span]
"""The characters of the text that each token stands for; (-1, -1) for none."""


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


def typed_candidates(text: str, spans: Spans, found: Probabilities) -> Iterator[Candidate]:
    """Yield the objects of what may be statements."""
    words = _words(text, spans)
    of_text = [
        _logit(found["states"][0]),
        _logit(found["informative"][0]),
        float(found["importance"].sum()),
        float(np.log(max(1, len(words)))),
    ]
    for tokens, probability in _joined(words, list(_spans(words, found["object"], LEAST_OBJECT)), found):
        span = spans[tokens[0]][0], spans[tokens[-1]][1]
        if not any(map(str.isalnum, text[slice(*span)])):
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
    words: Sequence[list[int]], objects: Sequence[tuple[list[int], float]], found: Probabilities
) -> Iterator[tuple[list[int], float]]:
    """Yield objects; neighbours of like predicates are one: "the early train to" and "Pescara"."""
    place = {token: at for at, word in enumerate(words) for token in word}
    joined: list[tuple[list[int], float, str]] = []
    for tokens, probability in objects:
        kind = PREDICATES[int(_of_object(found, "predicate", tokens).argmax())]
        last = joined[-1] if joined else None
        if last and place[last[0][-1]] + 1 == place[tokens[0]] and is_like(last[2], kind):
            joined[-1] = ([*last[0], *tokens], (last[1] + probability) / 2, kind)
        else:
            joined.append((tokens, probability, kind))
    yield from ((tokens, probability) for tokens, probability, _ in joined)


def noted_candidates(text: str, spans: Spans, found: Probabilities) -> Iterator[Candidate]:
    """Yield the clauses that may state something lasting, whatever it is."""
    words = _words(text, spans)
    for tokens, probability in _spans(words, found["clause"], _LEAST_CLAUSE):
        objects = 1.0 - found["object"][tokens, 0]
        evidence = [
            _logit(probability),
            _logit(found["states"][0]),
            _logit(float(objects.max())),
            _logit(found["informative"][0]),
            float(found["importance"].sum()),
            float(np.log(len(tokens))),
            float(np.log(max(1, len(words)))),
            float(found["news"][tokens].mean()),
            *found["certainty"][tokens].mean(0)[1:],
        ]
        span = spans[tokens[0]][0], spans[tokens[-1]][1]
        yield Candidate(tokens, span, np.array(evidence, dtype=np.float32))


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
    away = found["rated"].tolist()
    said, excited = float(found["valence"].sum()) / 2.0 - 1.0, float(found["arousal"].sum()) / 2.0
    valence = _within(_SPOKEN * said + (1 - _SPOKEN) * float(np.tanh(_VALENCE * away[0])), -1.0)
    news = [span for span, _ in _tagged(text, spans, found["news"])]
    return Reading(
        version=version,
        informative=round(_shifted(float(found["informative"][0]), least.informative), 3),
        importance=round(float(found["importance"].sum()), 3),
        valence=valence,
        arousal=_within(_AROUSAL[0] + _AROUSAL[1] * away[1] + _AROUSAL[2] * excited, 0.0),
        dominance=_within(_DOMINANCE[0] + _DOMINANCE[1] * away[2], 0.0),
        felt=tuple(_felt(text, spans, found[FELT], valence)),
        procedural=round(float(found["procedural"][0]), 3),
        emotions=tuple(
            (EMOTIONS[kind], round(float(found["emotion"][kind]), 3))
            for kind in np.argsort(-found["emotion"])[:_EMOTIONS].tolist()
        ),
        kind=MESSAGE_KINDS[int(found["kind"].argmax())],
        news=max(news, key=lambda span: span[1] - span[0], default=None),
        topics=tuple(span for span, _ in _tagged(text, spans, found["topic"], _LEAST_TOPIC)),
        names=tuple((*span, NAME_KINDS[kind]) for span, kind in _tagged(text, spans, found["name"])),
        times=tuple((*span, DIRECTIONS[kind]) for span, kind in _tagged(text, spans, found["time"])),
        statements=tuple(_statements(text, spans, found, certainty, least)),
    )


def certainty_of(candidate: Candidate, regression: Floats) -> float:
    """Return the probability that a candidate is a statement."""
    return float(1.0 / (1.0 + np.exp(-(candidate.evidence @ regression[:-1] + regression[-1]))))


def _statements(
    text: str, spans: Spans, found: Probabilities, certainty: Mapping[str, Floats], least: Thresholds
) -> Iterator[ReadStatement]:
    clauses = [(one, certainty_of(one, certainty["noted"])) for one in noted_candidates(text, spans, found)]
    typed: list[Span] = []
    for one in typed_candidates(text, spans, found):
        probability = certainty_of(one, certainty["typed"])
        if probability >= least.typed:
            around = (each.span for each, _ in clauses if _overlap(each.span, one.span))
            clause = next(around, _sentence(text, one.span))
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


def _felt(text: str, spans: Spans, pulls: Floats, valence: float) -> Iterator[Span]:
    """Yield the words that draw the valence most to where it is, in order."""
    if abs(valence) < _CLEAR:
        return
    found = []
    for tokens in _words(text, spans):
        span = spans[tokens[0]][0], spans[tokens[-1]][1]
        if (span[1] - span[0] > 1 and not text[slice(*span)].isascii()) or text[slice(*span)].isalpha():
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


def _tagged(text: str, spans: Spans, tags: Floats, least: float = _LEAST_TAG) -> Iterator[tuple[Span, int]]:
    """Yield spans of whole words, each with its class; of a head of one step all are of class 0."""
    if tags.shape[1] == 1:
        tags = np.concatenate([1.0 - tags, np.zeros_like(tags), tags], axis=1)
    for tokens, _ in _spans(_words(text, spans), tags, least):
        kinds = tags[tokens, 1:].mean(0).reshape(-1, 2).sum(1)
        yield (spans[tokens[0]][0], spans[tokens[-1]][1]), int(kinds.argmax())


def _spans(words: Sequence[list[int]], tags: Floats, least: float) -> Iterator[tuple[list[int], float]]:
    """Yield the tokens of spans of whole words, and the mean probability of their words."""
    inside: list[tuple[list[int], float]] = []
    for word in [*words, None]:
        belongs = 0.0 if word is None else float(1.0 - tags[word, 0].min())
        begins = False
        if word is not None:
            begin, goes_on = tags[word[0], 1::2].sum(), tags[word[0], 2::2].sum()
            begins = bool(begin > max(goes_on, _BEGINS))
        if inside and (belongs <= least or begins):
            yield (
                [each for some, _ in inside for each in some],
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

"""Chooses the intent of a question, by the rules and, where these see nothing particular, by a fitted head.

The features of the head are independent of the words that only this question has: function words in order,
the endings of the others (inflection distinguishes a deed from a thing), the places of times and names,
pleasant and unpleasant words. `ricordo eval fit-questions` fits its weights.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import islice, pairwise
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ricordo.language.query_analysis.analysis import Intent
from ricordo.language.query_analysis.intents import intent_by_rules, may_be
from ricordo.language.query_analysis.question_patterns import feeling_sign
from ricordo.language.query_analysis.question_sentence import FEW_WORDS, ParsedQuestion
from ricordo.language.text import stem, stop_words
from ricordo.language.text_head import SavedHead
from ricordo.language.tokenization import words_of

INTENTS: Final[tuple[Intent, ...]] = ("emotional", "entity", "general", "procedural", "temporal", "topic")
BUCKETS: Final = 8192
"""Features are hashed into so many."""

_MOST_WORDS: Final = 40
_TIME, _NAME = "=time", "=name"
_SURE: Final = 0.5  # probability from which the head is believed


@dataclass(frozen=True, slots=True)
class IntentHead(SavedHead):
    """Multinomial logistic regression over hashed features; its weights count in steps of `scale`."""

    weights: NDArray[np.int8]
    scale: NDArray[np.float32]
    languages: tuple[str, ...]
    fitted_on: str

    def probabilities(self, question: ParsedQuestion) -> dict[Intent, float]:
        """Return the probability of each intent, together 1."""
        places = buckets(question)
        scores = self.weights[places].sum(axis=0, dtype=np.int32) * self.scale / np.sqrt(len(places))
        odds = np.exp(scores - scores.max())
        return dict(zip(INTENTS, (odds / odds.sum()).tolist(), strict=True))


@lru_cache(maxsize=1)
def load_intent_head() -> IntentHead:
    """Return the shipped head, read once."""
    return IntentHead.restored(resources.files(__package__).joinpath("intent_head.npz").read_bytes())


def decide(question: ParsedQuestion) -> Intent:
    """Return the intent by the rules, or if that is general, the head's where it is sure."""
    intent = intent_by_rules(question)
    sentence = question.sentence
    if intent != "general" or not (sentence.asks or len(sentence.core.split()) <= FEW_WORDS):
        return intent
    likeliest, probability = decide_by_head(question)
    return likeliest if probability >= _SURE else intent


def decide_by_head(question: ParsedQuestion) -> tuple[Intent, float]:
    """Return the likeliest of the intents that are possible, by the head alone, and its probability."""
    head = load_intent_head()
    if question.language not in head.languages:
        return "general", 0.0
    odds = head.probabilities(question)
    best = max((intent for intent in odds if may_be(intent, question)), key=odds.__getitem__)
    return best, odds[best]


def buckets(question: ParsedQuestion) -> NDArray[np.intp]:
    """Return the places of the features of a question: at least one, ascending, each once."""
    found = {crc32(feature.encode("utf-8", "replace")) % BUCKETS for feature in _features(question)}
    return np.array(sorted(found), dtype=np.intp)


def _features(question: ParsedQuestion) -> list[str]:
    shapes, stems = _shapes_and_stems(question)
    found = [
        f"{length}{' '.join(shapes[at : at + length])}"
        for length in (1, 2, 3, 4)
        for at in range(len(shapes) - length + 1)
    ]
    found += [f"gap {one} {other}" for one, other in zip(shapes, shapes[2:], strict=False)]
    found += [f"stem {one}" for one in stems]
    found += [f"stems {one} {other}" for one, other in pairwise(stems)]
    found += [f"begins {one[:4]}" for one in stems]
    return [question.language + feature for feature in found]


def _shapes_and_stems(question: ParsedQuestion) -> tuple[list[str], list[str]]:
    """Return the words of the sentence twice: by their shapes, and by their stems."""
    sentence, language = question.sentence, question.language
    spans = _spans(question)
    shapes, stems = ["^"], ["^"]
    for word in islice(words_of(sentence.flat, language), _MOST_WORDS):
        stands_for = next((name for start, end, name in spans if start <= word.start < end), None)
        if stands_for is None:
            shapes.append(_shape(word.folded, question))
            stems.append(stem(word.folded, language))
        elif shapes[-1] != stands_for:
            shapes.append(stands_for)
            stems.append(stands_for)
    end = "?" if "?" in sentence.text else "."
    return [*shapes, end], [*stems, end]


def _spans(question: ParsedQuestion) -> list[tuple[int, int, str]]:
    """Return where times and names stand in the sentence."""
    sentence = question.sentence
    spans = [] if sentence.time is None else [(*sentence.time.span, _TIME)]
    for name in question.entities:
        at = sentence.flat.find(name.lower())
        if at >= 0:
            spans.append((at, at + len(name), _NAME))
    return spans


def _shape(word: str, question: ParsedQuestion) -> str:
    """Return a function word as it is, and of another its feeling and its ending."""
    if word in stop_words(question.language):
        return word
    sign = feeling_sign(word, question.patterns) or ""
    return f"~{sign}{word[-3:]}"

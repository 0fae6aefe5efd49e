"""Who chooses the intent: the rules, and where they see nothing particular, the head."""

from typing import Final

from ricordo.language.query_analysis.head import load_head
from ricordo.language.query_analysis.intents import Reading, intent_by_rules, may_be
from ricordo.language.query_analysis.model import Intent
from ricordo.language.query_analysis.reading import FEW_WORDS

_SURE: Final = 0.5  # probability from which the head is believed


def decide(reading: Reading) -> Intent:
    """Return the intent: that of the rules, or if that is general, one of which the head is sure."""
    found = intent_by_rules(reading)
    sentence = reading.sentence
    if found != "general" or not (sentence.asks or len(sentence.core.split()) <= FEW_WORDS):
        return found
    likely, probability = _by_head(reading)
    return likely if probability >= _SURE else found


def decide_by_head(reading: Reading) -> Intent:
    """Return the intent that the head finds likeliest of those that may be."""
    return _by_head(reading)[0]


def _by_head(reading: Reading) -> tuple[Intent, float]:
    odds = load_head().probabilities(reading)
    possible = [intent for intent in odds if may_be(intent, reading)]
    best = max(possible, key=odds.__getitem__)
    return best, odds[best]

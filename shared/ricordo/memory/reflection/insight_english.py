"""The phrases of insights in English."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ricordo.memory.reflection.noun_phrases import InsightPhrases, NounPhrase, Occurrence

_OWN: Final = frozenset({"my", "our"})
_DEFINITE: Final = frozenset({"the", "this", "that", "these", "those", "his", "her", "their", "your", "its"})
_ONE: Final = frozenset({"a", "an", "another", "one", "every", "each", "any", "some"})
_SIBILANT: Final = ("s", "x", "z", "ch", "sh")
_VOWELS: Final = "aeiou"


def _thing(found: Sequence[Occurrence]) -> NounPhrase | None:
    """Name a thing as the user mostly does, addressed to them: "my boss" becomes "your boss"."""
    if not found:
        return None
    names = Counter(one.form for one in found if one.is_name)
    if 2 * names.total() > len(found):
        return _both(max(sorted(names), key=names.__getitem__))
    kinds = Counter(_determiner(one) for one in found)
    form = _most([one.form for one in found if not one.plural] or [one.form for one in found])
    many = _most([one.form for one in found if one.plural])
    if 2 * kinds["own"] >= len(found):
        return _both(f"your {_most([one.form for one in found if _determiner(one) == 'own'])}")
    if 2 * sum(one.plural for one in found) > len(found):
        return _both(many if kinds["the"] <= kinds["bare"] + kinds["a"] else f"the {many}")
    if kinds["a"] >= max(kinds["bare"], kinds["the"]):
        return _both(many or _plural(form))
    return _both(form if kinds["bare"] >= kinds["the"] else f"the {form}")


def _determiner(one: Occurrence) -> str:
    """Return the kind of determiner: "own", "the", "a" or "bare"."""
    for word in reversed(one.before):
        for kind, words in (("own", _OWN), ("the", _DEFINITE), ("a", _ONE)):
            if word in words:
                return kind
        if not word.isalpha():
            return "bare"
    return "bare"


def _plural(form: str) -> str:
    if form.endswith(_SIBILANT):
        return form + "es"
    if form.endswith("y") and form[-2:-1] not in _VOWELS:
        return form[:-1] + "ies"
    return form + "s"


def _most(forms: Sequence[str]) -> str:
    counts = Counter(forms)
    return max(sorted(counts), key=counts.__getitem__, default="")


def _both(phrase: str) -> NounPhrase:
    return NounPhrase(phrase, phrase)


def _same(phrase: str) -> str:
    return phrase


def _quoted(topic: str) -> NounPhrase:
    return _both(f'"{topic}"')


ENGLISH: Final = InsightPhrases(
    vague=frozenset(
        """
        day week month year time today tomorrow yesterday tonight morning afternoon evening night weekend
        midnight noon hour minute second moment date season spring summer autumn winter monday tuesday
        wednesday thursday friday saturday sunday january february march april may june july august september
        october november december thing stuff way lot bit kind sort type couple number part end start
        beginning middle side place people person guy someone everyone everything something anything nothing
        life world fact idea case point reason example matter question answer word talk feeling mood luck mind
        while rest bunch pair half piece next last
        afterwards again before after lot
        """.split()
    ),
    feelings={
        "admiration": "admiration",
        "amusement": "amusement",
        "anger": "anger",
        "annoyance": "annoyance",
        "approval": "approval",
        "caring": "tenderness",
        "confusion": "confusion",
        "curiosity": "curiosity",
        "desire": "longing",
        "disappointment": "disappointment",
        "disapproval": "disapproval",
        "disgust": "disgust",
        "embarrassment": "embarrassment",
        "excitement": "excitement",
        "fear": "fear",
        "gratitude": "gratitude",
        "grief": "grief",
        "joy": "joy",
        "love": "love",
        "nervousness": "worry",
        "neutral": "calm",
        "optimism": "optimism",
        "pride": "pride",
        "realization": "insight",
        "relief": "relief",
        "remorse": "remorse",
        "sadness": "sadness",
        "surprise": "surprise",
        "pleasant": "pleasant feelings",
        "unpleasant": "unpleasant feelings",
    },
    times={
        "morning": "in the morning",
        "afternoon": "in the afternoon",
        "evening": "in the evening",
        "night": "at night",
        "weekday": "on weekdays",
        "weekend": "at the weekend",
        "monday": "on Mondays",
        "tuesday": "on Tuesdays",
        "wednesday": "on Wednesdays",
        "thursday": "on Thursdays",
        "friday": "on Fridays",
        "saturday": "on Saturdays",
        "sunday": "on Sundays",
    },
    sentences={
        "company": "{who} comes up often when you talk about {of}",
        "company_asked": "What does {who} mean to you when you talk about {of}?",
        "feeling": "When you talk about {of}, it is mostly with {feeling}",
        "feeling_asked": "How do you feel when you talk about {of}?",
        "rising": "You mention {what} more and more",
        "rising_late": "Lately you often mention {what}",
        "rising_asked": "What do you mention more often than before?",
        "when": "You talk about {of} mostly {time}",
        "when_asked": "When do you talk about {of}?",
        "mood": "{Feeling} comes up in what you say mostly {time}",
        "mood_asked": "When do you speak with {feeling}?",
        "mood_rising": "Lately {feeling} comes up more often in what you say",
        "mood_rising_asked": "How do you feel lately?",
    },
    rider=", mostly with {feeling}",
    thing=_thing,
    person=_both,
    quoted=_quoted,
    with_article=_same,
)

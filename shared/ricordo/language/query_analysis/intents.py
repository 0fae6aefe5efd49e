"""Chooses the intent of a question: by rules, and by a fitted head where these see nothing particular.

A wrong filter loses memories; no filter loses nothing. `ricordo eval fit-questions` fits the heads.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, cast

from ricordo.language.name_lists import is_place
from ricordo.language.query_analysis.analysis import EmotionFilter, Intent, TimeFilter
from ricordo.language.query_analysis.question_patterns import BAD, GOOD, mark_feelings
from ricordo.language.query_analysis.question_sentence import FEW_WORDS, ParsedQuestion, time_direction
from ricordo.language.temporal.moments import LATEST, TimeSpan
from ricordo.language.text import stop_words
from ricordo.language.text_head import load_head
from ricordo.language.tokenization import content_words

_FEELING_FIRST = re.compile(rf"^(?:\w{{1,3}}[ '])?[{GOOD}{BAD}]")  # "the toughest period I went through"
_WORDS: Final = re.compile(r"[\w'?]+")
_SURE: Final = 0.6  # probability from which the head is believed
_SURE_OF_WORDS: Final = 0.8  # the same of words that do not ask
_TIME, _NAME = "0", "x"
"""What stands for a time and for a name in the text that the head reads."""


def decide(question: ParsedQuestion) -> Intent:
    """Return the intent by the rules, or if that is general, the head's where it is sure."""
    intent, sentence = intent_by_rules(question), question.sentence
    if intent != "general" or not (sentence.asks or len(sentence.core.split()) <= FEW_WORDS):
        return intent
    likeliest, probability = decide_by_head(question)
    return likeliest if probability >= (_SURE if sentence.asks else _SURE_OF_WORDS) else intent


def decide_by_head(question: ParsedQuestion) -> tuple[Intent, float]:
    """Return the likeliest of the intents that are possible, by the head alone, and its probability."""
    head = load_head(__package__ or "", "intents", question.language)
    if head is None:
        return "general", 0.0
    odds = cast("Mapping[Intent, float]", head.probabilities(masked(question)))
    best = max((intent for intent in odds if may_be(intent, question)), key=odds.__getitem__)
    return best, odds[best]


def masked(question: ParsedQuestion) -> str:
    """Return the words of the sentence that asks, in lower case, without what its times and names are."""
    sentence = question.sentence
    text = sentence.flat
    spans = [] if sentence.time is None else [(*sentence.time.span, _TIME)]
    for name in question.entities:
        at = text.find(name.lower())
        spans += [(at, at + len(name), _NAME)] if at >= 0 else []
    for start, end, mask in sorted(spans, reverse=True):
        text = text[:start] + mask + text[end:]
    return " ".join(_WORDS.findall(text))


def intent_by_rules(question: ParsedQuestion) -> Intent:
    """Choose the intent; what is asked in the most particular way decides first."""
    if question.patterns.greeting.search(question.sentence.flat):
        return "general"
    if asks_how(question):
        return "procedural"
    if asks_feelings(question):
        return "emotional"
    if asks_when(question):
        return "temporal"
    return _subject(question)


def asks_how(question: ParsedQuestion, *, of_anybody: bool = False) -> bool:
    """Whether a way to do something is asked for.

    Args:
        of_anybody: whoever is named ("What do I do if Anna faints?").
    """
    patterns = question.patterns
    if _has(question, patterns.everyday_acts):
        return False
    if patterns.how_explained.search(question.sentence.flat) or _has(question, patterns.how_to):
        return True
    if of_anybody and _has(question, patterns.in_case):
        return True
    return (of_anybody or not question.named) and _has(question, patterns.instructions)


def asks_feelings(question: ParsedQuestion) -> bool:
    """Whether the speakers' own feelings are asked for; what Maria likes is a question about Maria."""
    sentence, patterns = question.sentence, question.patterns
    if not _may_be_felt(question) or (not sentence.asks and len(sentence.core.split()) > FEW_WORDS):
        return False
    if not _has(question, patterns.open_question) and not _FEELING_FIRST.search(_marked_core(question)):
        return False
    return _has(question, patterns.feelings_in_general) or _sign_asked_for(question) is not None


def may_be(intent: Intent, question: ParsedQuestion) -> bool:
    """Whether the question has what the strategy of `intent` needs, and nothing that speaks against it."""
    sentence, patterns = question.sentence, question.patterns
    if intent == "general":
        return True
    if patterns.greeting.search(sentence.flat) or _has(question, patterns.advice):
        return False
    possible: dict[Intent, Callable[[], bool]] = {
        "emotional": lambda: _may_be_felt(question),
        "entity": lambda: bool(question.named),
        "topic": lambda: question.about is not None and not question.named,
        "temporal": lambda: not question.named and _may_be_timed(question),
        "procedural": lambda: not question.named and _may_be_done(question),
    }
    return possible[intent]()


def _may_be_timed(question: ParsedQuestion) -> bool:
    time = question.sentence.time
    return time is not None and not _is_attached(question, time)


def _may_be_done(question: ParsedQuestion) -> bool:
    """Whether the question is more than whether something is so, and not what somebody usually does."""
    open_question = not question.sentence.asks or _has(question, question.patterns.open_question)
    return open_question and not _has(question, question.patterns.everyday_acts)


def _may_be_felt(question: ParsedQuestion) -> bool:
    """Whether feelings that the question asks for would be the speakers' own, and no mere taste."""
    patterns = question.patterns
    if question.named or not _has(question, patterns.own_feelings):
        return False
    return not _has(question, patterns.taste, patterns.others_feelings, patterns.advice)


def emotion_of(question: ParsedQuestion) -> EmotionFilter | None:
    """Return the feeling that is asked for, None where it may be any."""
    sign = _sign_asked_for(question)
    if sign is None or _has(question, question.patterns.feelings_in_general):
        return None
    return "negative" if sign == BAD else "positive"


def asks_what_was_liked(question: ParsedQuestion) -> bool:
    """Whether what was liked is asked for: of that, nothing that was not is an answer."""
    return _has(question, question.patterns.liked)


def _sign_asked_for(question: ParsedQuestion) -> str | None:
    """Return the sign of the first word of feeling in the phrase that asks for one."""
    phrase = question.patterns.feeling.search(_marked_core(question))
    return None if phrase is None else next(sign for sign in phrase[0] if sign in {GOOD, BAD})


def _marked_core(question: ParsedQuestion) -> str:
    return mark_feelings(question.sentence.core, question.patterns)


def asks_when(question: ParsedQuestion) -> bool:
    """Whether the time is what the question turns on."""
    sentence = question.sentence
    if sentence.time is None:
        return False
    if asks_whole_time(question):
        return True
    if not sentence.asks or _has(question, question.patterns.advice):
        return False
    return _concerns_speakers(question) and not _is_attached(question, sentence.time)


def _concerns_speakers(question: ParsedQuestion) -> bool:
    """Whether the speakers did or said it, it was done to them, or it happened with them."""
    patterns = question.patterns
    return _has(question, patterns.speakers_act, patterns.others_act, patterns.happened_with)


def asks_whole_time(question: ParsedQuestion) -> bool:
    """Whether the question is what happened, and names nobody and nothing that it happened to."""
    core = question.sentence.core
    return not any(c.isalnum() for c in core) or _has(question, question.patterns.whole_time)


def _is_attached(question: ParsedQuestion, time: TimeSpan) -> bool:
    """Whether the time belongs to a thing ("the trip of May", "last week's meeting"), not to the deed."""
    text, patterns = question.sentence.flat, question.patterns
    before, behind = text[: time.span[0]], text[time.span[1] :]
    return bool(patterns.before_attached_time.search(before) or patterns.after_attached_time.search(behind))


def filters(question: ParsedQuestion, time: TimeSpan) -> bool:
    """Whether nothing outside of the time can be an answer: it says when the speakers did or said something.

    A time that only points at a neighbourhood ("two months ago") does not filter. A calendar date does so
    only for what the speakers did or said together: of what one did alone, they talk later, as they do of
    what lasts.
    """
    if time.approximate:
        return False
    if asks_whole_time(question):
        return time.type == "relative"
    if _has(question, question.patterns.lasting) or not _concerns_speakers(question):
        return False
    return time.type == "relative" or _has(question, question.patterns.act_together)


def _subject(question: ParsedQuestion) -> Intent:
    """Distinguish a question about someone from one about something."""
    about = question.about
    if about is not None and question.sentence.asks:
        folded = about.casefold()
        within = [name for name in question.named if name.casefold() in folded]
        if not question.named:
            return "topic"
        # "the trip to Japan" is about more than Japan
        places = within and all(is_place(name) and name.casefold() != folded for name in within)
        return "topic" if places else "entity"
    if not question.named or (not question.sentence.asks and _has(question, question.patterns.speakers_act)):
        return "general"
    return "entity"


def _has(question: ParsedQuestion, *patterns: re.Pattern[str]) -> bool:
    """Whether the core of the question has one of the patterns."""
    return any(pattern.search(question.sentence.core) is not None for pattern in patterns)


_MOST_WORDS: Final = 10  # of a question that asks for nothing but what is to come


def asks_agenda(question: ParsedQuestion, span: TimeSpan, now: datetime) -> bool:
    """Whether a question with a time asks for whatever is to come then."""
    if span.through <= now or question.entities or not _looks_ahead(question):
        return False
    return asks_whole_time(question) or _asks_nothing_else(question)


def upcoming_time(question: ParsedQuestion, now: datetime) -> TimeFilter | None:
    """Return the time from now on, where a question asks for what is to come without saying when."""
    found = question.patterns.upcoming.search(question.sentence.flat)
    if found is None or question.entities or not (_looks_ahead(question) and _asks_nothing_else(question)):
        return None
    words = question.sentence.text[slice(*found.span())]
    return TimeFilter("relative", words, now, LATEST, LATEST, strict=False, ahead=True)


def _looks_ahead(question: ParsedQuestion) -> bool:
    return time_direction(question.sentence.flat, question.patterns) == "future"


def _asks_nothing_else(question: ParsedQuestion) -> bool:
    """Whether all words but those of the time ask for whatever is to come."""
    words = content_words(question.sentence.core, question.language)
    common = question.patterns.agenda_words | stop_words(question.language)
    return len(words) <= _MOST_WORDS and all(word in common for word in words)

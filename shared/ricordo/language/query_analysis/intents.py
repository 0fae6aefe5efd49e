"""What a question asks for, by rules: a strategy is chosen only where the words say so, else it is general.

A wrong filter loses memories; no filter loses nothing.
"""

import re
from dataclasses import dataclass

from ricordo.language.person_names import is_place
from ricordo.language.query_analysis.feelings import BAD, GOOD, marked
from ricordo.language.query_analysis.languages.patterns import QueryPatterns
from ricordo.language.query_analysis.model import EmotionFilter, Intent
from ricordo.language.query_analysis.reading import FEW_WORDS, Sentence
from ricordo.language.temporal import Language, TimeSpan

_FEELING_FIRST = re.compile(rf"^(?:\w{{1,3}}[ '])?[{GOOD}{BAD}]")  # "the toughest period I went through"


@dataclass(frozen=True, slots=True)
class Reading:
    """A question and what was found in it.

    Attributes:
        entities: Names, in their order: of the sentence that asks, or of those around it where it has none.
        named: Those of them that somebody or something goes by; what stands in capitals alone is a subject.
        around: They are of the sentences around.
        about: The thing that it says it is about.
    """

    sentence: Sentence
    patterns: QueryPatterns
    language: Language
    entities: tuple[str, ...]
    named: tuple[str, ...]
    around: bool
    about: str | None


def intent_by_rules(reading: Reading) -> Intent:
    """Choose the intent; what is asked in the most particular way decides first."""
    asking = reading.patterns.asking
    if asking.greeting.search(reading.sentence.flat) is not None:
        return "general"
    if asks_how(reading):
        return "procedural"
    if asks_feelings(reading):
        return "emotional"
    if asks_when(reading):
        return "temporal"
    return _subject(reading)


def asks_how(reading: Reading) -> bool:
    """Whether a way to do something is asked for."""
    procedures, core = reading.patterns.procedures, reading.sentence.core
    if procedures.habit.search(core) is not None:
        return False
    if procedures.explained.search(reading.sentence.flat) is not None:
        return True
    if procedures.asked.search(core) is not None:
        return True
    return not reading.named and procedures.told.search(core) is not None


def asks_a_way(reading: Reading) -> bool:
    """Whether a way to do something is asked for, whoever is named ("What do I do if Anna faints?")."""
    procedures, core = reading.patterns.procedures, reading.sentence.core
    if procedures.habit.search(core) is not None:
        return False
    return any(
        pattern.search(text) is not None
        for pattern, text in (
            (procedures.explained, reading.sentence.flat),
            (procedures.asked, core),
            (procedures.told, core),
            (procedures.in_case, core),
        )
    )


def asks_feelings(reading: Reading) -> bool:
    """Whether the speakers' own feelings are asked for; what Maria likes is a question about Maria."""
    feelings, core = reading.patterns.feelings, reading.sentence.core
    if not _may_be_felt(reading):
        return False
    asking = reading.patterns.asking
    if not reading.sentence.asks and len(core.split()) > FEW_WORDS:
        return False
    if asking.open_question.search(core) is None and not _begins_with_feeling(reading):
        return False
    return feelings.as_such.search(core) is not None or _felt(reading) is not None


def may_be(intent: Intent, reading: Reading) -> bool:
    """Whether the question has what the strategy of `intent` needs, and nothing that speaks against it."""
    patterns, core = reading.patterns, reading.sentence.core
    if intent == "general":
        return True
    if patterns.asking.greeting.search(reading.sentence.flat) or patterns.asking.advice.search(core):
        return False
    if intent == "emotional":
        return _may_be_felt(reading)
    return {
        "entity": bool(reading.named),
        "topic": reading.about is not None and not reading.named,
        "temporal": not reading.named and _may_be_timed(reading),
        "procedural": not reading.named and _may_be_done(reading),
    }[intent]


def _may_be_timed(reading: Reading) -> bool:
    time = reading.sentence.time
    return time is not None and not _attached(reading, time)


def _may_be_done(reading: Reading) -> bool:
    """Whether the question is more than whether something is so, and not what somebody usually does."""
    patterns, core = reading.patterns, reading.sentence.core
    if patterns.procedures.habit.search(core) is not None:
        return False
    return not reading.sentence.asks or patterns.asking.open_question.search(core) is not None


def _may_be_felt(reading: Reading) -> bool:
    """Whether feelings that the question asks for would be the speakers' own, and no mere taste."""
    feelings, core = reading.patterns.feelings, reading.sentence.core
    if reading.named or feelings.personal.search(core) is None:
        return False
    against = (feelings.favourite, feelings.others, reading.patterns.asking.advice)
    return not any(other.search(core) for other in against)


def emotion_of(reading: Reading) -> EmotionFilter | None:
    """Return the feeling that is asked for, None where it may be any."""
    felt = _felt(reading)
    if felt is None or reading.patterns.feelings.as_such.search(reading.sentence.core) is not None:
        return None
    return "negative" if felt == BAD else "positive"


def asks_what_was_liked(reading: Reading) -> bool:
    """Whether what was liked is asked for: of that, nothing that was not is an answer."""
    return reading.patterns.feelings.liked.search(reading.sentence.core) is not None


def _felt(reading: Reading) -> str | None:
    """Return the sign of what is asked for: the first word of feeling in the phrase that asks."""
    core = marked(reading.sentence.core, reading.patterns, reading.language)
    asked = reading.patterns.feelings.asked.search(core)
    if asked is None:
        return None
    return next(sign for sign in asked[0] if sign in {GOOD, BAD})


def _begins_with_feeling(reading: Reading) -> bool:
    core = marked(reading.sentence.core, reading.patterns, reading.language)
    return _FEELING_FIRST.search(core) is not None


def asks_when(reading: Reading) -> bool:
    """Whether the time is what the question turns on."""
    sentence = reading.sentence
    if sentence.time is None:
        return False
    if at_large(reading):
        return True
    if not sentence.asks or reading.patterns.asking.advice.search(sentence.core) is not None:
        return False
    return _concerns_speakers(reading) and not _attached(reading, sentence.time)


def _concerns_speakers(reading: Reading) -> bool:
    """Whether the speakers did or said it, it was done to them, or it happened with them."""
    times = reading.patterns.times
    told = (times.speakers, times.undergone, times.happened)
    return any(pattern.search(reading.sentence.core) is not None for pattern in told)


def at_large(reading: Reading) -> bool:
    """Whether the question is what happened, and names nobody and nothing that it happened to."""
    core = reading.sentence.core
    return not any(c.isalnum() for c in core) or reading.patterns.times.at_large.search(core) is not None


def _attached(reading: Reading, time: TimeSpan) -> bool:
    """Whether the time belongs to a thing ("the trip of May", "last week's meeting"), not to the deed."""
    text, times = reading.sentence.flat, reading.patterns.times
    before, behind = text[: time.span[0]], text[time.span[1] :]
    return (
        times.attached_before.search(before) is not None or times.attached_behind.search(behind) is not None
    )


def filters(reading: Reading, time: TimeSpan) -> bool:
    """Whether nothing outside of the time can be an answer: it says when the speakers did or said something.

    A time that only points at a neighbourhood ("two months ago") does not filter. One that is told by the
    calendar does so only for what the speakers did or said together: of what one did alone, they talk later,
    as they do of what lasts.
    """
    if time.approximate:
        return False
    if at_large(reading):
        return time.type == "relative"
    core, times = reading.sentence.core, reading.patterns.times
    if times.lasting.search(core) is not None or not _concerns_speakers(reading):
        return False
    return time.type == "relative" or times.together.search(core) is not None


def _subject(reading: Reading) -> Intent:
    """Tell a question about someone from one about something."""
    about = reading.about
    if about is not None and reading.sentence.asks:
        folded = about.casefold()
        within = [name for name in reading.named if name.casefold() in folded]
        if not reading.named:
            return "topic"
        # "the trip to Japan" is about more than Japan
        places = within and all(is_place(name) and name.casefold() != folded for name in within)
        return "topic" if places else "entity"
    if not reading.named:
        return "general"
    told = not reading.sentence.asks and reading.patterns.times.speakers.search(reading.sentence.core)
    return "general" if told else "entity"

"""Writes an answer without a language model: facts in sentences, passages with who said them and when.

All words around what was said are phrases of `context.toml`. Text of messages is escaped as in a context.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Final

from ricordo.language.annotations import EventTime, Role
from ricordo.language.document import Document
from ricordo.language.event_times.extraction import event_times
from ricordo.language.temporal.moments import find_zone
from ricordo.language.tokenization import sentences_of
from ricordo.memory.answers import AnswerMaterial, JudgedPassage, WrittenAnswer
from ricordo.memory.context.fact_sentences import fact_sentence
from ricordo.memory.context.formatting import (
    escape_lines,
    has_single_speaker,
    source_label,
)
from ricordo.memory.context.syntax import counted_phrase, date_text, phrase
from ricordo.memory.context.token_budget import Count, cost_within
from ricordo.memory.model import Memory, is_user_statement

FACTS: Final = {False: 3, True: 10}
"""The most facts of an answer, short and full."""
FORMER: Final = {False: 1, True: 10}
"""The most former values of an answer, short and full."""
PASSAGES: Final = {False: 2, True: 5}
"""The most passages of an answer, short and full."""
_FAR: Final = 99  # days
_MONTH: Final = 30.44  # days
_YEAR: Final = 365.25  # days
_PART_OF_DAY: Final = timedelta(hours=4)
"""What is as long as a morning has no time of the clock."""
_BESIDE: Final = 150  # characters on either side of the words that answer, of a sentence that is too long
_PASSAGE_TOKENS: Final = {False: 80, True: 200}


def write_answer(
    material: AnswerMaterial, language: str, zone: tzinfo, count: Count, *, full: bool
) -> WrittenAnswer:
    """Write the facts that answer a question as sentences; without one, quote the passages.

    Args:
        language: of the question; English phrases are used where it has none.
        count: counts the tokens of a text.
        full: whether to add all former values of a fact and further passages.
    """
    facts = tuple(material.facts[: FACTS[full or material.is_list]])
    most = PASSAGES[full or material.is_list] * (1 + (full and material.is_list))
    passages = material.passages[:most]
    if material.is_list:
        passages = sorted(passages, key=lambda one: (one.memory.created_at, one.memory.id))
    sentences = [fact_sentence(fact, language, zone) for fact in facts]
    formerly = {one.object: one for one in material.former if facts and one.object != facts[0].object}
    if before := list(formerly)[: FORMER[full]]:
        sentences.append(phrase(language, "answer_formerly", what=", ".join(before)))
    quoted = [] if facts and not full else passages
    one_speaks = has_single_speaker([one.memory for one in material.passages])
    lines = [" ".join(sentences)] if sentences else []
    for one in quoted:
        shown = _around(one, count, _PASSAGE_TOKENS[full])
        said = _quoted(one.memory, shown, language, zone, own=one_speaks)
        # Days are those of where it was said: told elsewhere, a whole day would be parts of two.
        there = zone if one.memory.timezone == "UTC" else find_zone(one.memory.timezone)
        times = _times_of(one, there, asked=material.asks_when)
        told = dict.fromkeys(_event_text(each, language, there, material.now) for each in times)
        when = ", ".join(told)
        lines.append(f"{when}. {said}" if when else said)
    memories = tuple(one.memory for one in quoted)
    return WrittenAnswer("\n".join(lines), (*facts, *(formerly[one] for one in before)), memories)


def write_refusal(about: str, archived_matches: int, missing: Collection[str], language: str) -> str:
    """Say that the memory does not suffice, and whether the archive holds more; or what does not answer.

    Args:
        missing: the parts of the memory that were away: nothing is known then of what it holds.
    """
    if missing:
        return phrase(language, "degraded", missing=", ".join(sorted(missing)))
    name = "nothing_about" if about else "nothing"
    lines = [phrase(language, name, about=escape_lines(about))]
    if archived_matches:
        lines.append(counted_phrase(language, "archive_instead", archived_matches))
    return " ".join(lines)


def _sentences(text: str) -> Sequence[tuple[int, int]]:
    """Return the characters of each sentence."""
    found, at = [], 0
    for sentence in sentences_of(text):
        start = text.find(sentence, at)
        if start >= 0:
            found.append((start, at := start + len(sentence)))
    return found or [(0, len(text))]


def _around(one: JudgedPassage, count: Count, most: int) -> str:
    """Return the content, or the sentences around the words that answer, within `most` tokens or so."""
    text = one.memory.content
    if cost_within(text, most, count) <= most:
        return text
    sentences = _sentences(text)
    inside = [at for at, (start, end) in enumerate(sentences) if start < one.words[1] and one.words[0] < end]
    first, last = (inside[0], inside[-1]) if inside else (0, 0)
    while True:
        wider = [(first, last + 1)] * (last + 1 < len(sentences)) + [(first - 1, last)] * (first > 0)
        fitting = [
            (begin, end)
            for begin, end in wider
            if cost_within(text[sentences[begin][0] : sentences[end][1]], most, count) <= most
        ]
        if not fitting:
            break
        first, last = fitting[0]
    start, end = sentences[first][0], sentences[last][1]
    if cost_within(text[start:end], most, count) > most:  # a sentence without an end
        start, end = max(start, one.words[0] - _BESIDE), min(end, one.words[1] + _BESIDE)
    shown = text[start:end].strip()
    return f"{'… ' * (start > 0)}{shown}{' …' * (end < len(text.rstrip()))}"


def _times_of(one: JudgedPassage, zone: tzinfo, *, asked: bool) -> Sequence[EventTime]:
    """Return the times that the words tell which answer.

    Args:
        asked: whether a time is asked for: then those of the sentence count, too, and a single one of the
            memory wherever it stands.
    """
    memory, (begin, until) = one.memory, one.words
    # "Sorry, Wednesday" has its time from what it corrects.
    if memory.corrects or not memory.event_times:
        return ()
    around = [each for each in _sentences(memory.content) if each[0] < until and begin < each[1]]
    sentence = [(around[0][0], around[-1][1])] if around and asked else []
    for start, end in (one.words, *sentence):
        said = Document(memory.content[start:end], memory.language)
        told = set(event_times(said, memory.created_at, zone))
        if kept := [each for each in memory.event_times if each in told]:
            return kept
    return memory.event_times if asked and len(memory.event_times) == 1 else ()


def _quoted(memory: Memory, shown: str, language: str, zone: tzinfo, *, own: bool) -> str:
    """Quote a passage with who said it and when: "You said on 8 May 2023: ..."."""
    name = "answer_other" if memory.message_id else "answer_source"
    if is_user_statement(memory) and (own or not memory.speaker):
        name = "answer_user"
    elif memory.role is Role.ASSISTANT and not memory.speaker:
        name = "answer_assistant"
    return phrase(
        language,
        name,
        who=source_label(memory, language),
        date=date_text(memory.created_at.astimezone(zone), language),
        what=escape_lines(shown),
    )


def _event_text(event: EventTime, language: str, zone: tzinfo, now: datetime | None) -> str:
    """Write when something happened as precisely as it is known: a time, a day, a month, a year, a range.

    A day is told with its weekday, and with how far it is from `now` unless it lies more than 99 days ahead.
    """
    start = event.start.astimezone(zone)
    last = (event.end - timedelta(microseconds=1)).astimezone(zone)
    if start.date() == last.date():
        day = date_text(start, language, "date_day")
        told = f"{day}, {start:%H:%M}" if last - start < _PART_OF_DAY else day
        away = None if now is None else (start.date() - now.astimezone(zone).date()).days
        return told if away is None or away > _FAR else f"{told} ({_distance(away, language)})"
    if (start.day, (last + timedelta(days=1)).day) == (1, 1):
        if (start.year, start.month) == (last.year, last.month):
            return date_text(start, language, "date_month")
        if (start.year, start.month, last.month) == (last.year, 1, 12):
            return str(start.year)
    ends = {"start": date_text(start, language), "end": date_text(last, language)}
    return phrase(language, "date_range", **ends)


def _distance(days: int, language: str) -> str:
    """Write how far a day is: in days below a hundred, in months below two years, in years."""
    if not days:
        return phrase(language, "same_day")
    if days > 0:
        return counted_phrase(language, "days_ahead", days)
    if -days <= _FAR:
        return counted_phrase(language, "days_ago", -days)
    if -days < 2 * _YEAR:
        return phrase(language, "months_ago", count=round(-days / _MONTH))
    return phrase(language, "years_ago", count=int(-days / _YEAR))

"""Selects the most telling associations of a user, and words them as insights."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Final

from ricordo.language.annotations import Emotion
from ricordo.language.topics import topic_key
from ricordo.memory.model import Memory
from ricordo.memory.reflection.associations import Association, Regularity, find_associations
from ricordo.memory.reflection.insight import LEAST_IMPORTANCE, MOST_SOURCES, Insight, average_emotion
from ricordo.memory.reflection.insight_phrases import INSIGHT_PHRASES, NounPhrase, occurrences
from ricordo.memory.reflection.observations import (
    FAMILIES,
    PLEASANT,
    UNPLEASANT,
    Feature,
    Observation,
    language_of,
    observe,
)

MOST_INSIGHTS: Final = 3
_MOST_IMPORTANT: Final = 8 / 9
_SURE_DAYS: Final = 20  # days of support from which an insight is as important as one gets
_ALIKE: Final = 0.6  # of the evidence, shared by two insights that say the same


def find_insights(
    memories: Sequence[Memory], own_names: Iterable[str] = (), understood: Sequence[Insight] = ()
) -> tuple[Insight, ...]:
    """Return insights from the last memories of a user, most telling first: the model's, or up to three.

    Args:
        own_names: names of the user, who is no participant.
        understood: validated insights of a language model, which come first.
    """
    said = list(understood)
    language = language_of(memories)
    if language not in INSIGHT_PHRASES:
        return tuple(said)
    observed = observe(memories, language, own_names)
    chosen: list[Association] = []
    for pattern in _ranked(find_associations(observed)):
        if len(said) >= MOST_INSIGHTS:
            break
        known = (_is_repeated(pattern, one) for one in chosen)
        if not any(known) and not any(_is_understood(pattern, one) for one in understood):
            chosen.append(pattern)
            said.append(_insight(pattern, language))
    return tuple(said)


def _ranked(found: Iterable[Association]) -> list[Association]:
    """Sort by specificity: named feelings first, then by kind and p-value."""
    order = list(Regularity)
    kept = [one for one in found if one.regularity is not Regularity.MOOD or one.first.key in FAMILIES]
    return sorted(
        kept,
        key=lambda one: (
            one.feeling in {PLEASANT, UNPLEASANT, ""},
            order.index(one.regularity),
            one.probability,
            -len(one.first.key),
            one.first,
            one.second,
        ),
    )


def _is_repeated(pattern: Association, other: Association) -> bool:
    """Whether it rests on nearly the same messages as `other`."""
    same_kind = pattern.regularity is other.regularity
    mine = {one.id for one in pattern.observations}
    theirs = {one.id for one in other.observations}
    shared = len(mine & theirs) / min(len(mine), len(theirs))
    if same_kind and pattern.first == other.first and pattern.regularity is not Regularity.COMPANY:
        return True
    return shared >= _ALIKE


def _is_understood(pattern: Association, other: Insight) -> bool:
    """Whether it rests on nearly the same messages as an insight of the model."""
    mine = {one.id for one in _sources(pattern)}
    return len(mine & set(other.sources)) >= _ALIKE * min(len(mine), len(other.sources))


def _insight(pattern: Association, language: str) -> Insight:
    sources = _sources(pattern)
    content, question = _said(pattern, language)
    people = [_name(one, pattern) for one in (pattern.first, pattern.second) if one.kind == "who"]
    topics = [_form(one, pattern, language) for one in (pattern.first, pattern.second) if one.kind == "what"]
    support = min(1.0, pattern.days / _SURE_DAYS)
    return Insight(
        about="/".join((pattern.regularity, *_subjects(pattern))),
        content=content,
        question=question,
        language=language,
        sources=tuple(one.id for one in sources),
        participants=tuple(people),
        topics=tuple(topics),
        emotion=_emotion(pattern),
        importance=LEAST_IMPORTANCE + support * (_MOST_IMPORTANT - LEAST_IMPORTANCE),
        confidence=1.0 - pattern.probability,
        created_at=max(one.memory.created_at for one in sources),
    )


def _subjects(pattern: Association) -> tuple[str, ...]:
    of_company = pattern.regularity is Regularity.COMPANY
    subjects = (pattern.first, pattern.second) if of_company else (pattern.first,)
    return tuple(f"{one.kind}:{one.key}" for one in subjects)


def _sources(pattern: Association) -> list[Observation]:
    """Return the most important message of each of the latest days."""
    best: dict[dt.date, Observation] = {}
    for one in pattern.observations:
        kept = best.get(one.day)
        if kept is None or one.memory.importance > kept.memory.importance:
            best[one.day] = one
    return [best[day] for day in sorted(best)[-MOST_SOURCES:]]


def _emotion(pattern: Association) -> Emotion:
    felt = [one.memory.emotion for one in pattern.observations]
    named = pattern.feeling not in {"", PLEASANT, UNPLEASANT}
    return average_emotion(felt, pattern.feeling) if named else average_emotion(felt)


def _said(pattern: Association, language: str) -> tuple[str, str]:
    words, name = INSIGHT_PHRASES[language], pattern.regularity.value
    subject = _thing(pattern.first, pattern, language)
    if pattern.regularity is Regularity.COMPANY:
        values = {"who": subject.alone, "of": _thing(pattern.second, pattern, language).of}
    else:
        values = {"what": subject.alone, "of": subject.of}
    feeling = words.feelings.get(pattern.feeling, "")
    values["feeling"] = feeling
    if pattern.regularity is Regularity.MOOD:
        the_feeling = words.the_feeling(pattern.feeling)
        values |= {"the_feeling": the_feeling, "Feeling": the_feeling[0].upper() + the_feeling[1:]}
    if pattern.second.kind == "when":
        values["time"] = words.times[pattern.second.key]
    if pattern.regularity is Regularity.MOOD and pattern.second.kind == "late":
        name = "mood_rising"
    asked = words.sentences[f"{name}_asked"]
    if pattern.regularity is Regularity.RISING and not pattern.steadily:
        name = "rising_late"
    sentence = words.sentences[name]
    if feeling and pattern.regularity not in {Regularity.FEELING, Regularity.MOOD}:
        sentence += words.rider
    return sentence.format_map(values) + ".", asked.format_map(values)


def _thing(feature: Feature, pattern: Association, language: str) -> NounPhrase:
    words = INSIGHT_PHRASES[language]
    if feature.kind == "who":
        return words.person(_name(feature, pattern))
    if feature.kind != "what":
        return NounPhrase("", "")
    texts = (one.memory.content for one in pattern.observations)
    return words.thing(list(occurrences(feature.key, texts, language))) or words.quoted(
        _form(feature, pattern, language)
    )


def _form(feature: Feature, pattern: Association, language: str) -> str:
    texts = (one.memory.content for one in pattern.observations)
    found = [one.form for one in occurrences(feature.key, texts, language)]
    if not found:
        topics = (topic for one in pattern.observations for topic in one.memory.topics)
        found = [topic for topic in topics if topic_key(topic, language) == feature.key]
    return max(sorted(set(found)), key=found.count, default=feature.key).casefold()


def _name(feature: Feature, pattern: Association) -> str:
    names = [one.people[feature.key] for one in pattern.observations if feature.key in one.people]
    return max(sorted(set(names)), key=names.count, default=feature.key)

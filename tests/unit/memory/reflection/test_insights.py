"""What is regular in what somebody said is said to them; what may be chance is not."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import pytest
from tests.fixtures.sentence_tables import table
from tests.support import factories

from ricordo.language.annotations import Emotion, MemoryKind, Role
from ricordo.language.document import Document
from ricordo.language.feelings import load_positions
from ricordo.memory.enrichment import enrich
from ricordo.memory.model import Memory
from ricordo.memory.reflection.associations import ContingencyTable, count_testable
from ricordo.memory.reflection.insight import LEAST_IMPORTANCE, MOST_SOURCES
from ricordo.memory.reflection.insight_phrases import INSIGHT_PHRASES, Occurrence
from ricordo.memory.reflection.insight_selection import find_insights
from ricordo.memory.reflection.observations import PLEASANT, UNPLEASANT, feeling_families, label_of

MONDAY = datetime(2026, 1, 5, 18, tzinfo=UTC)
PLAIN = {
    "en": ("It is raining again", "I made pasta for dinner", "The train was on time", "I read an old book"),
    "it": ("Piove di nuovo", "Ho fatto la pasta per cena", "Il treno era puntuale", "Ho letto un libro"),
}


TOPICS = (
    *("work", "boss", "email", "rain", "pasta", "train", "book"),
    *("lavoro", "capo", "università", "madre", "mal di testa", "treno", "libro"),
)


def said(text: str, at: datetime, language: str = "en") -> Memory:
    read = factories.reading(text, topics=TOPICS, people=["Anna"], **factories.feeling(text, language))
    derived = enrich(Document(text, language), reading=read, speaker="Davide")
    return Memory(
        id=uuid5(NAMESPACE_OID, f"{at} {text}"),
        tenant="acme",
        user_id="u-1",
        content=text,
        created_at=at,
        language=language,
        speaker="Davide",
        participants=derived.participants,
        topics=derived.topics,
        emotion=derived.emotion,
        importance=derived.importance,
    )


def days(*texts: str, language: str = "en", every: int = 3, first: int = 0) -> list[Memory]:
    """Return messages that are said one after another, some days apart."""
    return [
        said(text, MONDAY + timedelta(days=first + every * nth), language) for nth, text in enumerate(texts)
    ]


def plain(language: str = "en", count: int = 40) -> list[Memory]:
    """Return messages of every day that nothing follows from, a day apart."""
    return [
        said(PLAIN[language][nth % 4], MONDAY + timedelta(days=nth, hours=1), language)
        for nth in range(count)
    ]


ANNA = table(__file__, "anna")


@pytest.mark.parametrize(
    ("language", "content", "question"), table(__file__, "who_comes_up_with_what_and_how")
)
def test_who_comes_up_with_what_and_how(language: str, content: str, question: str) -> None:
    told = days(*ANNA[language], language=language)
    (found,) = find_insights([*told, *plain(language)])
    assert (found.content, found.question, found.language) == (content, question, language)
    assert found.participants == ("Anna",)
    assert found.topics == (("lavoro",) if language == "it" else ("work",))
    assert set(found.sources) <= {one.id for one in told}
    assert 4 <= len(found.sources) <= MOST_SOURCES
    assert found.created_at == max(one.created_at for one in told if one.id in found.sources)
    assert found.emotion.primary == "nervousness"
    assert found.emotion.valence < 0
    assert 1 > found.importance >= LEAST_IMPORTANCE
    assert found.confidence > 0.98


@pytest.mark.parametrize(
    ("language", "texts", "content"), table(__file__, "things_are_named_as_the_user_names_them")
)
def test_things_are_named_as_the_user_names_them(language: str, texts: Sequence[str], content: str) -> None:
    angry = {"en": (", I'm furious", ", I was so angry"), "it": (", sono furioso", ", che rabbia")}[language]
    told = [texts[nth % len(texts)].format(angry[nth % 2]) for nth in range(9)]
    found = find_insights([*days(*told, language=language), *plain(language)])
    assert content in [one.content for one in found]


def test_one_long_talk_is_no_habit() -> None:
    talk = [said(text, MONDAY + timedelta(days=9, minutes=nth)) for nth, text in enumerate(ANNA["en"] * 6)]
    assert find_insights([*talk, *days(ANNA["en"][0]), *plain()]) == ()


def test_what_an_assistant_said_and_what_was_made_of_others_is_no_evidence() -> None:
    told = days(*ANNA["en"])
    others: tuple[dict[str, Any], ...] = (
        *({"role": role} for role in Role if role is not Role.USER),
        {"kind": MemoryKind.SUMMARY},
        {"kind": MemoryKind.REFLECTION},
        {"kind": MemoryKind.EXTRACT},
        {"language": "fr"},
    )
    for fields in others:
        assert find_insights([*(replace(one, **fields) for one in told), *plain()]) == ()


def test_the_order_of_memories_does_not_matter() -> None:
    told = [*days(*ANNA["en"]), *plain()]
    shuffled = random.Random(4).sample(told, len(told))
    assert find_insights(shuffled) == find_insights(told) != ()


def test_random_histories_have_almost_no_insights() -> None:
    drawn = sum(bool(find_insights(_random(seed))) for seed in range(40))
    assert drawn <= 2


def _random(seed: int) -> list[Memory]:
    draw = random.Random(seed)
    labels = ["neutral"] * 4 + ["joy", "sadness", "anger", "nervousness", "surprise"]
    found = []
    for nth in range(100):
        thing = draw.choice(("work", "piano", "garden", "car", "exam", "film", "dog", "tea"))
        when = MONDAY + timedelta(minutes=draw.randrange(60 * 24 * 60))
        people = draw.sample(("Anna", "Ben", "Carla", "Dan", "Emil"), draw.choice((0, 0, 1)))
        feeling = Emotion(valence=draw.uniform(-0.6, 0.6), arousal=0.4, primary=draw.choice(labels))
        one = replace(factories.memory(f"{seed} {nth}", created_at=when), language="en", topics=(thing,))
        found.append(replace(one, participants=tuple(people), emotion=feeling))
    return found


DAYS = [date(2026, 1, 1) + timedelta(days=n // 2) for n in range(40)]


def test_a_day_counts_once() -> None:
    both = set(range(15))
    assert ContingencyTable.counted([DAYS[0]] * 20, both, both) == ContingencyTable(1, 1, 1, 2)


def test_messages_that_have_both_are_what_counts() -> None:
    even, odd = set(range(0, 40, 2)), set(range(1, 40, 2))
    assert ContingencyTable.counted(DAYS, even, odd) == ContingencyTable(0, 20, 20, 40)
    assert ContingencyTable.counted(DAYS, even, even) == ContingencyTable(20, 20, 20, 40)


def test_the_probability_is_that_of_fisher() -> None:
    assert ContingencyTable(4, 4, 4, 8).probability() == pytest.approx(1 / 70)
    assert ContingencyTable(3, 4, 4, 8).probability() == pytest.approx(17 / 70)
    assert ContingencyTable(3, 4, 4, 8).probability(4) == pytest.approx(1 / 70)
    assert (ContingencyTable(3, 4, 4, 8).share, ContingencyTable(3, 4, 4, 8).lift) == (0.75, 1.5)


def test_what_could_never_be_beyond_chance_is_not_asked() -> None:
    assert count_testable([]) == 0
    assert count_testable([0.001, 0.002, 0.9, 0.9]) == 2
    assert count_testable([0.001] * 4) == 4


LABELS = {*load_positions(), "neutral"}
TIMES = {
    *("morning", "afternoon", "evening", "night", "weekday", "weekend"),
    *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
}


@pytest.mark.parametrize("language", INSIGHT_PHRASES)
def test_every_feeling_and_time_has_its_words(language: str) -> None:
    words = INSIGHT_PHRASES[language]
    assert len(LABELS) == 28
    assert set(words.feelings) == {*LABELS, PLEASANT, UNPLEASANT}
    assert len(set(words.feelings.values())) == len(words.feelings)
    assert set(words.times) == TIMES
    assert all(words.the_feeling(label) for label in LABELS)


def test_a_family_is_called_as_most_of_it() -> None:
    of = [Emotion(primary=name) for name in ("fear", "fear", "nervousness", "joy")]
    assert label_of("nervousness", of) == "fear"
    assert label_of("nervousness", of[1:3]) == "nervousness"
    assert label_of("joy", []) == "joy"


def test_what_has_no_name_has_a_tone() -> None:
    assert feeling_families(Emotion(valence=-0.6, primary="neutral")) == (UNPLEASANT,)
    assert feeling_families(Emotion(valence=0.1, primary="joy")) == ("joy",)
    assert feeling_families(Emotion()) == ()


@pytest.mark.parametrize(
    ("language", "form", "before", "is_name", "phrase"),
    [(language, *row) for language in ("it", "en") for row in table(__file__, language)],
)
def test_things_have_the_article_of_their_grammar_or_none(
    language: str, form: str, before: Sequence[str], phrase: str, *, is_name: bool
) -> None:
    words = (["", "", *one.split()] for one in before)
    found = [Occurrence(form, (further, nearer), is_name) for *_, further, nearer in words]
    thing = INSIGHT_PHRASES[language].thing(found)
    assert thing is not None
    assert phrase == (thing.of if language == "it" else thing.alone)


@pytest.mark.parametrize("language", INSIGHT_PHRASES)
def test_what_was_never_named_so_is_quoted(language: str) -> None:
    words = INSIGHT_PHRASES[language]
    assert words.thing([]) is None
    assert "abiogenesis" in words.quoted("abiogenesis").of

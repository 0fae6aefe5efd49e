"""From counts to habits."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.memory.style import LEAST_MESSAGES, Habit, StyleCounts, TopicCount, describe_habits, find_habits

TOLD = table(__file__, "brief")
BRIEF = StyleCounts(**TOLD | {"topics": tuple(TopicCount(*one) for one in TOLD["topics"])})

counts = st.integers(0, 500)
lengths = st.floats(0, 40_000)
topic_counts = st.builds(TopicCount, st.text(min_size=1, max_size=9), st.integers(1, 200), st.floats(-1, 1))


@st.composite
def talks(draw: st.DrawFn) -> StyleCounts:
    messages = draw(st.integers(0, 200))
    of_messages = st.integers(0, messages)
    parts = draw(st.lists(st.integers(0, messages // 4), min_size=4, max_size=4))
    formal = draw(of_messages)
    low, median, high = sorted(draw(st.tuples(lengths, lengths, lengths)))
    return StyleCounts(
        messages=messages,
        lengths=(low, median, high),
        lately=draw(lengths),
        earlier=draw(lengths),
        parts_of_day=dict(zip(("morning", "afternoon", "evening", "night"), parts, strict=True)),
        formal=formal,
        informal=draw(st.integers(0, messages - formal)),
        emoji=draw(of_messages),
        questions=draw(of_messages),
        sessions=draw(of_messages),
        days=draw(of_messages),
        span_days=draw(counts),
        topics=draw(st.lists(topic_counts, max_size=9)),
    )


def found(talk: StyleCounts) -> dict[str, Habit]:
    return {one.name: one for one in find_habits(talk)}


@given(talks())
def test_each_has_a_confidence_and_a_count_that_it_rests_on(talk: StyleCounts) -> None:
    names = []
    for one in find_habits(talk):
        assert 0.5 <= one.confidence <= 1
        assert one.count > 0
        names.append(one.name)
    assert len(names) == len(set(names))
    for language in ("it", "en", "de"):
        assert "\n" not in describe_habits(find_habits(talk), language)


@given(talks())
def test_of_few_messages_nothing_is_a_habit(talk: StyleCounts) -> None:
    assert find_habits(replace(talk, messages=min(talk.messages, LEAST_MESSAGES - 1))) == ()


@given(st.integers(1, 199), st.integers(0, 199))
def test_more_of_the_same_is_surer(said: int, more: int) -> None:
    few = StyleCounts(
        messages=said, lengths=(9, 9, 9), parts_of_day={"evening": said}, sessions=said, span_days=1
    )
    many = replace(few, messages=said + more, parts_of_day={"evening": said + more}, sessions=said + more)
    before, after = found(few), found(many)
    assert before.keys() <= after.keys()
    assert all(after[name].confidence >= one.confidence for name, one in before.items())


def test_what_is_known_of_somebody_brief() -> None:
    habits = found(BRIEF)
    assert habits["length"].value == {"characters": 30, "are": "short", "lately": "as before"}
    assert habits["topics_liked"].value == [{"topic": "calcio", "messages": 12, "valence": 0.6}]
    assert habits["topics_avoided"].value == [{"topic": "lavoro", "messages": 9, "valence": -0.5}]
    assert habits["time_of_day"].value == {"morning": 0.03, "afternoon": 0.05, "evening": 0.92}
    assert habits["formality"].value == {"register": "informal", "share": 0.98, "emoji": 0.2}
    assert habits["engagement"].value == {
        "questions": 0.5,
        "messages_a_session": 5.0,
        "sessions": 12,
        "days": 0.5,
    }
    assert [habits[name].count for name in ("length", "topics_liked", "formality")] == [60, 12, 41]


def test_a_line_tells_what_helps_to_answer_in_the_language_of_the_context() -> None:
    habits = find_habits(BRIEF)
    assert describe_habits(habits, "it") == (
        "Abitudini: scrive messaggi brevi, dà del tu, scrive soprattutto di sera"
    )
    assert describe_habits(habits, "en") == (
        "Habits: writes short messages, speaks informally, writes mostly in the evening"
    )
    polite = find_habits(replace(BRIEF, lengths=(400, 500, 600), formal=40, informal=0, parts_of_day={}))
    assert describe_habits(polite, "it") == "Abitudini: scrive messaggi lunghi, dà del Lei"
    medium = find_habits(replace(BRIEF, lengths=(90, 100, 120), formal=0, informal=0, parts_of_day={}))
    assert describe_habits(medium, "en") == ""
    assert describe_habits((), "it") == ""

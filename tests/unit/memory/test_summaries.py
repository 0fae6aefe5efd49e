"""What a session comes to: sentences, weight, feeling, topics."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.annotations import Emotion, MemoryKind, Role
from ricordo.memory.model import KeyTopic, Memory, derived_id
from ricordo.memory.summaries import Condensed, SessionTurn, key_topics, spoken_language, summarise
from ricordo.testing.factories import TENANT, at, memory

JOY = Emotion(valence=0.8, arousal=0.7, dominance=0.6, primary="joy")
FEAR = Emotion(valence=-0.7, arousal=0.8, dominance=0.2, primary="fear")


def _said(
    minute: int,
    content: str,
    *,
    importance: float = 0.4,
    role: Role = Role.USER,
    emotion: Emotion | None = None,
    topics: tuple[str, ...] = (),
    language: str = "en",
    speaker: str = "",
) -> Memory:
    made = memory(f"m-{minute}", content=content, created_at=at(minute), importance=importance)
    return replace(
        made,
        role=role,
        topics=topics,
        language=language,
        speaker=speaker,
        emotion=emotion or made.emotion,
    )


def _summary(*memories: Memory, condensed: Condensed | None = None) -> Memory:
    return summarise([SessionTurn(one) for one in memories], condensed)


def test_it_stands_for_its_session() -> None:
    """Who, when and where from, under an id that follows from its sources."""
    first, last = _said(0, "I adopted a dog called Max."), _said(5, "He is three years old.")
    made = _summary(first, last)
    assert made.id == derived_id(TENANT, MemoryKind.SUMMARY, [first.id, last.id])
    assert (made.kind, made.source_ids) == (MemoryKind.SUMMARY, (first.id, last.id))
    assert (made.created_at, made.event_start) == (last.created_at, first.created_at)
    assert made.message_id is None
    assert made.content == "I adopted a dog called Max. He is three years old."


def test_it_has_three_sentences_at_the_most() -> None:
    """However much was said."""
    turns = [_said(n, f"On day {n} the {word} broke down.") for n, word in enumerate(_THINGS)]
    assert _summary(*turns).content.count("broke down.") == 3


_THINGS = ("boiler", "tractor", "printer", "fridge", "engine", "lift")


def test_several_voices_are_named() -> None:
    """Who spoke, where more than one did; the assistant in the language of the session."""
    made = _summary(
        _said(0, "Mi trasferisco a Bergamo a giugno.", language="it", speaker="Davide", importance=0.8),
        _said(
            1,
            "A Bergamo ci sono tre musei da vedere in città alta.",
            language="it",
            role=Role.ASSISTANT,
            importance=0.8,
        ),
    )
    assert made.language == "it"
    assert made.content == (
        "Davide: Mi trasferisco a Bergamo a giugno. "
        "Assistente: A Bergamo ci sono tre musei da vedere in città alta."
    )


def test_the_feeling_is_the_users() -> None:
    """An assistant's cheer is none; what is felt strongly counts for more than what is said in passing."""
    made = _summary(
        _said(0, "I am afraid that I shall lose my job.", emotion=FEAR),
        _said(1, "Cheer up!", role=Role.ASSISTANT, emotion=JOY),
        _said(2, "The bus was late."),
    )
    assert made.emotion.primary == "fear"
    assert made.emotion.keywords == ("fear",)
    assert made.emotion.valence < -0.4


def test_what_weighs_is_what_the_user_said() -> None:
    """An assistant's long advice makes no session profound."""
    user, assistant = (
        _summary(_said(0, "Yes.", importance=0.1), _said(1, "It is cancer.", importance=0.9, role=role))
        for role in (Role.USER, Role.ASSISTANT)
    )
    assert user.importance > assistant.importance


def test_key_topics_have_importance_and_feeling() -> None:
    """By their weightiest turn, or because they recur."""
    found = key_topics(
        [
            _said(0, "x", topics=("whales",), importance=0.8, emotion=JOY),
            _said(1, "x", topics=("holiday",), importance=0.4),
            *(_said(n, "x", topics=("bus",), importance=0.05) for n in range(2, 5)),
            _said(6, "x", topics=("bread",), importance=0.1),
        ]
    )
    assert found == (
        KeyTopic(topic="whales", importance="high", user_emotion="joy"),
        KeyTopic(topic="holiday", importance="medium"),
        KeyTopic(topic="bus", importance="medium"),
        KeyTopic(topic="bread", importance="low"),
    )


def test_the_language_is_the_one_that_the_user_speaks_most_in() -> None:
    """By what they say, not by how often."""
    turns = [
        SessionTurn(_said(0, "Ok.", language="en")),
        SessionTurn(_said(1, "Sure.", language="en")),
        SessionTurn(_said(2, "Domani vado dal medico con mia sorella.", language="it")),
        SessionTurn(_said(3, "I see. " * 40, language="en", role=Role.ASSISTANT)),
    ]
    assert spoken_language(turns) == "it"
    assert spoken_language([SessionTurn(_said(0, "?", language=""))]) == "en"


def test_what_a_model_says_takes_the_place_of_what_follows_from_the_turns() -> None:
    """As far as it says something."""
    whole = Condensed(
        text="They adopted Max.",
        key_topics=(KeyTopic(topic="dog", importance="high"),),
        emotions=("joy", "pride"),
        importance=0.75,
    )
    turns = (_said(0, "I adopted a dog.", topics=("pet",)), _said(1, "His name is Max."))
    made = _summary(*turns, condensed=whole)
    assert (made.content, made.topics, made.importance) == ("They adopted Max.", ("dog",), 0.75)
    assert (made.emotion.primary, made.emotion.keywords) == ("joy", ("joy", "pride"))
    assert _summary(*turns, condensed=Condensed(text="They adopted Max.")).topics == ("pet",)


@given(
    said=st.lists(
        st.tuples(
            st.text(min_size=1, max_size=200),
            st.floats(0, 1),
            st.sampled_from(Role),
            st.floats(-1, 1),
            st.floats(0, 1),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_was_said_it_is_in_range(said: list[tuple[str, float, Role, float, float]]) -> None:
    """Importance and feeling."""
    made = _summary(
        *(
            _said(n, text, importance=weight, role=role, emotion=Emotion(valence=valence, arousal=arousal))
            for n, (text, weight, role, valence, arousal) in enumerate(said)
        )
    )
    assert 0 <= made.importance <= 1
    assert -1 <= made.emotion.valence <= 1
    assert 0 <= made.emotion.arousal <= 1

"""The sentences that tell most: of weight, near to the whole, each new, in their order."""

from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.salience import LONGEST, Text, salient
from ricordo.testing.factories import unit_vector


def _chosen(*said: tuple[str, float], language: str = "en", most: int = 3) -> list[str]:
    return [one.sentence for one in salient([Text(text, language, weight) for text, weight in said], most)]


def test_small_talk_and_questions_are_left_out() -> None:
    """In both languages."""
    assert _chosen(
        ("Hi! How are you?", 0.1),
        ("Yesterday I adopted a dog, his name is Max!", 0.7),
        ("That's great! What breed is he?", 0.2),
    ) == ["Yesterday I adopted a dog, his name is Max!"]
    assert _chosen(
        ("Ciao! Come va?", 0.1),
        ("Sono preoccupato per il lavoro, il capo vuole chiudere il reparto.", 0.7),
        ("Capisco, mi dispiace.", 0.2),
        language="it",
    ) == ["Sono preoccupato per il lavoro, il capo vuole chiudere il reparto."]


def test_where_there_is_nothing_else_small_talk_is_told() -> None:
    """A session of greetings has a summary too."""
    assert _chosen(("Hi there!", 0.1), ("How are you?", 0.1)) == ["Hi there!", "How are you?"]


def test_what_matters_more_is_chosen_and_told_in_order() -> None:
    """The third thing of three, when only two are told."""
    assert _chosen(
        ("I bought some bread at the corner shop.", 0.1),
        ("My grandmother died on Sunday in Palermo.", 0.9),
        ("I will take the train to Palermo on Friday for her funeral.", 0.7),
        most=2,
    ) == [
        "My grandmother died on Sunday in Palermo.",
        "I will take the train to Palermo on Friday for her funeral.",
    ]


def test_the_same_is_not_told_twice() -> None:
    """However much it matters."""
    assert _chosen(
        ("I passed the exam in physics today.", 0.9),
        ("Today I passed the physics exam!", 0.9),
        ("The neighbours' cat slept on our balcony.", 0.2),
        most=2,
    ) == ["I passed the exam in physics today.", "The neighbours' cat slept on our balcony."]


@given(
    said=st.lists(st.tuples(st.text(max_size=300), st.floats(0, 1), st.booleans()), max_size=12),
    most=st.integers(0, 4),
    language=st.sampled_from(["it", "en", "de", ""]),
)
def test_it_takes_any_text(said: list[tuple[str, float, bool]], most: int, language: str) -> None:
    """At most so many sentences, of bounded length, in order, each of the text that it is said to be of."""
    texts = [
        Text(text, language, weight, unit_vector(place) if encoded else None)
        for place, (text, weight, encoded) in enumerate(said)
    ]
    chosen = salient(texts, most)
    assert len(chosen) <= most
    assert [one.place for one in chosen] == sorted(one.place for one in chosen)
    assert all(0 < len(one.sentence) <= LONGEST for one in chosen)
    assert salient(texts, most) == chosen

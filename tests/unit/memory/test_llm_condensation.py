"""What a model is shown of what it condenses, and what of its claims holds."""

from dataclasses import replace

import pytest
from tests.fixtures.sentence_tables import table
from tests.support.factories import memory

from ricordo.memory.llm_condensation import (
    CondensationFault,
    find_fault,
    select_messages,
    validate_condensation,
)
from ricordo.memory.llm_validation import LlmMessage
from ricordo.memory.model import KeyTopic
from ricordo.memory.summaries import Condensed, SessionTurn

SAID = (
    LlmMessage("I met Anna at the harbour in Genoa on 3 May.", "en", speaker="Davide"),
    LlmMessage("We talked about the boat for an hour.", "en", speaker="Davide"),
)


def test_all_is_shown_where_there_is_room_else_what_matters_most() -> None:
    told = [
        SessionTurn(replace(memory(f"m-{n}", content=str(n) * 100, importance=weight), language="en"))
        for n, weight in enumerate((0.2, 0.1, 0.9))
    ]
    assert [one.text[0] for one in select_messages(told)] == ["0", "1", "2"]
    assert [one.text[0] for one in select_messages(told, 200)] == ["0", "2"]
    assert [one.text[0] for one in select_messages(told, 1)] == ["2"]


@pytest.mark.parametrize(("text", "fault"), table(__file__, "condensations"))
def test_names_numbers_language_and_length_are_looked_at(text: str, fault: str) -> None:
    assert find_fault(text, SAID, "en") == (CondensationFault[fault] if fault else None)


def test_topics_and_feelings_count_where_they_hold() -> None:
    claim = Condensed(
        text=" They  met. ",
        key_topics=(
            KeyTopic(topic="boats", importance="high", user_emotion="bliss"),
            KeyTopic(topic="harbour", user_emotion="joy"),
            KeyTopic(topic="divorce", importance="high"),
            KeyTopic(topic="harbour", importance="low"),
        ),
        emotions=("joy", "bliss", "joy"),
        importance=1.5,
    )
    assert validate_condensation(claim, SAID) == Condensed(
        text="They met.",
        key_topics=(
            KeyTopic(topic="boats", importance="high"),
            KeyTopic(topic="harbour", user_emotion="joy"),
        ),
        emotions=("joy",),
        importance=None,
    )

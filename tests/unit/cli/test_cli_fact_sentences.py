"""Why a fact is known, as a person reads it: the sentences that hold its value."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from ricordo.messages.views import FactView, HistoryMessage
from ricordo.messages.vocabulary import Role
from ricordo_services.cli.fact_view import sentence_with, sentences_of

NOON = datetime(2026, 5, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "content", "shown"),
    [
        ("Lecce", "Hi! I moved to  Lecce. It is hot.", "I moved to Lecce."),
        ("the sea", "I love The Sea!\nDo you? I miss the sea…", "I love The Sea! I miss the sea…"),
        ("caffe", "Senza caffè non vivo", "Senza caffè non vivo"),
        ("38", "Ho trentotto anni. Tu?", "Ho trentotto anni. Tu?"),
        ("38", "a" * 400, "a" * 300 + "…"),
    ],
)
def test_the_sentences_that_hold_the_value_are_shown(value: str, content: str, shown: str) -> None:
    assert sentence_with(value, content) == shown


def test_what_is_here_no_more_is_said_so() -> None:
    fact = FactView(
        id=uuid4(),
        subject="user",
        predicate="lives_in",
        object="Lecce",
        confidence=2,
        first_seen=NOON,
        last_reinforced=NOON,
        message_ids=("m-1", "m-2"),
    )
    message = HistoryMessage(
        id="m-2",
        user_id="u-1",
        conversation_id="c-1",
        role=Role.USER,
        content="I live in Lecce.",
        timestamp=NOON,
    )
    assert [long.plain for _, long in sentences_of(fact, {"m-2": message}, UTC)] == ["I live in Lecce.  m-2"]
    assert "no more" in sentences_of(fact, {}, UTC)[0][1].plain
    assert "your own word" in sentences_of(fact.model_copy(update={"verified": True}), {}, UTC)[0][1].plain

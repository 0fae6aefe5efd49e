"""Replies larger than the bus carries are shortened from the lowest rank up."""

import json
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.cli.views import NOON, fact_view, memory_view

from ricordo.language.annotations import Role
from ricordo.messages.codec import encode
from ricordo.messages.entities import EntitiesReply, EntityCard, GraphEdgeView, GraphReply
from ricordo.messages.enumerations import Intent
from ricordo.messages.listings import MemoryDetailView, MemoryReply
from ricordo.messages.message_types import REPLY_MAX_BYTES
from ricordo.messages.queries import ContextReply, FactsReply
from ricordo.messages.views import Analysis, HistoryMessage
from ricordo.runtime.handling import encoded
from ricordo_services.retrieval.reply_truncation import (
    fit_context,
    fit_entities,
    fit_facts,
    fit_graph,
    fit_memory,
)

OF_USER: dict[str, Any] = {"user_id": "u", "conversation_id": "c", "role": Role.USER, "timestamp": NOON}
LIMIT = 60_000
SPARE = 2_000  # what is left free for the flags
CONTEXT = "<recalled>…</recalled>"

contents = st.tuples(st.sampled_from(["a", "è", "😀", '"', "\n", "\x01", "\\"]), st.integers(1, 6_000)).map(
    lambda drawn: drawn[0] * drawn[1]
)


def reply(told: list[str], said: list[str]) -> ContextReply:
    return ContextReply(
        recall_id=UUID(int=1),
        analysis=Analysis(intent=Intent.GENERAL, semantic_query="x"),
        memories=tuple(memory_view(content, id=UUID(int=n), score=None) for n, content in enumerate(told)),
        recent=tuple(
            HistoryMessage(**OF_USER, id=f"m-{n}", content=content) for n, content in enumerate(said)
        ),
        context=CONTEXT,
        tokens=9,
    )


@settings(deadline=None)
@given(st.lists(contents, max_size=20), st.lists(contents, max_size=20))
def test_what_is_lost_is_the_lowest_rank_then_the_oldest_turn(told: list[str], said: list[str]) -> None:
    whole = reply(told, said)
    fitted = fit_context(whole, LIMIT)
    size = len(encode(fitted))
    assert size < LIMIT
    assert fitted.context == CONTEXT
    lost = [memory.content is None for memory in fitted.memories]
    assert lost == sorted(lost)
    older = [turn.content is None for turn in fitted.recent]
    assert older == sorted(older, reverse=True)
    assert all(lost) or not any(older)
    assert [memory.truncated for memory in fitted.memories] == lost
    assert [turn.truncated for turn in fitted.recent] == older
    dropped = [text for text, gone in zip(said, older, strict=True) if gone][-1:] or [
        text for text, gone in zip(told, lost, strict=True) if gone
    ][:1]
    for text in dropped:  # the one that was lost last: with it, the reply would not have fitted
        flags = 200 * (len(told) + len(said))
        assert size + len(encode(reply([text], []))) - len(encode(reply([""], []))) > LIMIT - SPARE - flags


def facts_reply(facts: int, messages: int, told: str = "tea") -> FactsReply:
    ids = tuple(f"{n:036}" for n in range(messages))
    found = (fact_view(predicate="likes", value=told, id=UUID(int=n), message_ids=ids) for n in range(facts))
    return FactsReply(facts=tuple(found))


def test_what_fits_stays_as_it_is() -> None:
    whole = facts_reply(200, 100)
    assert FactsReply.model_validate_json(encoded(whole, fit_facts)) == whole
    assert not whole.truncated


@pytest.mark.parametrize("facts", [260, 1_000])
def test_the_lowest_ranks_name_their_latest_messages_alone(facts: int) -> None:
    whole = facts_reply(facts, 100)
    body = encoded(whole, fit_facts)
    assert REPLY_MAX_BYTES - 10_000 < len(body) < REPLY_MAX_BYTES
    fitted = FactsReply.model_validate_json(body)
    assert fitted.truncated
    assert [one.id for one in fitted.facts] == [one.id for one in whole.facts]
    named = [len(one.message_ids) for one in fitted.facts]
    assert named == sorted(named, reverse=True)
    assert set(named) == {100, 5}
    assert fitted.facts[-1].message_ids == whole.facts[-1].message_ids[-5:]


def test_the_last_facts_are_missing_where_that_is_not_enough() -> None:
    whole = facts_reply(1_000, 100, told="è" * 600)
    body = encoded(whole, fit_facts)
    assert REPLY_MAX_BYTES - 10_000 < len(body) < REPLY_MAX_BYTES
    told = json.loads(body)
    assert told["truncated"]
    assert [one["id"] for one in told["facts"]] == [str(one.id) for one in whole.facts[: len(told["facts"])]]
    assert {len(one["message_ids"]) for one in told["facts"]} == {5}


def test_the_facts_of_one_memory_name_their_latest_messages_alone() -> None:
    shown = memory_view("è" * 32_768, score=None).model_dump()
    memory = MemoryDetailView.model_validate(shown | {"timezone": "UTC"})
    facts = tuple(
        one.model_copy(update={"message_ids": tuple(f"{n:0128}" for n in range(100))})
        for one in facts_reply(100, 0).facts
    )
    whole = MemoryReply(memory=memory, facts=facts)
    fitted = MemoryReply.model_validate_json(encoded(whole, fit_memory))
    assert fitted.memory == memory
    assert [one.id for one in fitted.facts] == [one.id for one in facts]
    assert {len(one.message_ids) for one in fitted.facts} == {100, 5}


def test_the_last_entities_lose_their_facts() -> None:
    facts = facts_reply(5, 5, told="è" * 300).facts
    cards = [EntityCard(name=f"{n}", aliases=("è" * 200,) * 20, mentions=1, facts=facts) for n in range(200)]
    whole = EntitiesReply(entities=tuple(cards), next="abc", total=999)
    body = encoded(whole, fit_entities)
    assert REPLY_MAX_BYTES - 20_000 < len(body) < REPLY_MAX_BYTES
    fitted = EntitiesReply.model_validate_json(body)
    assert (fitted.next, fitted.total) == ("abc", 999)
    assert [one.name for one in fitted.entities] == [one.name for one in cards]
    kept = [one for one in fitted.entities if not one.truncated]
    assert list(fitted.entities[: len(kept)]) == cards[: len(kept)]
    assert not any(one.facts or one.aliases for one in fitted.entities[len(kept) :])


def test_the_last_edges_of_a_graph_are_missing() -> None:
    edge = GraphEdgeView(id=UUID(int=1), subject="user", predicate="likes", object="è" * 1_000, confidence=1)
    whole = GraphReply(edges=(edge,) * 500)
    body = encoded(whole, fit_graph)
    assert REPLY_MAX_BYTES - 10_000 < len(body) < REPLY_MAX_BYTES
    assert GraphReply.model_validate_json(body).truncated

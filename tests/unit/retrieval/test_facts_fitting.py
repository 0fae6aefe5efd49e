"""A list of facts that would be larger than the bus carries is shortened, from its lowest rank up."""

import datetime as dt
import json
from uuid import UUID

import pytest

from ricordo.messages.base import REPLY_MAX_BYTES
from ricordo.messages.queries import FactsReply
from ricordo.messages.views import FactView
from ricordo.runtime.replies import encoded
from ricordo_services.retrieval.fitting import fit_facts

NOW = dt.datetime(2026, 2, 1, 12, tzinfo=dt.UTC)


def reply(facts: int, messages: int, told: str = "tea") -> FactsReply:
    ids = tuple(f"{n:036}" for n in range(messages))
    return FactsReply(
        facts=tuple(
            FactView(
                id=UUID(int=n),
                subject="user",
                predicate="likes",
                object=told,
                confidence=9,
                message_ids=ids,
                first_seen=NOW,
                last_reinforced=NOW,
            )
            for n in range(facts)
        )
    )


def test_what_fits_stays_as_it_is() -> None:
    whole = reply(200, 100)
    assert FactsReply.model_validate_json(encoded(whole, fit_facts)) == whole
    assert not whole.truncated


@pytest.mark.parametrize("facts", [260, 1_000])
def test_the_lowest_ranks_name_their_latest_messages_alone(facts: int) -> None:
    whole = reply(facts, 100)
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
    whole = reply(1_000, 100, told="è" * 600)
    body = encoded(whole, fit_facts)
    assert REPLY_MAX_BYTES - 10_000 < len(body) < REPLY_MAX_BYTES
    told = json.loads(body)
    assert told["truncated"]
    assert [one["id"] for one in told["facts"]] == [str(one.id) for one in whole.facts[: len(told["facts"])]]
    assert {len(one["message_ids"]) for one in told["facts"]} == {5}

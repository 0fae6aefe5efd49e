"""What Prometheus sees of workers at work: scraped over HTTP, before and after something is remembered."""

import pytest
from tests.fixtures.scraping import Scraped, everything, free_port, scrape, scraped
from tests.fixtures.system import System, changed
from tests.fixtures.wire import Bot, msg, wait_for

STAGES = ("ingest", "encode", "enrichment", "knowledge", "index")
MODEL = "all-MiniLM-L6-v2"


@pytest.mark.slow
async def test_counters_move_when_something_is_remembered(system: System, bot: Bot) -> None:
    port = free_port()
    async with system.restarted(changed(system.settings, "worker", health_port=port)):
        before = await scrape(port)
        await bot.remember(msg("m-1", "Il mio cane si chiama Max."))
        await bot.recall("Come si chiama il mio cane?")
        assert (await bot.request("query.recall", {"user_id": "u-1"})).error[0] == "invalid_request"
        await bot.request("query.nothing", {})
        await system.wait_until_idle()
        after = await wait_for(
            lambda: scrape(port), all_are_ready
        )  # a gate lags behind while its probe takes long
    assert_nothing_is_missing(before)
    assert_the_message_shows(before, after)
    assert_the_questions_show(before, after)
    assert_nobody_is_named(after, bot)


def all_are_ready(page: Scraped) -> bool:
    return all(page.value("ricordo_worker_state", worker=worker, state="ready") == 1 for worker in STAGES)


def assert_nothing_is_missing(found: Scraped) -> None:
    """Each metric is there from the start, but for the time of a success."""
    late = "ricordo_worker_last_success_timestamp_seconds"
    shapes, all_shapes = found.shapes(), scraped(everything()).shapes()
    assert shapes.keys() | {late} == all_shapes.keys()
    assert {name: shape for name, shape in shapes.items() if all_shapes[name] != shape and name != late} == {}


def assert_the_message_shows(before: Scraped, after: Scraped) -> None:
    for worker in STAGES:
        for counter in ("ricordo_worker_processed_total", "ricordo_handler_batch_events_sum"):
            assert after.value(counter, worker=worker) >= before.value(counter, worker=worker) + 1, worker
        seconds = "ricordo_handler_duration_seconds_sum"
        assert after.value(seconds, worker=worker) > before.value(seconds, worker=worker), worker
        assert after.value("ricordo_worker_state", worker=worker, state="ready") == 1
        dead = "ricordo_worker_dead_lettered_total"
        assert after.value(dead, worker=worker) == before.value(dead, worker=worker)
        assert after.value("ricordo_worker_last_success_timestamp_seconds", worker=worker) > 1.7e9
    texts = "ricordo_embedding_encoded_texts_total"
    assert after.value(texts, model=MODEL) >= before.value(texts, model=MODEL) + 1
    assert after.value("ricordo_embedding_requests_total", kind="regular", outcome="ok") >= 1
    assert after.value("ricordo_embedding_wait_seconds_count", model=MODEL) >= 1
    assert after.value("ricordo_embedding_breaker_state", state="closed") == 1


def assert_the_questions_show(before: Scraped, after: Scraped) -> None:
    recalls = {"worker": "retrieval", "query": "query.recall"}
    for outcome in ("ok", "invalid_request"):
        replies = "ricordo_query_replies_total"
        assert before.value(replies, outcome=outcome, **recalls) == 0
        assert after.value(replies, outcome=outcome, **recalls) == 1
    assert after.value("ricordo_query_duration_seconds_count", **recalls) == 2
    assert after.value("ricordo_query_replies_total", query="unknown", outcome="not_found") == 1


def assert_nobody_is_named(found: Scraped, bot: Bot) -> None:
    values = {
        value for family in found.families.values() for one in family.samples for value in one.labels.values()
    }
    assert not values & {bot.tenant, "u-1", "c-1", "m-1"}
    assert len(values) < 120

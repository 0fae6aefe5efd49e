"""Each part that a recall asks goes away: it answers from what is left, says what is away, and recovers."""

import asyncio
import itertools
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

import nats
import pytest
from tests.fixtures.relay import Backstage, Relay
from tests.fixtures.running import Running, Workers
from tests.fixtures.wire import Bot, Json, at, ids, new_tenant, said

from ricordo.adapters.qdrant.edge import EdgeVectorIndex
from ricordo.domain.bm25 import SparseVector
from ricordo.ports.vectors import Hit, IndexUnavailable, Scope, Vector
from ricordo.settings import AnalyserSettings, EmbeddingSettings, Settings
from ricordo.testing.eventually import eventually
from ricordo.testing.ollama import OllamaStandIn, ollama_stand_in

pytestmark = pytest.mark.e2e

DEADLINE_S: Final = 2.5
SLACK_S: Final = 4.0  # what a busy machine may add to that
EMBEDDING, READING = "all-minilm", "qwen2.5:1.5b"
PARTS: Final = ("analyser", "graph", "model", "rows", "vectors")
QUESTION: Final = "Dove tengo la barca di Davide?"
ANSWER: Final = '{"intent": "entity", "time": "", "entities": ["Davide"], "topics": [], "emotion": null}'
ASKED: Final = itertools.count(1)
TOLD: Final = (
    ("boat-1", "La barca di Davide sta a Chioggia."),
    ("boat-2", "Davide abita a Trieste."),
    ("boat-3", "Davide vive a Trieste, vicino al faro."),
    ("boat-4", "Davide vive a Trieste da anni."),
    ("rain", "Piove da tre giorni."),
)


@dataclass
class Trouble:
    """What is wrong with a vector index: nothing, or it fails, or it never answers."""

    fails: bool = False
    hangs: bool = False

    async def come(self) -> None:
        """Raise, or wait for ever, or do nothing."""
        if self.fails:
            raise IndexUnavailable("the index was told to fail")
        if self.hangs:
            await asyncio.Event().wait()


class TroubledIndex(EdgeVectorIndex):
    """The index in process, which is never away by itself, with trouble on demand."""

    trouble = Trouble()

    async def search(
        self, tenant: str, model: str, scope: Scope, *, vector: Vector | None, terms: SparseVector, limit: int
    ) -> Sequence[Hit]:
        await self.trouble.come()
        return await super().search(tenant, model, scope, vector=vector, terms=terms, limit=limit)

    async def count(self, tenant: str, model: str, scope: Scope) -> int:
        await self.trouble.come()
        return await super().count(tenant, model, scope)


@dataclass
class Fragile:
    """A Ricordo each part of which can be taken away."""

    backstage: Backstage
    rows: Relay
    graph: Relay
    model: OllamaStandIn
    analyser: OllamaStandIn
    nats_url: str
    tenant: str = field(default_factory=new_tenant)

    async def take(self, part: str, how: str) -> None:
        """Let `part` be dead, hang, or talk nonsense."""
        if part == "vectors":
            TroubledIndex.trouble = Trouble(fails=how == "dead", hangs=how == "hung")
        elif part in {"rows", "graph"}:
            relay: Relay = getattr(self, part)
            await self.backstage.run(relay.cut() if how == "dead" else relay.stall())
        else:
            stand_in: OllamaStandIn = getattr(self, part)
            behaviour = stand_in.behaviour
            behaviour.drop, behaviour.hang = how == "dead", how == "hung"
            behaviour.raw = b"nonsense" if how == "nonsense" else None

    async def give_back(self, part: str) -> None:
        """Let `part` be there again."""
        if part == "vectors":
            TroubledIndex.trouble = Trouble()
        elif part in {"rows", "graph"}:
            await self.backstage.run(getattr(self, part).open())
        else:
            stand_in: OllamaStandIn = getattr(self, part)
            behaviour = stand_in.behaviour
            behaviour.drop, behaviour.hang, behaviour.raw = False, False, None
            await self.backstage.run(stand_in.end_connections())


def relayed(address: str, relay: Relay) -> str:
    """Return `address` by way of `relay`."""
    host = urlsplit(address)
    return address.replace(f"{host.hostname}:{host.port}", f"127.0.0.1:{relay.port}")


def target(address: str) -> tuple[str, int]:
    host = urlsplit(address)
    assert host.hostname
    assert host.port
    return host.hostname, host.port


def settings_of(usual: Settings, rows: Relay, graph: Relay, model: str, analyser: str) -> Settings:
    stores, secret = usual.stores, type(usual.stores.postgres_dsn)
    by_relay = {
        "postgres_dsn": secret(relayed(stores.postgres_dsn.get_secret_value(), rows)),
        "bolt_url": relayed(stores.bolt_url, graph),
    }
    return usual.model_copy(
        update={
            "stores": stores.model_copy(update=by_relay),
            "bus": usual.bus.model_copy(update={"query_timeout_s": DEADLINE_S}),
            "embedding": EmbeddingSettings(provider="ollama", model=EMBEDDING, ollama_url=model, open_s=0.5),
            "analyser": AnalyserSettings(
                provider="ollama", model=READING, ollama_url=analyser, budget_ms=500, open_s=0.5
            ),
        }
    )


@pytest.fixture(scope="module")
def fragile(running: Running) -> Iterator[Fragile]:
    """Yield a system on the servers of this process, whose own workers rest meanwhile."""
    backstage, exits, stores = Backstage(), AsyncExitStack(), running.settings.stores
    patched = pytest.MonkeyPatch()
    rows = Relay(*target(stores.postgres_dsn.get_secret_value()))
    graph = Relay(*target(stores.bolt_url))
    running.workers.stop()
    try:
        for relay in (rows, graph):
            backstage.wait(relay.open())
        model = backstage.wait(exits.enter_async_context(ollama_stand_in([f"{EMBEDDING}:latest"])))
        analyser = backstage.wait(exits.enter_async_context(ollama_stand_in([READING])))
        analyser.behaviour.chat = lambda _: ANSWER
        settings = settings_of(running.settings, rows, graph, model.url, analyser.url)
        patched.setattr("ricordo.adapters.qdrant.edge.EdgeVectorIndex", TroubledIndex)
        patched.setattr("ricordo_services.resources._GRAPH_PATIENCE", 0.2)  # so that nobody waits long here
        workers = Workers(settings)
        workers.start()
        try:
            system = Fragile(backstage, rows, graph, model, analyser, running.endpoints.nats_url)
            asyncio.run(_tell(system))
            yield system
        finally:
            workers.close()
            for relay in (rows, graph):
                backstage.wait(relay.cut())
            backstage.wait(exits.aclose())
            backstage.close()
    finally:
        patched.undo()
        running.workers.start()


async def _tell(system: Fragile) -> None:
    async with await nats.connect(system.nats_url) as connection:
        await Bot(connection, system.tenant).remember(*(said(name, text) for name, text in TOLD))


@pytest.fixture
async def bot(fragile: Fragile) -> AsyncIterator[Bot]:
    """Yield the bot of the tenant who told something; whatever its test takes away is back afterwards."""
    async with await nats.connect(fragile.nats_url) as connection:
        yield Bot(connection, fragile.tenant)
        for part in PARTS:
            await fragile.give_back(part)
        await eventually(lambda: degraded(Bot(connection, fragile.tenant)), within=20)


async def answered(bot: Bot, name: str, *, anew: bool = True) -> Json:
    """Ask, and have the question read anew; whatever is away, an answer comes by the deadline."""
    question = f"{QUESTION} ({next(ASKED)})" if anew else QUESTION
    body = {"user_id": "u-1", "query": question, "now": at(), "reinforce": False, "conversation_id": "c-1"}
    return (await bot.request(f"query.{name}", body, within=DEADLINE_S + SLACK_S)).body


async def degraded(bot: Bot, *parts: str) -> bool:
    """Whether a recall says that just these parts are away."""
    return (await answered(bot, "recall")).get("degraded") == sorted(parts)


@pytest.mark.parametrize(
    ("part", "how"),
    [
        *((part, "dead") for part in PARTS),
        ("analyser", "hung"),
        ("analyser", "nonsense"),
        ("graph", "hung"),
        ("model", "hung"),
        ("model", "nonsense"),
    ],
)
async def test_what_is_away_is_named_and_the_rest_answers(
    bot: Bot, fragile: Fragile, part: str, how: str
) -> None:
    whole = await answered(bot, "recall", anew=False)
    assert (whole["degraded"], whole["analysis"]["analyser"]) == ([], "llm")
    assert ids(whole["memories"])[0] == "boat-1"
    await fragile.take(part, how)
    await eventually(lambda: degraded(bot, part), within=15)
    for name in ("recall", "context"):
        reply = await answered(bot, name)
        assert reply["degraded"] == [part], reply
        found, facts = ids(reply["memories"]), [fact["object"] for fact in reply["facts"]]
        assert ("boat-1" in found) == (part not in {"rows", "vectors"})
        assert ("Trieste" in facts) == (part != "rows")
        assert reply["analysis"]["entities"] == ["Davide"]
        assert reply["analysis"]["analyser"] == ("rules" if part == "analyser" else "llm")
        assert reply.get("context") != ""
    await fragile.give_back(part)
    await eventually(lambda: degraded(bot), within=15)
    again = await answered(bot, "recall", anew=False)
    assert ids(again["memories"]) == ids(whole["memories"])
    assert again["facts"] == whole["facts"]


@pytest.mark.parametrize("part", ["rows", "vectors"])
async def test_a_store_that_hangs_keeps_nobody_past_the_deadline(
    bot: Bot, fragile: Fragile, part: str
) -> None:
    await fragile.take(part, "hung")
    replies = await asyncio.gather(*(answered(bot, name) for name in ("recall", "context")))
    for reply in replies:  # without it, or not at all, but told so
        error = reply.get("error")
        assert reply["degraded"] == [part] if error is None else error["code"] == "timeout"
    await fragile.give_back(part)
    await eventually(lambda: degraded(bot), within=15)


@pytest.mark.parametrize("parts", [("analyser", "model"), ("graph", "model"), ("rows", "vectors")])
async def test_two_that_are_away_are_both_named(bot: Bot, fragile: Fragile, parts: tuple[str, str]) -> None:
    for part in parts:
        await fragile.take(part, "dead")
    await eventually(lambda: degraded(bot, *parts), within=15)


async def test_when_all_is_away_there_is_an_answer_all_the_same(bot: Bot, fragile: Fragile) -> None:
    for part in PARTS:
        await fragile.take(part, "dead")
    await eventually(lambda: degraded(bot, *PARTS), within=15)
    for name in ("recall", "context"):
        reply = await answered(bot, name)
        assert (reply["memories"], reply["facts"]) == ([], [])


async def test_nothing_found_is_not_nothing_there(bot: Bot, fragile: Fragile) -> None:
    nobody = {"user_id": "nobody", "query": QUESTION}
    empty = (await bot.request("query.recall", nobody)).body
    assert (empty["memories"], empty["facts"], empty["degraded"]) == ([], [], [])
    told = (await bot.request("query.context", nobody)).body
    await fragile.take("vectors", "dead")
    broken = (await bot.request("query.context", nobody)).body
    assert (broken["memories"], broken["degraded"]) == ([], ["vectors"])
    assert told["context"] != broken["context"], "a prompt tells the two apart, too"


async def test_what_needs_the_rows_says_that_they_are_away(bot: Bot, fragile: Fragile) -> None:
    user = {"user_id": "u-1"}
    asked = {
        "history": user,
        "facts": user,
        "stats": user,
        "timeline": user | {"start": at(days=9), "end": at()},
        "working": user | {"conversation_id": "c-1"},
        "status": {"message_id": "boat-1"},
        "expand": user | {"memory_id": str(uuid.uuid4())},
    }
    await fragile.take("rows", "dead")
    for name, body in asked.items():
        reply = await bot.request(f"query.{name}", body, within=DEADLINE_S + SLACK_S)
        assert reply.error == ("unavailable", None), name
    await fragile.give_back("rows")
    for name, body in asked.items():
        reply = await bot.request(f"query.{name}", body, within=DEADLINE_S + SLACK_S)
        assert "state" in reply.body or "error" not in reply.body, name


@pytest.mark.parametrize("how", ["dead", "hung"])
async def test_a_card_without_the_graph_tells_facts_and_that_neighbours_are_missing(
    bot: Bot, fragile: Fragile, how: str
) -> None:
    asked = {"user_id": "u-1", "entity": "Davide"}
    whole = (await bot.request("query.facts", asked)).body
    assert whole["entity"]["neighbours"] != []
    await fragile.take("graph", how)
    for _ in range(2):  # whether or not it is known already that the graph is away
        reply = (await bot.request("query.facts", asked, within=DEADLINE_S + SLACK_S)).body
        without = whole | {"degraded": ["graph"], "entity": whole["entity"] | {"neighbours": []}}
        assert reply == without
        await eventually(lambda: degraded(bot, "graph"), within=15)
    unknown = (await bot.request("query.facts", asked | {"entity": "Zenobia"})).body
    assert unknown == {"facts": [], "entity": None, "degraded": [], "truncated": False}


async def test_no_word_on_a_fact_is_taken_while_the_graph_is_away(bot: Bot, fragile: Fragile) -> None:
    asked = {"user_id": "u-1", "predicate": "lives_in", "history": True}
    known = (await bot.request("query.facts", asked)).body["facts"]
    word = {"user_id": "u-1", "fact_id": known[0]["id"]}
    await fragile.take("graph", "dead")
    for command, said_of_it in (("verify", {"verified": True}), ("correct", {"object": "Muggia"})):
        reply = await bot.request(f"command.{command}", word | said_of_it, within=DEADLINE_S + SLACK_S)
        assert reply.error == ("unavailable", None)
    assert (await bot.request("query.facts", asked)).body["facts"] == known
    await fragile.give_back("graph")
    reply = await bot.request("command.verify", word | {"verified": True}, within=DEADLINE_S + SLACK_S)
    assert reply.body == {"ok": True, "verified": True}
    taken_back = await bot.request("command.verify", word | {"verified": False}, within=DEADLINE_S + SLACK_S)
    assert taken_back.body["ok"]


async def test_many_who_ask_at_once_all_get_an_answer(bot: Bot, fragile: Fragile) -> None:
    await fragile.take("model", "hung")
    replies = await asyncio.gather(*(answered(bot, "recall") for _ in range(24)))
    assert all("error" not in reply for reply in replies)
    assert {tuple(reply["degraded"]) for reply in replies} == {("model",)}
    assert all("boat-1" in ids(reply["memories"]) for reply in replies)

"""The store on LangGraph itself: by its interface, and in a graph."""

import asyncio
from typing import Any, TypedDict

import pytest
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, new_tenant

from ricordo.client import InvalidRequest, MemoryClient, Unavailable

pytest.importorskip("langgraph", reason="make test-agents installs LangGraph")

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, PutOp

from ricordo.integrations.langgraph import RicordoStore

PREFERENCES = ("ada", "preferences")
TRIPS = ("ada", "trips", "italy")


async def test_an_item_is_put_replaced_and_deleted(memory: MemoryClient) -> None:
    store = RicordoStore(memory, user_id="ada")
    value = {"text": "I like pesto.", "stars": 5, "nested": {"of": ["a", None, 1.5]}}
    await store.aput(PREFERENCES, "food", value)
    first = await store.aget(PREFERENCES, "food")
    assert first is not None
    assert (first.namespace, first.key, first.value) == (PREFERENCES, "food", value)
    assert await store.aget(PREFERENCES, "music") is None
    assert await store.aget(("ada",), "food") is None
    await store.aput(PREFERENCES, "food", {"text": "I like pasta with beans."})
    second = await store.aget(PREFERENCES, "food")
    assert second is not None
    assert second.value == {"text": "I like pasta with beans."}
    assert (second.created_at, second.updated_at > first.updated_at) == (first.created_at, True)
    found = await store.asearch(PREFERENCES, query="what do I like to eat?")
    assert [item.value for item in found] == [second.value], "the former text is erased"
    await store.adelete(PREFERENCES, "food")
    await store.adelete(PREFERENCES, "music")
    assert await store.aget(PREFERENCES, "food") is None
    assert await store.asearch(PREFERENCES, query="what do I like to eat?") == []
    await store.aput(PREFERENCES, "food", value)
    again = await store.aget(PREFERENCES, "food")
    assert again is not None
    assert again.value == value


async def test_items_are_searched_by_meaning_namespace_and_filter(memory: MemoryClient) -> None:
    store = RicordoStore(memory, user_id="ada")
    items: list[tuple[tuple[str, ...], str, dict[str, Any], Any]] = [
        (PREFERENCES, "pet", {"text": "My dog Max sleeps on the sofa.", "stars": 3}, None),
        (PREFERENCES, "tea", {"text": "Green tea in the morning.", "stars": 5}, None),
        (TRIPS, "genoa", {"text": "In Genoa we saw the harbour.", "note": "My dog Max barked."}, ["text"]),
        (TRIPS, "draft", {"text": "A dog in a draft."}, False),
        (("ada", "trips", "france"), "arles", {"text": "In Arles there was a dog show.", "stars": 4}, None),
    ]
    await store.abatch([PutOp(*item) for item in items])
    await memory.publish(user_id="ada", conversation_id="c-1", role="user", content="My dog Max is ill.")
    found = await store.asearch(("ada",), query="Where does my dog sleep?")
    assert found[0].key == "pet"
    assert found[0].score is not None
    assert "draft" not in {item.key for item in found}
    assert {item.key for item in await store.asearch(TRIPS)} == {"genoa", "draft"}
    trips = await store.asearch(("ada", "trips"), query="dog")
    assert {item.key for item in trips} <= {"genoa", "arles"}
    assert {item.key for item in await store.asearch(("ada",), filter={"stars": {"$gte": 4}})} == {
        "tea",
        "arles",
    }
    assert [item.key for item in await store.asearch(("ada",), query="dog", filter={"stars": 4})] == ["arles"]
    pages = [await store.asearch(("ada",), limit=2, offset=offset) for offset in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert len({item.key for page in pages for item in page}) == 5
    assert await store.alist_namespaces() == sorted({item[0] for item in items})
    assert await store.alist_namespaces(prefix=("ada", "trips"), max_depth=2) == [("ada", "trips")]
    assert await store.alist_namespaces(suffix=("italy",)) == [TRIPS]


async def test_a_label_of_the_namespace_is_the_user(memory: MemoryClient) -> None:
    store = RicordoStore(memory, user_label=1)
    for user in ("ada", "ugo"):
        await store.aput(("memories", user), "name", {"text": f"I am called {user}."})
    own = await memory.recall("ugo", "What am I called?", filters={"kinds": ["note"]})
    assert [one.content for one in own.memories] == ["I am called ugo."]
    found = await store.asearch(("memories", "ada"), query="What am I called?")
    assert [item.namespace for item in found] == [("memories", "ada")]
    assert await store.alist_namespaces(prefix=("memories", "ugo")) == [("memories", "ugo")]
    for call in (store.asearch(("memories",)), store.alist_namespaces(), store.aget(("memories",), "name")):
        with pytest.raises(ValueError, match="the user as its label 1"):
            await call
    with pytest.raises(ValueError, match="either user_id or user_label"):
        RicordoStore(memory)
    with pytest.raises(InvalidNamespaceError):
        await store.abatch([GetOp(("memories.ada", "ada"), "name")])


async def test_an_interrupted_put_leaves_the_latest_item(
    memory: MemoryClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RicordoStore(memory, user_id="ada")
    await store.aput(PREFERENCES, "tea", {"text": "Green tea.", "n": 1})

    async def cut_off(*_: object, **__: object) -> None:
        raise Unavailable("the process ends here")

    with monkeypatch.context() as patch:
        patch.setattr(memory, "forget", cut_off)
        with pytest.raises(Unavailable):
            await store.aput(PREFERENCES, "tea", {"text": "Black tea.", "n": 2})
    item = await store.aget(PREFERENCES, "tea")
    assert item is not None
    assert item.value["n"] == 2
    assert [one.value["n"] for one in await store.asearch(PREFERENCES, query="tea")] == [2]
    await store.adelete(PREFERENCES, "tea")
    assert await store.asearch(PREFERENCES) == []


async def test_an_item_of_recalled_words_alone_is_refused(memory: MemoryClient) -> None:
    store = RicordoStore(memory, user_id="ada")
    await store.aput(PREFERENCES, "tea", {"text": "Green tea."})
    with pytest.raises(InvalidRequest, match="all its words are recalled ones"):
        await store.aput(PREFERENCES, "tea", {"text": "<recalled>user: Black tea.</recalled>"})
    item = await store.aget(PREFERENCES, "tea")
    assert item is not None
    assert item.value == {"text": "Green tea."}


async def test_other_threads_call_it_without_await(memory: MemoryClient) -> None:
    store = RicordoStore(memory, user_id="ada")

    def elsewhere() -> list[dict[str, Any]]:
        store.put(PREFERENCES, "tea", {"text": "Green tea."})
        return [item.value for item in store.search(PREFERENCES)]

    assert await asyncio.to_thread(elsewhere) == [{"text": "Green tea."}]
    assert await asyncio.to_thread(lambda: asyncio.run(store.aget(PREFERENCES, "tea"))) is not None
    with pytest.raises(asyncio.InvalidStateError, match="asynchronous methods"):
        store.get(PREFERENCES, "tea")


def test_a_program_without_a_loop_opens_one(system: System) -> None:
    tenant = new_tenant()
    with RicordoStore.open(system.endpoints.nats_url, tenant, user_id="ada") as store:
        store.put(PREFERENCES, "tea", {"text": "Green tea."})
        item = store.get(PREFERENCES, "tea")
        assert item is not None
        assert item.value == {"text": "Green tea."}
        store.delete(PREFERENCES, "tea")
        assert store.list_namespaces() == []
    with pytest.raises(Unavailable), RicordoStore.open("nats://127.0.0.1:1", user_id="ada"):
        pass


class State(TypedDict):
    said: str
    answer: str


async def test_a_graph_remembers_between_threads(memory: MemoryClient, bot: Bot) -> None:
    async def remember(state: State, runtime: Runtime[None]) -> dict[str, str]:
        store: BaseStore | None = runtime.store
        assert store is not None
        known = await store.asearch(("ada", "chat"), query=state["said"], limit=1)
        await store.aput(("ada", "chat"), state["said"], {"text": state["said"]})
        return {"answer": known[0].value["text"] if known else "I do not know."}

    graph = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    graph.add_edge("remember", END)
    app = graph.compile(store=RicordoStore(memory, user_id="ada"))
    first = await app.ainvoke({"said": "My sister Nora lives in Dublin."})
    second = await app.ainvoke({"said": "Where does my sister live?"})
    assert first["answer"] == "I do not know."
    assert second["answer"] == "My sister Nora lives in Dublin."
    facts = await bot.facts(user_id="ada", entity="Nora")
    assert ("Nora", "lives_in", "Dublin") in {
        (fact["subject"], fact["predicate"], fact["object"]) for fact in facts
    }

"""A LangGraph store over the client: an item is a note of one user, which is searched as memories are.

`pip install langgraph`. What it cannot do says `docs/agents.md`.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any, Final, Self
from uuid import UUID, uuid4

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    validate_op_namespace,
)
from langgraph.store.memory import InMemoryStore

from ricordo.client import InvalidRequest, MemoryClient, NotFound
from ricordo.messages.enumerations import MessageState
from ricordo.messages.ids import memory_id
from ricordo.messages.message_types import CONTENT_MAX_CHARS
from ricordo.messages.views import HistoryMessage, MemoryView

Namespace = tuple[str, ...]

_TAG: Final = "langgraph:"
"""Begins the tags with the namespace and with each prefix of it; its labels contain no periods."""
_UNINDEXED: Final = "langgraph-unindexed"
_SEARCHED: Final = 200
_VERSIONS: Final = 100
_CONCURRENT_CALLS: Final = 16
_ERASE_S: Final = 60.0


class RicordoStore(BaseStore):
    """A store of LangGraph whose items are notes in the memory of a user.

    All calls run on the event loop on which it was made; other threads and loops may call it, too.
    """

    def __init__(
        self, client: MemoryClient, *, user_id: str | None = None, user_label: int | None = None
    ) -> None:
        """Make a store; an event loop must run.

        Args:
            client: the connected client; it must stay open as long as the store is used.
            user_id: the user who owns all namespaces; or
            user_label: which label of a namespace is the user, from 0: 1 for `("memories", "davide")`.

        Raises:
            ValueError: not exactly one of the two is given.
        """
        if (user_id is None) == (user_label is None):
            raise ValueError("give either user_id or user_label")
        self._client = client
        self._user_id = user_id
        self._user_label = user_label
        self._loop = asyncio.get_running_loop()
        self._calls = asyncio.Semaphore(_CONCURRENT_CALLS)

    @classmethod
    @contextmanager
    def open(
        cls, url: str, tenant: str = "default", *, user_id: str | None = None, user_label: int | None = None
    ) -> Iterator[Self]:
        """Connect for a program without an event loop: the store has one of its own, in a thread.

        Raises:
            RicordoError: as `MemoryClient.connect`.
        """
        loop, stack = asyncio.new_event_loop(), AsyncExitStack()
        thread = Thread(target=loop.run_forever, name="ricordo store", daemon=True)
        thread.start()

        async def connect() -> Self:
            client = await stack.enter_async_context(MemoryClient.connect(url, tenant))
            return cls(client, user_id=user_id, user_label=user_label)

        try:
            yield asyncio.run_coroutine_threadsafe(connect(), loop).result()
        finally:
            asyncio.run_coroutine_threadsafe(stack.aclose(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations from another thread than that of the store's event loop.

        Raises:
            InvalidStateError: it is that thread; `abatch` and `aget` to `alist_namespaces` are for it.
        """
        if asyncio._get_running_loop() is self._loop:  # noqa: SLF001 - `get_running_loop` raises where there is none
            raise asyncio.InvalidStateError("in an event loop, use the asynchronous methods, such as aget")
        return asyncio.run_coroutine_threadsafe(self._execute(list(ops)), self._loop).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations: first those that read, then those that put; of one key the last.

        Raises:
            RicordoError: the memory does not answer, or refuses an item.
        """
        executing = self._execute(list(ops))
        if asyncio.get_running_loop() is self._loop:
            return await executing
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(executing, self._loop))

    async def _execute(self, ops: Sequence[Op]) -> list[Result]:
        for op in ops:
            validate_op_namespace(op)
        puts = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        results = list(await asyncio.gather(*(self._read(op) for op in ops)))
        await asyncio.gather(*(self._put(op) for op in puts.values()))
        return results

    async def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                user = self._user(op.namespace)
                versions = await self._versions(user, op.namespace, op.key, 1)
                return await self._item(user, versions[-1].memory_id) if versions else None
            case SearchOp():
                return await self._search(op)
            case ListNamespacesOp():
                return await self._namespaces(op)
            case _:
                return None

    async def _put(self, op: PutOp) -> None:
        """Publish an item as a new message, then erase the former ones: the latest is the one that counts."""
        user = self._user(op.namespace)
        former = await self._versions(user, op.namespace, op.key, _VERSIONS)
        if op.value is not None:
            await self._publish(user, op, former[-1] if former else None)
        for message in former:
            await self._client.forget(user, message_id=message.id, timeout=_ERASE_S)

    async def _publish(self, user: str, op: PutOp, former: HistoryMessage | None) -> None:
        now = datetime.now(UTC)
        previous = None
        if former is not None:
            now = max(now, former.timestamp + timedelta(milliseconds=1))
            previous = await self._item(user, former.memory_id)
        conversation = _conversation(op.namespace, op.key)
        sent = await self._client.publish(
            id=f"{conversation}-{uuid4().hex}",
            user_id=user,
            conversation_id=conversation,
            role="user",
            kind="note",
            content=_text(op),
            timestamp=now,
            tags=[
                *(_tag(op.namespace[:n]) for n in range(len(op.namespace) + 1)),
                *([_UNINDEXED] if op.index is False else []),
            ],
            metadata={
                "namespace": list(op.namespace),
                "key": op.key,
                "value": dict(op.value or {}),
                "created_at": (now if previous is None else previous.created_at).isoformat(),
            },
        )
        receipt = (await self._client.remembered([sent.message_id]))[sent.message_id]
        if receipt.state is not MessageState.REMEMBERED:
            raise InvalidRequest(f"the item was not stored: {receipt.error}")
        if await self._item(user, memory_id(self._client.tenant, sent.message_id)) is None:
            await self._client.forget(user, message_id=sent.message_id, timeout=_ERASE_S)
            raise InvalidRequest("the item was not stored: all its words are recalled ones")

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix = op.namespace_prefix
        user = self._user(prefix)
        if op.query:
            reply = await self._client.recall(
                user, op.query, limit=_SEARCHED, filters=_filters(prefix), reinforce=False
            )
            found = [memory for memory in reply.memories if _UNINDEXED not in memory.tags]
        else:
            found = await self._notes(user, prefix)
        found = [memory for memory in found if _namespace(memory)[: len(prefix)] == prefix]  # in this case
        if not op.filter:
            found = found[: op.offset + op.limit]
        items: dict[tuple[Namespace, str], SearchItem] = {}
        versions = [  # items of one value are one memory
            (memory_id(self._client.tenant, message), one.score)
            for one in found
            for message in one.message_ids
        ]
        for item in await asyncio.gather(*(self._item(user, *one) for one in versions)):
            if item is not None:
                other = items.setdefault((item.namespace, item.key), item)
                if other.updated_at < item.updated_at:  # a put was cut off before it erased the former item
                    items[item.namespace, item.key] = item
        matching = [item for item in items.values() if not op.filter or _fulfils(item, op.filter)]
        return matching[op.offset : op.offset + op.limit]

    async def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        prefixes = [one.path for one in op.match_conditions or () if one.match_type == "prefix"]
        notes = await self._notes(self._user(prefixes[0] if prefixes else ()), ())
        paths = set(map(_namespace, notes))
        replica = InMemoryStore()
        replica.batch([PutOp(path, "any", {}) for path in paths])
        listed: list[Namespace] = replica.batch([op])[0]
        return listed

    async def _notes(self, user: str, prefix: Namespace) -> list[MemoryView]:
        """Return the notes of a user that are items below a namespace, the latest first."""
        notes: list[MemoryView] = []
        cursor = None
        while True:
            page = await self._client.memories(user, filters=_filters(prefix), cursor=cursor, limit=_SEARCHED)
            notes += page.memories
            if (cursor := page.next) is None:
                return notes

    async def _versions(
        self, user: str, namespace: Namespace, key: str, limit: int
    ) -> tuple[HistoryMessage, ...]:
        """Return the messages of an item, the current one last."""
        conversation = _conversation(namespace, key)
        return (await self._client.history(user, conversation_id=conversation, limit=limit)).messages

    async def _item(self, user: str, memory_id: UUID | None, score: float | None = None) -> SearchItem | None:
        if memory_id is None:
            return None
        try:
            async with self._calls:
                memory = (await self._client.memory(user, memory_id)).memory
        except NotFound:  # it was just replaced
            return None
        stored: Any = memory.metadata
        return SearchItem(
            namespace=tuple(stored["namespace"]),
            key=stored["key"],
            value=stored["value"],
            created_at=datetime.fromisoformat(stored["created_at"]),
            updated_at=memory.created_at,
            score=score,
        )

    def _user(self, namespace: Sequence[str]) -> str:
        if self._user_id is not None:
            return self._user_id
        label = self._user_label or 0
        if len(namespace) <= label or namespace[label] == "*":
            raise ValueError(f"the namespace must have the user as its label {label}: {tuple(namespace)}")
        return namespace[label]


def _conversation(namespace: Namespace, key: str) -> str:
    """Return the conversation of an item, whose messages are its versions."""
    path = "\0".join((*namespace, "", key))
    return f"langgraph-{hashlib.sha256(path.encode()).hexdigest()}"


def _tag(prefix: Namespace) -> str:
    return _TAG + ".".join(prefix)


def _filters(prefix: Namespace) -> dict[str, object]:
    return {"tags": [_tag(prefix)], "include_archived": True, "include_uninformative": True}


def _namespace(memory: MemoryView) -> Namespace:
    """Return the namespace of an item, which its longest tag tells."""
    longest = max((tag for tag in memory.tags if tag.startswith(_TAG)), key=len)
    return tuple(longest.removeprefix(_TAG).split("."))


def _text(op: PutOp) -> str:
    """Return the words by which an item is found: those of the fields in `index`, or all."""
    texts: Iterable[str] = ()
    if op.index is None:
        texts = _strings(dict(op.value or {}))
    elif op.index is not False:
        texts = (text for path in op.index for text in get_text_at_path(op.value, path))
    text = "\n".join(one for one in texts if one.strip())
    return text[:CONTENT_MAX_CHARS] or " ".join((*op.namespace, op.key))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _fulfils(item: SearchItem, conditions: dict[str, Any]) -> bool:
    """Whether an item fulfils a filter, by LangGraph's own rules."""
    replica = InMemoryStore()
    replica.batch([PutOp(item.namespace, item.key, item.value)])
    try:
        return bool(replica.batch([SearchOp((), conditions)])[0])
    except (TypeError, ValueError):  # a number is compared with what is none
        return False

"""What is compared: peers in processes of their own, and Ricordo by its public client."""

import asyncio
import json
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from ricordo.client import MemoryClient
from ricordo.messages.events import MessageReceived
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import ProcessTree, Program, System
from ricordo_lab.console import MeasurementFailed
from ricordo_lab.evaluation.replay import source_of
from ricordo_lab.peers.adapter import SHOWN, Hits
from ricordo_lab.peers.environments import PeerPackages, install, minilm

_REPLY_S: Final = 900.0
_LONGEST: Final = 1 << 26  # bytes of a reply


class PeerProcess:
    """A peer that runs in the environment of its own; made by `running`.

    Attributes:
        marks: whether what it hands out for a prompt is marked as recalled.
        tree: all its processes.
    """

    marks = False

    def __init__(
        self, name: str, versions: str, tree: ProcessTree, pipes: tuple[Any, Any], log: Path
    ) -> None:
        self.name = name
        self.versions = versions
        self.tree = tree
        self._requests, self._replies = pipes
        self._log = log

    async def add(self, messages: Sequence[MessageReceived]) -> None:
        """Return when messages are found; the speaker, for whom a peer has no field, stands before the words.

        Raises:
            MeasurementFailed: the peer fails or has ended; also of the other methods.
        """
        said = [
            {
                "id": message.id,
                "user": message.user_id,
                "conversation": message.conversation_id,
                "role": message.role.value,
                "text": f"{message.speaker}: {message.content}" if message.speaker else message.content,
                "at": message.timestamp.isoformat(),
            }
            for message in messages
        ]
        await self._ask(do="add", messages=said)

    async def search(self, user_id: str, query: str) -> Hits:
        """Return the ten best memories of a user: id of the message, empty for one of several, and text."""
        hits: Hits = await self._ask(do="search", user=user_id, query=query)
        return hits

    async def prompt(self, user_id: str, query: str) -> str:
        """Return recalled text as it is handed out for a prompt, by a peer without any mark."""
        return "\n".join(text for _, text in await self.search(user_id, query))

    async def count(self, users: Sequence[str]) -> Mapping[str, int]:
        """Return the numbers of memories and facts; peers have no facts without a language model."""
        return {"memories": int(await self._ask(do="count", users=users)), "facts": 0}

    async def _ask(self, **request: object) -> Any:  # noqa: ANN401 - JSON
        try:
            self._requests.write(json.dumps(request).encode() + b"\n")
            await self._requests.drain()
            reply = json.loads(await asyncio.wait_for(self._replies.readline(), _REPLY_S))
        except (OSError, TimeoutError, ValueError) as error:
            last = self._log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
            raise MeasurementFailed(last[:300] or f"it does not answer: {error}") from None
        if "error" in reply:
            raise MeasurementFailed(reply["error"][:300])
        return reply["result"]


@asynccontextmanager
async def running(
    name: str, packages: PeerPackages, environments: Path, data: Path
) -> AsyncIterator[PeerProcess]:
    """Install a peer where it is not there, run it on an empty folder, and stop it at the end.

    Raises:
        MeasurementFailed: it cannot be installed, or its model cannot be had.
    """
    python = install(name, packages.requirements, environments)
    model, log = minilm(environments) if packages.encodes else data, data / f"{name}.log"
    (data / name).mkdir(parents=True)
    words = (str(python), str(packages.script), name, str(data / name), str(model))
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *words, stdin=PIPE, stdout=PIPE, stderr=stderr, limit=_LONGEST
        )
    versions = ", ".join(packages.requirements).replace("==", " ")
    try:
        yield PeerProcess(name, versions, ProcessTree(process.pid), (process.stdin, process.stdout), log)
    finally:
        await Program(process, log).terminate()


class RicordoContender:
    """A running `ricordo up` at its defaults, as a bot sees it over NATS."""

    name = "ricordo"
    versions = f"ricordo {version('ricordo')}"
    marks = True

    def __init__(self, system: System, client: MemoryClient) -> None:
        self.tree = system
        self._nats = system.nats
        self._client = client

    async def add(self, messages: Sequence[MessageReceived]) -> None:
        """Publish messages, and wait for the receipt of each."""
        await remember(self._nats, messages)

    async def search(self, user_id: str, query: str) -> Hits:
        """Recall."""
        reply = await self._client.recall(user_id, query, limit=SHOWN)
        if reply.degraded:
            raise MeasurementFailed(f"an answer lacks {', '.join(reply.degraded)}")
        return [(source_of(memory), memory.content or "") for memory in reply.memories]

    async def prompt(self, user_id: str, query: str) -> str:
        """Return a context."""
        return (await self._client.context(user_id, query)).context

    async def count(self, users: Sequence[str]) -> Mapping[str, int]:
        """Return the numbers of informative memories and of facts."""
        counts = [await self._client.stats(user) for user in users]
        return {name: sum(getattr(one, name) for one in counts) for name in ("memories", "facts")}


Contender = PeerProcess | RicordoContender

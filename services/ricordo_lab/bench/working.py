"""Measures the latency of reading working memory, in the worker and over NATS."""

import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from ricordo.client import MemoryClient
from ricordo.clock import SystemClock
from ricordo.language.annotations import Role
from ricordo.messages.events import MessageReceived
from ricordo.settings import Settings
from ricordo_lab.bench.generated_texts import texts
from ricordo_lab.bench.measurement import Figures, Options, Report, latencies
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import System, scratch, up
from ricordo_services.app.request_handlers import working_memory_reader
from ricordo_services.app.resources import Resources

_TENANT: Final = "default"
_USER: Final = "user-1"
_TURNS: Final = 30
_CONVERSATIONS: Final = 50
_SHARE: Final = 4  # as many reads without news as after news
_WARM_UP: Final = 20

Read = Callable[[str], Awaitable[object]]
"""Reads a conversation."""


async def working(options: Options, report: Report) -> None:
    """Measure the latency of reading working memory, in the worker and over NATS."""
    spoken = texts(seed=0)
    with scratch() as folder:
        async with up(folder) as system, AsyncExitStack() as exits:
            conversations = [f"c-{number}" for number in range(_CONVERSATIONS)]
            said = [one for name in conversations for one in _said(name, list(islice(spoken, _TURNS)))]
            await remember(system.nats, said)
            resources = Resources(_settings(options.settings, folder), SystemClock(), exits)
            reader = await working_memory_reader(resources)
            client = await exits.enter_async_context(MemoryClient.connect(system.nats))
            ways: Mapping[str, Read] = {
                "in the worker": lambda conversation: reader.read(_TENANT, _USER, conversation),
                "over NATS": lambda conversation: client.working(_USER, conversation),
            }
            for read in ways.values():
                await _timed(read, ["c-none"] * _WARM_UP)  # statements are planned, tokenizers loaded
            found = await _found(ways, system, options.questions, spoken)
    lines = [{"read": when, **_line(took)} for when, took in found.items()]
    for line in lines:
        report({"bench": "working", **line})
    report({"bench": "working", **{name: [line[name] for line in lines] for name in lines[0]}})


def _line(took: Mapping[str, Sequence[float]]) -> Figures:
    inside, outside = took["in the worker"], took["over NATS"]
    return {"reads": len(inside), **latencies(inside), **latencies(outside, "_over_nats")}


async def _found(
    ways: Mapping[str, Read], system: System, reads: int, spoken: Iterator[str]
) -> Mapping[str, Mapping[str, Sequence[float]]]:
    """Return the milliseconds of each read: of what is held, after each turn, and the first."""
    conversations = [f"c-{number}" for number in range(_CONVERSATIONS)]
    first = {name: await _timed(read, conversations) for name, read in ways.items()}
    held = {name: await _timed(read, ["c-0"] * reads) for name, read in ways.items()}
    anew: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(max(1, reads // _SHARE)):
        await remember(system.nats, _said("c-0", [next(spoken)], f"later-{number}"))
        for name, read in ways.items():
            anew[name] += await _timed(read, ["c-0"])
    return {"as before": held, "after a turn": anew, "for the first time": first}


async def _timed(read: Read, conversations: Sequence[str]) -> list[float]:
    took: list[float] = []
    for conversation in conversations:
        began = time.perf_counter()
        await read(conversation)
        took.append(1000 * (time.perf_counter() - began))
    return took


def _said(conversation: str, said: Sequence[str], prefix: str = "first") -> list[MessageReceived]:
    """Return what is said in a conversation, just now."""
    began = datetime.now(UTC) - timedelta(seconds=len(said))
    return [
        MessageReceived(
            id=f"{conversation}-{prefix}-{number}",
            user_id=_USER,
            conversation_id=conversation,
            role=Role.ASSISTANT if number % 2 else Role.USER,
            content=content,
            timestamp=began + timedelta(seconds=number),
        )
        for number, content in enumerate(said)
    ]


def _settings(settings: Settings, folder: Path) -> Settings:
    """Return the settings of a worker of the running system."""
    dsn = json.loads((folder / "stack.json").read_text(encoding="utf-8"))["postgres"]
    stores = settings.stores.model_copy(update={"postgres_dsn": SecretStr(dsn)})
    return settings.model_copy(update={"stores": stores})

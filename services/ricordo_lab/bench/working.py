"""Measures the latency of reading working memory, in the worker."""

import json
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from ricordo.clock import SystemClock
from ricordo.language.annotations import Role
from ricordo.messages.events import MessageReceived
from ricordo.settings import Settings
from ricordo_lab.bench.measurement import Options, Report, latencies
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.spoken_texts import texts
from ricordo_lab.bench.system import scratch, up
from ricordo_services.app.request_handlers import working_memory_reader
from ricordo_services.app.resources import Resources
from ricordo_services.retrieval.cached_readers import WorkingMemoryReader

_TENANT: Final = "default"
_USER: Final = "user-1"
_TURNS: Final = 30
_CONVERSATIONS: Final = 50
_SHARE: Final = 4  # as many reads without news as after news
_WARM_UP: Final = 20


async def working(options: Options, report: Report) -> None:
    """Measure the latency of reading working memory in the worker."""
    spoken = texts(seed=0)
    with scratch() as folder:
        async with up(folder) as system, AsyncExitStack() as exits:
            conversations = [f"c-{number}" for number in range(_CONVERSATIONS)]
            said = [one for name in conversations for one in _said(name, list(islice(spoken, _TURNS)))]
            await remember(system.nats, said)
            resources = Resources(_settings(options.settings, folder), SystemClock(), exits)
            reader = await working_memory_reader(resources)
            await _timed(reader, ["c-none"] * _WARM_UP)  # statements are planned, tokenizers loaded
            first = await _timed(reader, conversations)
            held = await _timed(reader, ["c-0"] * options.questions)
            anew: list[float] = []
            for number in range(max(1, options.questions // _SHARE)):
                await remember(system.nats, _said("c-0", [next(spoken)], f"later-{number}"))
                anew += await _timed(reader, ["c-0"])
    found = {"as before": held, "after a turn": anew, "for the first time": first}
    lines = [{"read": when, "reads": len(took), **latencies(took)} for when, took in found.items()]
    for line in lines:
        report({"bench": "working", **line})
    report({"bench": "working", **{name: [line[name] for line in lines] for name in lines[0]}})


async def _timed(reader: WorkingMemoryReader, conversations: Sequence[str]) -> list[float]:
    """Return the milliseconds of each read."""
    took: list[float] = []
    for conversation in conversations:
        began = time.perf_counter()
        await reader.read(_TENANT, _USER, conversation)
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

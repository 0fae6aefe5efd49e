"""What condensing old memories saves in a context, and whether what is asked for is still found."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ricordo.client import MemoryClient
from ricordo_lab.bench.conversation import LANGUAGES
from ricordo_lab.bench.figures import rounded
from ricordo_lab.bench.options import BenchFailed, Options, Say
from ricordo_lab.bench.processes import started
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.bench.trifles import Trifles, trifles

_MESSAGES: Final = 2_000
_PASS_TAKES_S: Final = 600.0
_LOOK_S: Final = 0.2
_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class _Asked:
    """What came of asking everything once, over all users.

    Attributes:
        tokens: of a context, for questions about details.
        tokens_broad: of one for the others.
        answered: share of details that the context tells.
        recalled: share of details whose message a recall shows among its first ten.
    """

    tokens: float
    tokens_broad: float
    answered: float
    recalled: float


def _quarter_of(now: datetime) -> datetime:
    """Return the first day of the quarter: the same meets in each, whenever this is measured."""
    first = now.replace(month=now.month - (now.month - 1) % 3, day=1)
    return first.replace(hour=0, minute=0, second=0, microsecond=0)


async def sleep(options: Options, say: Say) -> None:
    """Measure what condensing old memories saves in a context, and what of them is still found."""
    count = (options.messages or _MESSAGES) // len(LANGUAGES)
    users = [trifles(language, count, _quarter_of(datetime.now(UTC))) for language in LANGUAGES]
    with scratch() as folder:
        async with up(folder) as system:
            for user in users:
                await remember(system.nats, user.messages)
            async with MemoryClient.connect(system.nats) as client:
                before = await _ask(client, users)
                done = await _condense(folder)
                began = time.perf_counter()
                await _all_indexed(client, users)
                indexed_s = time.perf_counter() - began
                after = await _ask(client, users)
    say(
        {
            "bench": "sleep",
            "memories": sum(len(user.messages) for user in users),
            "questions": sum(len(user.details) for user in users),
            "compressed": done["changed"],
            "syntheses": done["created"],
            "pass_s": rounded(float(str(done["seconds"]))),
            "indexed_s": rounded(indexed_s),
            "tokens_before": rounded(before.tokens),
            "tokens_after": rounded(after.tokens),
            "broad_tokens_before": rounded(before.tokens_broad),
            "broad_tokens_after": rounded(after.tokens_broad),
            "answered_before": round(before.answered, 4),
            "answered_after": round(after.answered, 4),
            "recalled_before": round(before.recalled, 4),
            "recalled_after": round(after.recalled, 4),
        }
    )


async def _condense(folder: Path) -> Mapping[str, object]:
    """Make the pass, as a person would, and return its line."""
    log = folder.parent / "pass.log"
    words = ("lifecycle", "run", "compress", "--json", "--data-dir", str(folder))
    async with started(log, *words) as program:
        done = await asyncio.wait_for(program.announced(), _PASS_TAKES_S)
        await program.ended()
    return done


async def _all_indexed(client: MemoryClient, users: Sequence[Trifles]) -> None:
    deadline = time.perf_counter() + _PASS_TAKES_S
    while any([(await client.stats(user.user_id)).pending for user in users]):
        if time.perf_counter() > deadline:
            raise BenchFailed("the syntheses are not indexed")
        await asyncio.sleep(_LOOK_S)


async def _ask(client: MemoryClient, users: Sequence[Trifles]) -> _Asked:
    tokens: list[int] = []
    broad: list[int] = []
    answered: list[bool] = []
    recalled: list[bool] = []
    for user in users:
        for detail in user.details:
            context = await client.context(user.user_id, detail.question, recent_limit=0, reinforce=False)
            tokens.append(context.tokens)
            answered.append(detail.answer.casefold() in context.context.casefold())
            recall = await client.recall(user.user_id, detail.question, limit=_SHOWN, reinforce=False)
            recalled.append(any(detail.message_id in one.message_ids for one in recall.memories))
        for question in user.broad:
            context = await client.context(user.user_id, question, recent_limit=0, reinforce=False)
            broad.append(context.tokens)
    return _Asked(_mean(tokens), _mean(broad), _mean(answered), _mean(recalled))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)

"""What the life of memories costs recall: the same questions before and after every pass of lifecycle."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ricordo.client import MemoryClient
from ricordo_lab.bench.options import BenchFailed
from ricordo_lab.bench.processes import started
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.evaluation.locomo import Conversation
from ricordo_lab.evaluation.measures import CUTOFFS, mean, measure
from ricordo_lab.evaluation.replay import Progress, ask, tell
from ricordo_lab.evaluation.report import Row

SUMMARY: Final = (
    "recall of what questions are about before and after all passes of lifecycle, on conversations in "
    "LoCoMo's shape, told to a system that is started for it"
)
_DEEPEST: Final = max(CUTOFFS)
_FOLLOWS_WITHIN_S: Final = 300.0
_LOOK_EVERY_S: Final = 0.5


async def aged(conversations: Sequence[Conversation], say: Progress) -> list[Row]:
    """Measure a system that is started for it, and stopped.

    All that was told is old by its own time; nothing of it fades, as it has just come in. What can cost
    recall is what the passes make: insights stand among what comes back.

    Raises:
        BenchFailed: it does not start, or does not answer as it must.
    """
    with scratch() as folder:
        async with up(folder) as system:
            await tell(system.nats, conversations, say)
            before = await _row("before", system.nats, conversations, say)
            say("making all passes")
            await _all_passes(folder)
            made = await _followed(system.nats, [one.id for one in conversations])
            say(f"{made} summaries and reflections were made")
            return [before, await _row("after", system.nats, conversations, say)]


async def _row(name: str, address: str, conversations: Sequence[Conversation], say: Progress) -> Row:
    answers = await ask(address, conversations, say, limit=_DEEPEST, explain=False)
    measured = [measure(one.found, one.question.evidence) for one in answers]
    return Row("all passes", name, mean(measured), len(answers))


async def _all_passes(folder: Path) -> None:
    log = folder.parent / "passes.log"
    async with started(log, "lifecycle", "run", "all", "--data-dir", str(folder)) as program:
        await program.ended()
        if program.exit_code:
            raise program.failed()


async def _followed(address: str, users: Sequence[str]) -> int:
    """Wait until what was made can be found; return how much that is.

    Raises:
        BenchFailed: it cannot, after a while.
    """
    try:
        async with MemoryClient.connect(address) as client, asyncio.timeout(_FOLLOWS_WITHIN_S):
            while True:
                found = [await client.stats(user) for user in users]
                if not any(one.pending for one in found):
                    return sum(one.summaries + one.reflections for one in found)
                await asyncio.sleep(_LOOK_EVERY_S)
    except TimeoutError:
        raise BenchFailed("what the passes have made lacks a stage") from None

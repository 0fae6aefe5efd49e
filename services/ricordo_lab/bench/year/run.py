"""`bench year`: the same lives with and without what makes a memory fade, feel and grow."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Final, cast

from ricordo.messages.events import MessageReceived
from ricordo.messages.queries import ContextReply, ContextRequest, RecallReply, RecallRequest
from ricordo.messages.vocabulary import Role
from ricordo_lab.bench.figures import rounded
from ricordo_lab.bench.options import BenchFailed, Options, Say
from ricordo_lab.bench.stopwatch import Stopwatch
from ricordo_lab.bench.system import scratch
from ricordo_lab.bench.year.in_process import InProcess, in_process
from ricordo_lab.bench.year.lives import Asked, Life, Said
from ricordo_lab.bench.year.world import EachOnce, Feelingless, JumpingClock, Variant
from ricordo_services.app import jobs
from ricordo_services.stack import LocalStack
from ricordo_services.stack.addresses import local_settings

VARIANTS: Final = (
    Variant("whole"),
    Variant("no decay, no sleep", decay=False),
    Variant("no emotion", emotion=False),
    Variant("no reinforcement", reinforcement=False),
    Variant("none of them", decay=False, emotion=False, reinforcement=False),
)
_TENANT: Final = "year"
_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_LATE: Final = timedelta(hours=23)
_CURIOUS: Final = 2  # questions of a user a day, which strengthen what they find
_PASSES_EVERY: Final = 7  # days: what fades, fades by the week
_EXAMINED_EVERY: Final = 30  # days
_FIRST: Final = 5
_SEED: Final = 1000  # of the first life; what ranks was looked at on lives of other seeds
_ZONE: Final = "Europe/Rome"


@dataclass(slots=True)
class Score:
    """How often what was asked for came back among the first five.

    Attributes:
        asked: questions.
        found: of these, answered.
    """

    asked: int = 0
    found: int = 0

    @property
    def share(self) -> float:
        """The share of questions that were answered; 0 of none."""
        return self.found / self.asked if self.asked else 0.0


@dataclass(slots=True)
class Outcome:
    """What one world has come to.

    Attributes:
        long_ago, lately: of what matters and happened months ago; of the last days.
        tokens: of contexts.
    """

    long_ago: Score = field(default_factory=Score)
    lately: Score = field(default_factory=Score)
    tokens: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _World:
    variant: Variant
    system: InProcess
    clock: JumpingClock
    lives: Sequence[Life]


async def year(options: Options, say: Say) -> None:
    """Live a year with and without decay, emotion and reinforcement, and ask what is still known."""
    found: list[Mapping[str, object]] = []
    for variant in VARIANTS:
        found.append(await _run(variant, options))
        say({"bench": "year", "run": variant.name, **found[-1]})
    whole, bare = found[0], found[-1]
    say(
        {
            "bench": "year",
            "users": options.users,
            "days": options.days,
            "messages_a_day": options.daily,
            "variants": [one.name for one in VARIANTS],
            "long_ago_asked": whole["long_ago_asked"],
            "lately_asked": whole["lately_asked"],
            **{
                name: [one[name] for one in found] for name in ("long_ago", "lately", "hot", "context_tokens")
            },
            "hot_to_all": rounded(float(str(whole["hot"])) / float(str(bare["hot"]))),
        }
    )


async def _run(variant: Variant, options: Options) -> Mapping[str, object]:
    with scratch() as folder:
        async with LocalStack.open(folder) as stack, AsyncExitStack() as exits:
            settings = local_settings(stack.endpoints, options.settings)
            await jobs.prepare(settings)
            clock = JumpingClock(_START)
            system = await in_process(
                _TENANT,
                settings,
                clock,
                exits,
                encoding=EachOnce,
                enriching=(lambda kept: kept) if variant.emotion else Feelingless,
                reinforcing=variant.reinforcement,
            )
            lives = [
                Life(f"user-{n}", _SEED + n, _START, options.days, options.daily)
                for n in range(options.users)
            ]
            world, watch = _World(variant, system, clock, lives), Stopwatch()
            with watch:
                outcome = await _lived(world, options.days)
            return await _figures(world, outcome, watch.seconds)


async def _lived(world: _World, days: int) -> Outcome:
    outcome = Outcome()
    for day in range(days):
        world.clock.jump(_START + timedelta(days=day) + _LATE)
        await world.system.take([_message(life, one) for life in world.lives for one in life.day(day)])
        for life in world.lives:
            for _ in range(_CURIOUS):
                await _recall(world, life, life.curiosity(), reinforce=True)
        if day % _PASSES_EVERY == _PASSES_EVERY - 1 and world.variant.decay:
            for name in ("compress", "decay"):
                await world.system.run(name)
        if day % _EXAMINED_EVERY == _EXAMINED_EVERY - 1 or day == days - 1:
            await _examine(world, outcome)
    return outcome


async def _examine(world: _World, outcome: Outcome) -> None:
    now = world.clock.now()
    for life in world.lives:
        for asked in life.long_ago(now):
            await _ask(world, life, asked, outcome.long_ago)
        for asked in life.lately(now):
            await _ask(world, life, asked, outcome.lately)
        request = ContextRequest(user_id=life.user_id, query=life.curiosity(), reinforce=False)
        outcome.tokens.append(cast("ContextReply", await world.system.ask(request)).tokens)


async def _ask(world: _World, life: Life, asked: Asked, score: Score) -> None:
    reply = await _recall(world, life, asked.text, reinforce=False)
    score.asked += 1
    score.found += any(asked.wanted in memory.message_ids for memory in reply.memories)


async def _recall(world: _World, life: Life, question: str, *, reinforce: bool) -> RecallReply:
    request = RecallRequest(user_id=life.user_id, query=question, limit=_FIRST, reinforce=reinforce)
    reply = cast("RecallReply", await world.system.ask(request))
    if reply.degraded:
        raise BenchFailed(f"an answer lacks {', '.join(reply.degraded)}")
    return reply


async def _figures(world: _World, outcome: Outcome, seconds: float) -> Mapping[str, object]:
    counts = [await world.system.counts(life.user_id) for life in world.lives]
    memories, archived = sum(one.memories for one in counts), sum(one.archived for one in counts)
    return {
        "long_ago": rounded(outcome.long_ago.share),
        "long_ago_asked": outcome.long_ago.asked,
        "lately": rounded(outcome.lately.share),
        "lately_asked": outcome.lately.asked,
        "memories": memories,
        "hot": memories - archived,
        "context_tokens": rounded(fmean(outcome.tokens)) if outcome.tokens else 0,
        "seconds": rounded(seconds),
    }


def _message(life: Life, said: Said) -> MessageReceived:
    return MessageReceived(
        id=said.id,
        user_id=life.user_id,
        conversation_id=f"{life.user_id}-{said.at:%j}",
        role=Role.USER,
        content=said.text,
        timestamp=said.at,
        timezone=_ZONE,
    )

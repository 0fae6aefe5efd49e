"""How long the vector index takes by itself, for one user who has said much and many who have said little."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final

from ricordo.index.port import Point, Scope, VectorIndex
from ricordo.settings import EmbeddingSettings, Settings
from ricordo.system_clock import SystemClock
from ricordo_lab.bench.figures import percentile, rounded
from ricordo_lab.bench.options import Options, Say
from ricordo_lab.bench.points import Invention
from ricordo_lab.bench.stopwatch import Stopwatch
from ricordo_lab.bench.system import scratch
from ricordo_services.app.embedding_models import dimensions
from ricordo_services.app.resources import Resources

_TENANT: Final = "bench"
_CANDIDATES: Final = 100  # by each signal, as recall asks
_AT_ONCE: Final = 64  # points of a write
_WARM_UP: Final = 20
_EACH: Final = 100  # memories of each of many users
_PAUSE_S: Final = 0.1  # between two writes beside the questions
_BESIDE: Final = 8  # points of each
_MEGABYTE: Final = 1024**2
_BLOCK: Final = 512  # bytes, by which the room is told that a file takes


async def index(options: Options, say: Say) -> None:
    """Measure the vector index alone, writing and searching: one user at each size, then many users."""
    found: list[Mapping[str, object]] = []

    async def measure(trial: "Trial", users: Sequence[str], each: int) -> None:
        written = await trial.write(users, each)
        found.append({**written, **await trial.ask(options.questions)})
        say({"bench": "index", **found[-1]})

    sizes = sorted(options.memories)
    with scratch() as folder:
        async with _opened(folder / "one", options.settings) as trial:
            for size in sizes:
                await measure(trial, ["user-1"], size)
        async with _opened(folder / "many", options.settings) as trial:
            users = max(1, sizes[-1] // _EACH)
            await measure(trial, [f"user-{one}" for one in range(users)], sizes[-1] // users)
    growth = [float(str(one["p95_ms"])) for one in found[: len(sizes)]]
    names = ("memories", "users", "p50_ms", "p95_ms", "p95_ms_beside_writes", "written_per_s")
    say(
        {
            "bench": "index",
            **{name: [one[name] for one in found] for name in names},
            "p95_last_to_first": rounded(growth[-1] / growth[0]),
        }
    )


class Trial:
    """An index that is filled and asked.

    Args:
        vectors: the index.
        model: whose collection is used.
        invention: of points and questions.
        folder: where the index keeps them.
    """

    def __init__(self, vectors: VectorIndex, model: str, invention: Invention, folder: Path) -> None:
        self._vectors = vectors
        self._model = model
        self._invention = invention
        self._folder = folder
        self._said: dict[str, int] = {}
        self._last: Sequence[Point] = ()

    async def write(self, users: Sequence[str], each: int) -> Mapping[str, object]:
        """Write until each of `users` has so many memories."""
        watch, written = Stopwatch(), 0
        for user in users:
            held = self._said.get(user, 0)
            more = self._invention.points(user, held, each - held)
            while points := list(islice(more, _AT_ONCE)):
                with watch:
                    await self._vectors.upsert(_TENANT, self._model, points)
                written += len(points)
                self._last = points
            self._said[user] = each
        return {
            "memories": sum(self._said.values()),
            "users": len(self._said),
            "written_per_s": rounded(written / watch.seconds) if written else None,
            "cpu_us_per_write": rounded(1e6 * watch.cpu / written) if written else None,
        }

    async def ask(self, questions: int) -> Mapping[str, object]:
        """Ask one after the other, of each user in turn: in silence, and while points are written."""
        await self._timed(_WARM_UP)
        # The engine in process counts the words of who has many memories once after a start, beside the rest.
        await asyncio.gather(*getattr(self._vectors, "counting", {}).values())
        wall, cpu = await self._timed(questions)
        writing = asyncio.create_task(self._write_on())
        beside, _ = await self._timed(questions)
        writing.cancel()
        with suppress(asyncio.CancelledError):
            await writing
        return {
            "questions": questions,
            "p50_ms": rounded(percentile(wall, 0.50)),
            "p95_ms": rounded(percentile(wall, 0.95)),
            "p50_cpu_ms": rounded(percentile(cpu, 0.50)),
            "p95_cpu_ms": rounded(percentile(cpu, 0.95)),
            "p95_ms_beside_writes": rounded(percentile(beside, 0.95)),
            "disk_mb": round(_room(self._folder) / _MEGABYTE),
        }

    async def _timed(self, questions: int) -> tuple[list[float], list[float]]:
        """Return the milliseconds of each question, on the wall and on the processors."""
        wall, cpu, users = [], [], list(self._said)
        for number in range(questions):
            vector, terms = self._invention.question()
            scope, watch = Scope(user_id=users[number % len(users)]), Stopwatch()
            with watch:
                await self._vectors.search(
                    _TENANT, self._model, scope, vector=vector, terms=terms, limit=_CANDIDATES
                )
            wall.append(1000 * watch.seconds)
            cpu.append(1000 * watch.cpu)
        return wall, cpu

    async def _write_on(self) -> None:
        """Write the last points again and again, some at a time."""
        while True:
            await self._vectors.upsert(_TENANT, self._model, self._last[:_BESIDE])
            await asyncio.sleep(_PAUSE_S)


@asynccontextmanager
async def _opened(folder: Path, settings: Settings) -> AsyncIterator[Trial]:
    """Open an index of the engine in process, as the workers do, for vectors of the model in process."""
    stores = settings.stores.model_copy(update={"qdrant_url": None, "qdrant_dir": folder})
    chosen = settings.model_copy(update={"stores": stores, "embedding": EmbeddingSettings()})
    async with AsyncExitStack() as exits:
        resources = Resources(chosen, SystemClock(), exits)
        [(model, length)] = (await dimensions(chosen.embedding, resources.models)).items()
        yield Trial(await resources.vectors(), model, Invention(length), folder)


def _room(folder: Path) -> int:
    """Return the bytes of disk that the files in a folder take."""
    return sum(_BLOCK * one.stat().st_blocks for one in folder.rglob("*") if one.is_file())

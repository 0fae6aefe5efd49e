"""Re-embedding: encodes memories of former models by the current one, in slices, while the workers run."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.clock import Clock
from ricordo.language.text import text_hash
from ricordo.messages.events import IndexRequested
from ricordo.models.batch_queue import Encoded
from ricordo.models.batcher import EmbeddingBatcher
from ricordo.models.encoder import ModelUnavailable
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.reprocessing import FormerEncoding, ReembeddingQuery, ReembeddingStore
from ricordo.store.rows import Vector
from ricordo.store.stages import EncodingStore
from ricordo_services.backpressure import Backlog, wait_for_room
from ricordo_services.job_progress import BackfillOrder, BackfillProgress, Report
from ricordo_services.stage_events import requests

_BATCHER_POLL_S: Final = 0.2
_POINTS_TIMEOUT_S: Final = 10.0  # for the last points
_POINTS_POLL_S: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedding:
    """Moves memories to the present model: encodes, lets go of former vectors, has the index follow.

    An interrupted run is simply repeated: a memory is found for as long as it has a vector of
    another model, and is not encoded twice. From then on its missing stage tells the reconciliation that its
    point has yet to follow; until it has, it is found where it was. What enrichment derived stays.
    """

    former: ReembeddingStore
    encodings: EncodingStore
    lifecycle_store: LifecycleStore
    emitter: Emitter
    batcher: Callable[[], Awaitable[EmbeddingBatcher]]
    index: Backlog
    clock: Clock
    model: str
    keep: Sequence[str]
    batch: int = 128

    async def run(
        self, order: BackfillOrder, report: Report[BackfillProgress] = lambda _: None
    ) -> BackfillProgress:
        """Move outdated memories, tenant by tenant, and report after each slice.

        Raises:
            ModelUnavailable: the model is unavailable, and memories are to be moved or lack a vector; moved
                memories are kept.
            IndexStuck: the index made no progress for a minute; moved memories are kept.
        """
        began, started, done = self.clock.monotonic(), self.clock.now(), BackfillProgress(self.model)
        tenants = await self.lifecycle_store.tenants() if order.tenant is None else [order.tenant]
        behind = ReembeddingQuery(model=self.model, user_id=order.user_id)
        for tenant in tenants:
            for model, number in (await self.former.count(tenant, behind)).items():
                done.by_version[model] = done.by_version.get(model, 0) + number
            done.unencoded += await self.former.unencoded(tenant, order.user_id)
        total = sum(done.by_version.values())
        done.outdated = total if order.limit is None else min(order.limit, total)
        if order.dry:
            return done
        report(done)
        if done.outdated or done.unencoded:
            batcher = await self._answering(done)
            for tenant in tenants:
                await self._tenant(tenant, behind, batcher, done, report)
        for tenant in tenants:
            await self._retire(tenant, started, wait=done.raised > 0)
        done.left = done.outdated - done.raised
        done.seconds = self.clock.monotonic() - began
        return done

    async def _answering(self, done: BackfillProgress) -> EmbeddingBatcher:
        """Return the batcher; also required if memories lack a vector, as the workers encode them by it."""
        try:
            return await self.batcher()
        except ModelUnavailable as error:
            raise ModelUnavailable(self._stopped(str(error), done)) from error

    def _stopped(self, reason: str, done: BackfillProgress) -> str:
        moved = f"{done.raised} of {done.outdated} memories are of {self.model} by now"
        waiting = f"memories that wait for their first vector: {done.unencoded}"
        so_far = [moved] if done.outdated else []
        so_far += [waiting] if done.unencoded else []
        return f"{reason}; {', '.join(so_far)}; run it again when it answers as it should"

    async def _tenant(
        self,
        tenant: str,
        behind: ReembeddingQuery,
        batcher: EmbeddingBatcher,
        done: BackfillProgress,
        report: Report[BackfillProgress],
    ) -> None:
        after: UUID | None = None
        while done.examined < done.outdated:
            wanted = min(self.batch, done.outdated - done.examined)
            found, after = await self.former.find(tenant, behind, after, wanted)
            if found:
                await wait_for_room(self.index, self.clock)
                await self._slice(tenant, found, batcher, done)
                done.examined += len(found)
                report(done)
            if after is None:
                return

    async def _slice(
        self, tenant: str, found: Sequence[FormerEncoding], batcher: EmbeddingBatcher, done: BackfillProgress
    ) -> None:
        """Move a slice. The run may be interrupted after each step, and the next one continues there."""
        missing = [one for one in found if not one.encoded]
        vectors = await self._encoded(missing, batcher, done)
        if vectors:
            kept = [(one.memory_id, vectors[one.memory_id]) for one in missing if one.memory_id in vectors]
            texts = {one.memory_id: text_hash(one.text) for one in missing}
            await self.encodings.save(tenant, self.model, kept, [], self.clock.now(), texts=texts)
        moving = [one.memory_id for one in found if one.encoded or one.memory_id in vectors]
        following = await self.former.release(tenant, self.model, moving)
        await self.emitter.emit(
            tenant, requests(IndexRequested, following, "its vector is of another model"), bulk=True
        )
        released = {one.memory_id for one in following}
        done.changed += len(vectors)
        done.raised += len(released.intersection(moving))

    async def _encoded(
        self, missing: Sequence[FormerEncoding], batcher: EmbeddingBatcher, done: BackfillProgress
    ) -> dict[UUID, Vector]:
        """Encode texts; without those for which the model has no vector.

        Raises:
            ModelUnavailable: the model is unavailable.
        """
        if not missing:
            return {}
        encoding = asyncio.create_task(batcher.encode([one.text for one in missing]))
        try:
            while not (await asyncio.wait((encoding,), timeout=_BATCHER_POLL_S))[0]:
                if batcher.down_for > 0:
                    reason = batcher.reason or f"{self.model} does not answer"
                    raise ModelUnavailable(self._stopped(reason, done))
            answers = zip(missing, encoding.result(), strict=True)
            return {one.memory_id: answer.vector for one, answer in answers if isinstance(answer, Encoded)}
        finally:
            encoding.cancel()

    async def _retire(self, tenant: str, started: datetime, *, wait: bool) -> None:
        """Retire models without memories, once the points are updated.

        If that takes longer, the next run does it. Until then questions are encoded by one model too many.
        """
        until = self.clock.monotonic() + (_POINTS_TIMEOUT_S if wait else 0.0)
        while not set(await self.encodings.models(tenant)).issubset(self.keep):
            if await self.former.retire(tenant, self.keep, started) or self.clock.monotonic() >= until:
                return
            await self.clock.sleep(_POINTS_POLL_S)

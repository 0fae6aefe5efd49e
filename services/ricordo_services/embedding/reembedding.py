"""Re-embedding: memories of former models are encoded by the present one, in slices, beside the workers."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from ricordo.clock import Clock
from ricordo.language.text import text_hash
from ricordo.messages.events import MemoryEnriched
from ricordo.models.batch_queue import Encoded
from ricordo.models.encoder import ModelUnavailable, NoVector
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.reprocessing import FormerEncoding, ReembeddingQuery, ReembeddingStore
from ricordo.store.rows import Vector
from ricordo.store.stages import EncodingStore
from ricordo_services.backpressure import Backlog, wait_for_room
from ricordo_services.job_progress import BackfillOrder, BackfillProgress, BackfillReport
from ricordo_services.stage_events import Linker

_LOOK_EVERY_S: Final = 0.2
_FOLLOWED_WITHIN_S: Final = 10.0  # for which the last points are waited for
_ASK_EVERY_S: Final = 0.5  # whether they have followed


class PrimaryBatcher(Protocol):
    """Encodes texts by one model, which is waited for while it is away."""

    @property
    def down_for(self) -> float:
        """For how many seconds the model has not answered; 0 while it does."""
        ...

    @property
    def reason(self) -> str:
        """Why the model does not answer, as a sentence; empty while it does."""
        ...

    async def encode(self, texts: Sequence[str]) -> Sequence[Encoded | NoVector]:
        """Return for each text, in order, its vector, or why the model has none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedding:
    """Moves memories to the present model: encodes, links, lets go of former vectors, has the index follow.

    An interrupted run is simply repeated: a memory is found for as long as it has a vector of
    another model, and is not encoded twice. From then on its missing stage tells the reconciliation that its
    point has yet to follow; until it has, it is found where it was. What enrichment derived stays.
    """

    former: ReembeddingStore
    encodings: EncodingStore
    linking: Linker
    life: LifecycleStore
    emitter: Emitter
    batcher: Callable[[], Awaitable[PrimaryBatcher]]
    index: Backlog
    clock: Clock
    model: str
    keep: Sequence[str]
    batch: int = 128

    async def run(self, order: BackfillOrder, report: BackfillReport = lambda _: None) -> BackfillProgress:
        """Move what is behind, one tenant after the other, and report after each slice.

        Raises:
            ModelUnavailable: the model is away, and something is to be moved, or waits for its first vector;
                what was moved stays so.
            IndexStuck: the points did not follow for a minute; what was moved stays so.
        """
        began, started, done = self.clock.monotonic(), self.clock.now(), BackfillProgress(self.model)
        tenants = await self.life.tenants() if order.tenant is None else [order.tenant]
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

    async def _answering(self, done: BackfillProgress) -> PrimaryBatcher:
        """Return what encodes. Also for memories without any vector, which the workers encode by it."""
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
        batcher: PrimaryBatcher,
        done: BackfillProgress,
        report: BackfillReport,
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
        self, tenant: str, found: Sequence[FormerEncoding], batcher: PrimaryBatcher, done: BackfillProgress
    ) -> None:
        """Move a slice. Each step may be the last of this run: the next one goes on from there."""
        missing = [one for one in found if not one.encoded]
        vectors = await self._encoded(missing, batcher, done)
        if vectors:
            kept = [(one.memory_id, vectors[one.memory_id]) for one in missing if one.memory_id in vectors]
            texts = {one.memory_id: text_hash(one.text) for one in missing}
            await self.encodings.save(tenant, self.model, kept, [], self.clock.now(), texts=texts)
        moving = {one.memory_id: one.user_id for one in found if one.encoded or one.memory_id in vectors}
        unread = await self.linking.link(tenant, self.model, moving)  # nobody would come back for it
        await self.emitter.emit(tenant, unread)
        following = await self.former.release(tenant, self.model, list(moving))
        await self.emitter.emit(tenant, [MemoryEnriched(**one.ids, version="vectors") for one in following])
        released = {one.memory_id for one in following}
        done.changed += len(vectors)
        done.raised += len(released.intersection(moving))

    async def _encoded(
        self, missing: Sequence[FormerEncoding], batcher: PrimaryBatcher, done: BackfillProgress
    ) -> dict[UUID, Vector]:
        """Encode texts; one for which the model has no vector is left out.

        Raises:
            ModelUnavailable: the model is away.
        """
        if not missing:
            return {}
        encoding = asyncio.create_task(batcher.encode([one.text for one in missing]))
        try:
            while not (await asyncio.wait((encoding,), timeout=_LOOK_EVERY_S))[0]:
                if batcher.down_for > 0:
                    reason = batcher.reason or f"{self.model} does not answer"
                    raise ModelUnavailable(self._stopped(reason, done))
            answers = zip(missing, encoding.result(), strict=True)
            return {one.memory_id: answer.vector for one, answer in answers if isinstance(answer, Encoded)}
        finally:
            encoding.cancel()

    async def _retire(self, tenant: str, started: datetime, *, wait: bool) -> None:
        """Strike out models that nothing is left of, once the points have followed.

        Where they take longer, the next run does it. Until then questions are asked of one model too many.
        """
        until = self.clock.monotonic() + (_FOLLOWED_WITHIN_S if wait else 0.0)
        while not set(await self.encodings.models(tenant)).issubset(self.keep):
            if await self.former.retire(tenant, self.keep, started) or self.clock.monotonic() >= until:
                return
            await self.clock.sleep(_ASK_EVERY_S)

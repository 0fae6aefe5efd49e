"""The bytes of documents that were forgotten: whoever stores them deletes them."""

from dataclasses import dataclass
from typing import Final

from ricordo.documents.object_store import ObjectStore
from ricordo.store.erasure import ErasureStore
from ricordo.store.lifecycle_store import LifecycleStore

LOOK_EVERY_S: Final = 5.0
"""Seconds from one look for such documents to the next."""
_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class DocumentDeletion:
    """Deletes the objects of documents that nobody knows any more, and then the note that says so."""

    discarded: ErasureStore
    objects: ObjectStore
    life: LifecycleStore

    async def run(self) -> None:
        """Delete all, of all tenants.

        Raises:
            StoreUnavailable, ObjectsUnavailable: a server does not answer; what is left stays noted.
        """
        for tenant in await self.life.tenants():
            while keys := await self.discarded.objects_to_delete(tenant, _AT_ONCE):
                for key in keys:
                    await self.objects.delete(key)
                await self.discarded.deleted(tenant, keys)

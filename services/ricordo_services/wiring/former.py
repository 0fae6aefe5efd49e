"""What is said at the start of memories that another embedding model has encoded."""

from collections import Counter
from collections.abc import Collection
from typing import Final

import structlog

from ricordo.store.former import PostgresFormerVectors
from ricordo.store.life import PostgresLife
from ricordo_services.resources import Resources

_CONCERNED: Final = ("embedding", "encode", "retrieval")
_ADVICE: Final = "`ricordo backfill --only vectors` encodes them by the present model, beside the workers"

_log = structlog.stdlib.get_logger(__name__)


async def warn_of_former(resources: Resources, workers: Collection[str]) -> None:
    """Say once for each former model how many memories are of it, and how they are found meanwhile.

    Args:
        resources: what workers share.
        workers: the names of those that run; nothing is said where none has to do with it.
    """
    if not set(_CONCERNED).intersection(workers):
        return
    former = await resources.former_models()
    if not former:
        return
    life, vectors = await resources.store(PostgresLife), await resources.store(PostgresFormerVectors)
    counted = Counter[str]()
    for tenant in await life.tenants():
        counted.update(await vectors.held(tenant, list(former)))
    encoders = await resources.beside_primary() if "retrieval" in workers else {}
    for model, number in sorted(counted.items()):
        away = model in encoders and encoders[model] is None
        found = (
            "words alone: that model cannot be asked" if away else "meaning while it can be asked, else words"
        )
        _log.warning(
            "memories are of a former embedding model",
            memories=number,
            model=model,
            present=resources.model_names[0],
            found_by=found,
            advice=_ADVICE,
        )

"""What a language model adds to what the rules derived."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from ricordo.domain.describing import Said, merge
from ricordo.ports.describing import Describer
from ricordo.ports.memories import EnrichedMemory, Unenriched

Asked = Literal["all", "importance", "nothing"]


async def read_by(
    describer: Describer | None,
    unenriched: Sequence[Unenriched],
    derived: Sequence[EnrichedMemory],
    asked: Asked = "all",
) -> list[EnrichedMemory]:
    """Return what was derived, with what the model makes of the same memories; without a model as it is.

    Args:
        describer: asks the model.
        unenriched: the memories, in the order of `derived`.
        derived: by the rules.
        asked: what the model is asked for.
    """
    if describer is None or asked == "nothing" or not derived:
        return list(derived)
    said = [
        Said(one.memory.content, one.memory.language, one.memory.role, one.memory.speaker)
        for one in unenriched
    ]
    readings = await describer.read(said, describe=asked == "all")
    return [
        replace(one, enrichment=merge(one.enrichment, message, reading, describer.model))
        for one, message, reading in zip(derived, said, readings, strict=True)
    ]

"""What a language model adds to what the rules derived."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from ricordo.domain.describing import Reading, Said
from ricordo.domain.witness import merge
from ricordo.ports.describing import Describer
from ricordo.ports.memories import EnrichedMemory, Unenriched
from ricordo.runtime.beside import Beside

Asked = Literal["all", "importance", "nothing"]


async def read_by(
    describer: Describer | None,
    unenriched: Sequence[Unenriched],
    derived: Sequence[EnrichedMemory],
    beside: Beside,
    asked: Asked = "all",
) -> list[EnrichedMemory]:
    """Return what was derived, with what the model makes of the same memories; without a model as it is.

    Args:
        describer: asks the model.
        unenriched: the memories, in the order of `derived`.
        derived: by the rules.
        beside: where what the model says is held against the texts.
        asked: what the model is asked for.
    """
    if describer is None or asked == "nothing" or not derived:
        return list(derived)
    said = [
        Said(one.memory.content, one.memory.language, one.memory.role, one.memory.speaker)
        for one in unenriched
    ]
    readings = await describer.read(said, describe=asked == "all")
    return await beside.each(
        partial(_merged, model=describer.model), zip(derived, said, readings, strict=True)
    )


def _merged(one: tuple[EnrichedMemory, Said, Reading], model: str) -> EnrichedMemory:
    derived, said, reading = one
    return replace(derived, enrichment=merge(derived.enrichment, said, reading, model))

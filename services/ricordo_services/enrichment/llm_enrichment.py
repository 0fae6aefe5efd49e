"""What a language model adds to what the rules derived."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from ricordo.memory.llm_validation import LlmMessage, LlmReading, merge_llm_reading
from ricordo.memory.model import DERIVED_KINDS
from ricordo.models.llm_describer import LlmDescriber
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.stages import EnrichedMemory, Unenriched

Asked = Literal["all", "importance", "nothing"]


async def read_by(
    describer: LlmDescriber | None,
    unenriched: Sequence[Unenriched],
    derived: Sequence[EnrichedMemory],
    executor: CpuExecutor,
    asked: Asked = "all",
) -> list[EnrichedMemory]:
    """Return what was derived, with what the model makes of the same memories; without a model as it is.

    What lifecycle has made of other memories is not asked about: these were.
    """
    heard = [n for n, one in enumerate(unenriched) if one.memory.kind not in DERIVED_KINDS]
    if describer is None or asked == "nothing" or not heard:
        return list(derived)
    memories = [unenriched[n].memory for n in heard]
    said = [LlmMessage(one.content, one.language, one.role, one.speaker) for one in memories]
    readings = await describer.read(said, describe=asked == "all")
    pairs = zip([derived[n] for n in heard], said, readings, strict=True)
    merged = await executor.map(partial(_merged, model=describer.model), pairs)
    read = list(derived)
    for n, one in zip(heard, merged, strict=True):
        read[n] = one
    return read


def _merged(one: tuple[EnrichedMemory, LlmMessage, LlmReading], model: str) -> EnrichedMemory:
    derived, said, reading = one
    return replace(derived, enrichment=merge_llm_reading(derived.enrichment, said, reading, model))

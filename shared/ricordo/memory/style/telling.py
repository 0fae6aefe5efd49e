"""A line on how somebody talks, for who is to answer them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ricordo.memory.context.lexicon import phrase
from ricordo.memory.style.habits import Pattern

CLEAR: Final = 0.6
"""The confidence from which a habit is worth a line in a prompt."""


def told(patterns: Sequence[Pattern], language: str) -> str:
    """Say in one line what helps to answer: how long, how familiarly and when somebody writes; or nothing."""
    clear = {one.name: one.value for one in patterns if one.confidence >= CLEAR}
    parts = [phrase(language, name) for name in _names(clear)]
    return phrase(language, "habits", how=", ".join(parts)) if parts else ""


def _names(clear: Mapping[str, object]) -> Iterator[str]:
    length, formality, times = (clear.get(name) for name in ("length", "formality", "time_of_day"))
    if isinstance(length, Mapping) and length["are"] in {"short", "long"}:
        yield f"habits_{length['are']}"
    if isinstance(formality, Mapping):
        yield f"habits_{formality['register']}"
    if isinstance(times, Mapping):
        yield f"habits_{max(times, key=lambda part: times[part])}"

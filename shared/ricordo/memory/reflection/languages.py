"""The languages in which insights are said."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ricordo.memory.reflection.english import ENGLISH
from ricordo.memory.reflection.italian import ITALIAN
from ricordo.memory.reflection.phrases import Words

WORDS: Final[Mapping[str, Words]] = MappingProxyType({"it": ITALIAN, "en": ENGLISH})
"""By language."""

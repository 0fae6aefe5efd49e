"""The patterns of each language: how people ask."""

from ricordo.domain.analysis.languages.english import ENGLISH
from ricordo.domain.analysis.languages.italian import ITALIAN
from ricordo.domain.analysis.languages.patterns import QueryPatterns
from ricordo.domain.temporal import Language

PATTERNS: dict[Language, QueryPatterns] = {"it": ITALIAN, "en": ENGLISH}

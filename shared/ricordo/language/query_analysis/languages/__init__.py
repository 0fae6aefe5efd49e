"""The patterns of each language: how people ask."""

from ricordo.language.query_analysis.languages.english import ENGLISH
from ricordo.language.query_analysis.languages.italian import ITALIAN
from ricordo.language.query_analysis.languages.patterns import QueryPatterns
from ricordo.language.temporal import Language

PATTERNS: dict[Language, QueryPatterns] = {"it": ITALIAN, "en": ENGLISH}

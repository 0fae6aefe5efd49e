"""The words for time of each language, as tables: adding a language is adding a table."""

from ricordo.domain.temporal.languages.english import ENGLISH
from ricordo.domain.temporal.languages.italian import ITALIAN
from ricordo.domain.temporal.lexicon import Lexicon
from ricordo.domain.temporal.spans import Language

LEXICONS: dict[Language, Lexicon] = {"it": ITALIAN, "en": ENGLISH}

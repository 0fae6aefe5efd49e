"""The words for time of each language, as tables: adding a language is adding a table."""

from ricordo.language.temporal.languages.english import ENGLISH
from ricordo.language.temporal.languages.italian import ITALIAN
from ricordo.language.temporal.lexicon import Lexicon
from ricordo.language.temporal.spans import Language

LEXICONS: dict[Language, Lexicon] = {"it": ITALIAN, "en": ENGLISH}

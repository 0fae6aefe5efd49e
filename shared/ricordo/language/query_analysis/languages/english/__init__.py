"""How people ask in English."""

from ricordo.language.query_analysis.languages.english.asking import ASKING
from ricordo.language.query_analysis.languages.english.feelings import FEELINGS
from ricordo.language.query_analysis.languages.english.procedures import PROCEDURES
from ricordo.language.query_analysis.languages.english.subjects import SUBJECTS
from ricordo.language.query_analysis.languages.english.times import TIMES
from ricordo.language.query_analysis.languages.patterns import QueryPatterns

ENGLISH = QueryPatterns(
    asking=ASKING, procedures=PROCEDURES, feelings=FEELINGS, times=TIMES, subjects=SUBJECTS
)

"""How people ask in English."""

from ricordo.domain.analysis.languages.english.asking import ASKING
from ricordo.domain.analysis.languages.english.feelings import FEELINGS
from ricordo.domain.analysis.languages.english.procedures import PROCEDURES
from ricordo.domain.analysis.languages.english.subjects import SUBJECTS
from ricordo.domain.analysis.languages.english.times import TIMES
from ricordo.domain.analysis.languages.patterns import QueryPatterns

ENGLISH = QueryPatterns(
    asking=ASKING, procedures=PROCEDURES, feelings=FEELINGS, times=TIMES, subjects=SUBJECTS
)

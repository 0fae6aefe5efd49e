"""How people ask in Italian."""

from ricordo.language.query_analysis.languages.italian.asking import ASKING
from ricordo.language.query_analysis.languages.italian.feelings import FEELINGS
from ricordo.language.query_analysis.languages.italian.procedures import PROCEDURES
from ricordo.language.query_analysis.languages.italian.subjects import SUBJECTS
from ricordo.language.query_analysis.languages.italian.times import TIMES
from ricordo.language.query_analysis.languages.patterns import QueryPatterns

ITALIAN = QueryPatterns(
    asking=ASKING, procedures=PROCEDURES, feelings=FEELINGS, times=TIMES, subjects=SUBJECTS
)

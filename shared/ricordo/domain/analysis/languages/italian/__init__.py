"""How people ask in Italian."""

from ricordo.domain.analysis.languages.italian.asking import ASKING
from ricordo.domain.analysis.languages.italian.feelings import FEELINGS
from ricordo.domain.analysis.languages.italian.procedures import PROCEDURES
from ricordo.domain.analysis.languages.italian.subjects import SUBJECTS
from ricordo.domain.analysis.languages.italian.times import TIMES
from ricordo.domain.analysis.languages.patterns import QueryPatterns

ITALIAN = QueryPatterns(
    asking=ASKING, procedures=PROCEDURES, feelings=FEELINGS, times=TIMES, subjects=SUBJECTS
)

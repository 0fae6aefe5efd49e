"""What a query asks for, found by rules, in Italian and English, without a model.

`languages` holds the patterns as data; the rest is the same for both.
"""

from ricordo.domain.analysis.analysing import analyse
from ricordo.domain.analysis.model import Analyser, Analysis, EmotionFilter, Fallback, Intent, TimeFilter

__all__ = ["Analyser", "Analysis", "EmotionFilter", "Fallback", "Intent", "TimeFilter", "analyse"]

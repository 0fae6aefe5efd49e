"""What a query asks for, found without a language model, in Italian and English.

A query is laid bare (`reading`), its names and its subject are found (`names`, `topics`), and its intent chosen:
by rules (`intents`), and by a small fitted head where these see nothing particular (`deciding`, `head`).
`languages` holds the patterns as data; the rest is the same for both.
"""

from ricordo.domain.analysis.analysing import analyse
from ricordo.domain.analysis.model import Analyser, Analysis, EmotionFilter, Fallback, Intent, TimeFilter

__all__ = ["Analyser", "Analysis", "EmotionFilter", "Fallback", "Intent", "TimeFilter", "analyse"]

"""What a query asks for, found without a language model, in Italian and English.

A query is laid bare (`reading`), its names and its subject are found (`names`, `topics`), and its intent is
chosen: by rules (`intents`), and by a small fitted head where these see nothing particular (`deciding`,
`head`). What a language model says of it may be added (`claims`). `languages` holds the patterns as data; the
rest is the same for both.
"""

from ricordo.language.query_analysis.analysing import analyse
from ricordo.language.query_analysis.claims import Claim
from ricordo.language.query_analysis.model import (
    Analyser,
    Analysis,
    EmotionFilter,
    Fallback,
    Intent,
    TimeFilter,
)

__all__ = ["Analyser", "Analysis", "Claim", "EmotionFilter", "Fallback", "Intent", "TimeFilter", "analyse"]

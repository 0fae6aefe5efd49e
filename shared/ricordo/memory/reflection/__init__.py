"""What recurs in a life, and what goes with what: insights from what a user said, with their evidence."""

from ricordo.memory.reflection.insight import Insight, insight_key, insight_memory
from ricordo.memory.reflection.insight_selection import (
    LEAST_IMPORTANCE,
    MOST_INSIGHTS,
    MOST_SOURCES,
    find_insights,
)

__all__ = [
    "LEAST_IMPORTANCE",
    "MOST_INSIGHTS",
    "MOST_SOURCES",
    "Insight",
    "find_insights",
    "insight_key",
    "insight_memory",
]

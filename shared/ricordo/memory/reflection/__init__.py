"""What recurs in a life, and what goes with what: insights from what a user said, with their evidence."""

from ricordo.memory.reflection.insights import (
    LEAST_IMPORTANCE,
    MOST_INSIGHTS,
    MOST_SOURCES,
    Insight,
    find_insights,
)
from ricordo.memory.reflection.remembering import insight_key, insight_memory

__all__ = [
    "LEAST_IMPORTANCE",
    "MOST_INSIGHTS",
    "MOST_SOURCES",
    "Insight",
    "find_insights",
    "insight_key",
    "insight_memory",
]

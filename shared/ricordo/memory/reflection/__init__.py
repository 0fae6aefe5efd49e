"""Finds what recurs in what a user said, as insights with their evidence."""

from ricordo.memory.reflection.insight import (
    LEAST_IMPORTANCE,
    MOST_SOURCES,
    Insight,
    insight_key,
    insight_memory,
)
from ricordo.memory.reflection.insight_selection import MOST_INSIGHTS, find_insights

__all__ = [
    "LEAST_IMPORTANCE",
    "MOST_INSIGHTS",
    "MOST_SOURCES",
    "Insight",
    "find_insights",
    "insight_key",
    "insight_memory",
]

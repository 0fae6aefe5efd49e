"""What recurs in a life, and what goes with what: insights from what a user said, with their evidence."""

from ricordo.domain.reflection.insights import (
    LEAST_IMPORTANCE,
    MOST_INSIGHTS,
    MOST_SOURCES,
    Insight,
    insights,
)

__all__ = ["LEAST_IMPORTANCE", "MOST_INSIGHTS", "MOST_SOURCES", "Insight", "insights"]

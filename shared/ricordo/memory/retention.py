"""Retention limits: how many memories of a user stay out of the archive. The database ranks and prunes."""

from typing import Final, Literal

Strategy = Literal["importance_weighted", "fifo", "recency"]

OBSERVATIONS: Final = ("message", "note", "agreement", "problem", "decision", "extract")
"""Counted kinds; summaries and syntheses stand for others and are not counted."""
REFLECTIONS: Final = ("reflection",)

LITE: Final = (1_000, 100)
"""Observations and reflections kept per user in lite mode, by default."""

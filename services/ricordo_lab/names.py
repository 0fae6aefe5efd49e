"""What can be measured, by name: known before anything is loaded that measures."""

from typing import Final

ALL: Final = "all"
BENCHES: Final = (
    "startup",
    "embedding",
    "queue",
    "ingest",
    "backlog",
    "fairness",
    "recall",
    "working",
    "index",
    "analyse",
    "enrich",
    "extract",
    "graph",
    "facts",
    "sleep",
    "decay",
    "year",
    "soak",
)
EVALUATIONS: Final = (
    "retrieval",
    "aged",
    "fit",
    "temporal",
    "questions",
    "fit-questions",
    "fit-heads",
    "facts",
    "daily",
    "insights",
    "emotion",
    "fit-emotion",
)

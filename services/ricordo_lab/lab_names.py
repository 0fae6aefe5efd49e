"""The names of the benchmarks and evaluations, known before anything is loaded that is slow to import."""

from typing import Final

ALL: Final = "all"
BENCHES: Final = ("startup", "embedding", "queue", "ingest", "recall", "load", "working", "analyse")
EVALUATIONS: Final = (
    *("retrieval", "peers", "answers", "fit", "fit-encoder", "fit-reader", "fit-answers", "facts"),
    *("questions", "fit-questions", "fit-heads", "emotion"),
)

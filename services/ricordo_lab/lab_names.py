"""The names of the benchmarks and evaluations, known before anything is loaded that is slow to import."""

from typing import Final

ALL: Final = "all"
BENCHES: Final = (
    *("startup", "embedding", "queue", "ingest", "fairness", "recall", "working"),
    *("analyse", "graph"),
)
EVALUATIONS: Final = (
    *(
        "retrieval",
        "languages",
        "two-steps",
        "answers",
        "fit",
        "fit-encoder",
        "fit-reader",
        "fit-answers",
        "facts",
    ),
    *("temporal", "questions", "fit-questions", "fit-heads", "emotion"),
)

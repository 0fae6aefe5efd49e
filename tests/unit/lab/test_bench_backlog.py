"""How the backlog benchmark reports memory and answers."""

from ricordo.client import MemoryClient, Unavailable
from ricordo_lab.bench.backlog import RecallAnswers, growth


class Away(MemoryClient):
    """A client whose every question fails."""

    def __init__(self) -> None:
        """Connect to nothing."""

    async def recall(self, *_: object, **__: object) -> None:  # type: ignore[override]  # it never answers
        raise Unavailable("nobody answers")


def test_growth_is_from_the_first_reading_to_the_largest() -> None:
    found = growth([200.0, 250.0, 210.0])
    assert found == {"before": 200, "fullest": 250, "after": 210, "growth_percent": 25}
    assert growth([])["growth_percent"] is None


async def test_questions_that_fail_are_counted_and_no_reason_to_stop() -> None:
    answers = RecallAnswers()
    for question in ("one?", "two?"):
        await answers.ask(Away(), "u-1", question)
    assert answers.figures() == {
        "questions": 2,
        "p50_ms": None,
        "p95_ms": None,
        "incomplete": 0,
        "failed": 2,
    }

"""A language model in memory that condenses: says what a test tells it to, fails when it is told to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ricordo.memory.llm_description import LlmMessage
from ricordo.memory.summaries import Condensed


@dataclass(slots=True)
class FakeCondensingReader:
    """A `CondensingReader`.

    Attributes:
        model: the name that it goes by.
        text: condenses texts.
        claim: says the rest of a session.
        before: called before each answer, with the texts: it may raise, or wait.
    """

    model: str = "fake-condenser"
    text: Callable[[Sequence[str]], str] = field(default=lambda texts: texts[0])
    claim: Condensed = field(default=Condensed(text=""))
    before: Callable[[Sequence[str]], None] = field(default=lambda _: None)

    async def synthesis(self, texts: Sequence[LlmMessage], language: str) -> str:  # noqa: ARG002
        """Condense memories; see `CondensingReader.synthesis`."""
        return self._text(texts)

    async def session(self, turns: Sequence[LlmMessage], language: str) -> Condensed:  # noqa: ARG002
        """Condense a session; see `CondensingReader.session`."""
        claim = self.claim
        return Condensed(
            text=self._text(turns),
            key_topics=claim.key_topics,
            emotions=claim.emotions,
            importance=claim.importance,
        )

    def _text(self, said: Sequence[LlmMessage]) -> str:
        shown = [one.shown for one in said]
        self.before(shown)
        return self.text(shown)

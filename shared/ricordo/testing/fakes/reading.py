"""A language model in memory that reads messages: says what a test tells it to, fails when it is told to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ricordo.memory.llm_description import Description, LlmMessage
from ricordo.models.encoder import InvalidReply, ModelUnavailable


@dataclass(slots=True)
class FakeMessageReader:
    """A `MessageReader`.

    Attributes:
        model: the name that it goes by.
        rating: rates a text.
        description: describes a text; None leaves it out.
        before: called before each answer, with the texts: it may raise, or wait.
        asked: what each call was about, `rate` or `describe`, and its texts.
    """

    model: str = "fake-reader"
    rating: Callable[[str], float] = field(default=lambda _: 5.5)
    description: Callable[[str], Description | None] = field(default=lambda _: Description())
    before: Callable[[Sequence[str]], None] = field(default=lambda _: None)
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    async def rate(self, messages: Sequence[LlmMessage]) -> list[float]:
        """Rate; see `MessageReader.rate`."""
        ratings = [self.rating(text) for text in self._take("rate", messages)]
        if not all(1 <= rating <= 10 for rating in ratings):
            raise InvalidReply("out of range")
        return ratings

    async def describe(self, messages: Sequence[LlmMessage]) -> list[Description | None]:
        """Describe; see `MessageReader.describe`."""
        found = [self.description(text) for text in self._take("describe", messages)]
        if not any(found):
            raise InvalidReply("nothing said of any")
        return found

    def _take(self, what: str, messages: Sequence[LlmMessage]) -> tuple[str, ...]:
        texts = tuple(one.shown for one in messages)
        self.asked.append((what, texts))
        self.before(texts)
        return texts


def away(_: Sequence[str]) -> None:
    """Be away, as `FakeMessageReader.before`."""
    raise ModelUnavailable("the reader was told to be away")


def babbling(_: Sequence[str]) -> None:
    """Talk nonsense, as `FakeMessageReader.before`."""
    raise InvalidReply("the reader was told to babble")

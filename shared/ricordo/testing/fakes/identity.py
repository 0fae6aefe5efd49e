"""A language model in memory that says who is who: what a test tells it to, and fails when it is told to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ricordo.models.encoder import InvalidReply
from ricordo.models.entity_matching import EntityPair, MatchVerdict


@dataclass(slots=True)
class FakeIdentityReader:
    """An `EntityMatcher`.

    Attributes:
        model: the name that it goes by.
        verdict: judges two names; None leaves the pair out, several contradict each other.
        before: called before each answer, with the names: it may raise, or wait.
        asked: the pairs of each call.
    """

    model: str = "fake-judge"
    verdict: Callable[[str, str], MatchVerdict | tuple[MatchVerdict, ...] | None] = field(
        default=lambda _, __: MatchVerdict.UNSURE
    )
    before: Callable[[Sequence[str]], None] = field(default=lambda _: None)
    asked: list[tuple[EntityPair, ...]] = field(default_factory=list)

    async def judge(self, pairs: Sequence[EntityPair]) -> list[MatchVerdict | None]:
        """Judge; see `EntityMatcher.judge`."""
        self.asked.append(tuple(pairs))
        self.before([each.name for pair in pairs for each in pair])
        found = [self.verdict(pair.one.name, pair.other.name) for pair in pairs]
        if all(one is None for one in found):
            raise InvalidReply("nothing said of any")
        return [None if isinstance(one, tuple) else one for one in found]

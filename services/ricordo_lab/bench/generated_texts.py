"""Generates messages and questions of a realistic length in English and Italian, the same for a seed."""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from itertools import count, islice
from typing import Final, Literal

from ricordo.language.annotations import Role
from ricordo.messages.events import MessageReceived
from ricordo_lab.bench.measurement import Options
from ricordo_lab.console import UnreadableData

Spoken = Literal["en", "it"]

LANGUAGES: Final[tuple[Spoken, ...]] = ("en", "it")
SHORTEST, LONGEST = 8, 25
"""Words of a message."""

_SLOT: Final = re.compile(r"\{(\w+)\}")
FIRST_SAID: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)
_TURNS: Final = 20  # of a conversation, before the next begins
_PAUSE: Final = timedelta(seconds=40)
_BREAK: Final = timedelta(hours=5)


@dataclass(frozen=True, slots=True)
class TextPatterns:
    """Patterns of one language.

    Attributes:
        messages: a message is one of these, its slots filled.
        questions: a question is one of these.
        lists: what fills a slot, by its name.
    """

    messages: Sequence[str]
    questions: Sequence[str]
    lists: Mapping[str, Sequence[str]]

    def say(self, chance: random.Random) -> str:
        """Return a message of 8 to 25 words."""
        while True:
            said = self._filled(chance.choice(self.messages), chance)
            if SHORTEST <= len(said.split()) <= LONGEST:
                return said[0].upper() + said[1:]

    def ask(self, chance: random.Random) -> str:
        """Return a question about what may have been said."""
        return self._filled(chance.choice(self.questions), chance)

    def _filled(self, pattern: str, chance: random.Random) -> str:
        return _SLOT.sub(lambda slot: self._filled(chance.choice(self.lists[slot[1]]), chance), pattern)


@cache
def grammar(language: Spoken) -> TextPatterns:
    """Return the grammar of a language, read once."""
    text = files(__package__).joinpath("grammar", f"{language}.toml").read_text(encoding="utf-8")
    read = tomllib.loads(text)
    return TextPatterns(read["messages"], read["questions"], read["lists"])


def texts(seed: int) -> Iterator[str]:
    """Yield messages without end, English and Italian in turn; of one seed always the same."""
    chance = random.Random(seed)
    for number in count():
        yield grammar(LANGUAGES[number % len(LANGUAGES)]).say(chance)


def questions(seed: int) -> Iterator[str]:
    """Yield questions without end, English and Italian in turn; of one seed always the same."""
    chance = random.Random(seed)
    for number in count():
        yield grammar(LANGUAGES[number % len(LANGUAGES)]).ask(chance)


def read_texts(options: Options, made_up: int, seed: int = 1) -> Sequence[str]:
    """Return the texts of the file of the options, or else so many made-up ones.

    Raises:
        UnreadableData: the file cannot be read or holds no text.
    """
    if options.texts is None:
        return list(islice(texts(seed), made_up))
    try:
        lines = options.texts.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableData(f"{options.texts} cannot be read: {error}") from None
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise UnreadableData(f"{options.texts} holds no texts")
    return found


def messages(
    texts: Sequence[str], user_id: str, prefix: str, since: datetime = FIRST_SAID
) -> list[MessageReceived]:
    """Return what `user_id` says, in conversations of some twenty turns, as a bot would publish it.

    Args:
        texts: what is said, in order.
        user_id: who says it.
        prefix: of the ids, so that two runs do not meet.
        since: when the first is said.
    """
    return [
        MessageReceived(
            id=f"{prefix}-{index}",
            user_id=user_id,
            conversation_id=f"{prefix}-c{index // _TURNS}",
            role=Role.USER,
            content=text,
            timestamp=since + (index // _TURNS) * _BREAK + (index % _TURNS) * _PAUSE,
            timezone="Europe/Rome",
        )
        for index, text in enumerate(texts)
    ]

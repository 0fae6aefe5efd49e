"""What people wrote, for benchmarks: turns and questions of the corpus, in an order that a seed decides."""

import json
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from itertools import cycle, islice
from typing import Final

from ricordo.language.annotations import Role
from ricordo.messages.events import MessageReceived
from ricordo_lab.bench.measurement import Options
from ricordo_lab.console import UnreadableData

_FIRST_SAID: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)
_TURNS: Final = 20  # of a conversation, before the next begins
_PAUSE: Final = timedelta(seconds=40)
_BREAK: Final = timedelta(hours=5)


@cache
def _lines(folder: str, ending: str, key: str) -> Sequence[str]:
    """Return what people wrote in files of a folder of the corpus, each text once."""
    found = sorted(files("ricordo_lab").joinpath("corpus", folder).iterdir(), key=lambda file: file.name)
    rows = (
        json.loads(line)
        for file in found
        if file.name.endswith(ending)
        for line in file.read_text(encoding="utf-8").splitlines()
    )
    return list(dict.fromkeys(row[key] for row in rows if not row.get("a") and row.get(key)))


def _shuffled(lines: Sequence[str], seed: int) -> Iterator[str]:
    return cycle(random.Random(seed).sample(lines, len(lines)))


def texts(seed: int) -> Iterator[str]:
    """Yield turns of people without end, in English and Italian; of one seed in the same order."""
    return _shuffled(_lines("talk", ".jsonl", "x"), seed)


def questions(seed: int) -> Iterator[str]:
    """Yield questions about lives without end, as `texts`."""
    return _shuffled(_lines("lives", ".questions.jsonl", "q"), seed)


def read_texts(options: Options, count: int, seed: int = 1) -> Sequence[str]:
    """Return the texts of the file of the options, or else so many of the corpus.

    Raises:
        UnreadableData: the file cannot be read or holds no text.
    """
    if options.texts is None:
        return list(islice(texts(seed), count))
    try:
        lines = options.texts.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableData(f"{options.texts} cannot be read: {error}") from None
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise UnreadableData(f"{options.texts} holds no texts")
    return found


def messages(
    texts: Sequence[str], user_id: str, prefix: str, since: datetime = _FIRST_SAID
) -> list[MessageReceived]:
    """Return what `user_id` says, in conversations of some twenty turns, as a bot would publish it.

    Args:
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

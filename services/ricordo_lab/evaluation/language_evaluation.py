"""Whether sayings in many languages are found by questions in the same language."""

import argparse
import asyncio
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from ricordo_lab.bench.system import scratch, up
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.locomo import Conversation, LocomoQuestion, Turn
from ricordo_lab.evaluation.replay import RankedAnswer, ask, publish
from ricordo_lab.evaluation.results import Row

_SHOWN: Final = (1, 3)
_SINCE: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)
_ONE_TURN: Final = 4


def run(asked: argparse.Namespace) -> Iterator[Row]:
    """Yield by language how many sayings were found first, and among the first three.

    Raises:
        MeasurementFailed: the system does not start, or an answer is degraded.
    """
    answers = asyncio.run(_answers(read_sayings(asked.data)))
    for language in dict.fromkeys(answer.conversation for answer in answers):
        yield _row(language, [answer for answer in answers if answer.conversation == language])
    yield _row("all", answers)


def read_sayings(file: Path) -> Sequence[Conversation]:
    """Return a conversation for each language, a day for each saying.

    Args:
        file: TOML with tables `[[pair]]` of `language`, `saying` and `question`.

    Raises:
        UnreadableData: the file cannot be read, or is of another shape.
    """
    try:
        pairs = tomllib.loads(file.read_text(encoding="utf-8"))["pair"]
        languages = dict.fromkeys(pair["language"] for pair in pairs)
        return [
            _conversation(language, [pair for pair in pairs if pair["language"] == language])
            for language in languages
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableData(f"{file} is not a list of sayings: {type(error).__name__}: {error}") from error


def _conversation(language: str, pairs: Sequence[dict[str, str]]) -> Conversation:
    turns = (
        Turn(str(place), place, "", pair["saying"], _SINCE + place * timedelta(days=1))
        for place, pair in enumerate(pairs)
    )
    questions = (
        LocomoQuestion(pair["question"], _ONE_TURN, frozenset({str(place)}), place)
        for place, pair in enumerate(pairs)
    )
    return Conversation(language, tuple(turns), tuple(questions), language)


async def _answers(conversations: Sequence[Conversation]) -> list[RankedAnswer]:
    with scratch() as folder:
        async with up(folder) as system:
            await publish(system.nats, conversations)
            return await ask(system.nats, conversations, limit=max(_SHOWN), explain=False)


def _row(language: str, answers: Sequence[RankedAnswer]) -> Row:
    found = {
        f"any@{shown}": sum(bool(answer.question.evidence & set(answer.found[:shown])) for answer in answers)
        / len(answers)
        for shown in _SHOWN
    }
    return Row({"table": "sayings found", "name": language, "questions": len(answers), **found})

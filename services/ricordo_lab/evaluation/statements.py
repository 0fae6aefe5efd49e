"""`ricordo eval facts`: how much of what messages state is read from them, and how much else.

The data set is a JSON object a line: `content`, `language` and `facts`, each with `subject`, `predicate`,
`object` and `polarity` (`holds` or `past`). A message that states nothing has no facts.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from ricordo.memory.facts import extract, normalise
from ricordo_lab.console import UnreadableData

SUMMARY: Final = "facts read from messages by the rules, on a file of messages with the facts that they state"

Triple = tuple[str, str, str, str]
"""Subject, predicate, object and polarity; names are compared as entities are."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message, and what it states."""

    content: str
    language: str
    facts: frozenset[Triple]

    @classmethod
    def parse(cls, line: str) -> Self:
        """Read a line of the file.

        Raises:
            ValueError, KeyError, TypeError: it is not as the module says.
        """
        told = json.loads(line)
        return cls(told["content"], told["language"], frozenset(map(_triple, told["facts"])))


def run(asked: argparse.Namespace) -> Iterator[str]:
    """Yield precision and recall by language, and what was missed where asked."""
    messages = read(asked.data)
    for language in sorted({one.language for one in messages}):
        of_it = [one for one in messages if one.language == language]
        found = [_read(one) for one in of_it]
        figures = {"language": language, **_figures(of_it, found)}
        yield (
            json.dumps(figures) if asked.json else "  ".join(f"{name} {one}" for name, one in figures.items())
        )
        for one, statements in zip(of_it, found, strict=True) if asked.misses else ():
            if statements != one.facts:
                yield json.dumps(_miss(one, statements), ensure_ascii=False)


def options(parser: argparse.ArgumentParser) -> None:
    """Add what it may be asked."""
    parser.add_argument(
        "--misses", action="store_true", help="show what was missed, and what was read beside"
    )


def read(path: Path) -> list[Labelled]:
    """Read a file of messages with their facts.

    Raises:
        UnreadableData: it is none.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableData(f"{path} cannot be read: {error}") from None
    messages = []
    for number, line in enumerate(lines, 1):
        try:
            messages.append(Labelled.parse(line))
        except (ValueError, KeyError, TypeError, AttributeError):
            reason = "is no message with content, language and facts"
            raise UnreadableData(f"{path}: line {number} {reason}") from None
    if not messages:
        raise UnreadableData(f"{path} is empty")
    return messages


def _triple(fact: dict[str, str]) -> Triple:
    polarity = fact.get("polarity", "holds")
    return normalise(fact["subject"]), fact["predicate"], normalise(fact["object"]), polarity


def _read(message: Labelled) -> frozenset[Triple]:
    return frozenset(
        (normalise(one.subject), one.predicate, normalise(one.object), one.polarity)
        for one in extract(message.content, language=message.language)
    )


def _figures(messages: list[Labelled], found: list[frozenset[Triple]]) -> dict[str, float | None]:
    right = sum(len(one.facts & read) for one, read in zip(messages, found, strict=True))
    stated, told = sum(map(len, (one.facts for one in messages))), sum(map(len, found))
    return {
        "messages": len(messages),
        "facts": stated,
        "precision": round(right / told, 4) if told else None,
        "recall": round(right / stated, 4) if stated else None,
    }


def _miss(message: Labelled, found: frozenset[Triple]) -> dict[str, object]:
    return {
        "content": message.content,
        "missed": sorted(message.facts - found),
        "read_beside": sorted(found - message.facts),
    }

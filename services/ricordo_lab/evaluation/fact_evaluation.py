"""Precision and recall of the facts that rules read from messages.

The data set is a JSON object a line: `content`, `language` and `facts`, each with `subject`, `predicate`,
`object` and `polarity` (`holds` or `past`). A message that states nothing has no facts.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from ricordo.language.document import Document
from ricordo.memory.facts import extract, normalise
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.results import Miss, NamedFigures

Triple = tuple[str, str, str, str]
"""Subject, predicate, object and polarity; names are compared as entities are."""
LabelledMessage = tuple[str, str, frozenset[Triple]]
"""Content, language, and the facts that it states."""


def run(asked: argparse.Namespace) -> Iterator[NamedFigures | Miss]:
    """Yield precision and recall by language, and the messages that were read otherwise than labelled."""
    messages = read(asked.data)
    for language in sorted({language for _, language, _ in messages}):
        of_it = [one for one in messages if one[1] == language]
        found = [_extracted(content, language) for content, _, _ in of_it]
        yield NamedFigures({"language": language, **_figures([stated for *_, stated in of_it], found)})
        for (content, _, stated), extracted in zip(of_it, found, strict=True) if asked.misses else ():
            if extracted != stated:
                missed, wrong = sorted(stated - extracted), sorted(extracted - stated)
                yield Miss({"content": content, "missed": missed, "read_beside": wrong})


def read(path: Path) -> list[LabelledMessage]:
    """Read a file of messages with their facts.

    Raises:
        UnreadableData: it has another shape; the message says in which line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableData(f"{path} cannot be read: {error}") from None
    messages = []
    for number, line in enumerate(lines, 1):
        try:
            one = json.loads(line)
            messages.append((one["content"], one["language"], frozenset(map(_triple, one["facts"]))))
        except (ValueError, KeyError, TypeError, AttributeError):
            reason = "is no message with content, language and facts"
            raise UnreadableData(f"{path}: line {number} {reason}") from None
    if not messages:
        raise UnreadableData(f"{path} is empty")
    return messages


def _triple(fact: dict[str, str]) -> Triple:
    polarity = fact.get("polarity", "holds")
    return normalise(fact["subject"]), fact["predicate"], normalise(fact["object"]), polarity


def _extracted(content: str, language: str) -> frozenset[Triple]:
    return frozenset(
        (normalise(one.subject), one.predicate, normalise(one.object), one.polarity)
        for one in extract(Document(content, language))
    )


def _figures(
    labels: Sequence[frozenset[Triple]], found: Sequence[frozenset[Triple]]
) -> dict[str, float | None]:
    right = sum(len(stated & extracted) for stated, extracted in zip(labels, found, strict=True))
    stated, extracted = sum(map(len, labels)), sum(map(len, found))
    return {
        "messages": len(labels),
        "facts": stated,
        "precision": round(right / extracted, 4) if extracted else None,
        "recall": round(right / stated, 4) if stated else None,
    }

"""How well topics, people, types, kinds and languages are told, on messages with what a person says of them.

The floors lie a little below what is reached: they catch a change that makes things worse.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.integration.models.conftest import Shipped

from ricordo.language.detection import identify
from ricordo.language.document import Document
from ricordo.language.topics import topic_key
from ricordo.memory.enrichment import Enrichment, enrich

HERE = Path(__file__).parent / "labelled_messages"
TYPES = {"E": "episodic", "S": "semantic", "P": "procedural", "F": "emotional"}
Key = Callable[[str], str]
LISTS = [f"{name}_{language}" for name in ("known", "unseen", "hard", "alike") for language in ("it", "en")]


def lines(name: str) -> Iterator[tuple[str, str, str, str, str]]:
    for line in (HERE / f"{name}.txt").read_text("utf-8").splitlines():
        text, topics, people, types, kinds = (field.strip() for field in line.rsplit("|", 4))
        yield text.replace("\\n", "\n"), topics, people, types, kinds


def alternatives(field: str, separator: str) -> list[list[str]]:
    return (
        [] if field == "-" else [[one.strip() for one in each.split("/")] for each in field.split(separator)]
    )


def is_asked(each: list[str]) -> bool:
    return not each[0].startswith("?") and "?" not in each


@dataclass
class Labelled:
    """A list of messages with what a person says of them, and what is derived from each."""

    language: str
    lines: Sequence[tuple[str, str, str, str, str]]
    derived: Sequence[Enrichment]

    def f1(self, label: int, separator: str, found: Sequence[set[str]], key: Key) -> float:
        """Return how well what was found agrees with a label of each line."""
        right = wrong = missed = 0
        for line, own in zip(self.lines, found, strict=True):
            each = [
                ({key(one.removeprefix("?")) for one in one_of if one != "?"}, is_asked(one_of))
                for one_of in alternatives(line[label], separator)
            ]
            met = [bool(names & own) for names, asked in each if asked]
            right, missed = right + sum(met), missed + met.count(False)
            wrong += len(own.difference(*(names for names, _ in each)))
        return 2 * right / max(1, 2 * right + wrong + missed)


@pytest.fixture(scope="module", params=LISTS)
def labelled(request: pytest.FixtureRequest, shipped: Shipped) -> Labelled:
    told, language = list(lines(request.param)), request.param[-2:]
    readings = shipped.read(*(text for text, *_ in told))
    derived = [
        enrich(Document(text, language), reading=read)
        for (text, *_), read in zip(told, readings, strict=True)
    ]
    return Labelled(language, told, derived)


def test_topics_are_those_that_a_person_names(labelled: Labelled) -> None:
    def key(topic: str) -> str:
        return topic_key(topic, labelled.language)

    assert labelled.f1(1, ";", [set(map(key, one.topics)) for one in labelled.derived], key) >= 0.6


def test_people_are_those_that_are_named(labelled: Labelled) -> None:
    found = [set(map(str.casefold, one.participants)) for one in labelled.derived]
    assert labelled.f1(2, ",", found, str.casefold) >= 0.7


def test_types_and_kinds_are_told(labelled: Labelled) -> None:
    pairs = list(zip(labelled.derived, labelled.lines, strict=True))
    types = sum(found.type in {TYPES[one] for one in types.split("/")} for found, (*_, types, _) in pairs)
    kinds = sum(found.kind in kinds.split("/") for found, (*_, kinds) in pairs)
    assert types >= 0.9 * len(pairs)
    assert kinds >= 0.95 * len(pairs)


def test_a_message_is_in_the_language_that_it_is_in(labelled: Labelled) -> None:
    told, language = [text for text, *_ in labelled.lines], labelled.language
    assert sum(identify(text, language) == language for text in told) >= 0.98 * len(told)


def test_few_words_of_any_language_are_told() -> None:
    told = [
        line.split(" ", 1)
        for line in (HERE / "languages.txt").read_text("utf-8").splitlines()
        if line.strip()
    ]
    assert sum(identify(text) == language for language, text in told) >= 0.9 * len(told)

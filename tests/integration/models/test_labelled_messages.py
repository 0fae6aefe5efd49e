"""How well topics, people, types, kinds and languages are told, on messages with what a person says of them.

The floors lie a little below what is reached: they catch a change that makes things worse.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ricordo.language.detection import identify
from ricordo.language.document import Document
from ricordo.language.reading import Reading
from ricordo.language.topics import topic_key
from ricordo.memory.enrichment import Enrichment, enrich
from ricordo_services.cli.offline_results import reading

HERE = Path(__file__).parent / "labelled_messages"
TYPES = {"E": "episodic", "S": "semantic", "P": "procedural", "F": "emotional"}
LISTS = [f"{name}_{language}" for name in ("known", "unseen", "hard", "alike") for language in ("it", "en")]


@dataclass
class Counts:
    """Of what was found and what was asked for."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def count(self, found: set[str], asked: Sequence[set[str]], allowed: set[str]) -> None:
        met = [one for one in asked if one & found]
        self.right += len(met)
        self.missed += len(asked) - len(met)
        self.wrong += len(found - allowed.union(*asked))

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


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


@pytest.fixture(scope="module", name="read")
def _read() -> Iterator[Callable[[str, str], Reading]]:
    with reading() as read:
        yield read


Read = Callable[[str, str], Reading]


def enriched(text: str, language: str, read: Read) -> Enrichment:
    return enrich(Document(text, language), reading=read(text, ""))


@pytest.mark.parametrize("name", LISTS)
def test_topics_are_those_that_a_person_names(name: str, read: Read) -> None:
    language, counts = name[-2:], Counts()
    for text, topics, *_ in lines(name):
        each = [
            ({topic_key(one.removeprefix("?"), language) for one in one_of if one != "?"}, is_asked(one_of))
            for one_of in alternatives(topics, ";")
        ]
        found = {topic_key(topic, language) for topic in enriched(text, language, read).topics}
        counts.count(found, [keys for keys, asked in each if asked], set().union(*(keys for keys, _ in each)))
    assert counts.f1 >= 0.6


@pytest.mark.parametrize("name", LISTS)
def test_people_are_those_that_are_named(name: str, read: Read) -> None:
    language, counts = name[-2:], Counts()
    for text, _, people, *_ in lines(name):
        each = [
            ({one.removeprefix("?").casefold() for one in one_of}, is_asked(one_of))
            for one_of in alternatives(people, ",")
        ]
        found = {name.casefold() for name in enriched(text, language, read).participants}
        counts.count(found, [names for names, asked in each if asked], set().union(*(n for n, _ in each)))
    assert counts.f1 >= 0.7


@pytest.mark.parametrize("name", LISTS)
def test_types_and_kinds_are_told(name: str, read: Read) -> None:
    told = list(lines(name))
    derived = [enriched(text, name[-2:], read) for text, *_ in told]
    types = sum(
        found.type in {TYPES[one] for one in types.split("/")}
        for found, (*_, types, _) in zip(derived, told, strict=True)
    )
    kinds = sum(found.kind in kinds.split("/") for found, (*_, kinds) in zip(derived, told, strict=True))
    assert types >= 0.9 * len(told)
    assert kinds >= 0.95 * len(told)


@pytest.mark.parametrize("name", LISTS)
def test_a_message_is_in_the_language_that_it_is_in(name: str) -> None:
    told = [text for text, *_ in lines(name)]
    assert sum(identify(text, name[-2:]) == name[-2:] for text in told) >= 0.98 * len(told)


def test_few_words_of_any_language_are_told() -> None:
    told = [
        line.split(" ", 1)
        for line in (HERE / "languages.txt").read_text("utf-8").splitlines()
        if line.strip()
    ]
    assert sum(identify(text) == language for language, text in told) >= 0.9 * len(told)

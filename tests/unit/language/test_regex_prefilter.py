"""Whatever a pattern matches is let through by the cheap look that stands before it.

Each pattern is written out: into texts that take each of its branches and each sign of its classes once.
"""

import importlib
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import pytest

from ricordo.language.assertion_scope import _Frame, _frames, plain_words
from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
from ricordo.language.life_events import _events
from ricordo.language.titles import first_statement
from ricordo.language.topics.idioms import in_idioms

# Python's own reader of patterns; it has no other name.
_PARSER: Any = importlib.import_module("re._parser")
_About: TypeAlias = Any
"""What the reader says of a part of a pattern: a number, a list or parts, by its kind."""


def written_out(pattern: str) -> Iterator[str]:
    """Yield texts that take each branch of a pattern, most of which it matches."""
    return iter(dict.fromkeys(_all_of(_PARSER.parse(pattern))))


def _all_of(parts: Sequence[tuple[Any, Any]]) -> list[str]:
    """Write each part in all ways while the others stay as they are written first."""
    ways = [_ways(str(kind), about) for kind, about in parts]
    first = [way[0] for way in ways]
    found = ["".join(first)]
    for at, way in enumerate(ways):
        found += ("".join((*first[:at], other, *first[at + 1 :])) for other in way[1:])
    return found


def _ways(kind: str, about: _About) -> list[str]:
    match kind:
        case "LITERAL" | "ANY" | "NOT_LITERAL":
            return [chr(about) if kind == "LITERAL" else "x"]
        case "IN":
            return [way for part, each in about for way in _signs(str(part), each)] or ["x"]
        case "BRANCH":
            return [way for branch in about[1] for way in _all_of(branch)]
        case "SUBPATTERN":
            return _all_of(about[3])
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, inner = about
            ways = _all_of(inner)
            shortest = ways[0] * least
            return [shortest, *(way + ways[0] * (least - 1) for way in ways if most > 0)]
        case _:  # a place
            return [""]


def _signs(kind: str, about: _About) -> list[str]:
    match kind:
        case "LITERAL":
            return [chr(about)]
        case "RANGE":
            return [chr(about[0])]
        case "CATEGORY":
            return [
                {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_NOT_WORD": " "}.get(str(about), "x")
            ]
        case _:
            return []


def with_words_beside(text: str) -> tuple[str, ...]:
    """Return a text, also with letters at its ends: a pattern may end within a word."""
    return text, f"{text} x", f"{text}x", f"x{text}", f"x {text}"


def test_a_pattern_is_written_out_branch_by_branch() -> None:
    assert set(written_out(r"\b(?:got|lost) (?:my )?job[s.]?")) >= {
        "got job",
        "lost job",
        "got my job",
        "got jobs",
    }


def frames(language: str) -> tuple[_Frame, ...]:
    every = _frames(language)
    return every.story, every.joke, every.supposes, every.wishes


@pytest.mark.parametrize("language", ["it", "en"])
def test_a_cue_admits_whatever_says_that_a_text_does_not_tell(language: str) -> None:
    for frame in frames(language):
        texts = [text for each in written_out(frame.pattern.pattern) for text in with_words_beside(each)]
        matching = [text for text in texts if frame.pattern.search(text)]
        assert matching
        assert [text for text in matching if frame.cues.isdisjoint(plain_words(text))] == []


@pytest.mark.parametrize("language", ["it", "en"])
def test_every_turn_of_a_life_is_looked_for_where_it_is_told(language: str) -> None:
    events = _events(language)
    matched, lost = 0, []
    for at, turn in enumerate(events.turns):
        deed = re.compile(turn.deed)
        texts = [
            text for each in written_out(turn.deed) for text in with_words_beside(each) if deed.search(text)
        ]
        matched += bool(texts)
        lost += [text for text in texts if at not in events.hinted(text)]
    assert matched > 0.9 * len(events.turns)
    assert lost == []


@pytest.mark.parametrize("language", ["it", "en"])
def test_no_turn_of_a_life_is_looked_for_in_every_text(language: str) -> None:
    assert _events(language).hinted("") == frozenset()


SMALL_TALK = [each for language in LANGUAGES for each in read_table("openings", language)["sentences"]]


@pytest.mark.parametrize("pattern", SMALL_TALK)
def test_small_talk_is_passed_over_in_all_its_forms(pattern: str) -> None:
    small = [text for text in written_out(pattern) if re.fullmatch(pattern, text)]
    assert small
    assert [text for text in small if first_statement([text, "We moved"]) != "We moved"] == []


@pytest.mark.parametrize("language", ["it", "en"])
def test_a_way_of_speaking_is_known_in_all_its_forms(language: str) -> None:
    lost = []
    for _, pattern in read_table("idioms", language)["patterns"]:
        said = [text for text in written_out(pattern) if re.search(pattern, text)]
        assert said
        lost += [text for text in said if not in_idioms(Document(text, language))]
    assert lost == []

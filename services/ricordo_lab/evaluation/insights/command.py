"""`ricordo eval insights`: what it may be asked, and how it says what it found."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.memory.reflection import Insight, find_insights
from ricordo.memory.reflection.observations import FAMILIES
from ricordo_lab.evaluation.insights.histories import LANGUAGES, SUPPORT, History, histories

SUMMARY: Final = (
    "whether insights say what is regular in what people said, and nothing where nothing is; on histories "
    "that are made up, read without a server or a model"
)
_HISTORIES: Final = 25
_WIDTH: Final = 24


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was said of one history.

    Attributes:
        right: the insights that say what was planted, or what follows from it.
        wrong: all others, and those that tell the wrong feeling.
    """

    history: History
    right: tuple[Insight, ...]
    wrong: tuple[Insight, ...]

    @property
    def is_found(self) -> bool:
        """Whether what was planted was said."""
        return bool(self.history.truths) and self.history.truths[0] in {one.about for one in self.right}


def options(parser: argparse.ArgumentParser) -> None:
    """Add what it may be asked."""
    parser.add_argument(
        "--histories", type=_positive, default=_HISTORIES, metavar="N", help=f"of each kind ({_HISTORIES})"
    )
    parser.add_argument(
        "--support",
        type=_positive,
        default=SUPPORT,
        metavar="N",
        help=f"messages that speak of what is planted, of 100 ({SUPPORT})",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which ones (1)")
    parser.add_argument("--language", choices=[*LANGUAGES], help="only histories in one (both)")
    parser.add_argument("--misses", action="store_true", help="show what was not found, and what was wrong")


def run(asked: argparse.Namespace) -> Iterator[str]:
    """Yield what is found: a row a language and kind, totals, and what was missed."""
    languages = [asked.language] if asked.language else [*LANGUAGES]
    drawn = [_draw(one) for one in histories(asked.histories, asked.seed, languages, asked.support)]
    rows = _rows(drawn)
    yield from map(json.dumps, rows) if asked.json else _aligned(rows)
    for one in _misses(drawn) if asked.misses else ():
        yield json.dumps(one, ensure_ascii=False) if asked.json else "  " + _in_words(one)


def _draw(history: History) -> Drawn:
    found = find_insights(history.memories)
    right = tuple(one for one in found if _is_right(one, history))
    return Drawn(history, right, tuple(one for one in found if one not in right))


def _is_right(insight: Insight, history: History) -> bool:
    told = insight.emotion.primary
    is_felt = not history.feeling or told == "neutral" or told in FAMILIES[history.feeling]
    return insight.about in history.truths and is_felt


def _rows(drawn: Sequence[Drawn]) -> list[dict[str, object]]:
    groups: dict[str, list[Drawn]] = {}
    for one in drawn:
        groups.setdefault(f"{one.history.language}, {one.history.kind}", []).append(one)
    return [_row(name, group) for name, group in groups.items()] + [_row("all", drawn)]


def _row(name: str, group: Sequence[Drawn]) -> dict[str, object]:
    planted = sum(bool(one.history.truths) for one in group)
    return {
        "histories": name,
        "of_them": len(group),
        "planted": planted,
        "found": sum(one.is_found for one in group),
        "insights": sum(len(one.right) + len(one.wrong) for one in group),
        "wrong": sum(len(one.wrong) for one in group),
    }


def _misses(drawn: Sequence[Drawn]) -> Iterator[dict[str, object]]:
    for one in drawn:
        told: dict[str, object] = {"language": one.history.language, "kind": one.history.kind}
        if one.history.truths and not one.is_found:
            yield {**told, "missed": one.history.truths[0]}
        for wrong in one.wrong:
            yield {**told, "wrong": wrong.content}


def _aligned(rows: Sequence[Mapping[str, object]]) -> Iterator[str]:
    for nth, row in enumerate(rows):
        first, *rest = row
        if nth == 0:
            yield f"{first:{_WIDTH}}" + "".join(f"{name.replace('_', ' '):>{len(name) + 2}}" for name in rest)
        yield f"{row[first]!s:{_WIDTH}}" + "".join(f"{row[name]!s:>{len(name) + 2}}" for name in rest)


def _in_words(told: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in told.items())


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number

"""Measures whether insights state a planted regularity, and nothing where there is none."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.memory.reflection import Insight, find_insights
from ricordo.memory.reflection.observations import FAMILIES
from ricordo_lab.evaluation.histories import LANGUAGES, SUPPORT, History, histories
from ricordo_lab.evaluation.results import Miss, Row

__all__ = ["HISTORIES", "SUPPORT", "run"]

HISTORIES: Final = 25
"""Histories of each kind."""


@dataclass(frozen=True, slots=True)
class JudgedInsights:
    """The insights of one history: those that state what was planted, or what follows from it, and others."""

    history: History
    right: tuple[Insight, ...]
    wrong: tuple[Insight, ...]

    @property
    def found(self) -> bool:
        """Whether what was planted was stated."""
        return bool(self.history.truths) and self.history.truths[0] in {one.about for one in self.right}


def run(asked: argparse.Namespace) -> Iterator[Row | Miss]:
    """Yield a row for each language and kind of history, the totals, and what was missed or wrong."""
    languages = [asked.language] if asked.language else LANGUAGES
    judged = [_judge(one) for one in histories(asked.histories, asked.seed, languages, asked.support)]
    groups: dict[str, list[JudgedInsights]] = {}
    for one in judged:
        groups.setdefault(f"{one.history.language}, {one.history.kind}", []).append(one)
    for name, group in [*groups.items(), ("all", judged)]:
        yield _row(name, group)
    for one in judged if asked.misses else ():
        shown = {"language": one.history.language, "kind": one.history.kind}
        if one.history.truths and not one.found:
            yield Miss({**shown, "missed": one.history.truths[0]})
        for wrong in one.wrong:
            yield Miss({**shown, "wrong": wrong.content})


def _judge(history: History) -> JudgedInsights:
    found = find_insights(history.memories)
    right = tuple(one for one in found if _is_right(one, history))
    return JudgedInsights(history, right, tuple(one for one in found if one not in right))


def _is_right(insight: Insight, history: History) -> bool:
    felt = insight.emotion.primary
    has_feeling = not history.feeling or felt == "neutral" or felt in FAMILIES[history.feeling]
    return insight.about in history.truths and has_feeling


def _row(name: str, group: Sequence[JudgedInsights]) -> Row:
    return Row(
        histories=name,
        of_them=len(group),
        planted=sum(bool(one.history.truths) for one in group),
        found=sum(one.found for one in group),
        insights=sum(len(one.right) + len(one.wrong) for one in group),
        wrong=sum(len(one.wrong) for one in group),
    )

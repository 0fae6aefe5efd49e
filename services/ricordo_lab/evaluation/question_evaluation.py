"""Scores the analysis of questions on a file of labelled ones.

The file is a table, tab-separated, under the names `language intent time emotion entities known query`. Where
several answers are right, they stand side by side with `|` between them. `time` is `strict`, `loose` (a time
that is only preferred) or `none`; names are parted by `;`, and one in parentheses may be found or not; those
that the user's memories know are `known`.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.intents import decide, decide_by_head, intent_by_rules
from ricordo.language.query_analysis.query_parser import Decider, analyse
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.results import Miss, NamedFigures

ZONE: Final = ZoneInfo("Europe/Rome")
NOW: Final = datetime(2026, 2, 4, 15, 30, tzinfo=ZONE)
"""When the questions are asked: a Wednesday."""
_COLUMNS: Final = ("language", "intent", "time", "emotion", "entities", "known", "query")
_NONE: Final = "none"

DECIDERS: Final[Mapping[str, Decider]] = {
    "both": decide,
    "rules": intent_by_rules,
    "head": lambda question: decide_by_head(question)[0],
}
"""Who may choose the intent, for telling apart what each of them is worth."""

Understand = Callable[[str, Sequence[str]], QueryAnalysis]
"""Analyses a query, given the names that are known."""


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question and its labels; of each set one is right."""

    query: str
    language: str
    intents: tuple[str, ...]
    times: frozenset[str]
    emotions: frozenset[str]
    entities: frozenset[str]
    perhaps: frozenset[str]
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """What came of a file.

    Attributes:
        questions: how many.
        intent, time, emotion: the shares understood rightly, in [0, 1].
        entities: F1 over all names, in [0, 1].
        lost: the share of questions that were narrowed down to memories which they do not ask for.
        languages: the share of questions whose language was found.
        by_intent: precision and recall of each intent.
        misses: what was analysed otherwise than labelled.
    """

    questions: int
    intent: float
    time: float
    emotion: float
    entities: float
    lost: float
    languages: float
    by_intent: Mapping[str, tuple[float, float]]
    misses: tuple[Miss, ...]


def run(asked: argparse.Namespace) -> Iterator[NamedFigures | Miss]:
    """Yield the scores, precision and recall of each intent, and the questions that were misread."""
    score = score_questions(read_questions(asked.data), understanding(DECIDERS[asked.by]))
    names = ("questions", "intent", "entities", "emotion", "time", "lost", "languages")
    yield NamedFigures({name: round(getattr(score, name), 4) for name in names})
    for name, (precision, recall) in score.by_intent.items():
        yield NamedFigures({f"{name}_precision": round(precision, 4), f"{name}_recall": round(recall, 4)})
    yield from score.misses if asked.misses else ()


def read_questions(path: Path) -> list[LabelledQuestion]:
    """Read labelled questions.

    Raises:
        OSError: the file cannot be read.
        UnreadableData: it has another shape.
    """
    with path.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        if tuple(table.fieldnames or ()) != _COLUMNS:
            raise UnreadableData(f"the columns of {path.name} are not {', '.join(_COLUMNS)}")
        rows = list(table)
    if not rows or any(None in row or None in row.values() for row in rows):
        raise UnreadableData(f"{path.name} holds no rows, or one that is too short or too long")
    return [_question(row) for row in rows]


def _question(row: Mapping[str, str]) -> LabelledQuestion:
    names = [name.strip() for name in row["entities"].split(";") if name.strip()]
    return LabelledQuestion(
        query=row["query"],
        language=row["language"],
        intents=tuple(row["intent"].split("|")),
        times=frozenset(row["time"].split("|")),
        emotions=frozenset(row["emotion"].split("|")),
        entities=frozenset(name for name in names if not name.startswith("(")),
        perhaps=frozenset(name.strip("()") for name in names if name.startswith("(")),
        known=tuple(name.strip() for name in row["known"].split(";") if name.strip()),
    )


def understanding(decide: Decider = decide) -> Understand:
    """Return the analyser of the project, where no language is said; `decide` chooses the intent."""
    return lambda query, known: analyse(query, now=NOW, zone=ZONE, known_names=known, decide=decide)


def score_questions(
    questions: Sequence[LabelledQuestion], understand: Understand | None = None
) -> QuestionScore:
    """Score how `questions` are understood."""
    understand = understand or understanding()
    found = [understand(one.query, one.known) for one in questions]
    pairs = list(zip(questions, found, strict=True))
    misses = [miss for one, analysis in pairs for miss in _misses(one, analysis)]
    missed = Counter(miss["what"] for miss in misses)
    total = len(questions)
    return QuestionScore(
        questions=total,
        intent=1 - missed["intent"] / total,
        time=1 - missed["time"] / total,
        emotion=1 - missed["emotion"] / total,
        entities=_f1(pairs),
        lost=sum(_narrowed_wrongly(one, analysis) for one, analysis in pairs) / total,
        languages=1 - missed["language"] / total,
        by_intent={
            name: _precision_and_recall(name, pairs) for name in sorted({one.intents[0] for one in questions})
        },
        misses=tuple(misses),
    )


def _misses(one: LabelledQuestion, analysis: QueryAnalysis) -> list[Miss]:
    compared = (
        ("intent", analysis.intent, one.intents),
        ("time", _time(analysis), one.times),
        ("emotion", analysis.emotion_filter or _NONE, one.emotions),
        ("language", analysis.language, (one.language,)),
    )
    misses = [
        Miss(query=one.query, what=what, read=found) for what, found, right in compared if found not in right
    ]
    if set(analysis.entities) - one.perhaps != one.entities:
        misses.append(Miss(query=one.query, what="entities", read="; ".join(analysis.entities)))
    return misses


def _time(analysis: QueryAnalysis) -> str:
    if analysis.time is None:
        return _NONE
    return "strict" if analysis.time.strict else "loose"


def _narrowed_wrongly(one: LabelledQuestion, analysis: QueryAnalysis) -> bool:
    """Whether a filter that the question does not ask for leaves memories out."""
    if _time(analysis) == "strict" and "strict" not in one.times:
        return True
    if (analysis.emotion_filter or _NONE) not in {_NONE, *one.emotions}:
        return True
    narrows = analysis.intent in {"procedural", "topic", "entity"}
    return narrows and analysis.intent not in one.intents


def _f1(pairs: Sequence[tuple[LabelledQuestion, QueryAnalysis]]) -> float:
    right = sum(len(one.entities & set(found.entities)) for one, found in pairs)
    wrong = sum(len(set(found.entities) - one.entities - one.perhaps) for one, found in pairs)
    missing = sum(len(one.entities - set(found.entities)) for one, found in pairs)
    return 2 * right / (2 * right + wrong + missing) if right else 0.0


def _precision_and_recall(
    name: str, pairs: Sequence[tuple[LabelledQuestion, QueryAnalysis]]
) -> tuple[float, float]:
    claimed = [one for one, found in pairs if found.intent == name]
    meant = [(one, found) for one, found in pairs if one.intents[0] == name]
    precision = sum(name in one.intents for one in claimed) / len(claimed) if claimed else 1.0
    recall = sum(found.intent in one.intents for one, found in meant) / len(meant) if meant else 1.0
    return precision, recall

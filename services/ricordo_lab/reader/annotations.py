"""Reads annotated chats: the corpus that the reader is fitted on, as `corpus/talk/GUIDE.md` describes it."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ricordo_lab.data_files import json_lines, reading

SPEAKER: Final = "speaker"


@dataclass(frozen=True, slots=True)
class Statement:
    """A lasting fact that a turn states.

    Attributes:
        subject: `speaker`, a name, or a tie as in "speaker's sister".
        also: what else the conversation calls the subject: the tie of somebody named, and the names of a tie.
        object, clause, time: verbatim in the text; `time` may be empty.
        denied: whether it is said not to be so.
    """

    subject: str
    predicate: str
    object: str
    clause: str
    time: str
    status: str
    certainty: str
    denied: bool
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedTurn:
    """A turn of a chat, with what a person would note of it.

    Attributes:
        previous: the text of the turn before; empty for none.
        names, times: each with its kind or its direction.
        importance: 0 to 3. valence: -2 to 2. arousal: 0 to 2.
        kind: of the message, one of `MESSAGE_KINDS`; empty where that was not annotated.
    """

    writer: str
    conversation: str
    language: str
    text: str
    previous: str
    statements: tuple[Statement, ...]
    names: tuple[tuple[str, str], ...]
    times: tuple[tuple[str, str], ...]
    topics: tuple[str, ...]
    news: str
    informative: bool
    importance: int
    valence: int
    arousal: int
    emotion: str
    kind: str


def read_turns(folder: Path) -> list[AnnotatedTurn]:
    """Return the turns of all writers, without those of bots, which state nothing.

    Raises:
        UnreadableData: a file cannot be read, or is of another shape.
    """
    turns: list[AnnotatedTurn] = []
    for file in sorted(folder.glob("w*.jsonl")):
        if file.name.endswith(".questions.jsonl"):
            continue
        with reading(file, "a list of annotated turns"):
            turns += _turns(file.stem, json_lines(file))
    return turns


def _turns(writer: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[AnnotatedTurn]:
    before: Mapping[str, Any] = {}
    called = _called(rows)
    for row in rows:
        if not row["a"]:
            yield AnnotatedTurn(
                writer=writer,
                conversation=row["c"],
                language=row["l"],
                text=row["x"],
                previous=before["x"] if before.get("c") == row["c"] else "",
                statements=tuple(_statement(fact, called[row["c"], fact["sub"]]) for fact in row["f"]),
                names=tuple((text, kind) for text, kind in row["en"]),
                times=tuple((text, direction) for text, direction in row["ev"]),
                topics=tuple(row["tp"]),
                news=row["n"],
                informative=bool(row["inf"]),
                importance=row["i"],
                valence=row["v"],
                arousal=row["ar"],
                emotion=row["e"],
                kind=row.get("k", ""),
            )
        before = row


def _called(rows: Sequence[Mapping[str, Any]]) -> Mapping[tuple[str, str], Collection[str]]:
    """Return by conversation and subject what else the subject is called there."""
    called = defaultdict[tuple[str, str], set[str]](set)
    for row in rows:
        for fact in row["f"]:
            if fact["pred"] == "name" and fact["sub"] != SPEAKER:
                called[row["c"], fact["sub"]].add(fact["obj"])
                called[row["c"], fact["obj"]].add(fact["sub"])
    return called


def _statement(fact: Mapping[str, str], also: Collection[str]) -> Statement:
    return Statement(
        subject=fact["sub"],
        predicate=fact["pred"],
        object=fact["obj"],
        clause=fact["q"],
        time=fact["time"],
        status=fact["st"],
        certainty=fact["cert"],
        denied=fact["pol"] == "-",
        also=tuple(sorted(also)),
    )


def without_full_stop(turn: AnnotatedTurn, *, lower: bool) -> AnnotatedTurn:
    """Return a turn without its last full stop, and in lower case if asked for, with all that is verbatim."""

    def spelled(part: str) -> str:
        at_end = part.endswith(".") and turn.text.endswith(part)
        return (part.lower() if lower else part)[: len(part) - at_end]

    return replace(
        turn,
        text=spelled(turn.text),
        statements=tuple(
            replace(one, object=spelled(one.object), clause=spelled(one.clause), time=spelled(one.time))
            for one in turn.statements
        ),
        names=tuple((spelled(text), kind) for text, kind in turn.names),
        times=tuple((spelled(text), direction) for text, direction in turn.times),
        topics=tuple(map(spelled, turn.topics)),
        news=spelled(turn.news),
    )

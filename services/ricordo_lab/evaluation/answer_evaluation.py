"""Answers about lives that were told to a bot: which are right, and what is refused.

A folder holds, side by side:

- lives, `<name>.jsonl` with `id`, `text` and `at` a line, all said by the user, and `<name>.questions.jsonl`
  with `kind`, `l`, `q`, `accept` (words of which a right answer holds one) and `evidence`;
- or `<name>.lives.jsonl`, a small life a line with its `messages` and `chats`: the questions of a chat are
  asked in one conversation, one after the other, and a right answer holds no word of `reject`;
- or chats and questions as `talk` reads them: an answer is right that rests on one of `turns`; `before` has
  the question asked before and the words that answered it, and `leans` whether this one leans on it.

What has the kind `never` was never said.
"""

import argparse
import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

from ricordo.client import MemoryClient
from ricordo.client.options import RecallOptions
from ricordo.language.annotations import Role
from ricordo.messages.answers import AnswerReply
from ricordo.messages.events import MessageReceived
from ricordo.messages.ids import memory_id
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.console import UnreadableData, progress
from ricordo_lab.data_files import json_lines, reading
from ricordo_lab.evaluation.results import Miss, Row

NEVER: Final = "never"
_BUDGET: Final = 600  # tokens of a context
_LATER: Final = timedelta(days=2)
"""After the last message, where a question does not say when it is asked."""


class LifeQuestion(NamedTuple):
    """A question; where there are no words to accept, an answer is right that rests on the evidence.

    Attributes:
        chat: the conversation in which it is asked; None for none.
    """

    kind: str
    language: str
    text: str
    now: datetime
    accept: Sequence[str]
    evidence: Sequence[str] = ()
    reject: Sequence[str] = ()
    chat: str | None = None


class Life(NamedTuple):
    """What one user said, and is asked for."""

    name: str
    language: str
    messages: Sequence[MessageReceived]
    questions: Sequence[LifeQuestion]


class Answered(NamedTuple):
    """A question about a life, the reply, and the context of 600 tokens for it."""

    life: Life
    question: LifeQuestion
    reply: AnswerReply
    context: str

    @property
    def right(self) -> bool:
        """Whether the reply holds the answer; of what was never said, whether it is refused."""
        if self.question.kind == NEVER or not self.reply.answered:
            return self.reply.answered == (self.question.kind != NEVER)
        said = self.reply.answer.casefold()
        if self.question.accept:
            return _holds(said, self.question.accept) and not _holds(said, self.question.reject)
        return any(memory_id("default", one) in self.reply.sources for one in self.question.evidence)


def _holds(text: str, words: Sequence[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(one.casefold())}", text) for one in words)


def run(asked: argparse.Namespace) -> Iterator[Row | Miss]:
    """Yield rows by language and by kind, and the questions that were missed.

    Raises:
        UnreadableData: there is no life, or one cannot be read.
    """
    answers = asyncio.run(_ask(list(read_lives(asked.data, asked.writer))))
    by: defaultdict[tuple[str, str], list[Answered]] = defaultdict(list)
    for one in answers:
        if one.question.kind != NEVER:
            same = one.question.language == one.life.language
            by[
                "language", f"{one.question.language} {'' if same else 'in the other language'}".strip()
            ].append(one)
        by["kind", one.question.kind].append(one)
    yield _row("all", "all", answers)
    for (table, name), some in sorted(by.items()):
        yield _row(table, name, some)
    for one in answers if asked.misses else ():
        if not one.right:
            question = one.question
            told = {"answer": one.reply.answer, "confidence": one.reply.confidence, "accept": question.accept}
            yield Miss({"life": one.life.name, "kind": question.kind, "question": question.text, **told})


def _row(table: str, name: str, answers: Sequence[Answered]) -> Row:
    told = [one for one in answers if one.question.kind != NEVER]
    never = [one for one in answers if one.question.kind == NEVER]
    answered = [one for one in answers if one.reply.answered]
    return Row(
        table=table,
        name=name,
        questions=len(answers),
        right=_share(told),
        refused_of_never=_share(never),
        right_of_answered=_share(answered),
        in_context=_held([one for one in told if one.question.accept]),
    )


def _share(answers: Sequence[Answered]) -> float | None:
    return round(sum(one.right for one in answers) / len(answers), 3) if answers else None


def _held(answers: Sequence[Answered]) -> float | None:
    """Return the share of contexts that hold an accepted word."""
    held = [_holds(one.context.casefold(), one.question.accept) for one in answers]
    return round(sum(held) / len(held), 3) if held else None


def read_lives(folder: Path, names: Sequence[str] | None) -> Iterator[Life]:
    """Yield the lives and chats of a folder, or those of some names.

    Raises:
        UnreadableData: there is none, or one cannot be read.
    """
    found = sorted([*folder.glob("*.questions.jsonl"), *folder.glob("*.lives.jsonl")])
    files = [one for one in found if not names or _name(one) in names]
    if not files:
        raise UnreadableData(f"{folder} holds no *.questions.jsonl" + (" of these names" if names else ""))
    for file in files:
        with reading(file, "a list of questions"):
            if file.name.endswith(".lives.jsonl"):
                yield from map(_small, json_lines(file))
                continue
            lines = [json_lines(one) for one in (folder / f"{_name(file)}.jsonl", file)]
            yield from (_lives if "text" in lines[0][0] else _chats)(_name(file), *lines)


def _name(file: Path) -> str:
    return file.name.partition(".")[0]


def _small(row: Mapping[str, Any]) -> Life:
    """Return a life that stands in one line."""
    name = row["id"]
    messages = [
        _message(
            name,
            f"{name}-{one['id']}",
            one["text"],
            datetime.fromisoformat(one["at"]),
            Role(one.get("role", "user")),
        )
        for one in row["messages"]
    ]
    now = datetime.fromisoformat(row["now"]) if "now" in row else messages[-1].timestamp + _LATER
    questions = [
        LifeQuestion(
            one["kind"], row["l"], one["q"], now, one["accept"], (), one.get("reject", ()), f"{name}-{at}"
        )
        for at, chat in enumerate(row["chats"])
        for one in chat
    ]
    return Life(name, row["l"], messages, questions)


def _lives(
    name: str, said: Sequence[Mapping[str, Any]], asked: Sequence[Mapping[str, Any]]
) -> Iterator[Life]:
    messages = [
        _message(name, f"{name}-{row['id']}", row["text"], datetime.fromisoformat(row["at"])) for row in said
    ]
    now = messages[-1].timestamp + _LATER
    languages = [row["l"] for row in asked]
    questions = [
        LifeQuestion(
            row["kind"], row["l"], row["q"], now, row["accept"], [f"{name}-{one}" for one in row["evidence"]]
        )
        for row in asked
    ]
    yield Life(name, max(set(languages), key=languages.count), messages, questions)


def _chats(_: str, said: Sequence[Mapping[str, Any]], asked: Sequence[Mapping[str, Any]]) -> Iterator[Life]:
    """Yield a life for each conversation and whoever asks about it."""
    for number, (chat, asker) in enumerate(sorted({(row["c"], row["asker"]) for row in asked})):
        life = f"{chat}-{number}"
        turns = [row for row in said if row["c"] == chat]
        people = {row["s"] for row in turns if not row["a"]}
        messages = [
            _message(
                life,
                f"{life}-{place}",
                row["x"],
                datetime.fromisoformat(row["t"]).replace(tzinfo=UTC),
                Role.ASSISTANT if row["a"] else Role.USER,
                "" if row["a"] or len(people) == 1 else row["s"],
            )
            for place, row in enumerate(turns)
        ]
        questions = [
            each
            for at, row in enumerate(asked)
            if (row["c"], row["asker"]) == (chat, asker)
            for each in _questions(row, life, f"{life}-{at}")
        ]
        yield Life(life, max(("en", "it"), key=[row["l"] for row in asked].count), messages, questions)


def _questions(row: Mapping[str, Any], life: str, chat: str) -> Iterator[LifeQuestion]:
    """Yield a question, after the one that was asked before it."""
    language, kind = row["l"], row["kind"]
    now = datetime.fromisoformat(row["now"]).replace(tzinfo=UTC)
    if "before" in row:
        first, told = row["before"]
        yield LifeQuestion("first" if told else NEVER, language, first, now, [told] * bool(told), chat=chat)
        kind = "follow-up" if row["leans"] and kind != NEVER else kind
    evidence = [f"{life}-{place}" for place in row["turns"]]
    yield LifeQuestion(kind, language, row["q"], now, (), evidence, chat=chat if "before" in row else None)


def _message(  # noqa: PLR0917 - the fields of a message
    life: str, message: str, text: str, at: datetime, role: Role = Role.USER, speaker: str = ""
) -> MessageReceived:
    return MessageReceived(
        id=message, user_id=life, conversation_id=life, role=role, content=text, timestamp=at, speaker=speaker
    )


async def _ask(lives: Sequence[Life]) -> list[Answered]:
    found = []
    with scratch() as folder:
        async with up(folder) as system, MemoryClient.connect(system.nats) as client:
            for life in lives:
                await remember(system.nats, life.messages)
                progress(f"  {life.name}: {len(life.messages)} messages, {len(life.questions)} questions")
                for question in life.questions:
                    asked: RecallOptions = {
                        "conversation_id": question.chat,
                        "now": question.now,
                        "reinforce": False,
                    }
                    context = await client.context(life.name, question.text, token_budget=_BUDGET, **asked)
                    reply = await client.answer(life.name, question.text, **asked)
                    found.append(Answered(life, question, reply, context.context))
    return found

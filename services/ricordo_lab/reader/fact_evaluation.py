"""Compares the facts that `ricordo extract` finds with those that people noted, on annotated chats."""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from ricordo.language.document import document_of
from ricordo.language.facts.kinship import BEINGS
from ricordo.language.facts.message_words import MessageWords
from ricordo.language.facts.vocabulary import USER
from ricordo.language.reading import STATED, is_like
from ricordo_lab.evaluation.results import Row
from ricordo_lab.reader.annotations import SPEAKER, AnnotatedTurn, Statement, read_turns
from ricordo_lab.reader.measures import content_words
from ricordo_lab.reader.targets import words_of
from ricordo_services.cli.offline_results import MessageInput, extracted, reading


class Found(NamedTuple):
    """A fact that was found in a turn."""

    subject: str
    predicate: str
    value: str


def run(asked: argparse.Namespace) -> Iterator[Row]:
    """Yield precision and recall by language and grade, with the subject right, or only of the right kind.

    Raises:
        UnreadableData: a file of the chats is of another shape.
    """
    counts: Counter[tuple[str, str, str, str]] = Counter()
    turns = [one for one in read_turns(asked.data) if not asked.writer or one.writer in asked.writer]
    with reading() as read:
        for turn in turns:
            said = MessageInput(content=turn.text, language=turn.language, previous=turn.previous)
            facts: Any = extracted(said, read)["facts"]
            found = [Found(one["subject"], one["predicate"], one["object"]) for one in facts]
            for grade, some in (("typed", [one for one in found if one.predicate != STATED]), ("any", found)):
                for subjects in ("named", "kind"):
                    key = turn.language, grade, subjects
                    for name, count in _counted(turn, some, exactly=subjects == "named"):
                        counts[*key, name] += count
    for key in sorted({(language, grade, subjects) for language, grade, subjects, _ in counts}):
        precision = counts[*key, "right"] / max(1, counts[*key, "found"])
        recall = counts[*key, "read"] / max(1, counts[*key, "noted"])
        language, grade, subjects = key
        yield Row(
            table=f"{grade} facts, {language}, subject right by {subjects}",
            precision=round(precision, 3),
            recall=round(recall, 3),
            found=counts[*key, "found"],
            noted=counts[*key, "noted"],
        )


def _counted(turn: AnnotatedTurn, found: Sequence[Found], *, exactly: bool) -> Iterator[tuple[str, int]]:
    noted = [fact for fact in turn.statements if not fact.denied]
    yield "found", len(found)
    yield (
        "right",
        sum(any(_says(turn, one, fact, exactly=exactly) for fact in turn.statements) for one in found),
    )
    yield "noted", len(noted)
    yield "read", sum(any(_says(turn, one, fact, exactly=exactly) for one in found) for fact in noted)


def _says(turn: AnnotatedTurn, found: Found, fact: Statement, *, exactly: bool) -> bool:
    """Return whether a fact says what a person noted: of whom, of which family, with a word in common.

    Of one that is only noted the object is among its words. "Her name is Nora" is "has the sister Nora", too.
    """
    owner, _, tie = fact.subject.rpartition("'s ")
    if fact.predicate == "name" and tie and owner and found.predicate in BEINGS:
        owned = _is_subject(found.subject, owner, (), exactly=exactly)
        return owned and _share(found.value, fact.object)
    if not _is_subject(found.subject, fact.subject, fact.also, exactly=exactly):
        return False
    if found.predicate == STATED or not is_like(found.predicate, fact.predicate):
        return found.predicate == STATED and _share(found.value, fact.object)
    if fact.predicate == "age":
        return _WORDS[turn.language].number(fact.object) == found.value
    return _share(found.value, f"{fact.object} {fact.clause}")


def _is_subject(found: str, noted: str, also: Iterable[str], *, exactly: bool) -> bool:
    if (found == USER) != (noted == SPEAKER) or noted == SPEAKER or not exactly:
        return (found == USER) == (noted == SPEAKER)
    names = {word.casefold() for name in (noted, *also) for word in words_of(name)}
    return any(name in found.casefold() for name in names)


def _share(one: str, other: str) -> bool:
    return not content_words(one).isdisjoint(content_words(other))


_WORDS: Final = {code: MessageWords(document_of("-", code)) for code in ("en", "it", "de")}

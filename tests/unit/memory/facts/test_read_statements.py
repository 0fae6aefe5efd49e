"""What a reading says becomes statements by exact rules: whose it is, by what tie, in which form."""

from dataclasses import replace
from typing import Any

import pytest
from tests.fixtures.sentence_tables import table
from tests.support.factories import utterance

from ricordo.language.facts.evidence import Statement
from ricordo.language.reading import UNREAD, ReadStatement, Span
from ricordo.memory.facts.read_statements import statements_of


def at(part: str, text: str) -> Span:
    start = text.index(part)
    return start, start + len(part)


def stated(text: str, predicate: str, value: str, subject: str = "", **fields: Any) -> ReadStatement:  # noqa: ANN401
    """Return that `value` is read of the speaker, or of whom `subject` names in the text."""
    found = {"of": "named", "subject_at": text.index(subject)} if subject else {"of": "speaker"}
    return ReadStatement(
        predicate=predicate,
        object=at(value, text),
        clause=(0, len(text)),
        **({"certainty": 0.9} | found | fields),
    )


def read(line: str, text: str) -> ReadStatement:
    """Return what `predicate | value | subject | field=value field` says that is read of a text."""
    predicate, value, subject, fields = [*map(str.strip, line.split("|")), "", ""][:4]
    given: dict[str, Any] = {}
    for name, is_set, said in (field.partition("=") for field in fields.split()):
        given[name] = said if is_set else True
    if "certainty" in given:
        given["certainty"] = float(given["certainty"])
    return stated(text, predicate, value, subject, **given)


def named(names: tuple[str, ...], text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((*at(name, text), kind) for name, kind in (one.split(", ") for one in names))


def told(one: Statement) -> str:
    """Return a statement as the table has it: the ties of both in angle brackets, and what is past."""
    subject, value = (
        f"{what} <{tie}>" if tie else what
        for what, tie in ((one.subject, one.subject_tie), (one.object, one.object_tie))
    )
    return f"{subject} | {one.predicate} | {value}" + (
        f" | {one.polarity}" if one.polarity != "holds" else ""
    )


@pytest.mark.parametrize("row", table(__file__, "statements"), ids=lambda row: row["text"])
def test_a_reading_becomes_statements(row: dict[str, Any]) -> None:
    text, before = row["text"], row.get("previous", "")
    reading, former = (
        replace(UNREAD, names=named(row.get(names, ()), of), statements=statements)
        for names, of, statements in (
            ("names", text, tuple(read(line, text) for line in row["read"])),
            ("previous_names", before, ()),
        )
    )
    found = statements_of(
        utterance(
            text,
            language=row.get("language", "en"),
            reading=reading,
            previous=before,
            previous_reading=former,
        )
    )
    assert tuple(map(told, found)) == row["told"]
    assert all(text[slice(*one.span)] == one.quote for one in found)


@pytest.mark.parametrize(("language", "text", "noun", "subject"), table(__file__, "relatives"))
def test_whose_relative_it_is(language: str, text: str, noun: str, subject: str) -> None:
    value = text.rsplit(maxsplit=1)[-1]
    names = tuple(f"{name}, person" for name in ("Karen", "Marco") if name in text)
    reading = replace(UNREAD, names=named(names, text), statements=(stated(text, "works_as", value, noun),))
    found = statements_of(utterance(text, language=language, reading=reading))
    assert [one.subject for one in found] == [subject] * bool(subject)
    assert [bool(one.subject_tie) for one in found] == [" " not in subject] * bool(subject)

"""Extracts statements from messages without a model, by a small grammar for Italian and English."""

from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.language.corrections import without_lead
from ricordo.language.data_files import LANGUAGES as CODES
from ricordo.language.document import Document
from ricordo.language.facts.evidence import Statement
from ricordo.language.facts.fact_grammar import Grammar
from ricordo.language.facts.fact_tokens import own_words, tokenise
from ricordo.language.facts.grammar_data import load_grammar, recognise
from ricordo.language.facts.kinship import PRESUMED
from ricordo.language.facts.message_grammar import MessageGrammar, Mood
from ricordo.language.facts.statement_extraction import StatementExtractor
from ricordo.language.facts.validity import timed

__all__ = ["LANGUAGES", "MessageGrammar", "Mood", "Statement", "extract", "message_grammar"]
LANGUAGES: Final[dict[str, Grammar]] = {code: load_grammar(code) for code in CODES}


def extract(
    document: Document,
    *,
    speaker: str = "",
    role: str = "user",
    at: datetime | None = None,
    timezone: tzinfo | None = None,
    presumed: bool = False,
    denied: bool = False,
) -> tuple[Statement, ...]:
    """Extract what a text states about the user and the people, pets and places of their life.

    A question, a wish, a condition, a denial, a quotation and a joke state nothing; a denied liking is a
    dislike. What was so and is no longer comes with polarity `past`.

    Args:
        document: the message, of any length; its language may be unknown (""). In other languages than
            Italian and English nothing is found.
        speaker: the writer's display name, when known: it is no third person.
        at: when it was said, aware: since when and until when something holds is read from there, and what
            is still to come is left out. Without it no times are read.
        presumed: whether to tell also of people of whom nothing here says that the user knows them
            ("Messi", "Biscuit"): their `subject_tie` is `ties.PRESUMED`.
        denied: whether to tell also what is denied, with polarity `denied`: it states nothing, and speaks
            against what else is known. Whom it names by name alone is `ties.PRESUMED`, too. And whether to
            tell what began long ago (`began`) from what holds.

    Returns:
        The statements in the order of the text, each once.

    Raises:
        ValueError: `at` is naive.
    """
    if role != "user" or not document.text.strip():
        return ()
    read = document.with_text(without_lead(document.text))
    grammar = recognise(read, LANGUAGES)
    if grammar is None:
        return ()
    found = StatementExtractor(tokenise(read, grammar.code, speaker.strip()), grammar).statements()
    name = speaker.strip().casefold()
    stated = tuple(
        s
        for s in found
        if (not name or s.subject.casefold() != name)
        and (presumed or s.subject_tie != PRESUMED)
        and (denied or s.polarity != "denied")
    )
    if read is not document:
        stated = tuple(replace(s, quote=document.text[slice(*s.span)]) for s in stated)
    if at is None or not stated:
        return stated
    zone, code = timezone or ZoneInfo("UTC"), grammar.code
    told = timed(stated, own_words(read), at=at, zone=zone, language=code)
    return (
        told if denied else tuple(replace(s, polarity="holds") if s.polarity == "began" else s for s in told)
    )


def message_grammar(document: Document) -> MessageGrammar:
    """Return the words of a text, by which statements of a model are validated."""
    return MessageGrammar(document, LANGUAGES)

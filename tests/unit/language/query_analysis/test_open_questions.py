"""A question may ask for somebody and for nothing in particular about them; then what matters answers it."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from ricordo.language.query_analysis import analyse
from ricordo.language.query_analysis.asking import nothing_but_a_name

AT_LARGE = [
    ("en", "Tell me about Dorothy."),
    ("en", "What do you know about Dorothy?"),
    ("en", "What happened with Dorothy?"),
    ("en", "What has happened to Dorothy?"),
    ("en", "And how's Dorothy doing?"),
    ("en", "Do you remember Dorothy?"),
    ("en", "What about Dorothy?"),
    ("en", "Any news about Dorothy?"),
    ("it", "Parlami di Saverio."),
    ("it", "Cosa sai di Saverio?"),
    ("it", "Che cosa è successo a Saverio?"),
    ("it", "Come sta Saverio?"),
    ("it", "E Saverio?"),
    ("it", "Novità su Saverio?"),
    ("it", "Che ne è di Saverio?"),
    ("it", "Cosa mi dici di Saverio?"),
]
IN_PARTICULAR = [
    ("en", "Who is Dorothy?"),
    ("en", "Where does Dorothy live?"),
    ("en", "What did Dorothy say?"),
    ("en", "How is Dorothy's dog?"),
    ("en", "How is Dorothy's hip?"),
    ("en", "What happened with Dorothy last week?"),
    ("en", "How are Dorothy and Saverio?"),
    ("en", "Tell me about Dorothy's wedding."),
    ("en", "What did Dorothy like?"),
    ("it", "Chi è Saverio?"),
    ("it", "Dove vive Saverio?"),
    ("it", "Cosa piace a Saverio?"),
    ("it", "Che cosa è successo a Saverio ieri?"),
    ("it", "Come sta il cane di Saverio?"),
    ("it", "Parlami del matrimonio di Saverio."),
    ("it", "Come stai?"),
    ("en", "How are you?"),
    ("en", ""),
]


def _at_large(query: str, language: str) -> bool:
    analysis = analyse(
        query,
        now=datetime(2026, 5, 1, tzinfo=UTC),
        zone=ZoneInfo("Europe/Rome"),
        language=language,
        known_names=("Dorothy", "Saverio"),
    )
    return nothing_but_a_name(analysis)


@pytest.mark.parametrize(("language", "query"), AT_LARGE)
def test_for_somebody(language: str, query: str) -> None:
    """How they are, what there is to tell."""
    assert _at_large(query, language)


@pytest.mark.parametrize(("language", "query"), IN_PARTICULAR)
def test_for_something_about_somebody(language: str, query: str) -> None:
    """Then what is near to the question answers it."""
    assert not _at_large(query, language)

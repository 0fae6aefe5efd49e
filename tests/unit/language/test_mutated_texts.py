"""What people write, cut, doubled and mixed with what nobody writes: reading it ends, and never fails."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fixtures.examples import at_most
from tests.support.factories import utterance

from ricordo.language.document import Document
from ricordo.language.event_times.extraction import MOST, event_times
from ricordo.language.facts.entity_names import is_name
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.language.query_analysis.query_parser import analyse
from ricordo.language.reading import NAME_KINDS, STATED, STATUSES, UNREAD, Reading, ReadStatement
from ricordo.language.reading import PREDICATES as READ_PREDICATES
from ricordo.memory.enrichment import enrich
from ricordo.memory.facts.read_statements import statements_of

_HERE: Final = Path(__file__).parent
_STATED: Final = [
    json.loads(line)["content"]
    for line in (_HERE / "facts/timed_sentences.jsonl").read_text("utf-8").splitlines()
]
_ASKED: Final = [
    line.rpartition("\t")[2]
    for line in (_HERE / "query_analysis/development.tsv").read_text("utf-8").splitlines()
]
_DATED: Final = [
    line.partition("\t")[0]
    for name in ("english", "italian")
    for line in (_HERE / f"temporal/{name}.tsv").read_text("utf-8").splitlines()
]
_WRITTEN: Final = sorted({*_STATED, *_ASKED, *_DATED} - {""})
_REAL: Final = st.integers(0, len(_WRITTEN) - 1).map(lambda n: _WRITTEN[n])
"""By number, since Hypothesis shows a strategy where it warns, and 30 kB of it are a warning of their own."""
_ODD: Final = st.sampled_from(
    [
        *(
            "\x00",
            "\N{COMBINING ACUTE ACCENT}",
            "\N{ZERO WIDTH JOINER}",
            "\N{LATIN SMALL LIGATURE FI}",
            "\U0010ffff",
        ),
        *"İ ß ٣ ² Ⅷ \r\n \u2028 ’ « ( <recalled> ``` … n't".split(" "),
        *("\U0010ffff", "\n> "),
        *("31/02/2026", "99:99", "29 febbraio 2025", "9999-12-31", "0001-01-01", "a.C.", "in the year 99999"),
        *("999999999 giorni fa", "in 999999999999 years", "1e400", "Of", "Van", "Della", "dell'", "da", "of"),
    ]
) | st.text(max_size=4)
_CUT: Final = st.tuples(st.floats(0, 1), st.integers(0, 12), _ODD | _REAL)
_MOMENTS: Final = st.sampled_from(
    [
        datetime(1, 1, 2, tzinfo=UTC),
        datetime(2024, 2, 29, 23, 59, tzinfo=UTC),
        datetime(2026, 2, 15, tzinfo=UTC),
        datetime(9999, 12, 30, tzinfo=UTC),
    ]
)
_ZONES: Final = st.sampled_from(["UTC", "Europe/Rome", "Pacific/Kiritimati", "Pacific/Pago_Pago"]).map(
    ZoneInfo
)
_LANGUAGES: Final = st.sampled_from(["it", "en", None])


def _mutated(text: str, cuts: list[tuple[float, int, str]]) -> str:
    for place, length, put in cuts:
        start = int(place * len(text))
        text = text[:start] + put + text[start + length :]
    return text


_TEXTS: Final = st.builds(
    lambda text, spell: spell(text),
    st.builds(_mutated, _REAL, st.lists(_CUT, max_size=4)),
    st.sampled_from([str, str.upper, str.lower, str.title, str.swapcase]),
)
_BOUNDED: Final = settings(
    max_examples=at_most(250), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@_BOUNDED
@given(_TEXTS, _MOMENTS, _ZONES, _LANGUAGES)
def test_any_question_is_understood(query: str, now: datetime, zone: ZoneInfo, language: str | None) -> None:
    found = analyse(query, now=now, zone=zone, language=language, known_names=["Nora", "van", "Anna Della"])
    assert len(set(found.entities)) == len(found.entities)
    assert bool(found.semantic_query) == bool(query)
    assert found.time is None or found.time.start < found.time.end
    assert found.time is None or not found.time.strict or found.intent == "temporal"


@st.composite
def _readings(draw: st.DrawFn, text: str) -> Reading:
    """Draw what a network could say of a text: anything, anywhere in it."""
    places = st.lists(st.integers(0, len(text)), min_size=2, max_size=2, unique=True).map(sorted)
    spans = places.map(tuple)
    statements = st.builds(
        ReadStatement,
        predicate=st.sampled_from((*READ_PREDICATES, STATED)),
        object=spans,
        clause=spans,
        of=st.sampled_from(("speaker", "named", "carried")),
        certainty=st.floats(0, 1),
        subject_at=st.integers(0, len(text)),
        status=st.sampled_from(STATUSES),
        denied=st.booleans(),
    )
    names = st.tuples(spans, st.sampled_from(NAME_KINDS)).map(lambda one: (one[0][0], one[0][1], one[1]))
    return replace(
        UNREAD,
        statements=tuple(draw(st.lists(statements, max_size=4))),
        names=tuple(draw(st.lists(names, max_size=3))),
    )


@_BOUNDED
@given(st.data(), _TEXTS.filter(bool), _MOMENTS, st.sampled_from(["it", "en", "de", ""]))
def test_any_reading_states_what_the_message_says(
    data: st.DataObject, content: str, at: datetime, language: str
) -> None:
    reading = data.draw(_readings(content))
    said = utterance(content, language=language, said_at=at, reading=reading)
    for statement in statements_of(said):
        assert content[slice(*statement.span)] == statement.quote
        assert statement.predicate in PREDICATES
        assert is_name(statement.subject)
        assert is_name(statement.object)


@_BOUNDED
@given(_TEXTS, _MOMENTS, _ZONES, st.sampled_from(["it", "en", "de", ""]))
def test_any_message_is_enriched(content: str, at: datetime, zone: ZoneInfo, language: str) -> None:
    document, present = Document(content, language), [content[:12], "Nora"]
    found = enrich(document, participants=present)
    assert 0 <= found.importance <= 1
    assert len(found.topics) <= 5
    assert len(found.title) <= 80
    assert found == enrich(document, participants=present)
    times = event_times(document, said_at=at, zone=zone)
    assert all(one.start < one.end for one in times)
    assert len(times) == len(set(times)) <= MOST

"""What queries ask for, in Italian and English; asked on Wednesday, 4 February 2026, in Rome."""

from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.query_analysis import Analysis, analyse

ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 2, 4, 15, 30, tzinfo=ROME)


def ask(query: str, known: Iterable[str] = (), language: str | None = None) -> Analysis:
    return analyse(query, now=NOW, zone=ROME, known_names=known, language=language)


def day(analysis: Analysis) -> tuple[str, str]:
    assert analysis.time is not None
    start, end = (i.astimezone(ROME).date().isoformat() for i in (analysis.time.start, analysis.time.end))
    return start, end


@pytest.mark.parametrize(
    ("query", "language"), [("Cosa abbiamo fatto ieri?", "it"), ("What did we do yesterday?", "en")]
)
def test_what_we_did_yesterday_is_only_yesterday(query: str, language: str) -> None:
    analysis = ask(query)
    assert (analysis.intent, analysis.language) == ("temporal", language)
    assert analysis.time is not None
    assert analysis.time.strict
    assert day(analysis) == ("2026-02-03", "2026-02-04")
    assert analysis.semantic_query == {"it": "Cosa abbiamo fatto", "en": "What did we do"}[language]


@pytest.mark.parametrize("query", ["Cosa sai di Davide?", "What do you know about Davide?"])
def test_what_is_known_of_someone(query: str) -> None:
    analysis = ask(query)
    assert (analysis.intent, analysis.entities, analysis.semantic_query) == ("entity", ("Davide",), "Davide")
    assert analysis.emotion_filter is None


@pytest.mark.parametrize("query", ["Cosa ti è piaciuto?", "What did you like?"])
def test_what_was_liked(query: str) -> None:
    analysis = ask(query)
    assert (analysis.intent, analysis.emotion_filter) == ("emotional", "positive")


@pytest.mark.parametrize("query", ["Come si fa X?", "How do you do X?", "How do I do X?"])
def test_how_something_is_done(query: str) -> None:
    analysis = ask(query)
    assert (analysis.intent, analysis.memory_types) == ("procedural", ("procedural",))


@pytest.mark.parametrize("query", ["Parlami di ABIOGENESIS", "Tell me about ABIOGENESIS"])
def test_a_topic(query: str) -> None:
    analysis = ask(query)
    assert (analysis.intent, analysis.topics, analysis.semantic_query) == (
        "topic",
        ("ABIOGENESIS",),
        "ABIOGENESIS",
    )


@pytest.mark.parametrize("query", ["Ciao, come stai?", "Hello, how are you?"])
def test_a_greeting(query: str) -> None:
    analysis = ask(query)
    assert (analysis.intent, analysis.time, analysis.entities, analysis.topics) == ("general", None, (), ())
    assert (analysis.analyser, analysis.fallback, analysis.archive) == ("rules", None, False)


@pytest.mark.parametrize(
    "query",
    [
        "Cosa abbiamo fatto ieri con Davide?",
        "what did I tell you last week",
        "Cosa mi hai detto la settimana scorsa?",
        "Di cosa abbiamo parlato lunedì?",
        "Where did we go last Saturday?",
        "Cosa abbiamo fatto il 3 gennaio?",
        "What did we talk about in December?",
        "Cosa ricordi di ieri?",
        "COSA ABBIAMO FATTO IERI?",
    ],
)
def test_a_date_filters_when_it_says_when_we_did_or_said_something(query: str) -> None:
    analysis = ask(query)
    assert analysis.intent == "temporal"
    assert analysis.time is not None
    assert analysis.time.strict


@pytest.mark.parametrize(
    "query",
    [
        "What did Maria donate in December?",
        "the trip of May 2023",
        "What did we say about the trip of May 2023?",
        "Cosa abbiamo detto della riunione di ieri?",
        "What did we decide in yesterday's meeting?",
        "Cosa ha detto Anna ieri?",
        "Ieri ho adottato un cane, si chiama Max!",
        "What did we do two months ago?",
        "What did I do in May 2023?",
    ],
)
def test_any_other_date_is_a_preference(query: str) -> None:
    analysis = ask(query)
    assert analysis.time is not None
    assert not analysis.time.strict


def test_a_filter_holds_the_last_day_that_was_named() -> None:
    assert day(ask("Cosa abbiamo fatto dal 3 al 5 gennaio?")) == ("2026-01-03", "2026-01-06")
    assert day(ask("La mostra dal 3 al 5 gennaio")) == ("2026-01-03", "2026-01-05")


@pytest.mark.parametrize(
    ("query", "known", "expected"),
    [
        ("cosa sai di davide", ["Davide"], ("Davide",)),
        ("what does maria de luca do", ["Maria De Luca", "Maria"], ("Maria De Luca",)),
        ("cosa dici del sole", ["Sole"], ("Sole",)),
        ("may I go", ["May"], ()),
        ("Come sta andando con Rossi Costruzioni?", [], ("Rossi Costruzioni",)),
        ("When did Maria and Luca go to Paris?", [], ("Maria", "Luca", "Paris")),
        ("Maria's birthday, and again Maria", [], ("Maria",)),
        ("Ricordi il viaggio?", [], ()),
        ("What happened on Monday in May?", [], ()),
        ("Il quadro di Leonardo da Vinci", [], ("Leonardo da Vinci",)),
        ("Siamo di Roma, Davide di Milano", [], ("Roma", "Davide", "Milano")),
        ("DOVE ABITA ANNA?", [], ()),
        ("DOVE ABITA ANNA?", ["Anna", ""], ("Anna",)),
    ],
)
def test_names(query: str, known: list[str], expected: tuple[str, ...]) -> None:
    assert ask(query, known).entities == expected


@pytest.mark.parametrize(
    ("query", "intent", "emotion"),
    [
        ("Cosa non mi è piaciuto?", "emotional", "negative"),
        ("Quando ero triste?", "emotional", "negative"),
        ("What did you not like?", "emotional", "negative"),
        ("How did I feel yesterday?", "emotional", None),
        ("What makes me happy?", "emotional", "positive"),
        ("What does Caroline like?", "entity", None),
        ("Cosa piace a Davide?", "entity", None),
        ("Mi piace la pizza", "general", None),
    ],
)
def test_feelings_asked_for_are_the_speakers_own(query: str, intent: str, emotion: str | None) -> None:
    analysis = ask(query)
    assert (analysis.intent, analysis.emotion_filter) == (intent, emotion)


def test_topics_are_the_phrase_and_its_words() -> None:
    assert ask("Parlami del progetto memoria").topics == ("progetto memoria", "progetto", "memoria")
    week = ask("Cosa abbiamo detto sul giardino la settimana scorsa?")
    assert (week.intent, week.topics, week.semantic_query) == (
        "temporal",
        ("giardino",),
        "Cosa abbiamo detto sul giardino",
    )


@pytest.mark.parametrize(
    ("query", "archive"),
    [
        ("Mostrami i ricordi archiviati", True),
        ("Cerca nell'archivio le ricette", True),
        ("What is in the archive about Rome?", True),
        ("show my old memories", True),
        ("Quanti anni ha il mio vecchio cane?", False),
        ("How old is Max?", False),
    ],
)
def test_the_archive_is_asked_for_by_name(query: str, archive: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert ask(query).archive is archive


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("Do you remember my birthday?", "my birthday"),
        ("Ti ricordi di Luca?", "Luca"),
        ("Can you tell me what I said about the garden last week?", "I said about the garden"),
        ("ieri", "ieri"),
        ("Parlami di", "Parlami di"),
        ("???", "???"),
        ("   ", "   "),
        ("", ""),
    ],
)
def test_the_semantic_query_is_what_is_left_to_search_for(query: str, left: str) -> None:
    assert ask(query).semantic_query == left


def test_the_language_may_be_given_or_unknown() -> None:
    assert ask("ieri", language="it-IT").time is not None
    assert ask("ieri", language="en").time is None
    assert ask("yesterday", language="fr").language == "en"


@pytest.mark.parametrize(
    ("query", "name"),
    [("Where does Van live?", "Van"), ("Chi è Von?", "Von"), ("What did I tell Della", "Della")],
)
def test_a_name_that_is_part_of_names_stands_alone_too(query: str, name: str) -> None:
    assert ask(query).entities == (name,)


def test_a_naive_moment_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        analyse("ieri", now=datetime(2026, 2, 4), zone=ROME)  # noqa: DTZ001 - the point of the test


@given(
    query=st.text()
    | st.lists(
        st.sampled_from(
            "Cosa ieri Davide parlami di come si fa abbiamo fatto ? ! maggio what did we about last".split()
        )
    ).map(" ".join),
    now=st.datetimes(timezones=st.just(UTC)),
    known=st.lists(st.text(max_size=8), max_size=4),
)
def test_any_query_is_analysed(query: str, now: datetime, known: list[str]) -> None:
    analysis = analyse(query, now=now, zone=ROME, known_names=known)
    assert bool(analysis.semantic_query) == bool(query)
    assert len(set(analysis.entities)) == len(analysis.entities)
    if analysis.time is not None:
        assert analysis.time.start < analysis.time.end
        assert not (analysis.time.strict and analysis.intent != "temporal")


@pytest.mark.parametrize(
    "piece", ["!", "ieri ", "parlami di ", "how ", "Come si fa ", "A", "\n", "come ", "di "]
)
def test_a_long_query_is_analysed_by_its_beginning(piece: str) -> None:
    query = (piece * 32_768)[:32_768]
    assert ask(query).semantic_query


@pytest.mark.parametrize(
    "query",
    [
        "What happened yesterday?",
        "So, what else happened on Sunday?",
        "Cosa è successo ieri?",
        "Che cosa mi è successo lunedì?",
        "E ieri, che è successo di bello?",
    ],
)
def test_whatever_happened_on_a_day_happened_on_that_day(query: str) -> None:
    analysis = ask(query)
    assert analysis.intent == "temporal"
    assert analysis.time is not None
    assert analysis.time.strict


@pytest.mark.parametrize(
    "query", ["What happened at the party yesterday?", "What happened to Ruth last week?"]
)
def test_what_happened_to_somebody_or_somewhere_may_be_told_later(query: str) -> None:
    analysis = ask(query)
    assert analysis.time is not None
    assert not analysis.time.strict

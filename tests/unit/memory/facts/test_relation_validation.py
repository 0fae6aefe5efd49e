"""What a language model says of a message counts as far as the message has it, asserts it and names whom."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.memory.facts.validation import AT, Claim, heard

from ricordo.language.facts.kinship import PRESUMED
from ricordo.memory.facts import PREDICATES, Polarity, Statement, extract
from ricordo.memory.facts.relation_validation import RecognisedEntity, RelationFault


def added(text: str, *claims: Claim, language: str = "en") -> list[tuple[str, str, str, str]]:
    found = heard(text, *claims, language=language)
    assert found.faults == ()
    assert found.added == len(claims)
    return [(one.subject, one.predicate, one.object, one.polarity) for one in found.statements]


BORNE_OUT: list[tuple[str, str, Claim, tuple[str, str, str, str]]] = [
    (
        "it",
        "Marta si è innamorata del tango.",
        ("Marta", "likes", "tango", "si è innamorata del tango"),
        ("Marta", "likes", "tango", "holds"),
    ),
    (
        "it",
        "Marta si è innamorata dell'arrampicata.",
        ("Marta", "likes", "l'arrampicata", "si è innamorata dell'arrampicata"),
        ("Marta", "likes", "arrampicata", "holds"),
    ),
    (
        "it",
        "Ho messo radici a La Spezia.",
        ("user", "lives_in", "a La Spezia", "messo radici a La Spezia"),
        ("user", "lives_in", "La Spezia", "holds"),
    ),
    (
        "it",
        "Ai tempi dell’università Nora dava una mano al canile.",
        ("Nora", "works_at", "canile", "dava una mano al canile", True),
        ("Nora", "works_at", "canile", "past"),
    ),
    (
        "en",
        "I wouldn't touch cilantro, I don't care for cilantro.",
        ("user", "dislikes", "cilantro", "don't care for cilantro"),
        ("user", "dislikes", "cilantro", "holds"),
    ),
    (
        "en",
        "Nora  goes by the   NAME of Zoë at the Globe.",
        ("Nora", "works_at", "the globe", "at the globe"),
        ("Nora", "works_at", "Globe", "holds"),
    ),
    (
        "en",
        "Ever since then Tom hasn't earned his keep at Ferrari any more.",
        ("Tom", "works_at", "Ferrari", "hasn't earned his keep at Ferrari any more", True),
        ("Tom", "works_at", "Ferrari", "past"),
    ),
    (
        "de",
        "Ich wohne jetzt in Berlin. Und du?",
        ("user", "lives_in", "Berlin", "Ich wohne jetzt in Berlin"),
        ("user", "lives_in", "Berlin", "holds"),
    ),
]


@pytest.mark.parametrize(("language", "text", "claim", "expected"), BORNE_OUT)
def test_what_the_message_bears_out_is_added(
    language: str, text: str, claim: Claim, expected: tuple[str, str, str, str]
) -> None:
    assert added(text, claim, language=language) == [expected]


DROPPED: list[tuple[RelationFault, str, str, Claim]] = [
    (RelationFault.PREDICATE, "en", "Nora wed Tom.", ("Nora", "MARRIED_TO", "Tom", "Nora wed Tom")),
    (RelationFault.PREDICATE, "en", "Nora wed Tom.", ("Nora", "Partner", "Tom", "Nora wed Tom")),
    (RelationFault.PREDICATE, "en", "Nora wed Tom.", ("Nora", "", "Tom", "Nora wed Tom")),
    (RelationFault.QUOTE, "en", "Nora wed Tom.", ("Nora", "partner", "Tom", "Nora is married to Tom")),
    (RelationFault.QUOTE, "en", "Nora wed Tom.", ("Nora", "partner", "Tom", "")),
    (RelationFault.QUOTE, "en", "Nora wed Tom.", ("Nora", "partner", "Tom", "…")),
    (RelationFault.QUOTE, "en", "Nora wed Tomas.", ("Nora", "partner", "Tom", "Nora wed Tom")),
    (RelationFault.QUOTE, "en", "a " * 400, ("user", "likes", "a", "a " * 400)),
    (RelationFault.SUBJECT, "en", "Nora wed Tom.", ("Leonora", "partner", "Tom", "Nora wed Tom")),
    (RelationFault.SUBJECT, "en", "She wed Tom.", ("She", "partner", "Tom", "She wed Tom")),
    (
        RelationFault.SUBJECT,
        "en",
        "We wed in Bath, says my aunt.",
        ("aunt", "visited", "Bath", "We wed in Bath"),
    ),
    (RelationFault.SUBJECT, "it", "Lui ha sposato Ada.", ("Lui", "partner", "Ada", "Lui ha sposato Ada")),
    (
        RelationFault.SUBJECT,
        "it",
        "marta fa la maestra",
        ("marta", "works_as", "maestra", "marta fa la maestra"),
    ),
    (RelationFault.SUBJECT, "en", "x" * 300, ("x" * 300, "likes", "x", "x" * 300)),
    (RelationFault.OBJECT, "en", "Nora wed Tom.", ("Nora", "partner", "Thomas", "Nora wed Tom")),
    (RelationFault.OBJECT, "en", "Nora wed Tom.", ("Nora", "partner", "", "Nora wed Tom")),
    (RelationFault.OBJECT, "en", "Nora wed Tom.", ("Nora", "partner", "Nora", "Nora wed Tom")),
    (RelationFault.OBJECT, "en", "Nora adores it.", ("Nora", "likes", "it", "Nora adores it")),
    (RelationFault.OBJECT, "it", "Nora adora questo.", ("Nora", "likes", "questo", "Nora adora questo")),
    (RelationFault.OBJECT, "en", "Rome.", ("user", "lives_in", "Rome", "Rome")),
    (RelationFault.OBJECT, "en", "Nora turned 320.", ("Nora", "age", "320", "Nora turned 320")),
    (RelationFault.OBJECT, "en", "Nora grew old.", ("Nora", "age", "old", "Nora grew old")),
    (RelationFault.UNSTATED, "en", "Does Nora fancy Tom?", ("Nora", "partner", "Tom", "Nora fancy Tom")),
    (RelationFault.UNSTATED, "en", "I wish Nora wed Tom.", ("Nora", "partner", "Tom", "Nora wed Tom")),
    (RelationFault.UNSTATED, "en", "If Nora wed Tom, I'd cry.", ("Nora", "partner", "Tom", "Nora wed Tom")),
    (RelationFault.UNSTATED, "en", "Nora never wed Tom.", ("Nora", "partner", "Tom", "Nora never wed Tom")),
    (RelationFault.UNSTATED, "en", "Nora never wed Tom.", ("Nora", "partner", "Tom", "wed Tom")),
    (RelationFault.UNSTATED, "en", "Nora owns no boat.", ("Nora", "owns", "boat", "Nora owns no boat")),
    (
        RelationFault.UNSTATED,
        "en",
        "Nora no longer wows Tom.",
        ("Nora", "friend", "Tom", "Nora no longer wows Tom"),
    ),
    (RelationFault.UNSTATED, "en", 'Ann said "Nora went and wed Tom"', ("Nora", "partner", "Tom", "wed Tom")),
    (RelationFault.UNSTATED, "en", "Nora wed Tom, just kidding!", ("Nora", "partner", "Tom", "Nora wed Tom")),
    (
        RelationFault.UNSTATED,
        "it",
        "Vorrei mettere radici a Roma.",
        ("user", "lives_in", "Roma", "radici a Roma"),
    ),
    (RelationFault.UNSTATED, "it", "Hai messo radici a Roma?", ("user", "lives_in", "Roma", "radici a Roma")),
    (
        RelationFault.UNSTATED,
        "it",
        "Se metto radici a Roma, brindo.",
        ("user", "lives_in", "Roma", "radici a Roma"),
    ),
    (RelationFault.UNSTATED, "it", "Non ho nessun cane.", ("user", "has_pet", "cane", "ho nessun cane")),
    (
        RelationFault.UNSTATED,
        "it",
        "Marta non insegna al Galilei.",
        ("Marta", "works_at", "Galilei", "al Galilei"),
    ),
    (RelationFault.UNSTATED, "de", "Wohnst du in Berlin?", ("user", "lives_in", "Berlin", "du in Berlin")),
    (
        RelationFault.UNSTATED,
        "en",
        "From next Monday Nora will be on staff at Ferrari.",
        ("Nora", "works_at", "Ferrari", "From next Monday Nora will be on staff at Ferrari"),
    ),
]


@pytest.mark.parametrize(("fault", "language", "text", "claim"), DROPPED)
def test_what_it_does_not_bear_out_is_dropped(
    fault: RelationFault, language: str, text: str, claim: Claim
) -> None:
    found = heard(text, claim, language=language)
    assert (found.statements, found.added, found.faults) == ((), 0, (fault,))


def ruled(
    text: str, predicate: str, value: str, polarity: Polarity = "holds", subject: str = "user"
) -> tuple[Statement, ...]:
    """Return what the rules have read of a text, quoting all of it."""
    return (Statement(subject, predicate, value, text, (0, len(text)), polarity),)


@pytest.mark.parametrize(
    ("rules", "claim"),
    [
        (("lives_in", "Rome"), ("user", "lives_in", "Ostia", "live in Rome, near Ostia")),
        (("dislikes", "Ostia"), ("user", "likes", "Ostia", "near Ostia")),
        (("likes", "Ostia"), ("user", "dislikes", "Ostia", "near Ostia")),
        (("lives_in", "Ostia", "past"), ("user", "lives_in", "Ostia", "near Ostia")),
    ],
)
def test_where_the_rules_read_otherwise_they_are_right(
    rules: tuple[str, str] | tuple[str, str, Polarity], claim: Claim
) -> None:
    text = "I live in Rome, near Ostia."
    stated = ruled(text, *rules)
    found = heard(text, claim, rules=stated)
    assert (found.statements, found.added, found.faults) == (stated, 0, (RelationFault.CONTESTED,))


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("I sold my Vespa.", "owns", "Vespa"),
        ("I gave up the piano.", "plays", "piano"),
        ("Ho venduto la Panda.", "owns", "Panda"),
    ],
)
def test_an_ending_that_rules_speak_against_is_learned_from_a_model(
    text: str, predicate: str, value: str
) -> None:
    language = "it" if text.startswith("Ho") else "en"
    rules = extract(text, language=language, presumed=True, denied=True)
    heard_past = heard(text, ("user", predicate, value, text, True), language=language, rules=rules)
    assert [(one.polarity, one.object) for one in heard_past.statements if one.predicate == predicate] == [
        ("past", value)
    ]
    heard_still = heard(text, ("user", predicate, value, text), language=language, rules=rules)
    assert heard_still.faults == (RelationFault.CONTESTED,)


def test_what_holds_many_values_is_not_contested() -> None:
    text = "I like tea, and coffee grew on me."
    found = heard(text, ("user", "likes", "coffee", "coffee grew on me"), rules=ruled(text, "likes", "tea"))
    assert [one.object for one in found.statements] == ["tea", "coffee"]


def test_what_the_rules_have_read_is_not_said_again() -> None:
    text = "Ho un cane che si chiama Max e adoro la pizza con le cipolle."
    rules = (*ruled(text, "has_pet", "Max"), *ruled(text, "likes", "pizza con le cipolle"))
    claims: list[Claim] = [
        ("user", "has_pet", "max", "un cane che si chiama Max"),
        ("User", "likes", "la pizza", "adoro la pizza"),
    ]
    found = heard(text, *claims, language="it", rules=rules)
    assert (found.statements, found.added, found.faults) == (rules, 0, ())


def test_statements_come_in_the_order_of_the_text() -> None:
    text = "Nora went and wed Tom. I live in Rome. Ada got hooked on chess."
    found = heard(
        text,
        ("Ada", "likes", "chess", "Ada got hooked on chess"),
        ("Nora", "partner", "Tom", "Nora went and wed Tom"),
        rules=(Statement("user", "lives_in", "Rome", "I live in Rome", (23, 37)),),
    )
    assert [one.object for one in found.statements] == ["Tom", "Rome", "chess"]
    assert all(text[slice(*one.span)] == one.quote for one in found.statements)


def test_who_is_tied_to_the_user_stays_so() -> None:
    text = "My sister Nora got hooked on chess."
    rules = extract(text, language="en")
    assert [one.object_tie for one in rules if one.object == "Nora"] != [""]
    found = heard(text, ("Nora", "likes", "chess", "Nora got hooked on chess"), rules=rules)
    (chess,) = (one for one in found.statements if one.object == "chess")
    assert [chess.subject_tie] == [one.object_tie for one in rules if one.object == "Nora"]


def test_a_name_without_a_capital_needs_somebody_who_recognised_it() -> None:
    claim = ("marta", "works_as", "la maestra", "marta fa la maestra")
    seen = (RecognisedEntity(0, 5, "person", 0.8),)
    found = heard("marta fa la maestra", claim, language="it", entities=seen)
    assert [(one.subject, one.object) for one in found.statements] == [("marta", "maestra")]


def test_the_writer_is_no_third_person() -> None:
    claim = ("Davide", "lives_in", "Ostia", "abito vicino a Ostia")
    found = heard("Sono Davide, abito vicino a Ostia.", claim, language="it", speaker="davide")
    assert found.faults == (RelationFault.SUBJECT,)


MESSI = "Messi got hooked on chess."
CURIE = "Marie Curie got hooked on chess."


@pytest.mark.parametrize(
    ("text", "subject", "entities", "tie"),
    [
        (MESSI, "Messi", (), PRESUMED),
        (MESSI, "Messi", (RecognisedEntity(0, 5, "person", 0.9),), PRESUMED),
        (MESSI, "Messi", (RecognisedEntity(0, 5, "animal", 0.9),), ""),
        (CURIE, "Marie Curie", (), PRESUMED),
        (CURIE, "Marie Curie", (RecognisedEntity(0, 11, "person", 0.9),), PRESUMED),
        ("Marie C. got hooked on chess.", "Marie C", (), ""),
        ("Kjell got hooked on chess.", "Kjell", (), PRESUMED),
        ("Kjell got hooked on chess.", "Kjell", (RecognisedEntity(0, 5, "person", 0.9),), ""),
    ],
)
def test_people_whom_one_reads_of_are_presumed_to_be_strangers(
    text: str, subject: str, entities: tuple[RecognisedEntity, ...], tie: str
) -> None:
    found = heard(text, (subject, "likes", "chess", "got hooked on chess"), entities=entities)
    assert [one.subject_tie for one in found.statements] == [tie]


@pytest.mark.parametrize("claimed", ["eighty-two", "82"])
def test_an_age_is_told_in_figures(claimed: str) -> None:
    text = "Word is that Nora hit eighty-two in May."
    assert added(text, ("Nora", "age", claimed, "Nora hit eighty-two")) == [("Nora", "age", "82", "holds")]


def test_since_when_it_holds_is_read_from_the_words() -> None:
    text = "Dal 2019 Marta si guadagna da vivere come fotografa."
    found = heard(text, ("Marta", "works_as", "fotografa", text[:-1]), language="it")
    (stated,) = found.statements
    assert stated.valid_from == datetime(2019, 1, 1, tzinfo=UTC)


def test_names_that_look_like_code_are_names() -> None:
    text = "Luca'}) DETACH DELETE n // ha messo radici a Pisa"
    found = heard(
        text,
        ("Luca", "lives_in", "Pisa", "ha messo radici a Pisa"),
        ("Luca'}) DETACH DELETE n //", "lives_in", "Pisa", "ha messo radici a Pisa"),
        language="it",
    )
    assert [(one.subject, one.object) for one in found.statements] == [("Luca", "Pisa")]
    assert found.faults == (RelationFault.SUBJECT,)


def test_only_so_many_claims_are_looked_at() -> None:
    found = heard("Nora wed Tom.", *[("Nora", "MARRIED_TO", "Tom", "Nora wed Tom")] * 100)
    assert len(found.faults) < 20


TEXTS = st.one_of(
    st.text(max_size=80),
    st.sampled_from([claim[1] for claim in BORNE_OUT] + [claim[2] for claim in DROPPED]),
)
WORDS = ["user", "Nora", "Tom", "Roma", "wed Tom", "(?<x", "'"]
PARTS = st.one_of(st.text(max_size=40), st.sampled_from(WORDS))
PREDICATE = st.one_of(PARTS, st.sampled_from(sorted(PREDICATES)))
CLAIMS = st.lists(st.tuples(PARTS, PREDICATE, PARTS, PARTS, st.booleans()))


@given(TEXTS, st.sampled_from(["it", "en", "de", ""]), CLAIMS)
def test_whatever_is_said_no_more_comes_of_it_than_the_message_has(
    text: str, language: str, claims: list[Claim]
) -> None:
    rules = extract(text, language=language, at=AT)
    found = heard(text, *claims, language=language, rules=rules)
    assert len(found.statements) == found.added + len(rules)
    assert set(rules) <= set(found.statements)
    for one in set(found.statements) - set(rules):
        assert one.predicate in PREDICATES
        assert text[slice(*one.span)] == one.quote != ""
        assert one.subject == "user" or one.subject in text

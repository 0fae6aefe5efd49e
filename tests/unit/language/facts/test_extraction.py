"""Statements are read from Italian and English, precision first."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.facts import PREDICATES, extract, normalise

Triple = tuple[str, str, str, str]

Sentence = dict[str, Any]


def read(name: str) -> list[Sentence]:
    return [json.loads(line) for line in Path(__file__).with_name(name).read_text("utf-8").splitlines()]


SENTENCES = read("sentences.jsonl")
# Written before the grammars were tried on them; what these then got wrong was mended afterwards.
FURTHER = read("further_sentences.jsonl")
# Written by somebody who had not seen the grammars; what these then got wrong was mended afterwards.
UNSEEN = read("unseen_sentences.jsonl")
# As people write in chats: written before the grammars were tried on them, mended by afterwards.
CHAT = read("chat_sentences.jsonl")
# By a third writer, half of them measured at first sight; mended by since.
LATER = read("later_sentences.jsonl")
# Written by somebody who had not seen the grammars, and not mended by: what sentences never seen are worth.
BLIND = read("blind_sentences.jsonl")


def triples(content: str, language: str | None = None) -> set[Triple]:
    return {
        (normalise(s.subject), s.predicate, normalise(s.object), s.polarity)
        for s in extract(content, language=language)
    }


def expected(sentence: Sentence) -> set[Triple]:
    return {
        (normalise(f["subject"]), f["predicate"], normalise(f["object"]), f["polarity"])
        for f in sentence["facts"]
    }


def test_the_development_set_is_large_and_half_of_it_states_nothing() -> None:
    assert len(SENTENCES) >= 200
    assert 0.4 <= sum(not s["facts"] for s in SENTENCES) / len(SENTENCES) <= 0.6
    for language in ("en", "it"):
        assert {f["predicate"] for s in SENTENCES if s["language"] == language for f in s["facts"]} >= {
            *("name", "age", "lives_in", "works_at", "works_as", "likes", "dislikes", "has_pet", "speaks"),
            "allergic_to",
        }


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("told", [True, False], ids=["told", "recognised"])
def test_recall_and_precision_on_the_development_set(language: str, *, told: bool) -> None:
    precision, recall = figures(SENTENCES, language, told=told)
    assert precision >= 0.97
    assert recall >= 0.95


def figures(sentences: Sequence[Sentence], language: str, *, told: bool = True) -> tuple[float, float]:
    right = found = wanted = 0
    for sentence in (s for s in sentences if s["language"] == language):
        want, got = expected(sentence), triples(sentence["content"], language if told else None)
        right, found, wanted = right + len(want & got), found + len(got), wanted + len(want)
    return right / found, right / wanted


@pytest.mark.parametrize("language", ["en", "it"])
def test_recall_and_precision_on_the_later_set(language: str) -> None:
    precision, recall = figures(LATER, language)
    assert precision >= 0.95
    assert recall >= 0.9


@pytest.mark.parametrize("language", ["en", "it"])
def test_recall_and_precision_on_the_further_set(language: str) -> None:
    assert sum(s["language"] == language for s in FURTHER) >= 100
    precision, recall = figures(FURTHER, language)
    assert precision >= 0.95
    assert recall >= 0.95


@pytest.mark.parametrize("language", ["en", "it"])
def test_recall_and_precision_on_what_the_grammars_had_not_seen(language: str) -> None:
    of_it = [sentence for sentence in UNSEEN if sentence["language"] == language]
    assert sum(not sentence["facts"] for sentence in of_it) == len(of_it) / 2 == 80
    precision, recall = figures(UNSEEN, language)
    assert precision >= 0.97
    assert recall >= 0.97


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("told", [True, False], ids=["told", "recognised"])
def test_recall_and_precision_on_what_the_grammars_have_never_seen(language: str, *, told: bool) -> None:
    of_it = [sentence for sentence in BLIND if sentence["language"] == language]
    assert sum(not sentence["facts"] for sentence in of_it) == len(of_it) / 2 == 100
    precision, recall = figures(BLIND, language, told=told)
    assert precision >= 0.90
    assert recall >= 0.70


@pytest.mark.parametrize("language", ["en", "it"])
def test_recall_and_precision_on_chats(language: str) -> None:
    of_it = [sentence for sentence in CHAT if sentence["language"] == language]
    assert len(of_it) >= 150
    assert 0.4 <= sum(not sentence["facts"] for sentence in of_it) / len(of_it) <= 0.6
    precision, recall = figures(CHAT, language)
    assert precision >= 0.97
    assert recall >= 0.94


@pytest.mark.parametrize(
    "content",
    [
        "Domani arriva mia sorella Nora da Lisbona.",
        "Mia sorella Nora di Lisbona arriva domani.",
        "Ieri mia sorella Nora in Portogallo ha visto il mare.",
    ],
)
def test_where_somebody_is_from_is_no_part_of_their_name(content: str) -> None:
    assert triples(content, "it") == {("user", "has_sibling", "nora", "holds")}


def test_a_place_keeps_its_particle() -> None:
    assert triples("Vivo a San Giovanni in Persiceto.", "it") == {
        ("user", "lives_in", "san giovanni in persiceto", "holds")
    }


@pytest.mark.parametrize(
    ("content", "language", "place"),
    [
        ("Vivo a L'Aquila.", "it", "L'Aquila"),
        ("Mi sono trasferita all'Aquila.", "it", "L'Aquila"),
        ("Abito alla Spezia.", "it", "La Spezia"),
        ("abito a la spezia", "it", "La Spezia"),
        ("Vivo a La Loggia.", "it", "La Loggia"),
        ("I live in the Hague.", "en", "The Hague"),
        ("I live in the Netherlands.", "en", "Netherlands"),
    ],
)
def test_a_place_keeps_the_article_of_its_name(content: str, language: str, place: str) -> None:
    assert [s.object for s in extract(content, language=language)] == [place]


def test_a_possessive_is_a_name_only_where_it_possesses_nothing() -> None:
    assert triples("Ho una figlia, Mia, di otto anni.", "it") == {("user", "has_child", "mia", "holds")}
    assert triples("Ho una figlia. Mia sorella no.", "it") == {("user", "has_child", "figlia", "holds")}


@pytest.mark.parametrize(
    ("content", "language", "fact"),
    [
        ("Cesare lavora alla Fiat.", "it", ("cesare", "works_at", "fiat", "holds")),
        ("Adele lives in Rome.", "en", ("adele", "lives_in", "rome", "holds")),
    ],
)
def test_a_given_name_is_of_somebody_one_knows_though_a_famous_one_bears_it(
    content: str, language: str, fact: Triple
) -> None:
    assert triples(content, language) == {fact}


@pytest.mark.parametrize(
    ("content", "language"),
    [
        ("Il capo di mia moglie si chiama Dino.", "it"),
        ("La badante di mia nonna si chiama Oksana e viene da Leopoli.", "it"),
        ("La maestra di mio figlio, Rosa, vive a Bari.", "it"),
        ("My son's teacher, Mrs Okafor, lives in Glasgow.", "en"),
        ("My brother's wife, Lena, is a dentist.", "en"),
    ],
)
def test_what_is_said_of_a_persons_people_is_not_said_of_the_person(content: str, language: str) -> None:
    assert triples(content, language) == set()


@pytest.mark.parametrize(
    ("content", "language", "facts"),
    [
        (
            "My sister is ill. Joel's sister Karen lives in Leeds.",
            "en",
            {("joel", "has_sibling", "karen"), ("karen", "lives_in", "leeds")},
        ),
        ("La moglie di Gaetano si chiama Silke.", "it", {("gaetano", "partner", "silke")}),
        (
            "My brother Tom's wife is called Lena.",
            "en",
            {("user", "has_sibling", "tom"), ("tom", "partner", "lena")},
        ),
    ],
)
def test_the_people_of_named_people_are_never_the_users(
    content: str, language: str, facts: set[tuple[str, str, str]]
) -> None:
    found = extract(content, language=language, presumed=True, denied=True)
    assert {(normalise(s.subject), s.predicate, normalise(s.object)) for s in found} == facts
    assert all(s.object_tie == "" for s in found if s.subject != "user")
    assert all(s.subject_tie == "" for s in found if s.subject in ("Karen", "Silke", "Lena"))


@pytest.mark.parametrize(
    ("content", "language"),
    [
        ("My name is not Tanya, it's Tamsin.", "en"),
        ("I'm not Tanya, I'm Tamsin.", "en"),
        ("my name isn't tanya but tamsin", "en"),
        ("Il mio nome non è Tanya ma Tamsin.", "it"),
        ("Non mi chiamo Tanya, mi chiamo Tamsin.", "it"),
        ("Non mi chiamo Tanya ma Tamsin.", "it"),
    ],
)
def test_a_name_is_corrected(content: str, language: str) -> None:
    found = {(s.object.lower(), s.polarity) for s in extract(content, language=language, denied=True)}
    assert found == {("tanya", "denied"), ("tamsin", "holds")}


def test_somebody_called_user_is_not_the_user() -> None:
    assert ("user", "lives_in", "oslo", "holds") not in triples("My friend User lives in Oslo.", "en")


@pytest.mark.parametrize("content", ["We had a baby girl, Nia.", "I had a baby girl called Nia in May."])
def test_a_birth_is_not_over(content: str) -> None:
    assert ("user", "has_child", "nia", "holds") in triples(content, "en")


def test_statements_carry_their_quote() -> None:
    content = "Good morning. My sister Nora lives in Dublin, and I hate rain!"
    for statement in extract(content, language="en"):
        begin, end = statement.span
        assert content[begin:end] == statement.quote
        assert statement.object in statement.quote


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_only_the_user_states_facts(role: str) -> None:
    assert extract("I live in Rome.", language="en", role=role) == ()


def test_a_language_without_a_grammar_states_nothing() -> None:
    assert extract("Ich wohne in Berlin.", language="de") == ()


def test_a_wrong_language_tag_is_overruled_by_the_text() -> None:
    assert ("user", "has_pet", "max", "holds") in triples("Ieri ho adottato un cane, si chiama Max!", "en")


def test_the_writer_is_no_third_person() -> None:
    assert extract("Davide vive a Roma.", language="it", speaker="Davide") == ()


@pytest.mark.parametrize(
    "content", ["", " ", "\n\n", "?", "...", "🐶🐱", "I", "my", "il mio", "I'm", "'s", "è", "(", "\x00\x01"]
)
def test_scraps_state_nothing(content: str) -> None:
    assert extract(content, language="en") == extract(content, language="it") == ()


@pytest.mark.parametrize(
    "name",
    [
        "O'Brien",
        'Max "the cat"',
        "Ma{x}",
        "Rex`",
        "X]->() DETACH DELETE n //",
        "Z\x07oe",
        "D'Angelo",
        "Ada\u202e",
    ],
)
def test_odd_names_do_no_harm(name: str) -> None:
    for statement in extract(f"I have a dog called {name}. My sister {name} lives in Dublin.", language="en"):
        assert statement.predicate in PREDICATES
        assert statement.object.strip()


def test_a_message_with_two_hundred_facts() -> None:
    content = " ".join(
        f"I have a dog called Rex{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10]}." for n in range(100)
    )
    content += " " + " ".join(f"Mi piace la frutta{n}." for n in range(100))
    english = extract(content, language="en")
    assert len({s.object for s in english if s.predicate == "has_pet"}) == 100
    italian = " ".join(f"Mi piace il libro{n}." for n in range(200))
    assert len(extract(italian, language="it")) == 200


def test_code_addresses_mails_and_recalled_text_are_not_the_writers_words() -> None:
    content = (
        "```\nI live in Rome\n``` see https://x.example/I-live-in-Oslo\n> I live in Paris\n"
        '<recalled id="1">I live in Bari</recalled> I live in Turin.'
    )
    assert triples(content, "en") == {("user", "lives_in", "turin", "holds")}


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from("my I am 's n't dog Max , . and che il mio non vivo a Roma ( \"".split())).map(
        " ".join
    )
)
def test_whatever_is_written_reading_it_is_safe(content: str) -> None:
    for language in ("en", "it", None):
        for statement in extract(content, language=language):
            assert statement.predicate in PREDICATES
            assert content[slice(*statement.span)] == statement.quote

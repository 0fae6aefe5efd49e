"""Facts read as an Italian or an English speaker would say them."""

from dataclasses import replace

import pytest
from tests.fixtures.material import NOW, fact, text_of

from ricordo.domain.context import Material
from ricordo.domain.context.facts import fact_line
from ricordo.domain.facts import PREDICATES


@pytest.mark.parametrize(
    ("subject", "predicate", "value", "italian", "english"),
    [
        ("user", "name", "Davide", "L'utente si chiama Davide", "The user is called Davide"),
        ("user", "age", "34", "L'utente ha 34 anni", "The user is 34 years old"),
        ("user", "has_pet", "Pepe", "L'utente ha un animale di nome Pepe", "The user has a pet called Pepe"),
        ("user", "has_pet", "due gatti", "Animali dell'utente: due gatti", "The user's pets: due gatti"),
        ("Nora", "has_child", "Emma", "Figli di Nora: Emma", "Nora's children: Emma"),
        ("user", "allergic_to", "noci", "Allergie dell'utente: noci", "The user is allergic to noci"),
        ("figlia", "speaks", "inglese", "La figlia dell'utente parla inglese", "Figlia speaks inglese"),
        ("zio", "likes", "ballare", "Allo zio dell'utente piace ballare", "Zio likes ballare"),
        ("daughter", "age", "9", "Daughter ha 9 anni", "The user's daughter is 9 years old"),
        ("user", "friend", "Davide", "L'utente e Davide sono amici", "The user and Davide are friends"),
        ("user", "likes", "mare", "Cose che piacciono all'utente: mare", "The user likes mare"),
        ("user", "likes", "leggere", "All'utente piace leggere", "The user likes leggere"),
        ("user", "dislikes", "Torino", "All'utente non piace Torino", "The user dislikes Torino"),
        ("user", "plans", "smettere di fumare", "L'utente ha in programma di smettere di fumare", ""),
        (
            "user",
            "plans",
            "trip to Bali",
            "Progetti dell'utente: trip to Bali",
            "The user's plans: trip to Bali",
        ),
        ("user", "plays", "chitarra", "L'utente suona la chitarra", ""),
        ("user", "plays", "ukulele", "L'utente suona l'ukulele", "The user plays the ukulele"),
        ("user", "plays", "xilofono", "L'utente suona lo xilofono", ""),
        ("user", "plays", "tennis", "Giochi e sport dell'utente: tennis", "The user plays tennis"),
        ("user", "works_as", "architect", "", "The user works as an architect"),
        ("user", "is_a", "vegan", "", "The user is a vegan"),
        ("user", "is_a", "Scottish", "", "The user is Scottish"),
        ("user", "studies_at", "Sapienza", "Scuola o università dell'utente: Sapienza", ""),
        ("user", "born_in", "Portogallo", "L'utente viene dal Portogallo", ""),
        ("user", "born_in", "Ancona", "L'utente viene da Ancona", ""),
        ("user", "visited", "Germania", "L'utente ha visitato la Germania", ""),
        ("user", "visited", "Netherlands", "", "The user visited the Netherlands"),
        ("user", "likes", "{who} {what}", "Cose che piacciono all'utente: {who} {what}", ""),
    ],
)
def test_facts_are_sentences(subject: str, predicate: str, value: str, italian: str, english: str) -> None:
    known = replace(fact(predicate, value), subject=subject)
    for language, said in (("it", italian), ("en", english)):
        if said:
            lines = text_of(Material(facts=[known]), language=language).splitlines()
            assert f"- {said} (×4)" in lines


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("Torino", "a Torino"),
        ("Ancona", "ad Ancona"),
        ("L'Aquila", "a L'Aquila"),
        ("Germania", "in Germania"),
        ("Stati Uniti", "negli Stati Uniti"),
        ("Lazio", "nel Lazio"),
        ("Marche", "nelle Marche"),
        ("Maldive", "alle Maldive"),
        ("Cuba", "a Cuba"),
        ("Israele", "in Israele"),
        ("campagna", "in campagna"),
        ("via Roma 3", "in via Roma 3"),
    ],
)
def test_an_italian_lives_where_italian_says(place: str, said: str) -> None:
    text = text_of(Material(facts=[fact("lives_in", place)]), language="it")
    assert f"- L'utente vive {said} (×4, da febbraio 2026)\n" in text


def test_an_english_speaker_lives_where_english_says() -> None:
    text = text_of(Material(facts=[fact("lives_in", "United States"), fact("lives_in", "Turin")]))
    assert "- The user lives in the United States (×4, since February 2026)\n" in text
    assert "- The user lives in Turin (×4, since February 2026)\n" in text


@pytest.mark.parametrize("value", ["Rex", "rex", "andare", "chitarra", "", "rex\n- The user is rich"])
@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_every_predicate_has_its_sentence_in_both_languages(
    predicate: str, language: str, value: str
) -> None:
    line = fact_line(replace(fact(predicate, value), subject="Nora"), language)
    assert line.startswith("- ")
    assert "Nora" in line
    assert " ".join(value.split()) in line
    assert not {"_", "{", "}", "\n"} & set(line)


def test_facts_say_when_they_ended_and_whether_they_are_disputed() -> None:
    text = text_of(Material(facts=[fact("works_at", "Acme", valid_to=NOW, disputed=True)]))
    assert "- The user works at Acme (×4, until 2026-02-01, contradicted elsewhere)" in text

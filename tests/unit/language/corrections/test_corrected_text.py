"""What was meant by a message that a later one puts right."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.corrections import put_right, read_correction


@pytest.mark.parametrize(
    ("corrected", "correction", "meant"),
    [
        ("Abito a Trani.", "Scusa, volevo dire Molfetta", "Abito a Molfetta."),
        (
            "Abito a San Vito da anni.",
            "intendevo San Pietro",
            "Abito a San Pietro da anni.",
        ),
        ("Abito a Trani con Ida.", "Scusa, volevo dire Molfetta", "Abito a Molfetta con Ida."),
        ("Ida abita a Trani.", "Scusa, volevo dire Ada", "Ada abita a Trani."),
        ("Lia e Ida abitano a Trani.", "Scusa, Ada non Ida", "Lia e Ada abitano a Trani."),
        ("Compio gli anni il 3 luglio.", "Scusa, il 5, non il 3", "Compio gli anni il 5 luglio."),
        ("Compio gli anni il 3 luglio.", "mi correggo, il 5 agosto", "Compio gli anni il 5 agosto."),
        ("I'm 41.", "sorry, 42", "I'm 42."),
        ("My hamster is called Pip.", "I meant Pop", "My hamster is called Pop."),
        ("Sono allergica alle fragole.", "Scusa, ai kiwi, non alle fragole!", "Sono allergica alle kiwi."),
        ("I'm allergic to shrimps.", "Sorry, mussels, not shrimps", "I'm allergic to mussels."),
        ("I work as a tailor.", "Sorry, I work as a baker, not as a tailor.", "I work as a baker."),
        ("Faccio la sarta a Bari.", "Scusa, faccio la fornaia, non la sarta", "Faccio la fornaia a Bari."),
        (
            "Ho la visita alle 15 con Ida, costa 15 euro.",
            "Scusa, alle 16, non alle 15",
            "Ho la visita alle 16 con Ida, costa 15 euro.",
        ),
        ("Il treno parte alle 8 il 12 maggio.", "mi correggo, alle 9", "Il treno parte alle 9 il 12 maggio."),
    ],
)
def test_the_right_words_stand_in_the_place_of_the_wrong(corrected: str, correction: str, meant: str) -> None:
    assert put_right(corrected, correction) == meant


@pytest.mark.parametrize(
    ("corrected", "correction"),
    [
        ("Marta e Paola abitano a Trani.", "Scusa, volevo dire Sara"),
        ("Ho 41 anni e sto qui da 6.", "Scusa, 42"),
        ("Abito a Trani.", "Scusa Lia, volevo dire Molfetta"),
        ("Abito a Trani.", "Scusa, il 5, non il 3"),
        ("Sono allergica alle fragole.", "Scusa, ai kiwi, non alle mele"),
        ("Abito a Trani.", "Piove a Molfetta."),
        ("Mi chiamo Ida, abito a Trani e ho un figlio Ivo.", "Scusa, volevo dire Ugo"),
        ("Ci sono 15 sedie per 15 persone.", "Scusa, 16, non 15"),
        ("Compio gli anni il 12 luglio.", "Scusa, alle 16"),
    ],
)
def test_where_it_is_not_clear_what_was_wrong_nothing_is_put_right(corrected: str, correction: str) -> None:
    assert put_right(corrected, correction) is None


TOWNS = ("Trani", "Molfetta", "Bisceglie", "Ruvo", "Conversano")


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_corrects_nothing_puts_nothing_right(corrected: str, text: str) -> None:
    assert put_right(corrected, text) is None or read_correction(text) is not None


@given(
    st.sampled_from(("Abito a {}.", "Da anni {} è casa mia", "Ieri a {} c'era vento, oggi piove.")),
    st.sampled_from(
        ("Scusa, {right}, non {wrong}", "{right}, not {wrong}, sorry", "no, scusa: {right}, non {wrong}!")
    ),
    st.permutations(TOWNS),
)
def test_nothing_changes_but_the_value_that_is_denied(said: str, form: str, towns: list[str]) -> None:
    wrong, right, *_ = towns
    meant = put_right(said.format(wrong), form.format(right=right, wrong=wrong))
    assert meant == said.format(right)


@given(st.lists(st.sampled_from((*TOWNS, "alle 9", "il 12", "15", ".", "e", "ma")), max_size=8).map(" ".join))
def test_what_was_meant_has_no_word_that_nobody_said(corrected: str) -> None:
    correction = "Scusa, Barletta e il 14, non Trani e il 12"
    meant = put_right(corrected, correction)
    if meant is not None:
        assert set(re.findall(r"\w+", meant)) <= set(re.findall(r"\w+", f"{corrected} {correction}"))
        assert meant != corrected

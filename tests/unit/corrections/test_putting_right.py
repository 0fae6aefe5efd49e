"""What was meant by a message that a later one puts right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.domain.corrections import put_right, read_correction


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
    ],
)
def test_where_it_is_not_clear_what_was_wrong_nothing_is_put_right(corrected: str, correction: str) -> None:
    assert put_right(corrected, correction) is None


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_corrects_nothing_puts_nothing_right(corrected: str, text: str) -> None:
    if read_correction(text) is None:
        assert put_right(corrected, text) is None
    put_right(corrected, f"Scusa, {text}, non {corrected}")

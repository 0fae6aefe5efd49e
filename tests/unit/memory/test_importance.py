import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.annotations import NEUTRAL
from ricordo.language.emotion import estimate
from ricordo.language.life_events import life_event
from ricordo.memory.importance import Importance, importance, meaningfulness, rating_of_ten


def rate(said: str, language: str) -> Importance:
    return importance(said, language, estimate(said, language))


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("È morta mia nonna", "it"),
        ("Mio padre è venuto a mancare stanotte", "it"),
        ("Ho trovato lavoro a Torino!", "it"),
        ("Ci siamo sposati sabato", "it"),
        ("Aspettiamo un bambino", "it"),
        ("Mi sono laureata ieri", "it"),
        ("Mi sono trasferito a Bologna", "it"),
        ("Ieri ho adottato un cane, si chiama Max!", "it"),
        ("Luca mi ha chiesto di sposarlo!", "it"),
        ("Abbiamo avuto un brutto incidente in moto", "it"),
        ("Domani è il mio primo giorno di lavoro", "it"),
        ("Ho preso la patente", "it"),
        ("My grandmother passed away", "en"),
        ("He asked me to marry him", "en"),
        ("We were in a car crash on Sunday", "en"),
        ("My brother became an Italian citizen", "en"),
        ("Mum's operation went well, the surgery on my back too", "en"),
        ("There was a fire at our place", "en"),
        ("I got the job!", "en"),
        ("we're having a baby", "en"),
        ("we’re having a baby", "en"),
        ("I lost my job", "en"),
        ("She said yes! We got engaged", "en"),
        ("We moved to Milan last month", "en"),
        ("I've been diagnosed with diabetes", "en"),
    ],
)
def test_turns_of_a_life_matter(said: str, language: str) -> None:
    rated = rate(said, language)
    assert rated.value >= 0.7
    assert "life_event" in {each.reason for each in rated.contributions}


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Ciao, come stai?", "it"),
        ("Tutto bene, grazie!", "it"),
        ("Che tempo fa oggi?", "it"),
        ("Buona notte", "it"),
        ("ok", "it"),
        ("Good morning! How are you?", "en"),
        ("Thanks, see you later", "en"),
        ("I had pasta for lunch", "en"),
        ("The first day of the week is Monday", "en"),
        ("Il primo giorno del mese è festa", "it"),
        ("Citizens may vote at eighteen", "en"),
        ("Did you get the job?", "en"),
        ("Hyvää huomenta", "fi"),
    ],
)
def test_small_talk_does_not(said: str, language: str) -> None:
    assert rate(said, language).value <= 0.3


def test_both_scales_add_up() -> None:
    said = "I feel so scared, it is an important decision that I have to make this very week about my future."
    rated = rate(said, "en")
    # 2/9 at the start, three weighty words, feeling, disclosure.
    assert rated.value == pytest.approx(2 / 9 + 3 * 0.5 / 9 + 1 / 4 + 1 / 4)


def test_length_counts_twice() -> None:
    long = "the road goes on " * 20
    assert rate(long, "en").value == pytest.approx(3 / 9)
    assert rate(long * 2, "en").value == pytest.approx(4 / 9)


def test_a_death_in_a_book_is_no_turn_of_a_life() -> None:
    assert life_event("Napoleone è morto nel 1821", "it") == ""
    assert life_event("Caesar died in 44 BC", "en") == ""


@given(st.text(max_size=700), st.sampled_from(["it", "en", "xx"]))
def test_importance_is_bounded_and_explained(said: str, language: str) -> None:
    rated = rate(said, language)
    assert 0 <= rated.value <= 1
    assert rated.value == pytest.approx(min(1, sum(each.amount for each in rated.contributions)))


def test_one_importance_has_three_scales() -> None:
    assert (rating_of_ten(0), rating_of_ten(1)) == (1, 10)
    assert (meaningfulness(0), meaningfulness(1)) == (1, 5)


@pytest.mark.parametrize(
    ("said", "language", "felt"),
    [
        ("Sono morto di sonno", "it", False),
        ("Napoleone è morto nel 1821", "it", False),
        ("The king died in the film", "en", False),
        ("È morta mia nonna", "it", True),
        ("My dog died last night", "en", True),
        ("I cried all night", "en", True),
    ],
)
def test_words_of_death_are_felt_where_somebody_died(said: str, language: str, *, felt: bool) -> None:
    rated = importance(said, language, estimate(said, language))
    assert ("feeling" in {one.reason for one in rated.contributions}) is felt


@pytest.mark.parametrize(
    "said", ["Sono al settimo  cielo oggi", "Sono al settimo\ncielo oggi", "Sono **felice** oggi"]
)
def test_a_feeling_counts_however_it_is_set(said: str) -> None:
    rated = importance(said, "it", estimate(said, "it"))
    assert "feeling" in {one.reason for one in rated.contributions}


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("I want to kill myself.", "en"),
        ("I tried to kill myself last year.", "en"),
        ("My husband beats me.", "en"),
        ("Voglio farla finita.", "it"),
        ("L'anno scorso ho provato a uccidermi.", "it"),
        ("Mio marito mi picchia.", "it"),
        ("I medici dicono che mi restano sei mesi di vita.", "it"),
    ],
)
def test_what_is_gravest_matters_most(said: str, language: str) -> None:
    assert importance(said, language, NEUTRAL).value >= 0.7


@pytest.mark.parametrize(
    ("said", "language"),
    [("She beats me at chess", "en"), ("I want to die laughing", "en"), ("Voglio morire dal ridere", "it")],
)
def test_and_what_only_sounds_so_does_not(said: str, language: str) -> None:
    assert importance(said, language, NEUTRAL).value <= 0.3


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("mi ha chiesto di sposarlo", "it"),
        ("I proposed to Anna", "en"),
        ("sono un alcolista", "it"),
        ("I'm an alcoholic", "en"),
        ("mi hanno donato un rene", "it"),
        ("my brother donated a kidney to me", "en"),
        ("non amo più mio marito", "it"),
        ("I don't love my husband anymore", "en"),
        ("non sono più innamorata di lui", "it"),
        ("non ci amiamo più", "it"),
        ("I'm not in love with him anymore", "en"),
        ("cambio lavoro", "it"),
        ("I'm changing jobs", "en"),
        ("entro in convento", "it"),
        ("I'm becoming a priest", "en"),
        ("mio figlio non mi parla più", "it"),
        ("my son doesn't speak to me anymore", "en"),
        ("sto diventando sordo", "it"),
        ("I'm going deaf", "en"),
    ],
)
def test_what_is_profound_is_so_in_both_languages(said: str, language: str) -> None:
    assert importance(said, language, NEUTRAL).value >= 0.7


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("I proposed a new plan at the meeting", "en"),
        ("He is changing trains", "en"),
        ("I don't love this song anymore", "en"),
        ("My dog doesn't speak", "en"),
        ("non amo più questa canzone", "it"),
        ("non siamo più in tre", "it"),
        ("non amo mia zia come cuoca", "it"),
        ("cambio treno a Bologna", "it"),
        ("lascio il posto alla signora", "it"),
        ("le ho chiesto di passarmi il sale", "it"),
        ("Non sono un alcolista", "it"),
    ],
)
def test_and_what_only_looks_alike_is_not(said: str, language: str) -> None:
    assert importance(said, language, NEUTRAL).value <= 0.3

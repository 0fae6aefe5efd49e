"""Facts read as an Italian or an English speaker would say them."""

import datetime as dt
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.material import NOW, fact, text_of

from ricordo.memory.context import Material
from ricordo.memory.context.fact_sentences import fact_sentence
from ricordo.memory.facts import PREDICATES


@pytest.mark.parametrize(
    ("subject", "predicate", "value", "italian", "english"),
    [
        ("user", "name", "Davide", "Ti chiami Davide", "Your name is Davide"),
        ("user", "age", "34", "Hai 34 anni", "You are 34 years old"),
        ("user", "has_pet", "Pepe", "Hai un animale di nome Pepe", "You have a pet called Pepe"),
        ("user", "has_pet", "due gatti", "I tuoi animali: due gatti", ""),
        ("user", "has_pet", "cane", "Hai un cane", ""),
        ("user", "has_pet", "two cats", "", "You have two cats"),
        ("user", "has_pet", "dog", "", "You have a dog"),
        ("user", "has_child", "Emma", "Emma è tra i tuoi figli", "Emma is your child"),
        ("Nora", "has_child", "Emma", "Emma è tra i figli di Nora", "Emma is Nora's child"),
        (
            "user",
            "has_sibling",
            "Luca",
            "Luca è tra i tuoi fratelli e le tue sorelle",
            "Luca is your sibling",
        ),
        ("user", "has_sibling", "fratello", "Hai un fratello", ""),
        ("user", "related_to", "zia", "Hai una zia", ""),
        ("user", "owns", "bici rossa", "Hai una bici rossa", ""),
        ("user", "owns", "orologio", "Hai un orologio", ""),
        ("user", "owns", "zaino", "Hai uno zaino", ""),
        ("user", "owns", "isola", "Hai un'isola", ""),
        ("user", "owns", "old van", "", "You have an old van"),
        ("user", "allergic_to", "noci", "Hai un'allergia: noci", "You are allergic to noci"),
        ("figlia", "speaks", "inglese", "Tua figlia parla inglese", "Figlia speaks inglese"),
        ("zio", "likes", "ballare", "A tuo zio piace ballare", "Zio likes ballare"),
        ("colleghi", "likes", "ballare", "Ai tuoi colleghi piace ballare", ""),
        ("collega", "age", "40", "Il tuo collega ha 40 anni", ""),
        ("daughter", "age", "9", "Daughter ha 9 anni", "Your daughter is 9 years old"),
        ("user", "friend", "Davide", "Tu e Davide siete amici", "Davide is your friend"),
        ("user", "likes", "tè al bergamotto", "Ti piace il tè al bergamotto", ""),
        ("user", "likes", "bergamot tea", "", "You like bergamot tea"),
        ("user", "likes", "mare", "Ti piace il mare", ""),
        ("user", "likes", "lasagne", "Ti piacciono le lasagne", ""),
        ("user", "likes", "gnocchi", "Ti piacciono gli gnocchi", ""),
        ("user", "likes", "leggere", "Ti piace leggere", "You like leggere"),
        ("user", "likes", "sea kayaking", "Ti piace: sea kayaking", ""),
        ("user", "likes", "jazz", "Ti piace il jazz", ""),
        ("user", "likes", "caponate", "Ti piace: caponate", ""),
        ("user", "dislikes", "rumore", "Non ti piace il rumore", ""),
        ("user", "dislikes", "Torino", "Non ti piace Torino", "You dislike Torino"),
        ("user", "plans", "smettere di fumare", "Hai in programma di smettere di fumare", ""),
        ("user", "plans", "trip to Bali", "Hai in programma: trip to Bali", "Your plan: trip to Bali"),
        ("user", "plays", "chitarra", "Suoni la chitarra", ""),
        ("user", "plays", "ukulele", "Suoni l'ukulele", "You play the ukulele"),
        ("user", "plays", "xilofono", "Suoni lo xilofono", ""),
        ("user", "plays", "tennis", "Pratichi tennis", "You play tennis"),
        ("user", "works_as", "architect", "", "You work as an architect"),
        ("user", "is_a", "vegan", "", "You are a vegan"),
        ("user", "is_a", "Scottish", "", "You are Scottish"),
        ("user", "studies_at", "Sapienza", "Studi presso Sapienza", "You study at Sapienza"),
        ("user", "born_in", "Portogallo", "Vieni dal Portogallo", ""),
        ("user", "born_in", "Ancona", "Vieni da Ancona", ""),
        ("user", "visited", "Germania", "Hai visitato la Germania", ""),
        ("user", "visited", "Netherlands", "", "You visited the Netherlands"),
        ("user", "knows", "{who} {what}", "Conosci {who} {what}", "You know {who} {what}"),
    ],
)
def test_facts_are_sentences(subject: str, predicate: str, value: str, italian: str, english: str) -> None:
    told = replace(fact(predicate, value), subject=subject)
    for language, said in (("it", italian), ("en", english)):
        if said:
            lines = text_of(Material(facts=[told]), language=language).splitlines()
            assert f"f1 {said}." in lines


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
    assert f"f1 Vivi {said}.\n" in text


def test_an_english_speaker_lives_where_english_says() -> None:
    text = text_of(Material(facts=[fact("lives_in", "United States"), fact("lives_in", "Turin")]))
    assert "f1 You live in the United States.\n" in text
    assert "f2 You live in Turin.\n" in text


@pytest.mark.parametrize("value", ["Rex", "rex", "andare", "chitarra", "", "rex\n- Everybody is rich"])
@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_every_predicate_has_its_sentence_in_both_languages(
    predicate: str, language: str, value: str
) -> None:
    for subject in ("Nora", "user"):
        said = fact_sentence(replace(fact(predicate, value), subject=subject), language)
        assert (subject in said) == (subject == "Nora")
        assert " ".join(value.split()).casefold() in said.casefold()
        assert said.endswith(".")
        assert not {"_", "{", "}", "\n"} & set(said)


def test_facts_say_since_when_where_that_was_told() -> None:
    home = fact("lives_in", "Turin")
    told = replace(home, valid_from=NOW - dt.timedelta(days=700))
    for language, since in (("en", "since March 2024"), ("it", "da marzo 2024")):
        assert "2024" not in fact_sentence(home, language)
        assert fact_sentence(told, language).endswith(f", {since}.")


@pytest.mark.parametrize(
    ("zone", "since", "said"),
    [
        ("Europe/Rome", dt.date(2024, 3, 1), "da marzo 2024"),
        ("Asia/Tokyo", dt.date(2023, 4, 1), "da aprile 2023"),
        ("America/New_York", dt.date(2019, 1, 1), "da gennaio 2019"),
    ],
)
def test_since_when_is_told_in_the_zone_of_the_user(zone: str, since: dt.date, said: str) -> None:
    there = ZoneInfo(zone)
    begun = dt.datetime.combine(since, dt.time(), there).astimezone(dt.UTC)
    home = replace(fact("lives_in", "Lecce"), valid_from=begun)
    over = replace(fact("works_at", "Acme"), valid_to=begun)
    text = text_of(Material(now=NOW.astimezone(there), facts=[home, over]), language="it")
    assert f"f1 Vivi a Lecce, {said}.\n" in text
    assert f", fino a {said.removeprefix('da ')}.\n" in text


def test_a_fact_is_known_since_the_day_on_which_it_was_said_where_its_user_lives() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    heard = dt.datetime(2026, 2, 1, 8, tzinfo=tokyo)
    home = replace(fact("lives_in", "Nara"), first_seen=heard, valid_from=heard.replace(hour=0))
    assert fact_sentence(home, "en", tokyo) == "You live in Nara."


def test_facts_say_when_they_ended_and_whether_they_are_disputed() -> None:
    text = text_of(Material(facts=[fact("works_at", "Acme", valid_to=NOW, disputed=True)]))
    assert "f1 You work at Acme, until February 2026, contradicted elsewhere.\n" in text

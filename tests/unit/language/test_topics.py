import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.growth import LINEAR, growth

from ricordo.language.lemmas import noun
from ricordo.language.topics import topic_key, topic_keys, topics


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("it", ["Gli esami mi spaventano", "L'esame è andato bene", "ESAME DOMANI", "Ho dato un esame"]),
        ("it", ["Ho visto le spiagge", "La spiaggia era vuota", "una Spiaggia", "spiagge pulite"]),
        ("it", ["Ha vinto la partita", "due partite oggi"]),
        ("en", ["My exams are over", "the exam was hard", "EXAM TOMORROW", "I passed an exam"]),
        ("en", ["our wedding", "Weddings are expensive", "the wedding is off"]),
        ("en", ["I lost my knife", "sharp knives"]),
    ],
)
def test_a_thing_has_one_key_whatever_its_form(language: str, said: list[str]) -> None:
    keys = [{topic_key(topic, language) for topic in topics(each, language)} for each in said]
    assert len(set.intersection(*keys)) == 1


@pytest.mark.parametrize(
    ("topic", "other", "language"),
    [
        ("porta", "porto", "it"),
        ("casa", "caso", "it"),
        ("partita", "partito", "it"),
        ("posta", "posto", "it"),
    ],
)
def test_two_things_have_two_keys(topic: str, other: str, language: str) -> None:
    assert topic_key(topic, language) != topic_key(other, language)


def test_a_phrase_is_found_by_each_of_its_words_and_a_word_by_no_phrase() -> None:
    dress = topic_keys("wedding dress", "en")
    assert {
        topic_key(said, "en") for said in ("wedding", "Weddings", "dresses", "the wedding dresses")
    } <= dress
    assert topic_key("wedding dress", "en") not in topic_keys("wedding", "en")
    assert topic_key("gli esami", "it") in topic_keys("esame di statistica", "it")
    assert topic_key("Esami di Statistica", "it") in topic_keys("esame di statistica", "it")


@pytest.mark.parametrize(
    ("said", "language", "about"),
    [
        ("Ho il colloquio di lavoro e l'abito da sposa", "it", {"colloquio di lavoro", "abito da sposa"}),
        ("Il prezzo dell'abbonamento è salito", "it", {"prezzo dell'abbonamento"}),
        ("The solar panels on our kitchen roof", "en", {"solar panel", "kitchen roof"}),
        ("Coldplay tickets", "en", {"coldplay ticket"}),
        ("La porto dal veterinario, lo vedo domani, li chiamo", "it", {"veterinario"}),
        ("I was singing, walking slowly and laughing happily", "en", set()),
        ("```js\nlet cat = 1\n``` https://dogs.example/cats.html <b id='cow'> `mouse`", "en", set()),
        ("Guten Morgen, wir fahren nach Berlin", "de", {"morgen", "berlin"}),
    ],
)  # fmt: skip
def test_what_a_message_is_about(said: str, language: str, about: set[str]) -> None:
    assert set(topics(said, language)) == about


@pytest.mark.parametrize(
    ("said", "language", "about"),
    [
        ("Manca il sale", "it", {"sale"}),
        ("Abbiamo prenotato due sale", "it", {"sala"}),
        ("Ho perso i file", "it", {"file"}),
        ("Ho contato tre file di sedie", "it", {"fila di sedie"}),
        ("In bocca al lupo per l'esame", "it", {"esame"}),
        ("Ho visto un lupo nel bosco", "it", {"lupo", "bosco"}),
        ("The exam was a piece of cake", "en", {"exam"}),
        ("I ate a piece of cake with my soup", "en", {"cake", "soup"}),
        ("The insurance covers the damage", "en", {"insurance", "damage"}),
        ("I bought duvet covers", "en", {"duvet cover"}),
        ("Abito a Sant'Elena", "it", {"sant'elena"}),
        ("Pleasant weather on Pleasant Run", "en", {"weather", "pleasant run"}),
    ],
)
def test_what_looks_alike_is_told_apart_by_what_stands_around(
    said: str, language: str, about: set[str]
) -> None:
    assert set(topics(said, language)) == about


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("昨日、東京で友達に会いました", "ja"),
        ("我昨天在北京遇见了朋友", "zh"),
        ("어제 서울에서 친구를 만났어요", "ko"),
        ("วันนี้ฉันไปตลาด", "th"),
    ],
)
def test_what_cannot_be_read_is_about_nothing(said: str, language: str) -> None:
    assert topics(said, language) == ()


@pytest.mark.parametrize("said", ["ok", "hahaha", "🎉", "12:30", "..."])
def test_what_is_no_words_is_about_nothing(said: str) -> None:
    assert topics(said, "it") == topics(said, "en") == ()


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("ciao!", "it"),
        ("va bene, a domani", "it"),
        ("come stai?", "it"),
        ("how are you?", "en"),
        ("thanks a lot, see you on Monday", "en"),
    ],
)
def test_small_talk_is_about_nothing(said: str, language: str) -> None:
    assert topics(said, language) == ()


@given(st.text(max_size=300), st.sampled_from(["it", "en", "de", ""]))
def test_every_topic_has_a_key_and_keeps_it(said: str, language: str) -> None:
    found = topics(said, language)
    keys = [topic_key(topic, language) for topic in found]
    assert len(found) <= 5
    assert "" not in keys
    assert len(set(keys)) == len(keys)


@given(st.text(st.characters(categories=["Ll"]), max_size=20), st.sampled_from(["it", "en", "de"]))
def test_any_word_has_a_singular(word: str, language: str) -> None:
    assert noun(word, language) or not word


@pytest.mark.parametrize(
    "part",
    [
        "a-",
        "in-law ",
        "la porto ",
        "A ",
        "di ",
        "<b ",
        "`",
        "[a](",
        "a@b.",
        "www.a",
        "x.y",
        "```",
        "&a",
        "_a_",
    ],
)
@pytest.mark.parametrize("language", ["it", "en"])
def test_a_text_made_to_take_long_does_not(part: str, language: str) -> None:
    assert growth(lambda said: topics(said, language), part, 6_000) < LINEAR

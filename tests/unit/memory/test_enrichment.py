import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.growth import LINEAR, growth

from ricordo.language.annotations import NEUTRAL, MemoryKind, MemoryType, Role
from ricordo.language.names import mentioned_names
from ricordo.language.topics import topic_key, topics
from ricordo.memory.enrichment import enrich


@pytest.mark.parametrize(
    ("said", "language", "expected"),
    [
        ("Per fare la carbonara bisogna rosolare il guanciale, poi aggiungere le uova", "it", "procedural"),
        ("Per cercare ricordi, devo: 1) Capire l'intento 2) Applicare filtri", "it", "procedural"),
        ("Per fare il pane: sciogli il lievito, impasta e lascia riposare", "it", "procedural"),
        ("Il trucco per non piangere con la cipolla è bagnare la lama", "it", "procedural"),
        ("Sono uscita per vedere Anna: era in ritardo", "it", "episodic"),
        ("The trick to poach an egg is to stir the water first", "en", "procedural"),
        ("Mescola la farina con l'acqua e poi inforna a 200 gradi", "it", "procedural"),
        ("To restart the router, press the button for ten seconds and then wait", "en", "procedural"),
        ("Here's how to prune roses in winter", "en", "procedural"),
        ("Mi chiamo Davide e vivo a Torino", "it", "semantic"),
        ("Sono allergico alle noci", "it", "semantic"),
        ("Amo la pizza", "it", "semantic"),
        ("Max è un cane molto pigro", "it", "semantic"),
        ("My name is Anna and I live in Boston", "en", "semantic"),
        ("I work as a nurse", "en", "semantic"),
        ("Che gioia, mi è piaciuto tantissimo!", "it", "emotional"),
        ("I am so scared!", "en", "emotional"),
        ("Ieri abbiamo visto un film", "it", "episodic"),
        ("Per andare al mare ho preso il treno", "it", "episodic"),
        ("Come si fa la pizza?", "it", "episodic"),
        ("First we went to the museum, then we had dinner", "en", "episodic"),
        ("Yesterday I went to the beach with Anna", "en", "episodic"),
        ("", "it", "episodic"),
    ],
)
def test_types(said: str, language: str, expected: str) -> None:
    assert enrich(said, language=language).type == MemoryType(expected)


@pytest.mark.parametrize(
    ("said", "language", "expected"),
    [
        ("Ricordati che il codice del cancello è 4411", "it", "note"),
        ("Promemoria: pagare la bolletta", "it", "note"),
        ("Note: the code of the gate is 4411", "en", "note"),
        ("Abbiamo deciso di andare in Sicilia ad agosto", "it", "decision"),
        ("We decided to move to Turin", "en", "decision"),
        ("Siamo d'accordo sullo sconto del 15%", "it", "agreement"),
        ("We agreed on a 15% discount", "en", "agreement"),
        ("Il server non funziona", "it", "problem"),
        ("The printer is broken", "en", "problem"),
        ("Nessun problema!", "it", "message"),
        ("No problem", "en", "message"),
        ("C'è qualche problema?", "it", "message"),
        ("Ciao, come stai?", "it", "message"),
        ("Meillä on ongelma", "fi", "message"),
    ],
)
def test_kinds(said: str, language: str, expected: str) -> None:
    assert enrich(said, language=language).kind == MemoryKind(expected)


@pytest.mark.parametrize(
    ("said", "language", "found"),
    [
        ("Ieri ho adottato un cane, si chiama Max!", "it", ("Max",)),
        ("Ho parlato con Mario Bianchi a Torino", "it", ("Mario Bianchi",)),
        ("Marco e Giulia vengono a cena", "it", ("Marco", "Giulia")),
        ("ho visto davide ieri", "it", ("Davide Neri",)),
        ("Ho visto Davide, e Davide ride", "it", ("Davide Neri",)),
        ("Rosa è il mio colore preferito", "it", ()),
        ("Sono uscita con Rosa", "it", ("Rosa",)),
        ("Lunedì vado a Milano per Natale", "it", ()),
        ("ABIOGENESIS è un progetto", "it", ()),
        ("Mia sorella Nora arriva domani", "it", ("Nora",)),
        ("Sono al mare con Mia sorella", "it", ()),
        ("Mamma Mia, che giornata", "it", ()),
        ("Mia cara, come va?", "it", ()),
        ("Mia ha otto anni", "it", ("Mia",)),
        ("Ho una figlia, Mia.", "it", ("Mia",)),
        ("Mia came over", "en", ("Mia",)),
        ("I met Anna and Tom on Monday in Boston", "en", ("Anna", "Tom")),
        ("My friend Zbigniew called", "en", ("Zbigniew",)),
        ("I hope it will rain", "en", ()),
        ("con marco e zoe abbiamo parlato di calcio", "it", ("Marco", "Zoe")),
        ("my friend anna loves football", "en", ("Anna",)),
        ("Ciao Marco!", "it", ("Marco",)),
        ("Anna's dog bit Tom\u2019s cat", "en", ("Anna", "Tom")),
        ("Will and Grace moved, will you?", "en", ("Will", "Grace")),
        ("Mark said that Will left", "en", ("Mark", "Will")),
        ("Mark my words: in May, with hope, joy will grow", "en", ()),
        ("May I ask you something?", "en", ()),
        ("È una serata serena, sotto il Sole di maggio", "it", ()),
        ("Siamo da Serena", "it", ("Serena",)),
        ("MARCO DOVE SEI?", "it", ("Marco",)),
        ("Netflix, Toyota and Paris in Virginia", "en", ()),
        ("Ho visto Mario Bianchi. Mario rideva.", "it", ("Mario Bianchi",)),
        ("", "en", ()),
    ],
)
def test_people_are_told_from_places_days_and_words(said: str, language: str, found: tuple[str, ...]) -> None:
    assert mentioned_names(said, language, ["Davide Neri"]) == found


def test_a_first_name_of_two_people_stays_as_it_is() -> None:
    assert mentioned_names("Ho visto Davide", "it", ["Davide Neri", "Davide Verdi"]) == ("Davide",)
    assert mentioned_names("Ho visto Davide Verdi", "it", ["Davide Neri", "Davide Verdi"]) == (
        "Davide Verdi",
    )


def test_participants_are_speaker_present_and_mentioned_each_once() -> None:
    found = enrich("Ciao anna, ho visto Marco", language="it", speaker="Luca", participants=["Anna", "luca"])
    assert found.participants == ("Luca", "Anna", "Marco")


@pytest.mark.parametrize(
    ("said", "language", "about"),
    [
        ("Ieri ho adottato un cane, si chiama Max!", "it", ("cane",)),
        ("Parlami di ABIOGENESIS e di memoria", "it", ("abiogenesis", "memoria")),
        ("Il server di produzione non funziona", "it", ("server di produzione",)),
        ("Ho parlato con Mario di Rossi Costruzioni", "it", ("rossi costruzioni",)),
        ("I went to the beach with Anna", "en", ("beach",)),
        ("We are planning a camping trip to the mountains", "en", ("camping trip", "mountain")),
        ("Ciao, come stai?", "it", ()),
        ("ok thanks", "en", ()),
        ("", "it", ()),
    ],
)
def test_topics(said: str, language: str, about: tuple[str, ...]) -> None:
    assert enrich(said, language=language).topics == about


def test_forms_of_one_word_are_one_topic() -> None:
    assert topics("Il gatto nero e i gatti del vicino", "it")[0] == "gatto"
    assert topic_key("Gatti neri", "it") == topic_key("gatto nero", "it")


def test_at_most_five_topics() -> None:
    assert len(topics("uova, guanciale, pecorino, pepe, sale, olio, aglio e basilico", "it")) == 5


def test_a_title_is_short() -> None:
    assert (
        enrich("Ieri ho adottato un cane. Si chiama Max!", language="it").title == "Ieri ho adottato un cane"
    )
    assert len(enrich("parola " * 100, language="it").title) <= 80
    assert enrich(" \n ", language="it").title == ""


@pytest.mark.parametrize("role", [Role.TOOL, Role.SYSTEM])
def test_machines_feel_nothing(role: Role) -> None:
    assert enrich("I hate this!", language="en", role=role).emotion == NEUTRAL


@given(
    st.text(max_size=400), st.sampled_from(["it", "en", "de", ""]), st.lists(st.text(max_size=12), max_size=3)
)
def test_any_text_can_be_enriched(said: str, language: str, present: list[str]) -> None:
    found = enrich(said, language=language, participants=present)
    assert len(found.topics) <= 5
    assert len(found.title) <= 80
    assert 0 <= found.importance.value <= 1
    assert found == enrich(said, language=language, participants=present)


@pytest.mark.parametrize("blank", ["  ", "\t", "\N{NO-BREAK SPACE}", " \N{NO-BREAK SPACE} "])
@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Mi sono sposato ieri con Anna", "it"),
        ("È morto mio padre", "it"),
        ("My mother died yesterday", "en"),
        ("We looked at the wedding dress with Paul", "en"),
        ("I was fired today", "en"),
    ],
)
def test_blanks_of_any_width_are_blanks(said: str, language: str, blank: str) -> None:
    assert enrich(said.replace(" ", blank), language=language) == enrich(said, language=language)


@pytest.mark.parametrize("part", ["a", "A. ", "to a ", "mia nonna ", "\n", "1) ", "'"])
@pytest.mark.parametrize("language", ["it", "en"])
def test_time_grows_with_the_length_of_a_message_and_no_faster(part: str, language: str) -> None:
    assert growth(lambda text: enrich(text, language=language), part, 16_000) < LINEAR

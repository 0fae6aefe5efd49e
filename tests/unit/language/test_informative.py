"""What tells something, whoever asks something beside it, and what only asks, thanks, shrugs or offers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.growth import LINEAR, growth

from ricordo.language.annotations import Role
from ricordo.language.informative import INFORMATIVE, informative

TELLING = {
    "it": (
        "Sono al mare.",
        "mi chiamo Gea",
        "sono incinta",
        "ok, perso il traghetto delle 7",
        "Bolzano.",
        "Sì, Bolzano",
        "no, a Cuneo",
        "Non ho sorelle",
        "non bevo vino",
        "Non so sciare",
        "Perché ero stanco.",
        "quando ero bambino abitavo a Nuoro",
        "che giornata, ho litigato con il geometra",
        "che sfortuna oggi mi hanno bocciato",
        "quanto mi manca mio nonno!",
        "non ricordo dove ho messo il casco",
        "grazie, poi sono andata dal dentista",
        "Ricordami di comprare il latte",
        "ricordati che giovedì ho l'oculista",
        "segnati che Ivo è allergico ai gamberi",
        "Pensi che a mia zia Ines, che abita a Lucca, farebbe piacere?",
        "Venerdì ho un esame a Padova, cosa mi porto?",
        "Mi trovi una trattoria? Sono celiaca",
        "consigliami un dolce, sono diabetico",
        "Mi dai una ricetta senza latte perché mio figlio è intollerante?",
        "puoi aiutarmi con un gioco per mia figlia di 5 anni?",
        "scrivi un biglietto per mio nonno Aldo che compie 80 anni",
        "Sai che mio cugino si è laureato?",
        "Ti ho detto che ho venduto la moto?",
        "Mia cognata fa la vigile, lo sapevi?",
        "ho rotto con Diego ieri cosa faccio?",
        "Il mio gatto si chiama Pepe, vero?",
        "Indovina? Ho vinto la gara",
        "come si fa il brodo? quello di mia nonna è più buono",
        "sono tanto felice oggi",
        "Posso bere il vino se sono al sesto mese?",
        "Perché mi fa male la spalla quando remo?",
        "Dici che il mio collega che fischia sempre smetterebbe?",
        "È normale che mia nipote di due anni non cammini?",
        "Come faccio a dire a mia madre che mi trasferisco?",
        "Cosa regalo al battesimo di Ilaria sabato?",
        "ma quanto hai ragione 😂 conosco un tale che ci ha messo due giorni",
        "Che ne pensi, mia nipote ha la varicella o il morbillo?",
        "Secondo te, ho la varicella o un'allergia?",
        "Che dici, vado alla cresima di mio nipote o resto a casa?",
        "mi ricordo che Ivo abitava a Pavia",
    ),
    "en": (
        "I'm pregnant",
        "I'm at the beach",
        "my name is Gwen",
        "ok, missed the 7 o'clock ferry",
        "Oslo.",
        "Yes, in Oslo",
        "no, Cardiff",
        "I don't have sisters",
        "I don't drink wine",
        "I can't ski",
        "Because I was tired",
        "When I was little we lived in Hull",
        "what a day, I had a row with the builder",
        "how I miss my grandad!",
        "I can't remember where I put my helmet",
        "thanks, I went to the dentist after",
        "remind me to post the parcel by the 9th",
        "Remember that I'm allergic to shrimp",
        "don't forget my train is at 8",
        "Do you think my aunt Ines, who lives in Lucca, would enjoy it?",
        "I have an exam on Friday, what should I bring?",
        "Suggest a cake, I'm diabetic",
        "Can you give me a recipe without milk because my son can't have it?",
        "any games for my 5 year old?",
        "Write a card for my grandad Alf who turns 80",
        "Did I tell you my cousin graduated?",
        "My sister-in-law drives a tram, did you know?",
        "my cat ate a lily what do I do?",
        "My cat is called Pepper, right?",
        "Guess what? I won",
        "how do you make stock? my gran's is better",
        "she said yes",
        "he left me",
        "I'm so proud today",
        "plan a dinner for six: Marta is coeliac",
        "Can I go skiing while I'm on crutches?",
        "Should I see a doctor if I have a rash?",
        "Why does my shoulder ache when I row?",
        "Do you think my neighbour who drums all day would stop?",
        "Is it normal that my two year old bites?",
        "How do I tell Ursula that I'm moving out?",
        "What should I bring to Olga's christening on Sunday?",
        "What do you think, my brother is in love or just bored?",
        "What do you reckon, I lost my badge or they took it?",
        "What do you think, I go to my aunt's party or stay home?",
    ),
}
TELLING_NOTHING = {
    "it": (
        "Come mi chiamo?",
        "come mi chiamo",
        "Ciao! Come va?",
        "grazie mille",
        "Grazie Ivo!",
        "buongiorno",
        "ahahah",
        "😂😂",
        "va bene, a dopo",
        "non lo so",
        "boh",
        "dimmi di più",
        "raccontami una storia",
        "che ore sono",
        "Dove abita mia zia Ines?",
        "Ho una bicicletta?",
        "Vivo a Nuoro o a Cuneo?",
        "mia zia quando compie gli anni",
        "sai dove lavoro",
        "Ti ho mai parlato del mio gatto?",
        "ti ho detto che scuola faccio?",
        "Cosa ti ho chiesto del trasloco?",
        "Mi sai dire a che ora ho l'oculista?",
        "Mi consigli un libro?",
        "Perché l'acqua bolle?",
        "e la mia moto?",
        "non ne ho la minima idea, onestamente",
        "grazie infinite tesoro 🙏",
        "Buona serata, cara, e a presto!",
        "ahah",
        "Sai che ore sono a Lima?",
        "Che dici, metto quello verde o quello nero?",
        "Sai se sono allergico alle noci?",
        "Quando mi sposo?",
        "Secondo te compro il tavolo tondo o quello quadrato?",
        "Che ne pensi, andiamo in treno o in corriera?",
        "",
    ),
    "en": (
        "What's my name?",
        "whats my name",
        "Hi! How are you?",
        "thanks a lot",
        "Thanks Ivy!",
        "good morning",
        "hahaha lol",
        "👍",
        "see you later",
        "I don't know",
        "idk",
        "tell me more",
        "tell me a story",
        "what time is it",
        "Where does my aunt Ines live?",
        "Do I own a bike?",
        "Do I live in Hull or Cardiff?",
        "when is my aunt's birthday",
        "do you know where I work",
        "Have I ever told you about my cat?",
        "What did I ask you about the move?",
        "Can you tell me what time my eye test is?",
        "can you recommend a book?",
        "why does water boil",
        "and my bike?",
        "When did I buy my bike, and where?",
        "dunno, honestly",
        "ahahah 😂",
        "thanks a million, pal",
        "bye bye",
        "Good evening, speak tomorrow",
        "What do you think, do I paint it grey or green?",
        "Do you know if I'm allergic to nuts?",
        "What do you think, I buy the round or the square table?",
        "What would you do, should we walk or drive?",
    ),
}
OF_AN_ASSISTANT = (
    ("it", "Mi dispiace, non lo so.", False),
    ("it", "Non ho informazioni su questo.", False),
    ("it", "Purtroppo non me l'hai ancora detto. Vuoi dirmelo?", False),
    ("it", "Come posso aiutarti?", False),
    ("it", "Se vuoi posso cercare ancora.", False),
    ("it", "Mi hai detto che abiti a Nuoro.", False),
    ("it", "Ho prenotato il campo da tennis per le 18.", True),
    ("it", "Il Po nasce dal Monviso.", True),
    ("it", "La tua tartaruga si chiama Ettore.", False),
    ("it", "Certo, me lo ricordo: tuo zio Livio fa il liutaio a Cremona.", False),
    ("it", "Da quel che ricordo, Livio abita a Cremona.", False),
    ("it", "La tua prenotazione è confermata per le 20.", True),
    ("it", "Dovresti annaffiare la tua felce ogni due giorni.", True),
    ("it", "Tuo zio ha telefonato: è in ospedale.", True),
    ("it", "La tua visita è martedì alle cinque.", True),
    ("it", "Il tuo volo ha mezz'ora di ritardo.", True),
    ("it", "Il tuo saldo è di 85 euro.", True),
    ("it", "Tuo nipote ha la febbre.", True),
    ("it", "Mi ricordo che Troia cadde dopo dieci anni.", True),
    ("it", "Da quello che so, i tassi vivono nei boschi.", True),
    ("it", "Tua nipote Lia suona il fagotto.", False),
    ("it", "Il tuo piatto preferito è la polenta.", False),
    ("it", "Ricordo che ti piace il mirto.", False),
    ("en", "Your uncle has phoned: he is in hospital.", True),
    ("en", "Your eye test is on Tuesday at 5.", True),
    ("en", "Your flight has a delay of half an hour.", True),
    ("en", "Your balance is 85 pounds.", True),
    ("en", "Your nephew is waiting for you at the gate.", True),
    ("en", "Your aunt Ines is a nurse and called at noon.", True),
    ("en", "I remember that Troy fell after ten years.", True),
    ("en", "I recall that Pluto is a dwarf planet.", True),
    ("en", "As far as I know, badgers live in the woods.", True),
    ("en", "Your niece Lia plays the bassoon.", False),
    ("en", "Your favourite dish is polenta.", False),
    ("en", "I remember that you moved to Hull.", False),
    ("en", "I'm sorry, I don't know.", False),
    ("en", "I don't have that information.", False),
    ("en", "I can't help with that.", False),
    ("en", "You haven't told me that yet. Would you like to?", False),
    ("en", "How can I help?", False),
    ("en", "You told me you live in Hull.", False),
    ("en", "I booked the tennis court for 6 pm.", True),
    ("en", "The Po rises on Monviso.", True),
    ("en", "Your tortoise is called Hector.", False),
    ("en", "Yes, I remember: your uncle Leo is a luthier in York.", False),
    ("en", "As far as I recall, Leo lives in York.", False),
    ("en", "Your table is booked for 8 pm.", True),
    ("en", "You should water your fern every two days.", True),
    ("en", "The rice needs 12 minutes.", True),
)


def tells(text: str, language: str, role: Role = Role.USER) -> bool:
    """Whether the text is a memory."""
    return informative(text, language=language, role=role) >= INFORMATIVE


@pytest.mark.parametrize(
    ("language", "text"), [(key, one) for key, texts in TELLING.items() for one in texts]
)
def test_what_tells_something_is_a_memory(language: str, text: str) -> None:
    assert tells(text, language)


@pytest.mark.parametrize(
    ("language", "text"), [(key, one) for key, texts in TELLING_NOTHING.items() for one in texts]
)
def test_what_tells_nothing_is_none(language: str, text: str) -> None:
    assert not tells(text, language)


@pytest.mark.parametrize(("language", "text", "expected"), OF_AN_ASSISTANT)
def test_an_assistant_refuses_offers_and_repeats_without_telling(
    language: str, text: str, *, expected: bool
) -> None:
    assert tells(text, language, Role.ASSISTANT) is expected


@pytest.mark.parametrize("text", ["Wo wohnt meine Tante?", "¿Dónde vive mi tía?"])
def test_of_other_languages_questions_are_known_by_their_mark(text: str) -> None:
    assert not tells(text, "de")
    assert tells(f"{text} Ich wohne in Graz.", "de")


@given(st.sampled_from(["it", "en"]), st.data())
def test_one_sentence_that_tells_is_enough_wherever_it_stands(language: str, data: st.DataObject) -> None:
    idle = st.sampled_from([one for one in TELLING_NOTHING[language] if one.endswith(("?", "!"))])
    told = data.draw(st.sampled_from([one for one in TELLING[language] if one.endswith(".")]))
    before, behind = data.draw(st.lists(idle, max_size=3)), data.draw(st.lists(idle, max_size=3))
    assert tells(" ".join([*before, told, *behind]), language)
    assert not any(tells(" ".join(some), language) for some in (before, behind))


@given(st.text(max_size=400), st.sampled_from(["it", "en", "de", ""]), st.sampled_from(Role))
def test_any_text_is_judged(text: str, language: str, role: Role) -> None:
    assert 0 <= informative(text, language=language, role=role) <= 1


@pytest.mark.parametrize(
    "part",
    [
        *("haa", "ahah ", "h", "'", "a'", "a, ", "? ", "(", "my ", "mia ", "if i'm ", "se sono "),
        *("do i or ", "prendo o ", "posso ", "your dog ", "i remember your ", "ricordo che tua "),
    ],
)
@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT])
def test_a_text_made_to_take_long_does_not(part: str, language: str, role: Role) -> None:
    assert growth(lambda said: informative(said, language=language, role=role), part, 1_400) < LINEAR


@pytest.mark.parametrize("language", ["it", "en"])
def test_a_quotation_of_apostrophes_does_not_take_long(language: str) -> None:
    def read(marks: str) -> None:
        informative(f"Posso mangiare 'a{marks}", language=language)

    assert growth(read, "'", 1_200) < LINEAR

"""The phrases of insights in Italian."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from ricordo.language.lemmas import article_of, with_article
from ricordo.memory.reflection.noun_phrases import InsightPhrases, NounPhrase, Occurrence


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STEMS: Final = ("de", "a", "da", "ne", "su")
_YOURS: Final = {
    "mio": "tuo",
    "mia": "tua",
    "miei": "tuoi",
    "mie": "tue",
    "nostro": "vostro",
    "nostra": "vostra",
    "nostri": "vostri",
    "nostre": "vostre",
}
_MASCULINE: Final = _listed(
    """
    il lo un uno questo quel quello del dello al allo dal dallo nel nello sul sullo mio nostro bel buon
    primo
    """
)
_MASCULINE_PLURAL: Final = _listed(
    "i gli questi quei quegli dei degli ai agli dai dagli nei negli sui sugli miei nostri"
)
_FEMININE: Final = _listed("la una questa quella della alla dalla nella sulla mia nostra bella buona prima")
_FEMININE_PLURAL: Final = _listed("le queste quelle delle alle dalle nelle sulle mie nostre")
_PLURALS: Final = _MASCULINE_PLURAL | _FEMININE_PLURAL
_WITH_ARTICLE: Final = _listed("il lo la i gli le") | {
    stem + ending for stem in _STEMS for ending in ("l", "llo", "lla", "i", "gli", "lle")
}
_ELIDED: Final = _listed("l dell all dall nell sull")
# Of which one speaks without an article.
_BARE: Final = _listed(
    """
    lavoro musica calcio sport politica soldi scuola cucina cinema arte storia religione filosofia matematica
    medicina salute sesso amore moda cibo libri film viaggi economia scienza letteratura informatica tennis
    basket pallavolo fotografia giardinaggio finanza teatro yoga
    """
)
_FEMININE_ENDINGS: Final = re.compile(
    r"(?:[stzgn]ione|t[àù]|udine|ice|ie|ezza|enza|anza|si|[^m]a|mma|rma|ima)$"
)
_MASCULINE_ENDINGS: Final = re.compile(r"(?:o|ore|ale|ile|iere|ame|ume|ente|one|(?:ble|te|gra|ra|le|dra)ma)$")
_FEMININE_NOUNS: Final = _listed(
    """
    notte madre moglie mano auto moto foto radio bici mamma gamma fiamma somma forma firma norma arma palma
    rima cima lima anima stima vittima nave neve voce luce pace croce legge morte mente gente parte arte
    sete fame
    febbre carne pelle chiave classe estate fine sede rete corte fonte fronte base frase fase crisi analisi
    tesi ipotesi diagnosi terapia tosse torre polvere valle nonna mente lente patente corrente sorgente
    palestra
    """
)
_MASCULINE_NOUNS: Final = _listed(
    """
    padre papà cane esame mare pane mese pesce piede paese nome cinema problema tema clima sistema programma
    panorama dramma poema schema diploma sogno computer bar film sport gatto pigiama pilota collega prete
    calcio latte sale sole fiore cuore dolore amore amico fiume pollice re cellulare giornale ospedale tram
    bus treno caffè tè bebè bambino lavoro
    """
)


def _thing(found: Sequence[Occurrence]) -> NounPhrase | None:
    """Name a thing as the user mostly does, addressed to them: "il mio capo" becomes "il tuo capo"."""
    if not found:
        return None
    names = Counter(one.form for one in found if one.is_name)
    if 2 * names.total() > len(found):
        return _named(max(sorted(names), key=names.__getitem__), found)
    plural = 2 * sum(_is_plural(one) for one in found) > len(found)
    alike = [one for one in found if _is_plural(one) is plural]
    form = _most([one.form for one in alike])
    owned = [one for one in alike if one.before[1] in _YOURS]
    if 2 * len(owned) >= len(alike):
        return _owned(form, owned)
    if form in _BARE:
        gender = _gender(form, alike) or "m"
        return NounPhrase(with_article("", article_of(form, gender, plural=plural), form), f"di {form}")
    gender = _gender(form, alike)
    if not gender and not _is_elided(form, plural=plural):
        return None
    article = article_of(form, gender, plural=plural)
    return NounPhrase(with_article("", article, form), with_article("di", article, form))


def _named(name: str, found: Sequence[Occurrence]) -> NounPhrase:
    """Return a name, with an article if it mostly has one: "la Juventus"."""
    behind = sum(one.before[1] in _WITH_ARTICLE | _ELIDED for one in found)
    gender = _gender(name, found)
    if 2 * behind < len(found) or not (gender or _is_elided(name.casefold(), plural=False)):
        return _person(name)
    article = article_of(name, gender)
    return NounPhrase(with_article("", article, name), with_article("di", article, name))


def _owned(form: str, owned: Sequence[Occurrence]) -> NounPhrase:
    yours = _most([_YOURS[one.before[1]] for one in owned])
    named = f"{yours} {form}"
    if 2 * sum(one.before[0] in _WITH_ARTICLE for one in owned) < len(owned):
        return NounPhrase(named, f"di {named}")  # "tua madre"
    article = article_of(
        named,
        "f" if yours.endswith(("a", "e")) else "m",
        plural=yours[-1] in "ei" and not yours.endswith("uo"),
    )
    return NounPhrase(with_article("", article, named), with_article("di", article, named))


def _is_plural(one: Occurrence) -> bool:
    return one.plural or one.before[1] in _PLURALS


def _is_elided(form: str, *, plural: bool) -> bool:
    """Whether its article is the same for both genders."""
    return not plural and form[:1] in "aeiouàèéìòù"


def _gender(form: str, found: Sequence[Occurrence]) -> str:
    """Return "f" or "m" by the words before it, else by the noun; "" where neither tells."""
    said = Counter(_gender_before(one.before[1]) for one in found)
    del said[""]
    if said["f"] != said["m"]:
        return "f" if said["f"] > said["m"] else "m"
    head = form.split(maxsplit=1)[0]
    if head in _FEMININE_NOUNS:
        return "f"
    if head in _MASCULINE_NOUNS or _MASCULINE_ENDINGS.search(head):
        return "m" if not _FEMININE_ENDINGS.search(head) or head in _MASCULINE_NOUNS else "f"
    return "f" if _FEMININE_ENDINGS.search(head) else ""


def _gender_before(word: str) -> str:
    if word in _FEMININE or word in _FEMININE_PLURAL:
        return "f"
    return "m" if word in _MASCULINE or word in _MASCULINE_PLURAL else ""


def _most(forms: Sequence[str]) -> str:
    counts = Counter(forms)
    return max(sorted(counts), key=counts.__getitem__)


def _person(name: str) -> NounPhrase:
    return NounPhrase(name, f"di {name}")


def _quoted(topic: str) -> NounPhrase:
    return NounPhrase(f"«{topic}»", f"di «{topic}»")


_FEELINGS: Final = {
    "admiration": ("ammirazione", "f"),
    "amusement": ("divertimento", "m"),
    "anger": ("rabbia", "f"),
    "annoyance": ("fastidio", "m"),
    "approval": ("approvazione", "f"),
    "caring": ("tenerezza", "f"),
    "confusion": ("confusione", "f"),
    "curiosity": ("curiosità", "f"),
    "desire": ("desiderio", "m"),
    "disappointment": ("delusione", "f"),
    "disapproval": ("disapprovazione", "f"),
    "disgust": ("disgusto", "m"),
    "embarrassment": ("imbarazzo", "m"),
    "excitement": ("entusiasmo", "m"),
    "fear": ("paura", "f"),
    "gratitude": ("gratitudine", "f"),
    "grief": ("dolore", "m"),
    "joy": ("gioia", "f"),
    "love": ("amore", "m"),
    "nervousness": ("preoccupazione", "f"),
    "neutral": ("calma", "f"),
    "optimism": ("ottimismo", "m"),
    "pride": ("orgoglio", "m"),
    "realization": ("consapevolezza", "f"),
    "relief": ("sollievo", "m"),
    "remorse": ("rimorso", "m"),
    "sadness": ("tristezza", "f"),
    "surprise": ("sorpresa", "f"),
}
_GENDERS: Final = dict(_FEELINGS.values())


def _with_article(feeling: str) -> str:
    return with_article("", article_of(feeling, _GENDERS[feeling]), feeling)


ITALIAN: Final = InsightPhrases(
    vague=_listed(
        """
        giorno giornata settimana mese anno tempo oggi domani ieri dopodomani stasera stamattina
        stanotte mattina
        mattino mattinata pomeriggio sera serata notte nottata weekend mezzanotte mezzogiorno ora minuto
        secondo momento attimo data stagione primavera estate autunno inverno lunedì martedì mercoledì giovedì
        venerdì sabato domenica gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre
        novembre dicembre cosa roba modo maniera volta po sacco tipo genere paio numero parte fine inizio metà
        lato posto gente persona tizio qualcosa niente nulla vita mondo fatto idea caso punto motivo
        ragione esempio
        questione domanda risposta parola discorso sensazione umore fortuna mente testa resto pezzo
        colpa periodo
        tanto tanta molto molta poco poca tutto tutta dopo prima
        """
    ),
    feelings={
        **{label: noun for label, (noun, _) in _FEELINGS.items()},
        "pleasant": "emozioni piacevoli",
        "unpleasant": "emozioni spiacevoli",
    },
    times={
        "morning": "la mattina",
        "afternoon": "il pomeriggio",
        "evening": "la sera",
        "night": "la notte",
        "weekday": "nei giorni feriali",
        "weekend": "nel fine settimana",
        "monday": "il lunedì",
        "tuesday": "il martedì",
        "wednesday": "il mercoledì",
        "thursday": "il giovedì",
        "friday": "il venerdì",
        "saturday": "il sabato",
        "sunday": "la domenica",
    },
    sentences={
        "company": "{who} torna spesso quando parli {of}",
        "company_asked": "Che cosa significa {who} per te quando parli {of}?",
        "feeling": "Quando parli {of}, lo fai per lo più con {feeling}",
        "feeling_asked": "Come ti senti quando parli {of}?",
        "rising": "Parli sempre più spesso {of}",
        "rising_late": "Ultimamente parli spesso {of}",
        "rising_asked": "Di che cosa parli più spesso di prima?",
        "when": "Parli {of} soprattutto {time}",
        "when_asked": "Quando parli {of}?",
        "mood": "{Feeling} si sente in quello che dici soprattutto {time}",
        "mood_asked": "Quando parli con {feeling}?",
        "mood_rising": "Ultimamente in quello che dici si sente più spesso {the_feeling}",
        "mood_rising_asked": "Come ti senti ultimamente?",
    },
    rider=", per lo più con {feeling}",
    thing=_thing,
    person=_person,
    quoted=_quoted,
    with_article=_with_article,
)

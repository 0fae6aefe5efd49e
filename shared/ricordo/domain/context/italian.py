"""Italian around the words of a fact: articles, and what prepositions make of them."""

import re
from collections.abc import Mapping
from typing import Final

from ricordo.domain.context.lexicon import word_lists
from ricordo.domain.facts import USER
from ricordo.domain.facts.extraction.italian.nouns import INSTRUMENTS
from ricordo.domain.facts.extraction.italian.people import KIN
from ricordo.domain.italian_articles import article_of, with_article

_INFINITIVE = re.compile(r"[^\W\d_]*?(?:are|(?<!i)ere|ire|[aei]rsi|arre|orre|urre)\b")
_VOWELS: Final = frozenset("aeiouàèéìòù")
_PLURALS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("percussioni", "tastiere", "tablas", "launeddas"), "le"),
    **dict.fromkeys(("timpani", "tamburi"), "i"),
}
# Lists of the lexicon, most of them called by the article that their places take.
_KINDS_OF_PLACE: Final = ("il", "nel", "la", "gli", "i", "le", "alle", "bare")
_ARTICLE_OF_KIND: Final[Mapping[str, str]] = {"nel": "il", "alle": "le", "bare": "", "areas": ""}
_WITH_IN: Final = frozenset({"il", "la", "bare", "areas"})


def words_around(subject: str, value: str) -> dict[str, str]:
    """Return what a phrase may say of a fact's subject and object, by placeholder."""
    the_what = with_article("", _article(value), value)
    return {**_of_subject(subject), **_of_place(value), "what": value, "the_what": the_what}


def shape(value: str) -> str:
    """Say what an object is: `of_names`, `of_verbs`, `of_instruments`, or nothing in particular."""
    if value[:1].isupper():
        return "of_names"
    if value.casefold() in INSTRUMENTS:
        return "of_instruments"
    verb = _INFINITIVE.match(value.casefold())
    return "of_verbs" if verb is not None and verb[0] not in word_lists("it")["nouns_like_verbs"] else ""


def _of_subject(subject: str) -> dict[str, str]:
    kin = KIN.get(subject) if subject.islower() else None
    if subject == USER:
        who, article = "utente", "l'"
    elif kin is not None:
        who, article = f"{subject} dell'utente", article_of(subject, kin.gender or "m", plural=kin.plural)
    else:
        who, article = subject, ""
    alone, to = with_article("", article, who), with_article("a", article, who)
    return {"who": _capital(alone), "of": with_article("di", article, who), "to": to, "to_who": _capital(to)}


def _capital(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]


def _of_place(place: str) -> dict[str, str]:
    kind = _kind_of_place(place.casefold().replace(" ", "_"))
    article = _ARTICLE_OF_KIND.get(kind, kind)
    if article in {"il", "la"} and place[:1].casefold() in _VOWELS:
        article = "l'"
    if kind in _WITH_IN:
        where = f"in {place}"
    elif kind == "alle" or not article:
        where = with_article("ad" if not article and place[:1].casefold() == "a" else "a", article, place)
    else:
        where = with_article("in", article, place)
    return {
        "in_what": where,
        "from_what": with_article("da", article, place),
        "the_place": with_article("", article, place),
    }


def _kind_of_place(folded: str) -> str:
    lists = word_lists("it")
    if folded.partition("_")[0] in lists["areas"]:
        return "areas"
    return next((kind for kind in _KINDS_OF_PLACE if folded in lists[kind]), "")


def _article(noun: str) -> str:
    """Return the article of a noun that ends as its gender says, as instruments do."""
    folded = noun.casefold()
    return _PLURALS.get(folded) or article_of(folded, "f" if folded.endswith("a") else "m")

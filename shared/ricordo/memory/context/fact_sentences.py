"""Writes a fact as a sentence to the user, in Italian or English."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Final, cast

from ricordo.language.facts.fact_grammar import Gender
from ricordo.language.facts.grammar_data import load_grammar
from ricordo.language.facts.phrase_trees import ObjectReader
from ricordo.language.lemmas import article_of, with_article
from ricordo.language.text import collapse
from ricordo.memory.context.formatting import escape_lines
from ricordo.memory.context.syntax import phrase, phrase_table, word_lists
from ricordo.memory.facts import USER, Fact

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_END: Final = frozenset(".!?…")


def fact_sentence(fact: Fact, language: str, zone: tzinfo = UTC) -> str:
    """Write a fact as a sentence, "You live in Turin, since March 2026."; months are those of `zone`."""
    subject, value = collapse(fact.subject), collapse(fact.object)
    if language == "it":
        shape, words_around = _italian_shape, _italian_words_around
    else:
        shape, words_around = _english_shape, _english_words_around
    template = _template(language, subject, fact.predicate, shape(value))
    words = words_around(subject, value)
    # All at once: a brace in what a user said is no placeholder.
    said = _PLACEHOLDER.sub(lambda match: words[match[1]], template)
    sentence = ", ".join((said[:1].upper() + said[1:], *_remarks(fact, language, zone)))
    return escape_lines(sentence if sentence[-1:] in _END else f"{sentence}.")


def _remarks(fact: Fact, language: str, zone: tzinfo) -> list[str]:
    remarks = []
    if fact.valid_to is not None:
        remarks.append(_month("until", fact.valid_to.astimezone(zone), language))
    elif fact.valid_from is not None:
        since, heard = fact.valid_from.astimezone(zone), fact.first_seen.astimezone(zone)
        # Where nobody has told since when it holds, it is known since it was first said.
        if since.date() != heard.date():
            remarks.append(_month("since", since, language))
    return [*remarks, phrase(language, "disputed")] if fact.disputed else remarks


def _template(language: str, subject: str, predicate: str, shape: str) -> str:
    every = phrase_table(language)
    about = "of_user" if subject == USER else "of_others"
    for table in (f"{about}_{shape}", about):
        found = cast("dict[str, str]", every.get(table, {})).get(predicate)
        if found is not None:
            return found
    return f"{{who}} {predicate.replace('_', ' ')} {{what}}"


def _month(name: str, instant: datetime, language: str) -> str:
    month = phrase(language, "months").split()[instant.month - 1]
    return phrase(language, name, month=month, year=instant.year)


_ENGLISH_VOWELS: Final = frozenset("aeiou")
_COUNTED: Final = re.compile(
    r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|some|many|several|few|no|my|an?|the)\b",
    re.IGNORECASE,
)
_ENGLISH_PLURAL: Final = re.compile(r"(?:children|people|(?:\w*[^\Wsui])s)(?:\W|$)")


def _english_words_around(subject: str, value: str) -> dict[str, str]:
    """Return the values of a template's placeholders."""
    if subject == USER:
        who, whose = "you", "your"
    else:
        who = f"your {subject}" if subject.islower() and subject in load_grammar("en").kin else subject
        whose = f"{who}'s"
    takes_the = value.casefold().replace(" ", "_") in word_lists("en")["the"]
    return {
        "who": who,
        "whose": whose,
        "what": value,
        "a_what": _english_indefinite(value),
        "the_what": f"the {value}",
        "the_place": f"the {value}" if takes_the else value,
    }


def _english_shape(value: str) -> str:
    """Classify an object: `names`, `instruments` or ""."""
    if value[:1].isupper():
        return "names"
    return "instruments" if value.casefold() in load_grammar("en").lexicon[ObjectReader.INSTRUMENT] else ""


def _english_indefinite(value: str) -> str:
    """Return a noun with "a" or "an"; plurals and counted nouns take none."""
    noun = value.partition(" of ")[0].rpartition(" ")[2]
    if _COUNTED.match(value) or _ENGLISH_PLURAL.match(noun):
        return value
    return f"{'an' if value[:1].casefold() in _ENGLISH_VOWELS else 'a'} {value}"


_INFINITIVE = re.compile(r"[^\W\d_]*?(?:are|(?<!i)ere|ire|[aei]rsi|arre|orre|urre)\b")
_VOWELS: Final = frozenset("aeiouàèéìòù")
_PLURALS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("percussioni", "tastiere", "tablas", "launeddas"), "le"),
    **dict.fromkeys(("timpani", "tamburi"), "i"),
}
_FEMININE: Final = ("zione", "sione", "gione", "tudine", "tà", "tù", "ice", "igine", "a")
_BY_ENDING: Final[Mapping[str, tuple[Gender, bool] | None]] = {"e": None, "i": ("m", True)}
_MASCULINE: Final = ("ore", "ale", "ile", "ame", "iere", "one", "è", "é")
_YOURS: Final[Mapping[tuple[Gender, bool], str]] = {
    ("m", False): "tuo",
    ("f", False): "tua",
    ("m", True): "tuoi",
    ("f", True): "tue",
}
# Of the family, a single one is "tua sorella", without an article.
_FAMILY: Final = frozenset({"has_sibling", "has_parent", "has_child", "related_to"})
# Lists of the lexicon, most of them called by the article that their places take.
_KINDS_OF_PLACE: Final = ("il", "nel", "la", "gli", "i", "le", "alle", "bare")
_ARTICLE_OF_KIND: Final[Mapping[str, str]] = {"nel": "il", "alle": "le", "bare": "", "areas": ""}
_WITH_IN: Final = frozenset({"il", "la", "bare", "areas"})


def _italian_words_around(subject: str, value: str) -> dict[str, str]:
    gender, plural = _number_of(value) or ("f" if value.endswith("a") else "m", False)
    article = _PLURALS.get(value.casefold()) or article_of(value.casefold(), gender, plural=plural)
    return {
        **_of_subject(subject),
        **_of_place(value),
        "what": value,
        "the_what": with_article("", article, value),
        "a_what": _italian_indefinite(gender, value),
    }


def _italian_shape(value: str) -> str:
    """Classify an object: `names`, `verbs`, `instruments`, `one`, `many` or ""."""
    if value[:1].isupper():
        return "names"
    if value.casefold() in load_grammar("it").lexicon[ObjectReader.INSTRUMENT]:
        return "instruments"
    verb = _INFINITIVE.match(value.casefold())
    if verb is not None and verb[0] not in word_lists("it")["nouns_like_verbs"]:
        return "verbs"
    number = _number_of(value)
    return "" if number is None else "many" if number[1] else "one"


def _number_of(value: str) -> tuple[Gender, bool] | None:
    """Return the gender and number of a noun by its ending; None where that is ambiguous."""
    lists, noun = word_lists("it"), re.split(r"\W", value.casefold(), maxsplit=1)[0]
    # Of several words of which the last ends in a consonant, the first is hardly an Italian noun.
    foreign = " " in value and value[-1:].isalpha() and value[-1:].casefold() not in _VOWELS
    if noun in lists["numbers"] or not noun.isalpha() or foreign:
        return None
    if noun in lists["feminine_plural"] or noun.endswith(("zioni", "sioni")):
        return "f", True
    if noun in lists["masculine"] or noun.endswith(_MASCULINE):
        return "m", False
    if noun in lists["feminine"] or noun.endswith(_FEMININE):
        return "f", False
    return _BY_ENDING.get(noun[-1], ("m", False))


def _italian_indefinite(gender: Gender, noun: str) -> str:
    if gender == "f":
        return f"un'{noun}" if noun[:1].casefold() in _VOWELS else f"una {noun}"
    return f"uno {noun}" if article_of(noun, gender) == "lo" else f"un {noun}"


def _of_subject(subject: str) -> dict[str, str]:
    kin = load_grammar("it").kin.get(subject) if subject.islower() else None
    if kin is None:
        return {"who": subject, "of": f"di {subject}", "to": f"a {subject}", "to_who": f"a {subject}"}
    gender = kin.gender or "m"
    yours = _YOURS[gender, kin.plural]
    family = kin.predicate in _FAMILY and not kin.plural
    article = "" if family else article_of("t", gender, plural=kin.plural)
    who = f"{yours} {subject}"
    to = with_article("a", article, who)
    return {
        "who": with_article("", article, who),
        "of": with_article("di", article, who),
        "to": to,
        "to_who": to,
    }


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

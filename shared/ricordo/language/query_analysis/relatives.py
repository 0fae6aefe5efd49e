"""Reads whom a question is about where it names them by ties to the user: "my sister's husband"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_patterns
from ricordo.language.facts.fact_tokens import Tokens, own_words, tokenise
from ricordo.language.facts.fact_words import FactWords, Kin, load_words
from ricordo.language.facts.kinship import Tie
from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.requested_predicates import (
    NO_PREDICATES,
    RequestedPredicates,
    requested_predicates,
    words_besides,
)
from ricordo.language.text import stem

_PLACEHOLDER: Final = "x"
_COMPOUND: Final = re.compile(r"[\w-]+-(?:old|\w+ed)")  # adjectives like "two-year-old" and "three-legged"
_FORMER: Final = frozenset({"ex", "former"})
_OWNED: Final = "'s"


@dataclass(frozen=True, slots=True)
class AskedRelative:
    """Somebody whom a question names by ties.

    Attributes:
        ties: from the user on: a sister, her husband.
        requested: what is asked of them; for a name or who they are, the last tie.
        words: by which the question names them: "my sister's husband".
    """

    ties: tuple[Tie, ...]
    requested: RequestedPredicates = NO_PREDICATES
    words: str = ""

    def is_spoken_of(self, text: str) -> bool:
        """Whether a text has a noun for the last of the ties: "mum" for "my mother"."""
        return not _nouns_meant(self.ties[-1]).isdisjoint(re.findall(r"[\w-]+", text.casefold()))

    def further(self) -> list[tuple[Tie, tuple[str, ...]]]:
        """Return the ties after the first, and the words that say them: none where others say the same."""
        return [
            (tie, tuple(sorted(_nouns_meant(tie))) if _is_particular(tie) else ()) for tie in self.ties[1:]
        ]

    def stored_ties(self) -> tuple[str, ...]:
        """Return the texts that the first tie has beside evidence, in all languages."""
        return _stored(self.ties[0])


def asked_relative(query: str, language: str) -> AskedRelative | None:
    """Return the one relative, friend or pet of the user whom a question is about; None without one.

    "Where did I meet my husband?" is about the user.
    """
    if language not in LANGUAGES:
        return None
    words, tokens = load_words(language), tokenise(own_words(query), language)
    places = [at for at, word in enumerate(tokens.low) if word in words.possessives]
    if len(places) != 1 or not words.user_pronouns.isdisjoint(tokens.low):
        return None
    found = _chain(tokens, words, places[0])
    if found is None:
        return None
    begin, ties, end = found
    if begin and tokens.low[begin - 1] in read_patterns("relatives", language)["beside"]:
        return None
    rest = [word for word in tokens.low[end:] if word != _OWNED]
    asked = _requested((*tokens.low[:begin], _PLACEHOLDER, *rest), ties[-1], language)
    return AskedRelative(ties, asked, query[tokens.starts[begin] : tokens.ends[end - 1]])


def relative_by_ties(query: str, analysis: QueryAnalysis) -> AskedRelative | None:
    """Return whom a question names by ties alone: "my father" may go by that name, too."""
    relative = asked_relative(query, analysis.language)
    by_ties = relative is not None and all(map(relative.is_spoken_of, analysis.entities))
    return relative if by_ties else None


def _chain(tokens: Tokens, words: FactWords, possessive: int) -> tuple[int, tuple[Tie, ...], int] | None:
    """Return the tokens of a chain of ties around "my", and the ties from the user on."""
    size = len(tokens.low)
    term = _kin_at(tokens, words, possessive + 1, size)
    if term is None:
        return None
    begin, ties, end = possessive, [_tie(term[0])], term[1]
    while end + 1 < size and tokens.low[end] == _OWNED:
        further = _kin_at(tokens, words, end + 1, size)
        if further is None:
            break
        ties.append(_tie(further[0]))
        end = further[1]
    linking = read_patterns("relatives", words.code)["of"]
    while begin > 1:
        place = begin - 1 if tokens.low[begin - 1] not in words.determiners - linking else begin - 2
        if place < 1 or tokens.low[place] not in linking or tokens.low[place - 1] not in words.kin:
            break
        ties.append(_tie(words.kin[tokens.low[place - 1]]))
        begin = place - 1
    return begin, tuple(ties), end


def _kin_at(tokens: Tokens, words: FactWords, begin: int, end: int) -> tuple[Kin, int] | None:
    """Read a kinship term with the adjectives around it: "older twin sister", "fratello più piccolo"."""

    def describes(place: int) -> bool:
        word = tokens.low[place]
        return word in words.kin_adjectives or word in _FORMER or _COMPOUND.fullmatch(word) is not None

    at = begin
    while at < end and (describes(at) or tokens.low[at] == "-") and tokens.low[at] not in words.kin:
        at += 1
    if at < end and tokens.low[at] in _FORMER and at + 1 < end:  # a tie of its own without a noun behind it
        at += tokens.low[at + 1] in words.kin
    if at == end or tokens.low[at] not in words.kin:
        return None
    kin = words.kin[tokens.low[at]]
    at += 1
    while at < end and (tokens.low[at] in words.kin or describes(at)) and not tokens.is_capital(at):
        if tokens.low[at] in words.companions:
            break  # "my work friend", but "where does my friend work?"
        kin = words.kin.get(tokens.low[at], kin)
        at += 1
    # "Compagna di classe" is no partner, and "vicino di casa" is one word.
    if at + 1 < end and tokens.low[at] in ("di", "from") and tokens.low[at + 1] in words.companions:
        return replace(kin, predicate="knows" if kin.predicate == "partner" else kin.predicate), at + 2
    return kin, at


def _requested(words: tuple[str, ...], tie: Tie, language: str) -> RequestedPredicates:
    plain = " ".join(words)
    if read_patterns("relatives", language)["name"].search(plain):
        return RequestedPredicates((tie.predicate,))
    names = requested_predicates(plain, language, names=(_PLACEHOLDER,)).names
    besides = words_besides(plain, language, names, examples=False)
    return RequestedPredicates(names, besides=besides - {stem(_PLACEHOLDER, language)})


def _tie(kin: Kin) -> Tie:
    return Tie(kin.predicate, kin.gender, kin.noun)


def _is_particular(tie: Tie) -> bool:
    """Whether facts tell too little of a tie: sons and daughters are children, a boss is somebody known."""
    return bool(tie.detail) or tie.predicate in ("knows", "related_to")


def _kin_of_all() -> Iterator[tuple[str, Tie]]:
    for language in LANGUAGES:
        for word, kin in load_words(language).kin.items():
            yield word, _tie(kin)


@lru_cache(maxsize=512)
def _nouns_meant(asked: Tie) -> frozenset[str]:
    if asked.predicate == "has_pet":  # a labrador is a dog
        return frozenset(word for word, tie in _kin_of_all() if tie.predicate == "has_pet")
    # "My parents" speaks of the mother, but of nothing that is hers alone.
    return frozenset(
        word for word, tie in _kin_of_all() if tie.is_meant_by(asked) and asked.detail in ("", tie.detail)
    )


@lru_cache(maxsize=512)
def _stored(asked: Tie) -> tuple[str, ...]:
    meant = {tie for _, tie in _kin_of_all() if tie.is_meant_by(asked)}
    return tuple(sorted(str(replace(tie, named=named)) for tie in meant for named in (True, False)))

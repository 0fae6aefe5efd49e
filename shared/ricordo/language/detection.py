"""Detects the language of a text."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.markup import in_words
from ricordo.language.scripts import languages_by_script
from ricordo.language.text import stop_words
from ricordo.language.tokenization import LAUGHTER

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_FOREIGN_LETTER: Final = re.compile("[ãåæõøœßąćčđęěğłńőřşśšůűźżž]")
"""A letter of other languages; in Italian and English it is met in names only."""
_MOST_READ = 2_000  # characters; more of a text tells nothing more
_FUNCTION_WORD: Final = 200  # the weight of a function word, as in `detection.toml`
# The candidates of the identifier: each further one is one more mistake that it can make.
_IDENTIFIED: Final = tuple(
    "it en fr de es pt nl ro pl ru uk tr el sv da no fi cs hu hr bg ca ar he fa hi zh ja ko vi id".split()
)
# How probable another language has to be: at all, of few words, and where its own words or letters are seen.
_SURE, _SURE_OF_FEW, _SURE_OF_FOREIGN = 0.6, 0.8, 0.3
_FEW = 3  # words
_BARE: Final = 2  # words, of which none that is frequent tells anything
_CLEAR = 2  # function words of one language, and none of another, which need no second opinion
_SHARED: Final = frozenset(read_table("shared_words")["words"].split())


class _Signs(NamedTuple):
    """What shows a language: its function words, and the patterns of `detection.toml`."""

    words: frozenset[str]
    apostrophes: re.Pattern[str]
    pronoun: re.Pattern[str]
    shapes: Sequence[tuple[re.Pattern[str], int]]


def _signs(language: str) -> _Signs:
    table = read_table("detection", language)
    frequent = frozenset(read_table("function_words", language)["frequent"].split())
    return _Signs(
        frequent | stop_words(language),
        re.compile(table["apostrophes"]),
        re.compile(table["pronoun"]),
        [(re.compile(pattern), weight) for pattern, weight in table["shapes"]],
    )


_SIGNS: Final = [_signs(language) for language in LANGUAGES]
_PARTICLES: Final = {*read_table("names")["joining"].split()}.difference(*(signs.words for signs in _SIGNS))
_WITHIN_A_NAME: Final = re.compile(rf"\b([A-ZÀ-Ý]\w*)(?: (?:{'|'.join(sorted(_PARTICLES))}))+(?= [A-ZÀ-Ý])")
_PLACES: Final = range(len(LANGUAGES))
_Weights = tuple[int, ...]
"""What speaks for each of `LANGUAGES`, in their order."""
_NO_EVIDENCE: Final[_Weights] = (0,) * len(LANGUAGES)


def detect(text: str, default: str = "en") -> str:
    """Return the likeliest of `LANGUAGES`, in which queries are read."""
    read = text[:_MOST_READ]
    return _likeliest(_total(_traits_of(read), read), default)


def shows_language(text: str) -> bool:
    """Return whether `text` is enough to detect its language: a bare noun or two ("pizza") are not.

    A frequent word of one language is enough, and so are more than two words.
    """
    read = _traits_of(text[:_MOST_READ])
    cut = set(_apostrophes(text[:_MOST_READ]))
    return len(read) > _BARE or any(word.told for word in read) or len(cut) > 1


def identify(text: str, default: str = "en") -> str:
    """Return the language of `text`, as ISO 639-1; that of its script where there is only one."""
    read = _WITHIN_A_NAME.sub(r"\1", in_words(text[:_MOST_READ]))  # "Peter van Dijk" is in any language
    if by_script := languages_by_script(read):
        guessed, confidence = ("", 0.0) if len(by_script) == 1 else _identifier().classify(read)
        return str(guessed) if guessed in by_script and confidence >= _SURE else by_script[0]
    found = _traits_of(read)
    written = [word for word in found if not word.laughs]
    if not written:
        return default
    own = _likeliest(_total(found, read), default)
    first, *others = written
    foreign = first.foreign_small or any(word.foreign for word in others) or "¿" in read or "¡" in read
    if not foreign and _is_clear(written, own):
        return own
    guessed, confidence = _identifier().classify(read)
    if guessed in LANGUAGES:
        return own
    few = len(written) <= _FEW and _is_latin(read)
    asked = (
        _SURE_OF_FEW if few and not foreign else _SURE_OF_FOREIGN if foreign or not _is_latin(read) else _SURE
    )
    return str(guessed) if confidence >= asked else own


class _Traits(NamedTuple):
    """What a word shows of the language it is in."""

    evidence: _Weights
    told: str
    laughs: bool
    foreign: bool
    foreign_small: bool


@lru_cache(maxsize=16_384)
def _traits(word: str) -> _Traits:
    small = word.lower()
    evidence = _word_evidence(small)
    laughs = LAUGHTER.fullmatch(word) is not None
    spelled = word == small and _FOREIGN_LETTER.search(word) is not None
    return _Traits(
        evidence, _told(evidence), laughs, spelled or _is_foreign(word), spelled or _is_foreign(small)
    )


def _told(evidence: _Weights) -> str:
    """Return the language that is ahead of all others by a function word."""
    best = max(_PLACES, key=evidence.__getitem__)
    others = max((evidence[at] for at in _PLACES if at != best), default=0)
    return LANGUAGES[best] if evidence[best] - others >= _FUNCTION_WORD else ""


def _likeliest(evidence: _Weights, default: str) -> str:
    most = max(evidence)
    return LANGUAGES[evidence.index(most)] if evidence.count(most) == 1 else default


def _total(read: Sequence[_Traits], text: str) -> _Weights:
    counted = [word.evidence for word in read]
    return tuple(map(sum, zip(_apostrophes(text), *counted, strict=True)))


def _is_clear(written: Sequence[_Traits], own: str) -> bool:
    """Return whether function words show the language clearly."""
    telling = sum(word.told == own for word in written)
    return telling >= min(_CLEAR, len(written)) and telling * 4 >= len(written)


def _is_foreign(word: str) -> bool:
    return word in _foreign_words() and not _told(_word_evidence(word)) and word not in _SHARED


@lru_cache(maxsize=1)
def _foreign_words() -> frozenset[str]:
    return frozenset(read_table("foreign_words")["words"].split())


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    """Return the identifier, read once: that takes a second."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_IDENTIFIED)
    return identifier


def _traits_of(text: str) -> list[_Traits]:
    """Return the traits of each word: the ending of a name shows nothing, and "I" is English."""
    pronouns = {match.end(): at for at, signs in enumerate(_SIGNS) for match in signs.pronoun.finditer(text)}
    found = []
    for match in _WORD.finditer(text):
        word, traits = match.group(), _traits(match.group())
        pronoun = pronouns.get(match.start() + 1)
        if pronoun is not None:
            traits = _Traits(_evidence_for(pronoun), LANGUAGES[pronoun], False, False, False)  # noqa: FBT003
        elif match.start() and word[0].isupper() and not traits.told and word[1:].islower():
            traits = _Traits(_NO_EVIDENCE, *traits[1:])
        found.append(traits)
    return found


def _evidence_for(place: int) -> _Weights:
    return tuple(_FUNCTION_WORD * (at == place) for at in _PLACES)


def _apostrophes(text: str) -> _Weights:
    """Weigh what apostrophes cut off: "l'amico", "we're"."""
    if "'" not in text and "\u2019" not in text:
        return _NO_EVIDENCE
    return tuple(_FUNCTION_WORD * len(signs.apostrophes.findall(text)) for signs in _SIGNS)


def _word_evidence(word: str) -> _Weights:
    """Weigh a word by the lists, or if no list has it by its shape."""
    if word in _SHARED or not word[0].isalpha():
        return _NO_EVIDENCE
    listed = [word in signs.words for signs in _SIGNS]
    if any(listed):
        return _evidence_for(listed.index(True)) if sum(listed) == 1 else _NO_EVIDENCE
    if not _is_latin(word):
        return _NO_EVIDENCE
    return tuple(sum(weight for shape, weight in signs.shapes if shape.search(word)) for signs in _SIGNS)


def _is_latin(text: str) -> bool:
    return text.isascii() or all(sign < "\u0250" for sign in text if sign.isalpha())

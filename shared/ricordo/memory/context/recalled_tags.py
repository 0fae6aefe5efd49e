"""Cuts `<recalled>` spans out of incoming text, and escapes their tags in text that is shown.

A recalled text that is stored again would fill memory with echoes, and one that closes its own span would
speak to the model in the name of the bot.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from ricordo.language.unmasking import origins, unmasked
from ricordo.memory.context.syntax import preface_before

# Brackets are refused inside a tag and no quantifier gives back, so that hostile text costs linear time.
_TAG: Final = re.compile(r"<\s*+(?P<close>\\?+/?)\s*+recalled(?P<rest>[\s/][^<>]*+)?+(?:>|\Z)", re.IGNORECASE)
_BRACKET: Final = re.compile(r"<(?=\s*+\\?+/?\s*+recalled\b)", re.IGNORECASE)
_OPENING: Final = r"(?:<|&(?:amp;){0,4}(?:lt|#0{0,6}60|#x0{0,6}3c);?|\\{1,4}(?:u003c|x3c)|%3c)"
_CLOSING: Final = r"(?:>|&(?:amp;){0,4}(?:gt|#0{0,6}62|#x0{0,6}3e);?|\\{1,4}(?:u003e|x3e)|%3e)"
# In an unmasked text: tags as they are written where brackets mean something else, and disguised ones.
_WRITTEN_TAG: Final = re.compile(
    rf"(?P<bracket>{_OPENING})(?:\s|%20)*+(?P<close>\\?+(?:/|%2f)?)(?:\s|%20)*+recalled\b"
    rf"(?P<rest>[^<>&]{{0,200}}?)(?:{_CLOSING}|(?=[<&])|\Z)"
)
_TAG_BEGINS: Final = rf"{_OPENING}(?:\s|%20)*+\\?+(?:/|%2f)?(?:\s|%20)*+recalled\b"
_LAYERS: Final = 4
"""Tags within tags that are undone; what is hidden deeper is made harmless where it stands."""


def strip_recalled(text: str) -> str:
    """Cut out every `<recalled …>…</recalled>` span, tags included, also one without its beginning or end.

    Nested spans go as one. An unclosed one goes to the end of the text; a text that begins inside a span
    loses everything up to the first closing tag; any other closing tag goes alone. What becomes a tag only
    after that (`<rec<recalled/>alled>`) goes too. Where brackets are written as in HTML, JSON or a URL, or
    disguised, everything goes from the first tag to the last. The line before a span that states the day goes
    with it. Other text comes back unchanged; where something was cut, the ends are trimmed.
    """
    text = _without_preface(text)
    for _ in range(_LAYERS):
        kept = "".join(_outside(text))
        if kept == text:
            break
        text = kept.strip()
    return escape_recalled(_without_written(text))


def escape_recalled(text: str) -> str:
    """Replace the bracket of every tag by `&lt;`, also of tags in look-alikes or zero-width characters."""
    text = _BRACKET.sub("&lt;", text)
    seen = unmasked(text)
    disguised = [match.start() for match in _BRACKET.finditer(seen)]
    if not disguised:
        return text
    places, letters = origins(text), list(text)
    for at in disguised:
        letters[places[at]] = "&lt;"
    return "".join(letters)


def _outside(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for number, tag in enumerate(_TAG.finditer(text)):
        if depth == 0 and not (tag["close"] and number == 0):
            yield text[start : tag.start()]
        if tag["close"]:
            depth = max(0, depth - 1)
        elif not _is_empty(tag):
            depth += 1
        start = tag.end()
    if depth == 0:
        yield text[start:]


def _is_empty(tag: re.Match[str]) -> bool:
    return (tag["rest"] or "").rstrip().endswith("/")


def _without_preface(text: str) -> str:
    """Cut the line that states the day, before a span."""
    found = list(_preface().finditer(unmasked(text)))
    if not found:
        return text
    places = [*origins(text), len(text)]
    return _without(text, ((places[line.start()], places[line.end()]) for line in found))


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    ends = [0, *chain.from_iterable(spans), len(text)]
    return "".join(text[begin:end] for begin, end in zip(ends[::2], ends[1::2], strict=True))


@lru_cache(maxsize=1)
def _preface() -> re.Pattern[str]:
    return preface_before(_TAG_BEGINS)


def _without_written(text: str) -> str:
    """Cut from the first to the last tag among those that are not written plainly."""
    found = list(_WRITTEN_TAG.finditer(unmasked(text)))
    if not found:
        return text
    # What is written otherwise than the first tag that opens was in what was recalled.
    outer = next((tag for tag in found if not tag["close"]), found[-1])["bracket"].rstrip(";")
    tags = [tag for tag in found if tag["bracket"].rstrip(";") == outer]
    places = [*origins(text), len(text)]
    if all(_is_empty(tag) for tag in tags):
        return _without(text, ((places[tag.start()], places[tag.end()]) for tag in tags)).strip()
    begin = 0 if tags[0]["close"] else places[tags[0].start()]
    last = tags[-1]
    end = places[last.end()] if last["close"] or _is_empty(last) else len(text)
    return f"{text[:begin]}{text[end:]}".strip()

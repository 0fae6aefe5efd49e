"""What keepsakes are made of: a moment, its words in a language, colours, and the face that writes it.

The face is Noto Serif where the package `fontpkg-noto-serif` is installed: Latin with all accents, Greek and
Cyrillic. Else it is Bitstream Vera of ReportLab, which is for western Europe only. What the face has no sign
for, as Chinese, Japanese, Korean, Arabic, Hebrew, Indian scripts and emoji, is replaced visibly: by a dotted
circle, or a lozenge in Vera.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

import reportlab
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont

PAPER: Final = "#faf6ef"
INK: Final = "#2a2520"
SOFT: Final = "#665c51"
RULE: Final = "#e4dacb"
ACCENT: Final = "#94462a"
MOODS: Final = ("#c9c1b5", "#7c8ba1", "#a3a9a8", "#cdbfa6", "#dfae64", "#d98a4b")
"""Of no known feeling, then from low to high: those of the light theme in album.css."""

_TEXTS: Final = {
    "en": (
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
        "January February March April May June July August September October November December".split(),
    ),
    "it": (
        "lunedì martedì mercoledì giovedì venerdì sabato domenica".split(),
        "gennaio febbraio marzo aprile maggio giugno "
        "luglio agosto settembre ottobre novembre dicembre".split(),
    ),
}
_CLUSTER: Final = re.compile(
    "\u200d.|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"
)
"""What has no shape of its own: a sign that is joined to the one before, directions, variants, colours."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A memory as it is kept; all texts are plain.

    Attributes:
        at: aware; its day and time are written as they were in its zone.
        feeling: a word for it, in the reader's language.
        valence: from -1 to 1; None where nobody knows it.
    """

    text: str
    at: datetime
    title: str = ""
    place: str = ""
    people: tuple[str, ...] = ()
    feeling: str = ""
    valence: float | None = None
    note: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Face:
    """The faces of the texts, and what they can write."""

    regular: Path
    italic: Path
    signs: frozenset[int]

    def readable(self, text: str) -> str:
        """Return a text with a visible sign in the place of each that the face cannot write."""
        missing = next(sign for sign in "\N{DOTTED CIRCLE}\N{LOZENGE}?" if ord(sign) in self.signs)
        composed = _CONTROL.sub("", unicodedata.normalize("NFC", text.replace("\t", " ")))
        plain = _CLUSTER.sub("", composed)
        return "".join(sign if ord(sign) in self.signs or sign.isspace() else missing for sign in plain)


@cache
def face() -> Face:
    """Return the face, and have ReportLab know it as `Keepsake` and `Keepsake-Italic`."""
    try:
        files = Path(str(resources.files("fontpkg_noto_serif"))) / "files"
        regular, italic = files / "NotoSerif[wdth,wght].ttf", files / "NotoSerif-Italic[wdth,wght].ttf"
    except ModuleNotFoundError:
        folder = Path(reportlab.__file__).parent / "fonts"
        regular, italic = folder / "Vera.ttf", folder / "VeraIt.ttf"
    fonts = TTFont("Keepsake", str(regular)), TTFont("Keepsake-Italic", str(italic))
    for font in fonts:
        registerFont(font)
    upright, slanted = (frozenset(font.face.charToGlyph) for font in fonts)
    return Face(regular, italic, upright & slanted)


def day_text(at: datetime, language: str) -> str:
    """Return a day in words: "Friday 5 January 2024"; in English where the language is not known."""
    days, months = _TEXTS.get(language, _TEXTS["en"])
    return f"{days[at.weekday()]} {at.day} {months[at.month - 1]} {at.year}"


def details(moment: Moment) -> str:
    """Return place, people and tags in a line; empty where none is known."""
    tags = " ".join(f"#{tag.removeprefix('#')}" for tag in moment.tags)
    return " · ".join(part for part in (moment.place, ", ".join(moment.people), tags) if part)

"""Draws a moment as a card: a landscape in the colours of its feeling, and its words below."""

from bisect import bisect_right
from io import BytesIO
from typing import Final, NamedTuple

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from ricordo_services.album.drawings import mood_step
from ricordo_services.album.keepsake_face import (
    INK,
    MOODS,
    PAPER,
    RULE,
    SOFT,
    Moment,
    day_text,
    details,
    face,
)

SIZE: Final = (1080, 1350)
_FIELD: Final = 460
_MARGIN: Final = 92
_WIDTH: Final = SIZE[0] - 2 * _MARGIN
_LARGEST: Final = 88
_SMALLEST: Final = 26
_LEADING: Final = 1.42
_SKIES: Final = (
    ("#d9d3c8", "#efe9df", "#f8f4ec", "#bcb3a5"),
    ("#5f7089", "#aab5c4", "#dbe1e8", "#4a586d"),
    ("#8f9b9f", "#ccd2d0", "#eceeea", "#76837f"),
    ("#cdbfa6", "#efe5d0", "#fbf6ea", "#a9987a"),
    ("#e3b56d", "#f6e0b5", "#fff5dc", "#b98a44"),
    ("#d27f45", "#f4c58f", "#ffe9c9", "#a25a2e"),
)
"""By the step of the mood: above, at the horizon, the sun, and the near hill."""


class _Lines(NamedTuple):
    font: ImageFont.FreeTypeFont
    lines: list[str]


def moment_card(moment: Moment, language: str) -> bytes:
    """Return a moment as a PNG of 1080 to 1350 pixels.

    The text is as large as fits, and is cut at a word with an ellipsis where the smallest size does not.
    What the face cannot write is replaced visibly, as `keepsake_face` says.

    Args:
        language: of the day, `it` or `en`.
    """
    readable, faces = face().readable, face()
    card = Image.new("RGB", SIZE, PAPER)
    card.paste(_landscape(moment), (0, 0))
    draw = ImageDraw.Draw(card)
    small = ImageFont.truetype(faces.italic, 32)
    top, bottom = _FIELD + 56, SIZE[1] - 84
    feeling = f" · {moment.feeling}" if moment.feeling else ""
    day = _cut(small, readable(f"{day_text(moment.at, language)}{feeling}"), _WIDTH - 34)
    color = MOODS[mood_step(moment.valence)]
    draw.ellipse((_MARGIN, top + 12, _MARGIN + 18, top + 30), fill=color)
    draw.text((_MARGIN + 34, top), day, SOFT, small)
    if line := readable(details(moment)):
        draw.line((_MARGIN, bottom - 44, _MARGIN + 72, bottom - 44), RULE, 3)
        draw.text((_MARGIN, bottom - 24), _cut(small, line, _WIDTH), SOFT, small)
        bottom -= 76
    top += 78
    if moment.title:
        heading = ImageFont.truetype(faces.regular, 50)
        draw.text((_MARGIN, top - 8), _cut(heading, readable(moment.title), _WIDTH), INK, heading)
        top += 84
    text = _fitted(readable(moment.text.strip()), bottom - top)
    for number, words in enumerate(text.lines):
        draw.text((_MARGIN, top + number * text.font.size * _LEADING), words, INK, text.font)
    file = BytesIO()
    card.save(file, "PNG")
    return file.getvalue()


def _landscape(moment: Moment) -> Image.Image:
    """Return a sky, a sun that stands the higher the better it felt, and two hills."""
    above, horizon, sun, hill = _SKIES[mood_step(moment.valence)]
    width, height = 2 * SIZE[0], 2 * _FIELD  # reduced at the end, for smooth edges
    sky = Image.linear_gradient("L").resize((width, height))
    field = Image.composite(Image.new("RGB", sky.size, horizon), Image.new("RGB", sky.size, above), sky)
    middle = 1500, int(height * (0.52 - 0.24 * (moment.valence or 0.0)))
    glow = Image.new("L", (width // 8, height // 8), 0)
    ImageDraw.Draw(glow).circle((middle[0] // 8, middle[1] // 8), 38, 150)
    glow = glow.filter(ImageFilter.GaussianBlur(14)).resize(sky.size, Image.Resampling.BICUBIC)
    ImageDraw.Draw(glow).circle(middle, 150, 255)
    field.paste(Image.new("RGB", sky.size, sun), mask=glow)
    draw = ImageDraw.Draw(field)
    between = Image.blend(Image.new("RGB", (1, 1), horizon), Image.new("RGB", (1, 1), hill), 0.45).getpixel(
        (0, 0)
    )
    draw.ellipse((600, height - 250, 3300, height + 1200), fill=between)
    draw.ellipse((-1000, height - 190, 1700, height + 1500), fill=hill)
    return field.resize((SIZE[0], _FIELD), Image.Resampling.LANCZOS)


def _fitted(text: str, height: float) -> _Lines:
    """Return a text in lines, at the largest size at which it fits."""
    for size in range(_LARGEST, _SMALLEST - 1, -2):
        font = ImageFont.truetype(face().regular, size)
        room = int(height / (size * _LEADING))
        # A glance at its length: to measure 30,000 letters at each size takes seconds.
        if len(text) * size * 0.3 < room * _WIDTH or size <= _SMALLEST:
            lines = _wrapped(font, text, room + 1)
            if len(lines) <= room:
                return _Lines(font, lines)
            if size <= _SMALLEST:
                return _Lines(font, [*lines[: room - 1], _cut(font, f"{lines[room - 1]} …", _WIDTH)])
    raise AssertionError("the smallest size takes any text")


def _wrapped(font: ImageFont.FreeTypeFont, text: str, most: int) -> list[str]:
    """Return the first lines of a text; a word that is longer than a line is broken."""
    lines: list[str] = []
    for paragraph in text.splitlines():
        line, words = "", paragraph.split()[::-1]
        while words and len(lines) < most:
            word = words.pop()
            longer = f"{line} {word}".lstrip()
            if font.getlength(longer) <= _WIDTH:
                line = longer
            elif line:
                lines.append(line)
                line, words = "", [*words, word]
            else:
                fits = max(1, _letters_that_fit(font, word, _WIDTH))
                lines.append(word[:fits])
                words += [word[fits:]] if word[fits:] else []
        lines += [line] if line else []
        if len(lines) >= most:
            break
    return lines


def _letters_that_fit(font: ImageFont.FreeTypeFont, text: str, width: float, end: str = "") -> int:
    """Return how many letters of a text are, with its `end`, no wider than allowed."""
    lengths = range(1, len(text) + 1)
    return bisect_right(lengths, 0, key=lambda n: int(font.getlength(f"{text[:n]}{end}") > width))


def _cut(font: ImageFont.FreeTypeFont, line: str, width: float) -> str:
    """Return a line that is no wider than allowed, its end replaced by an ellipsis."""
    line = " ".join(line.split())
    if font.getlength(line) <= width:
        return line
    return line[: _letters_that_fit(font, line, width, "…")].rstrip(" …") + "…"

"""Makes what people keep of their moments: pages of a journal as PDF, and a card as an image.

What the face cannot write is replaced visibly; `keepsake_face` says what that is.
"""

import re
from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final
from xml.sax.saxutils import escape

from reportlab.graphics.shapes import Circle, Drawing
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import CondPageBreak, HRFlowable, Paragraph, SimpleDocTemplate, Spacer

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
from ricordo_services.album.moment_card import moment_card

__all__ = ["Moment", "moment_card", "moments_pdf"]


def _style(size: float, leading: float, **more: object) -> ParagraphStyle:
    font = {"fontName": "Keepsake", "fontSize": size, "leading": leading, "textColor": HexColor(INK)}
    return ParagraphStyle("", **{**font, "splitLongWords": 1, **more})


_ITALIC: Final[dict[str, Any]] = {"fontName": "Keepsake-Italic", "textColor": HexColor(SOFT)}
_STYLES: Final = {
    "cover": _style(24, 30, spaceAfter=4),
    "span": _style(10, 14, **_ITALIC),
    "day": _style(10, 14, spaceAfter=6, **_ITALIC),
    "title": _style(14.5, 19, spaceAfter=4),
    "text": _style(10.5, 16.5, spaceAfter=5, allowWidows=0, allowOrphans=0),
    "note": _style(
        9.5, 14, leftIndent=9, rightIndent=9, spaceBefore=9, spaceAfter=13, borderPadding=(6, 9, 8, 9),
        borderRadius=4, **{**_ITALIC, "backColor": HexColor("#f1e8da")},
    ),
    "details": _style(8.5, 12, textColor=HexColor(SOFT), spaceBefore=2),
}  # fmt: skip
_MARGIN: Final = 50.0
_LINE: Final = re.compile(r"\s*\n\s*")


def moments_pdf(moments: Sequence[Moment], title: str, language: str) -> bytes:
    """Return moments as the pages of a journal of size A5, in the order that is given.

    Args:
        title: stands on the first page, and small on the others.
        language: of the days, `it` or `en`.
    """
    readable, file = face().readable, BytesIO()
    story: list[Any] = [_paragraph(title, "cover")]
    if moments:
        first, last = min(one.at for one in moments), max(one.at for one in moments)
        days = dict.fromkeys(day_text(at, language) for at in (first, last))
        story.append(_paragraph(" – ".join(days), "span"))
    story.append(HRFlowable("100%", 0.7, color=HexColor(RULE), spaceBefore=12, spaceAfter=20))
    for moment in moments:
        story += [*_page_parts(moment, language), Spacer(1, 26)]
    document = SimpleDocTemplate(
        file, pagesize=A5, title=readable(title), lang=language, invariant=1, creator="Ricordo",
        leftMargin=_MARGIN, rightMargin=_MARGIN - 8, topMargin=_MARGIN, bottomMargin=_MARGIN + 6,
    )  # fmt: skip

    def draw_page(canvas: Any, page: Any) -> None:  # noqa: ANN401 - ReportLab has no types
        width, height = A5
        canvas.saveState()
        canvas.setFillColor(HexColor(PAPER))
        canvas.rect(0, 0, width, height, stroke=0, fill=1)
        canvas.setFillColor(HexColor(SOFT))
        canvas.setFont("Keepsake-Italic", 8.5)
        canvas.drawCentredString(width / 2, 28, str(page.page))
        if page.page > 1:
            canvas.drawString(_MARGIN + 6, height - 30, _shortened(readable(title), 60))
        canvas.restoreState()

    document.build(story, onFirstPage=draw_page, onLaterPages=draw_page)
    return file.getvalue()


def _page_parts(moment: Moment, language: str) -> list[Any]:
    """Return the parts of a moment on a page; the day stays with the first lines."""
    dot = Drawing(0, 0)
    dot.add(Circle(-14, -7.5, 4, fillColor=HexColor(MOODS[mood_step(moment.valence)]), strokeColor=None))
    feeling = f" · {moment.feeling}" if moment.feeling else ""
    day = f"{day_text(moment.at, language)}, {moment.at:%H:%M}{feeling}"
    parts = [CondPageBreak(90), dot, _paragraph(day, "day")]
    if moment.title:
        parts.append(_paragraph(moment.title, "title"))
    parts += [_paragraph(line, "text") for line in _LINE.split(moment.text.strip()) if line]
    if moment.note:
        parts.append(_paragraph(moment.note.strip(), "note"))
    if line := details(moment):
        parts.append(_paragraph(line, "details"))
    return parts


def _paragraph(text: str, style: str) -> Any:  # noqa: ANN401 - ReportLab has no types
    """Return a paragraph of plain text: what ReportLab would read as its markup is escaped."""
    return Paragraph(escape(face().readable(text)).replace("\n", "<br/>"), _STYLES[style])


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"

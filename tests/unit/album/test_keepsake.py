"""What people keep of their moments: every word of them is on the page, and a card has what fits."""

import io
from dataclasses import replace
from datetime import datetime
from time import perf_counter
from zoneinfo import ZoneInfo

import pytest
from PIL import Image, ImageColor
from pypdf import PdfReader

from ricordo_services.album.keepsake import Moment, moment_card, moments_pdf
from ricordo_services.album.keepsake_face import PAPER, face

MOMENT = Moment(
    text="Ho visto il mare.\nEra grigio.",
    at=datetime(2024, 1, 5, 15, 4, tzinfo=ZoneInfo("Asia/Tokyo")),
    title="Il mare",
    place="Trieste",
    people=("Nora", "Max"),
    feeling="gioia",
    valence=0.8,
    note="Lo rileggo spesso.",
    tags=("mare", "#casa"),
)
ODD = [
    "",
    "a" * 5_000,
    "parola " * 4_600,
    "a\x00\ud800b\u200d",
    "日本語 👩\u200d👩\u200d👧 العربية",
    "\n\n\t\n",
]


def written(pdf: bytes) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(pdf)).pages]


def card(moment: Moment, language: str = "it") -> Image.Image:
    image = Image.open(io.BytesIO(moment_card(moment, language)))
    assert (image.format, image.size) == ("PNG", (1080, 1350))
    return image.convert("RGB")


def test_a_page_tells_a_moment() -> None:
    [page] = written(moments_pdf([MOMENT], "Un anno", "it"))
    assert page.startswith("1 Un anno venerdì 5 gennaio 2024 venerdì 5 gennaio 2024, 15:04 · gioia Il mare")
    assert "Ho visto il mare. Era grigio. Lo rileggo spesso. Trieste · Nora, Max · #mare #casa" in page
    assert "Friday 5 January 2024" in written(moments_pdf([MOMENT], "A year", "en"))[0]
    assert moments_pdf([MOMENT], "Un anno", "it") == moments_pdf([MOMENT], "Un anno", "it")


def test_what_reads_like_markup_is_text() -> None:
    text = '<b>5 < 6</b> &amp; <img src="file:///etc/passwd"/> <a href="http://a.example">qui</a> </para>'
    hostile = replace(MOMENT, text=text, title=text, place=text, note=text, feeling=text, tags=(text,))
    pages = written(moments_pdf([hostile], text, "it"))
    assert "".join(pages).replace(" ", "").count(text.replace(" ", "")) >= 7
    card(hostile)


def test_any_length_flows_over_numbered_pages() -> None:
    long = replace(MOMENT, text=" ".join(f"parola{n}" for n in range(3_000)))
    pages = written(moments_pdf([long, MOMENT, long], "Un anno", "it"))
    assert [page.startswith(f"{number} Un anno") for number, page in enumerate(pages, 1)] == [True] * len(
        pages
    )
    told = " ".join(pages)
    assert all(told.count(f"parola{n} ") == 2 for n in range(0, 2_999, 97))
    assert len(written(moments_pdf([], "Niente", "it"))) == 1


def test_a_crowd_is_drawn_soon() -> None:
    began = perf_counter()
    card(replace(MOMENT, people=tuple(f"{n} {'Wilhelmina ' * 18}" for n in range(64))))
    assert perf_counter() - began < 10


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_stay_within_the_margins(text: str) -> None:
    odd = replace(MOMENT, text=text, title=text[:3_000], place=text[:3_000], note=text[:3_000])
    assert written(moments_pdf([odd], text, "it"))
    drawn = card(odd)
    paper = ImageColor.getrgb(PAPER)
    for border in ((0, 470, 80, 1350), (1000, 470, 1080, 1350), (0, 1310, 1080, 1350)):
        assert drawn.crop(border).getcolors() == [
            (drawn.crop(border).width * drawn.crop(border).height, paper)
        ]


def test_what_the_face_cannot_write_is_replaced_visibly() -> None:
    readable = face().readable
    [missing] = set(readable("語"))
    assert missing not in "語 "
    assert (
        readable("日本 😀👍🏽 👩\u200d👩\u200d👧 ok\u200f\x07") == f"{missing * 2} {missing * 2} {missing} ok"
    )
    assert readable("Cafe\u0301, perché l’ho sentito…") == "Café, perché l’ho sentito…"


def test_the_landscape_of_a_card_shows_the_feeling() -> None:
    skies = {
        card(replace(MOMENT, valence=valence)).getpixel((0, 0)) for valence in (None, -1, -0.4, 0, 0.4, 1)
    }
    assert len(skies) == 6
    assert card(MOMENT, "en").crop((0, 470, 1080, 620)) != card(MOMENT, "it").crop((0, 470, 1080, 620))

"""What is read of documents of every kind, and what is said of those that cannot be read."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fixtures.examples import at_most
from tests.fixtures.papers import bomb, encrypted, mail, pdf
from tests.fixtures.sentence_tables import table

from ricordo.documents.readers import dispatch
from ricordo.documents.reading_limits import ReadingLimits, Unreadable

LIMITS = ReadingLimits()


def read(data: bytes, media_type: str, name: str = "paper", limits: ReadingLimits = LIMITS) -> str:
    return "\n\n".join(part.text.strip() for part in dispatch.read(name, media_type, data, limits))


def text_or_reason(data: bytes, media_type: str) -> str:
    try:
        return read(data, media_type)
    except Unreadable as error:
        return str(error)


@pytest.mark.parametrize(
    ("media_type", "data", "text"),
    [
        ("text/plain", "Perché no?".encode(), "Perché no?"),
        ("text/plain; charset=utf-8", "Perché no?".encode(), "Perché no?"),
        ("text/plain; charset=iso-8859-1", "Perché no?".encode("latin-1"), "Perché no?"),
        ("text/plain; charset=utf-8", "Perché no?".encode("cp1252"), "Perché no?"),
        ("text/plain", "Perché no? 5 €".encode("cp1252"), "Perché no? 5 €"),
        ("text/plain; charset=klingon", "Perché no?".encode(), "Perché no?"),
        ("text/plain; charset=hex", b"616263", "616263"),
        ("text/plain", codecs.BOM_UTF8 + "Già".encode(), "Già"),
        ("text/plain", "Già".encode("utf-16"), "Già"),
        ("TEXT/Plain ; charset=utf-8", b"ciao", "ciao"),
        ("text/csv", b"name;price\nbread;2", "name;price\nbread;2"),
        ("text/markdown", b"# One\n\ntwo", "# One\n\ntwo"),
        ("text/plain", b"\x81\x8d only odd bytes \x9d", "\ufffd\ufffd only odd bytes \ufffd"),
    ],
)
def test_text_in_whatever_characters(media_type: str, data: bytes, text: str) -> None:
    assert read(data, media_type) == text


@pytest.mark.parametrize("name", ["offer.PDF", "a/b/offer.pdf", " offer.pdf "])
def test_what_is_sent_as_bytes_is_read_by_its_name(name: str) -> None:
    assert read(pdf("An offer"), "application/octet-stream", name) == "An offer"


def test_a_page_of_html() -> None:
    page = """<!doctype html><html><head><title>t</title><style>p {}</style><meta charset="iso-8859-1"></head>
    <body><script>if (1 < 2) { alert("x") }</script><h1>Payment &amp; <i>notice</i></h1>
    <p>Perché
    no?<br>Second line<p>Left open<ul><li>one<li>two</ul>
    <table><tr><th>What<th>Price<tr><td>Bread<td>2</table><pre>a
      b</pre><svg><text>unseen</text></svg></body>""".encode("latin-1")
    text = read(page, "text/html")
    assert "# Payment & notice" in text
    assert "Perché no?\nSecond line" in text
    assert "- one\n- two" in text
    assert "What | Price\nBread | 2" in text
    assert "a\nb" in text
    assert not any(unseen in text for unseen in ("alert", "p {}", "unseen", "<"))


@pytest.mark.parametrize("page", table(__file__, "hidden"))
def test_what_nobody_sees_of_a_page_is_not_read(page: str) -> None:
    assert read(page.encode(), "text/html") == "yes"


def test_a_mail_with_what_is_attached_to_it() -> None:
    parts = dispatch.read(
        "mail.eml",
        "message/rfc822",
        mail(
            "Il totale è 1.200 euro.",
            html="<p>ignored</p>",
            offer_pdf=("application/pdf", pdf("Bread costs two euros", "Milk costs one")),
            photo_jpg=("image/jpeg", b"\xff\xd8"),
            notes_txt=("text/plain", b"call Carla"),
        ),
        LIMITS,
    )
    assert parts[0].text == (
        "From: Ada Rossi <ada@example.org>\nTo: Bruno <bruno@example.org>\n"
        "Date: Mon, 02 Feb 2026 10:00:00 +0100\nSubject: Il preventivo è pronto\n"
        "Attachment: offer.pdf\nAttachment: photo.jpg\nAttachment: notes.txt"
    )
    assert [(part.section, part.page, part.text.strip()) for part in parts[1:]] == [
        ("", None, "Il totale è 1.200 euro."),
        ("offer.pdf", 1, "Bread costs two euros"),
        ("offer.pdf", 2, "Milk costs one"),
        ("notes.txt", None, "call Carla"),
    ]


def test_a_pdf_page_by_page() -> None:
    parts = dispatch.read("r.pdf", "application/pdf", pdf("Perché (no)?", "", "The third"), LIMITS)
    assert [(part.page, part.text.strip()) for part in parts] == [(1, "Perché (no)?"), (3, "The third")]


def test_a_pdf_that_anybody_may_open_though_it_is_encrypted() -> None:
    assert read(encrypted(pdf("Not so secret"), ""), "application/pdf") == "Not so secret"


@pytest.mark.parametrize(
    ("data", "media_type", "reason"),
    [
        (b"PK\x03\x04", "application/zip", "application/zip, which cannot be read: what can is plain text"),
        (b"PK", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "cannot be read"),
        (b"MZ\x00\x00", "application/octet-stream", "is application/octet-stream, which cannot be read"),
        (bytes(range(32)) * 9, "text/plain", "contains bytes that are not text"),
        (b" \n\t ", "text/plain", "contains no text"),
        (b"<html><body><script>x</script>", "text/html", "contains no text"),
        (b"no mail at all", "message/rfc822", "has none of a mail's headers"),
        (b"rubbish", "application/pdf", "is a broken PDF"),
        (b"", "application/pdf", "is a broken PDF"),
        (pdf("whole")[:300], "application/pdf", "PDF"),
        (pdf("", ""), "application/pdf", "contains no text: its pages may be images"),
        (encrypted(pdf("secret"), "word"), "application/pdf", "is encrypted and needs a password"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_what_cannot_be_read_says_why(data: bytes, media_type: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(data, media_type)


def test_limits_hold() -> None:
    with pytest.raises(Unreadable, match=r"has 3 pages, and at most 2 are read"):
        read(pdf("a", "b", "c"), "application/pdf", limits=ReadingLimits(pages=2))
    short = ReadingLimits(characters=10)
    assert read(b"0123456789abc", "text/plain", limits=short) == "0123456789"
    assert "x" not in read(pdf("0123456", "0123456", "x"), "application/pdf", limits=short)


@pytest.mark.slow
def test_a_bomb_is_not_inflated() -> None:
    assert len(bomb(100)) < 1_000_000
    with pytest.raises(Unreadable):
        read(bomb(100), "application/pdf")


_MEDIA_TYPES = ["text/plain", "text/html", "text/markdown", "message/rfc822", "application/pdf"]
_WHOLE = pdf("Some words", "and more")


_HURT = st.tuples(st.integers(0, len(_WHOLE)), st.binary(max_size=6)).map(
    lambda hurt: _WHOLE[: hurt[0]] + hurt[1] + _WHOLE[hurt[0] + len(hurt[1]) :]
)
_HEAD = b"From: a@b\nContent-Type: multipart/mixed; boundary=x\n\n--x\n"


@settings(max_examples=at_most(150), deadline=None)
@given(
    st.sampled_from(_MEDIA_TYPES), st.binary(max_size=300) | _HURT | st.binary(max_size=60).map(_HEAD.__add__)
)
def test_whatever_comes_is_read_or_told_to_be_unreadable(media_type: str, data: bytes) -> None:
    assert text_or_reason(data, media_type)

"""WhatsApp and mails: dates of several locales, quotes, and what is hostile or no chat."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table
from tests.unit.importers.conftest import ROME, Pack, Read

from ricordo_services.importers import mbox, parse_export
from ricordo_services.importers.archive import UnreadableExport, open_export
from ricordo_services.importers.entries import ParserOptions, PastMessage, SkipReason
from ricordo_services.importers.mbox import without_quotes
from ricordo_services.importers.whatsapp import read_header


@pytest.mark.parametrize(("line", "date", "time"), table(__file__, "dates_of_other_phones"))
def test_dates_of_other_phones(line: str, date: object, time: object) -> None:
    header = read_header(line)
    assert header is not None
    assert (header.date, header.time, header.rest) == (date, time, "A: b")


@pytest.mark.parametrize(
    "line", ["see you on 05/01/24, 15:04 - ok", "05/01/24", "[05/01/24, 15:04:05 A: b", ""]
)
def test_other_lines_begin_no_message(line: str) -> None:
    assert read_header(line) is None


@pytest.mark.parametrize(("dates", "days"), table(__file__, "orders_of_dates"))
def test_the_order_of_dates_is_found_by_the_whole_file(
    read: Read, tmp_path: Path, dates: tuple[str, ...], days: tuple[str, ...]
) -> None:
    path = tmp_path / "Nora.txt"
    path.write_text("".join(f"{date}, 12:00 - Nora: hello\n" for date in dates))
    assert [line[0][:10] for line in read("whatsapp", path).lines] == list(days)


def test_an_order_that_cannot_be_told_is_asked_for(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "Nora.txt"
    path.write_text("05/01/24, 12:00 - Nora: hello\n06/02/24, 12:00 - Nora: hello\n")
    with pytest.raises(UnreadableExport, match=r"two ways.*05/01/24.*--date-order dmy"):
        read("whatsapp", path)
    found = read("whatsapp", path, ParserOptions(date_order="mdy"))
    assert [f"{one.sent_at:%m-%d}" for one in found.messages] == ["05-01", "06-02"]


def test_what_is_no_chat_is_refused(read: Read, tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes("05/01/24, 12:00 - Nora: perché\n".encode("latin-1"))
    with pytest.raises(UnreadableExport, match=r"notes\.txt, line 1 is not text in UTF-8"):
        read("whatsapp", path)
    with pytest.raises(UnreadableExport, match="name it with --conversation"):
        read("whatsapp", "_chat.txt")
    with pytest.raises(UnreadableExport, match="contains no text file"):
        read("whatsapp", pack("a.zip", {"a.jpg": "x"}))
    with pytest.raises(UnreadableExport, match="several chats"):
        read("whatsapp", pack("a.zip", {"WhatsApp Chat with A.txt": "x", "WhatsApp Chat with B.txt": "x"}))
    path.write_text("dear diary\n13/01/24, 12:00 - Nora: hello\n")
    found = read("whatsapp", path)
    assert found.skips[SkipReason.MALFORMED][0].startswith("notes.txt, line 1 does not begin with")
    assert len(found.messages) == 1


CUT = ("13/10/25, 09:0", "13/10/25, ", "13/10/25, 09:01 -")
WHOLE = ("13/10/25", "13/10/25, 09:01 !", "13/10/25, 09:0\n", "See you on 13/10/25, 09:0")


@pytest.mark.parametrize("last", [*CUT, *WHOLE])
def test_a_line_that_breaks_off_within_its_date_is_reported_and_belongs_to_no_message(
    read: Read, tmp_path: Path, last: str
) -> None:
    path = tmp_path / "Nora.txt"
    path.write_text(f"12/10/25, 21:04 - Nora: hello\n{last}")
    found = read("whatsapp", path, ParserOptions(zone=ROME, date_order="dmy"))
    fault = "Nora.txt, line 2 breaks off within its date and time: the file is incomplete"
    assert found.skips == ({SkipReason.MALFORMED: [fault]} if last in CUT else {})
    assert [one.text for one in found.messages] == ["hello" if last in CUT else f"hello\n{last.strip()}"]


def test_long_lines_are_read_in_time(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "Nora.txt"
    texts = ("a" * 300_000, " " * 300_000 + "x", "a." * 150_000, "<" * 300_000)
    path.write_text("".join(f"13/01/24, 12:00 - Nora: {text}\n" for text in texts))
    assert [one.text for one in read("whatsapp", path).messages] == [text.strip() for text in texts]


TEXTS = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["ok", "yes", "Ci sto", "a\nb"])), max_size=30)


@given(texts=TEXTS, first=st.integers(0, 10), last=st.integers(0, 30))
def test_an_export_of_another_period_gives_the_same_ids(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[int, str]], first: int, last: int
) -> None:
    """Whole minutes are cut at both ends; a phone exports up to the present."""
    lines = [(f"13/01/24, 12:{minute:02}", text) for minute, text in sorted(texts, key=lambda one: one[0])]
    within = [(at, text) for at, text in lines if first <= int(at[-2:]) <= last]
    path = tmp_path_factory.mktemp("chat") / "Nora.txt"
    whole, part = (ids(path, chosen) for chosen in (lines, within))
    assert len(set(whole)) == len(whole) == len(lines)
    assert [(key, text) for key, text in whole if int(key[14:16]) in range(first, last + 1)] == part


def ids(path: Path, lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    path.write_text(
        "14/01/23, 12:00 - Nora: before\n" + "".join(f"{at} - Nora: {text}\n" for at, text in lines)
    )
    with open_export(path, path.name) as export:
        found = list(parse_export("whatsapp", export, ParserOptions()))[1:]
    return [(one.key, one.text) for one in found if isinstance(one, PastMessage)]


@pytest.mark.parametrize(("text", "own"), table(__file__, "quotes_and_signatures"))
def test_quotes_and_signatures_are_left_out(text: str, own: str) -> None:
    assert without_quotes(text) == own


@pytest.mark.parametrize(
    "text", ["On x wrote:" + "\n" * 300_000, "On a\n" * 100_000, "--" * 300_000, "\t" * 300_000]
)
def test_long_mails_are_read_in_time(text: str) -> None:
    assert without_quotes(f"{text}x").endswith("x")


def test_hostile_mails_hold_up_no_others(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mbox, "MAX_MAIL_BYTES", 1_000)
    path = tmp_path / "Inbox.mbox"
    head = b"From x\nDate: Fri, 5 Jan 2024 10:00:00 +0100\nFrom: nora@example.org\n"
    mails = [
        head + b"Subject: large\n\n" + b"x" * 500 + b"\n" + b"y" * 600,
        head + b"Content-Type: text/plain; charset=no-such\n\nnamed wrongly",
        head + b"Content-Type: multipart/mixed\n\nno border",
        head + b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n%%%",
        head.replace(b"5 Jan", b"55 Jan") + b"\nimpossible",
        head.replace(b"nora@example.org", b"<>") + b"\nnobody",
        b"From x\n\n\n",
        head + b"Subject: =?utf-8?B?zzz\n\nlast",
    ]
    path.write_bytes(b"\n\n".join(mails))
    found = read("mbox", path)
    texts = [one.text for one in found.messages]
    assert "named wrongly" in texts
    assert texts[-1].endswith("last")
    assert found.skips[SkipReason.MALFORMED][0].startswith("Inbox.mbox, line 1 has more than 1,000 bytes")
    assert len(found.entries) == len(mails)

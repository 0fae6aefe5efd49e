"""WhatsApp: dates of several locales, groups, media, deleted and edited messages, system lines."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.importers.conftest import ROME, Pack, Read

from ricordo_services.importers import parse_export
from ricordo_services.importers.archive import UnreadableExport, open_export
from ricordo_services.importers.past_message import ParserOptions, PastMessage, SkipReason
from ricordo_services.importers.whatsapp import read_header

GROUP = "Chat WhatsApp con Cena di classe.txt"


def test_an_italian_group_of_android(read: Read) -> None:
    found = read("whatsapp", GROUP)
    phone = "+39 333 123 4567"
    invitation = "Ciao a tutti!\nSabato 13/01/24, alle 20: \nci state?\n\nA me va bene la pizzeria."
    assert found.lines == [
        ("2024-01-05 14:04", "Davide Rossi", invitation),
        ("2024-01-05 14:04", "Nicolò", "Ci sto"),
        ("2024-01-05 14:04", "Nicolò", "Ci sto"),
        ("2024-01-05 14:06", phone, "Ecco il menù"),
        ("2024-01-13 18:30", phone, "Arrivo alle 20:30"),
    ]
    assert {one.title for one in found.messages} == {"Cena di classe"}
    assert len({one.key for one in found.messages}) == 5
    assert [one.sent_at.microsecond for one in found.messages[:3]] == [0, 1000, 2000]
    place = f"{GROUP}, line"
    assert found.skips == {
        SkipReason.SYSTEM: [f"{place} {number}" for number in (1, 2, 16, 18)],
        SkipReason.NO_TEXT: [f"{place} 10", f"{place} 17"],
        SkipReason.DELETED: [f"{place} 13", f"{place} 14"],
    }


def test_a_chat_of_android_in_the_united_states(read: Read) -> None:
    found = read("whatsapp", "WhatsApp Chat with Nora.txt")
    assert found.lines == [
        ("2024-01-05 14:04", "Nora", "I moved to Dublin"),
        ("2024-01-05 22:59", "Dave", "Happy new year: late, I know"),
        ("2024-01-13 08:00", "Dave", "See you on 2/3/24, at noon"),
    ]
    assert {one.conversation for one in found.messages} == {"Nora"}


def test_a_zip_of_ios(read: Read, pack: Pack) -> None:
    members = {"_chat.txt": Path("whatsapp/_chat.txt"), "00000012-NOTES.txt": "no chat", "a.jpg": "x"}
    found = read("whatsapp", pack("WhatsApp Chat - Famiglia (1).zip", members))
    assert found.lines == [
        ("2024-01-05 14:04", "Nora", "Buon anno!"),
        ("2024-01-05 14:05", "Davide", "Che bello"),
        ("2024-01-05 14:07", "Ugo", "sì, @Nora"),
    ]
    assert {one.title for one in found.messages} == {"Famiglia"}
    assert {reason: len(places) for reason, places in found.skips.items()} == {
        SkipReason.SYSTEM: 2,
        SkipReason.NO_TEXT: 2,
        SkipReason.DELETED: 1,
        SkipReason.MALFORMED: 1,
    }
    (bad,) = found.skips[SkipReason.MALFORMED]
    assert bad.startswith("WhatsApp Chat - Famiglia (1).zip: _chat.txt, line 9 has an impossible date")


@pytest.mark.parametrize(
    ("line", "date", "time"),
    [
        ("05.01.24, 15:04 - A: b", (5, 1, 24), (15, 4, 0)),
        ("[12.3.2022 klo 14.08.18] A: b", (12, 3, 2022), (14, 8, 18)),
        ("2024-01-05, 15:04 - A: b", (2024, 1, 5), (15, 4, 0)),
        ("05/01/24 às 15:04 - A: b", (5, 1, 24), (15, 4, 0)),
        ("5/1/24, 12:04 a. m. - A: b", (5, 1, 24), (0, 4, 0)),
        ("05/01/24, 15:04:05: A: b", (5, 1, 24), (15, 4, 5)),
        ("\u200e[1/5/24, 12:04:05\u202fPM] A: b", (1, 5, 24), (12, 4, 5)),
    ],
)
def test_dates_of_other_phones(line: str, date: object, time: object) -> None:
    header = read_header(line)
    assert header is not None
    assert (header.date, header.time, header.rest) == (date, time, "A: b")


@pytest.mark.parametrize(
    "line", ["see you on 05/01/24, 15:04 - ok", "05/01/24", "[05/01/24, 15:04:05 A: b", ""]
)
def test_other_lines_begin_no_message(line: str) -> None:
    assert read_header(line) is None


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (("05/01/24", "06/02/24", "13/02/24"), ["2024-01-05", "2024-02-06", "2024-02-13"]),  # a day beyond 12
        (("01/05/24", "01/06/24", "01/13/24"), ["2024-01-05", "2024-01-06", "2024-01-13"]),
        (("05/01/24", "04/02/24", "03/03/24"), ["2024-01-05", "2024-02-04", "2024-03-03"]),  # time goes on
        (("01/05/24", "02/04/24", "03/03/24"), ["2024-01-05", "2024-02-04", "2024-03-03"]),
        (("05.01.24", "06.02.24"), ["2024-01-05", "2024-02-06"]),
        (("2024/01/05", "2024/02/06"), ["2024-01-05", "2024-02-06"]),
        (("05/05/24",), ["2024-05-05"]),
    ],
)
def test_the_order_of_dates_is_found_by_the_whole_file(
    read: Read, tmp_path: Path, dates: tuple[str, ...], days: list[str]
) -> None:
    path = tmp_path / "Nora.txt"
    path.write_text("".join(f"{date}, 12:00 - Nora: hello\n" for date in dates))
    assert [line[0][:10] for line in read("whatsapp", path).lines] == days


def test_an_order_that_cannot_be_told_is_asked_for(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "Nora.txt"
    path.write_text("05/01/24, 12:00 - Nora: hello\n06/02/24, 12:00 - Nora: hello\n")
    with pytest.raises(UnreadableExport, match=r"two ways.*05/01/24.*--date-order dmy"):
        read("whatsapp", path)
    found = read("whatsapp", path, ParserOptions(date_order="mdy"))
    assert [f"{one.sent_at:%m-%d}" for one in found.messages] == ["05-01", "06-02"]


def test_what_is_no_chat_is_refused(read: Read, tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary\n")
    with pytest.raises(UnreadableExport, match=r"notes\.txt, line 1: no line begins with a date"):
        read("whatsapp", path)
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

"""Mailboxes of Thunderbird and Gmail: threads, quotes, signatures, and what is no mail of a person."""

from pathlib import Path

import pytest
from tests.unit.importers.conftest import Read

from ricordo_services.importers import mbox
from ricordo_services.importers.archive import UnreadableExport
from ricordo_services.importers.mbox import without_quotes
from ricordo_services.importers.past_message import SkipReason


def test_a_mailbox_of_thunderbird(read: Read) -> None:
    found = read("mbox", "Sent.mbox")
    begun = "Il trasloco è fatto\n\nAbito a Dublino da ieri.\nFrom here you see the sea."
    assert found.lines == [
        ("2024-01-05 09:00", "Nora Bianchi", begun),
        ("2024-01-05 10:00", "Rossi, Davide", "Perché non me lo hai detto?"),
    ]
    first, answer = found.messages
    assert (first.conversation, answer.conversation, answer.reply_to) == (3 * ("a1@example.org",))
    assert (first.title, answer.title) == ("Il trasloco è fatto", "Il trasloco")
    assert first.speaker.is_called({"nora@example.org"})
    assert found.skips == {
        SkipReason.DELETED: ["Sent.mbox, line 48"],
        SkipReason.MALFORMED: ["Sent.mbox, line 57 has no 'Date'"],
    }


def test_a_mailbox_of_gmail(read: Read) -> None:
    found = read("mbox", "All mail Including Spam and Trash.mbox")
    assert found.lines == [
        ("2024-01-06 09:00", "nora@example.org", "It leaves on Friday"),
        ("2024-01-06 09:03", "davide@example.org", "Only a subject"),
    ]
    assert [one.conversation for one in found.messages] == ["1787290011222333000", "1787290011222333003"]
    assert {reason: len(places) for reason, places in found.skips.items()} == {
        SkipReason.DELETED: 1,
        SkipReason.AUTOMATIC: 1,
    }
    keys = [one.key for one in found.messages]
    assert keys == [one.key for one in read("mbox", "All mail Including Spam and Trash.mbox").messages]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Yes.\n\nOn Fri, Jan 5, 2024 at 10:00, Nora wrote:\n\n> Coming?\n>> When?\n", "Yes."),
        ("> Coming?\nYes.\n> When?\nAt noon.\n", "Yes.\nAt noon."),
        ("Yes.\n-----Original Message-----\nFrom: Nora\n\nComing?", "Yes."),
        ("Sì.\n\nDa: Nora\nInviato: venerdì 5 gennaio 2024\nA: Davide\n\nVieni?", "Sì."),
        ("Yes.\n-- \nDavide", "Yes."),
        ("He wrote: come at noon.\n\n--\nnot a signature\n-- yet", None),
    ],
)
def test_quotes_and_signatures_are_left_out(text: str, own: str | None) -> None:
    assert without_quotes(text) == (text if own is None else own)


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
    path.write_text("dear diary\n")
    with pytest.raises(UnreadableExport, match=r"line 1: a mailbox begins with “From ”"):
        read("mbox", path)

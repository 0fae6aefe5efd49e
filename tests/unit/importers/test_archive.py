"""Zips, folders and single files; limits, and what is broken."""

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from tests.unit.importers.conftest import EXPORTS, Pack, Read

from ricordo_services.importers import archive
from ricordo_services.importers.archive import UnreadableExport, open_export


def test_a_file_a_zip_and_a_folder_read_alike(read: Read, pack: Pack, tmp_path: Path) -> None:
    source = EXPORTS / "claude/conversations_2025.json"
    folder = tmp_path / "unpacked"
    (folder / "data").mkdir(parents=True)
    (folder / "data/conversations.json").write_bytes(source.read_bytes())
    (folder / ".DS_Store").write_text("x")
    packed = pack("a.zip", {"data/conversations.json": source, "__MACOSX/._conversations.json": "x"})
    shown = [read("claude", path).lines for path in (source, folder, packed)]
    assert shown[0] == shown[1] == shown[2] != []


def test_a_bomb_is_refused_before_it_is_unpacked(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_JSON_BYTES", 1_000_000)
    monkeypatch.setattr(archive, "MAX_TEXT_BYTES", 1_000_000)
    monkeypatch.setattr(archive, "MAX_LINE_BYTES", 1_000)
    path = tmp_path / "bomb.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        packed.writestr("conversations.json", " " * 1_000_001)
        packed.writestr("WhatsApp Chat with Nora.txt", "x" * 1_000_001)
    for service in ("chatgpt", "whatsapp"):
        with pytest.raises(UnreadableExport, match="1,000,001 bytes when unpacked, more than the limit"):
            read(service, path)
    (tmp_path / "long.txt").write_text("x" * 1_001)
    with pytest.raises(UnreadableExport, match="line 1 is longer than 1,000 bytes"):
        read("whatsapp", tmp_path / "long.txt")


def test_a_broken_zip_is_said_to_be_one(read: Read, pack: Pack, tmp_path: Path) -> None:
    whole = pack("a.zip", {"conversations.json": "[1, 2, 3, 4, 5, 6, 7, 8]"}).read_bytes()
    path = tmp_path / "b.zip"
    path.write_bytes(whole[:-30])
    with pytest.raises(UnreadableExport, match=r"b\.zip is a broken zip"):
        read("claude", path)
    path.write_bytes(whole.replace(b"[1, 2", b"[1, 9"))
    with pytest.raises(UnreadableExport, match=r"cannot be read.*export it again"):
        read("claude", path)
    with pytest.raises(UnreadableExport, match=r"a\.zip contains no conversations\.json"):
        read("claude", pack("a.zip", {"chat.html": "x"}))
    with open_export(EXPORTS, "exports") as export, pytest.raises(UnreadableExport, match="cannot be read"):
        export.document("no.json")

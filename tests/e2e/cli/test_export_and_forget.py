"""All that is held of a user goes to a file, and away, by the command line."""

import json
import stat
from base64 import b64encode

import httpx
import pytest
from tests.e2e.cli.ricordo_command import PATIENCE, Ricordo, Up, line, lines, to_lines, until

pytestmark = pytest.mark.usefixtures("running")


def test_a_file_holds_all_and_is_for_nobody_else(ricordo: Ricordo) -> None:
    ricordo.remember("amy", "I live in Turin.", "È un bel posto.")
    path = ricordo.home / "amy.jsonl"
    counted = ricordo.json("export", "--user", "amy", str(path))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert counted["items"]["message"] == counted["items"]["memory"] == 2
    assert lines.pop() == {"item": "end", "user_id": "amy", "items": sum(counted["items"].values())}
    assert len(lines) == sum(counted["items"].values())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "È un bel posto." in path.read_text(encoding="utf-8")
    assert [one.name for one in ricordo.home.glob(".amy*")] == []
    ricordo("export", "--user", "nobody", str(path), "--force")
    assert path.read_bytes() == b""


def test_what_comes_over_http_is_imported_alike(ricordo: Ricordo, running: Up) -> None:
    """The same lines, whole however long they are."""
    scan = b64encode(b"%PDF-1.4\n" + bytes(range(256)) * 2_800).decode()
    document = {"name": "scan.pdf", "media_type": "application/pdf", "data": scan}
    messages = [
        line("oddo", 1, "I live in Turin."),
        line("oddo", 2, "Thank you!"),
        line("oddo", 3, "My scan."),
    ]
    messages[2] |= {"document": document}
    assert ricordo.publish(to_lines(*messages), "--wait")["remembered"] == 3
    until(lambda: "scan.pdf failed" in ricordo("status", "oddo-3"))
    key = {"Authorization": f"Bearer {running.ready['http_key']}"}
    answer = httpx.get(f"{running.ready['http']}/v1/users/oddo/export", headers=key, timeout=PATIENCE)
    assert answer.text == ricordo.process("export", "--user", "oddo")
    items = [json.loads(each) for each in answer.text.splitlines()]
    assert items[-1] == {"item": "end", "user_id": "oddo", "items": len(items) - 1}
    assert [one["data"] for one in items if one["item"] == "document"] == [scan]
    path = ricordo.home / "oddo.jsonl"
    path.write_text(answer.text, encoding="utf-8")
    said = ricordo("import", str(path), "--wait", "--tenant", "moved")
    assert "restored: 3 states of memories (those of uninformative ones, too)" in said
    assert ricordo.json("stats", "--user", "oddo", "--tenant", "moved")["memories"] == 2
    nobody = httpx.get(f"{running.ready['http']}/v1/users/nobody/export", headers=key, timeout=PATIENCE)
    assert nobody.json() == {"item": "end", "user_id": "nobody", "items": 0}


def test_a_whole_tenant_is_forgotten_and_no_other(ricordo: Ricordo) -> None:
    for user in ("eva", "fay"):
        text = lines(user, "I live in Oslo.")
        for tenant in ("acme", "default"):
            assert ricordo.publish(text, "--wait", "--tenant", tenant)["remembered"] == 1
    done = ricordo.json("forget", "--tenant-wide", "--yes", "--tenant", "acme")
    assert (done["users"], done["erased"]["rows"]) == (2, 4)
    for user in ("eva", "fay"):
        assert ricordo.json("stats", "--user", user, "--tenant", "acme")["memories"] == 0
        assert ricordo.json("stats", "--user", user)["memories"] == 1
    assert ricordo.json("forget", "--tenant-wide", "--yes", "--tenant", "acme")["users"] == 0

"""What the command line says where a user curates facts and memories; contract tests prove what it does."""

import pytest
from tests.e2e.cli.ricordo_command import Ricordo

pytestmark = pytest.mark.usefixtures("running")


def test_a_user_curates_facts(ricordo: Ricordo) -> None:
    user = ricordo.remember("tilde", "Long day. I live in Turin, near the river. Good night!")
    (fact,) = ricordo.json("facts", *user)["facts"]
    why = ricordo("facts", *user, "--why", "--timezone", "Europe/Rome")
    assert fact["id"] in why
    assert "05 May 2026 10:01" in why
    assert "I live in Turin, near the river.  tilde-1" in why
    assert "Long day" not in why
    assert ricordo.json("facts", *user, "--why")["facts"] == [fact], "the reply as it is on the wire"
    assert ricordo.json("verify", fact["id"], *user) == {"ok": True, "verified": True}
    correcting = "correct", fact["id"], "Milan", *user, "--request-id", "r-1"
    stands = ricordo.json(*correcting)["fact_id"]
    assert ricordo(*correcting) == f"Milan is valid and verified, as {stands}\n"
    assert "user  lives_in  Milan  (verified)" in ricordo("facts", *user)
    assert "no fact of that id" in ricordo("verify", stands, "--user", "nobody", code=1)
    assert ricordo.json("verify", stands, "--user", "nobody", code=1)["error"]["code"] == "not_found"
    assert ricordo("verify", stands, *user, "--no") == "not verified\n"
    assert ricordo(*correcting) == "this correction was withdrawn since\n"
    assert "it is removed" in ricordo("reject", fact["id"], *user)
    ricordo("reject", "1", *user, code=2)


def test_a_user_curates_memories(ricordo: Ricordo) -> None:
    user = ricordo.remember("ivo", "I live in Turing.")
    recall = ricordo.json("recall", "where do I live?", *user, "--no-reinforce")
    (memory,) = [one["id"] for one in recall["memories"]]
    for words in (("correct", memory, "It got new paint."), ("verify", memory)):
        assert "--memory on the command line" in ricordo(*words, *user, code=1)
    assert ricordo("pin", memory, *user) == "pinned: it does not fade\n"
    assert ricordo.json("pin", memory, *user, "--undo") == {"ok": True, "pinned": False}
    judging = "feedback", recall["recall_id"], *user
    assert ricordo(*judging, "--used", memory) == "1 made stronger, 0 made weaker\n"
    assert "counted already" in ricordo(*judging, "--used", memory)
    assert ricordo.json(*judging, "--irrelevant", memory) == {"ok": True, "used": 0, "irrelevant": 1}
    assert ricordo("verify", memory, "--memory", *user) == "verified: it does not fade\n"
    right = ricordo("correct", memory, "I live in Turin.", "--memory", *user)
    assert right == "corrected and verified; everything derived from it is derived again\n"
    for command in (("pin", memory), ("verify", memory, "--memory"), (*judging[:2], "--used", memory)):
        assert "no memory of the id" in ricordo(*command, "--user", "nobody", code=1)


def test_a_user_joins_two_names(ricordo: Ricordo) -> None:
    user = ricordo.remember("ada", "My friend Nicola lives in Bari. Nico is a nurse.")
    assert ricordo("identify", "nico", "Nicola", *user) == "nico and Nicola are one\n"
    assert ricordo.json("identify", "nico", "Nicola", *user, "--undo") == {"ok": True, "same": None}
    assert ricordo("identify", "nico", "Nicloa", *user, code=1).endswith('did you mean "Nicola"?\n')

"""What a user says about facts and memories, by the command line."""

import pytest
from tests.e2e.cli.ricordo_command import Ricordo

pytestmark = pytest.mark.usefixtures("running")


def test_a_user_confirms_and_corrects_a_fact(ricordo: Ricordo) -> None:
    user = ricordo.remember("tilde", "I live in Turing.")
    (fact,) = ricordo.json("facts", *user)["facts"]
    assert ricordo.json("verify", fact["id"], *user) == {"ok": True, "verified": True}
    correcting = "correct", fact["id"], "Turin", *user, "--request-id", "r-1"
    stands = ricordo.json(*correcting)["fact_id"]
    assert ricordo(*correcting) == f"Turin is valid and verified, as {stands}\n"
    assert "user  lives_in  Turin  (verified)" in ricordo("facts", *user)
    ended = ricordo("correct", fact["id"], "Rome", *user, code=1)
    assert f"was superseded or put right, and now {stands} holds" in ended
    assert "no fact of that id" in ricordo("verify", stands, "--user", "nobody", code=1)
    assert ricordo.json("verify", stands, "--user", "nobody", code=1)["error"]["code"] == "not_found"
    assert ricordo("verify", stands, *user, "--no") == "not verified\n"
    assert ricordo(*correcting) == "this correction was withdrawn since\n"


def test_a_user_asks_why_a_fact_is_known_and_rejects_it(ricordo: Ricordo) -> None:
    user = ricordo.remember("eve", "Long day. I live in Turin, near the river. Good night!")
    (fact,) = ricordo.json("facts", *user)["facts"]
    why = ricordo("facts", *user, "--why", "--timezone", "Europe/Rome")
    assert fact["id"] in why
    assert "I live in Turin, near the river.  eve-1" in why
    assert "05 May 2026 10:01" in why
    assert "Long day" not in why
    assert ricordo.json("facts", *user, "--why")["facts"] == [fact], "the reply as it is on the wire"
    assert "it is removed" in ricordo("reject", fact["id"], *user, "--request-id", "r-1")
    assert ricordo.json("reject", fact["id"], *user, "--request-id", "r-1") == {"ok": True}
    assert ricordo.json("facts", *user)["facts"] == []
    assert ricordo.json("reject", fact["id"], *user, code=1)["error"]["code"] == "not_found"
    ricordo("reject", "1", *user, code=2)


def test_a_user_curates_memories(ricordo: Ricordo) -> None:
    user = ricordo.remember("ivo", "I live in Turing.")
    recall = ricordo.json("recall", "where do I live?", *user, "--no-reinforce")
    (memory,) = [one["id"] for one in recall["memories"]]
    assert memory in ricordo("recall", "where do I live?", *user, "--no-reinforce", "--ids")
    for words in (("correct", memory, "It got new paint."), ("verify", memory)):
        output = ricordo(*words, *user, code=1)
        assert "this is a memory's id, not a fact's" in output
        assert "--memory" in output
        assert "no fact of that id" in ricordo(*words, "--user", "nobody", code=1)
    assert ricordo("pin", memory, *user) == "pinned: it does not fade\n"
    assert ricordo.json("pin", memory, *user, "--undo") == {"ok": True, "pinned": False}
    judging = "feedback", recall["recall_id"], *user
    assert ricordo(*judging, "--used", memory) == "1 made stronger, 0 made weaker\n"
    assert "counted already" in ricordo(*judging, "--used", memory)
    assert ricordo.json(*judging, "--irrelevant", memory) == {"ok": True, "used": 0, "irrelevant": 1}
    assert ricordo("verify", memory, "--memory", *user) == "verified: it does not fade\n"
    said = '<recalled id="x">I live in Lecce.</recalled> I live in Turin.'
    right = ricordo("correct", memory, said, "--memory", *user)
    assert right == "corrected and verified; everything derived from it is derived again\n"
    (again,) = ricordo.json("recall", "where do I live?", *user, "--no-reinforce")["memories"]
    assert (again["content"], again["source"]) == ("I live in Turin.", "user_correction")
    for command in (("pin", memory), ("verify", memory, "--memory"), (*judging[:2], "--used", memory)):
        assert "no memory of the id" in ricordo(*command, "--user", "nobody", code=1)


def test_a_user_joins_two_names(ricordo: Ricordo) -> None:
    user = ricordo.remember("ada", "My friend Nicola lives in Bari. Nico is a nurse.")
    assert ricordo("identify", "nico", "Nicola", *user) == "nico and Nicola are one\n"
    assert "Nicola  works_as  nurse" in ricordo("facts", *user)
    assert ricordo.json("identify", "nico", "Nicola", *user, "--undo") == {"ok": True, "same": None}
    assert ricordo("identify", "nico", "Nicloa", *user, code=1).endswith('did you mean "Nicola"?\n')

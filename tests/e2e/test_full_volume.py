"""The volume of the vector store fills up: no message is lost, the reason is told, and indexing resumes."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from nats.aio.client import Client
from tests.fixtures.commands import doctor
from tests.fixtures.ollama_system import health, wait_for_state
from tests.fixtures.system import System, changed
from tests.fixtures.volume import fill, small_volume
from tests.fixtures.wire import Bot, Json, ids, msg, wait_for

from ricordo.settings import Settings

pytestmark = pytest.mark.slow

VOLUME_MB: Final = 200
LEAST_MB: Final = 50


@pytest.fixture
async def on_small_volume(system: System, tmp_path: Path) -> AsyncIterator[Settings]:
    """Run all workers with the vector store on a small volume of its own."""
    with small_volume(tmp_path / "volume", VOLUME_MB) as volume:
        settings = changed(
            system.settings, "stores", qdrant_dir=volume / "qdrant", qdrant_min_free_mb=LEAST_MB
        )
        async with system.restarted(settings):
            yield settings


async def test_memories_without_room_wait_and_are_indexed_once_there_is_some(
    bot: Bot, client: Client, on_small_volume: Settings
) -> None:
    folder = on_small_volume.stores.qdrant_dir
    assert folder is not None
    await bot.remember(msg("boat", "La barca di Davide sta a Chioggia."))
    assert (await doctor(on_small_volume))["index"]["state"] == "noted", "little is left from the start"
    ballast = fill(folder.parent, LEAST_MB - 10)
    later = [msg(f"rain-{n}", f"Piove da {n} giorni.") for n in range(2, 6)]
    await bot.publish_all(later[:1])  # may find the gate still open, as it was asked a moment ago
    report = await wait_for(lambda: health(client, "index"), lambda found: not found["gate_open"])
    assert report["state"] == "degraded"
    assert re.search(rf"low disk space: [34]\d MB are free on the volume of {folder}", report["reason"])
    await bot.publish_all(later[1:])

    def all_but_indexed(status: Json) -> bool:
        return all((at is None) == (name == "indexed") for name, at in status["stages"].items())

    status = await wait_for(lambda: bot.status("rain-5"), all_but_indexed)
    assert (status["state"], status["error"]) == ("received", None)
    found = await doctor(on_small_volume)
    assert (found["index"]["state"], found["worker index"]["state"]) == ("degraded", "missing")
    assert re.search(r"only [34]\d MB are free there", found["index"]["detail"])
    assert "free some space" in found["index"]["advice"]
    assert "low disk space" in found["worker index"]["detail"]
    reply = await bot.recall("Dove sta la barca?")
    assert ("boat" in ids(reply["memories"]), reply["degraded"]) == (True, [])
    ballast.unlink()
    states = await bot.final_states(one["id"] for one in later)
    assert set(states.values()) == {"remembered"}
    await wait_for_state(client, "index", "ready")
    assert "rain-5" in ids((await bot.recall("Piove da 5 giorni?"))["memories"])

"""The volume under the vector store fills up: nothing is lost, it is said, and it goes on by itself."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from nats.aio.client import Client
from tests.fixtures.running import Running
from tests.fixtures.served import becomes, findings, health, restarted
from tests.fixtures.volume import fill, small_volume
from tests.fixtures.wire import Bot, ids, said

from ricordo.settings import Settings
from ricordo.testing.eventually import eventually

pytestmark = pytest.mark.e2e

VOLUME_MB: Final = 200
LEAST_MB: Final = 50


@pytest.fixture
async def on_small_volume(running: Running, tmp_path: Path) -> AsyncIterator[Settings]:
    """All workers run with the vector store on a volume of its own, which is small."""
    with small_volume(tmp_path / "volume", VOLUME_MB) as volume:
        stores = running.settings.stores.model_copy(
            update={"qdrant_dir": volume / "qdrant", "qdrant_min_free_mb": LEAST_MB}
        )
        settings = running.settings.model_copy(update={"stores": stores})
        async with restarted(running, settings):
            yield settings


async def test_what_finds_no_room_waits_and_is_indexed_when_there_is_some(
    bot: Bot, wire: Client, on_small_volume: Settings
) -> None:
    folder = on_small_volume.stores.qdrant_dir
    assert folder is not None
    await bot.remember(said("boat", "La barca di Davide sta a Chioggia."))
    assert (await findings(on_small_volume))["index"]["state"] == "noted", "little is left from the start"
    ballast = fill(folder.parent, LEAST_MB - 10)
    later = [said(f"rain-{n}", f"Piove da {n} giorni.") for n in range(2, 6)]

    async def closed() -> bool:
        return not (await health(wire, "index"))["gate_open"]

    await bot.publish_all(later[:1])  # may find the gate still open, as it was asked a moment ago
    await eventually(closed, within=20)
    await bot.publish_all(later[1:])

    async def all_but_indexed() -> bool:
        stages = (await bot.status("rain-5"))["stages"]
        return all((stages[name] is None) == (name == "indexed") for name in stages)

    await eventually(all_but_indexed, within=30)
    status = await bot.status("rain-5")
    assert (status["state"], status["error"]) == ("received", None)
    report = await health(wire, "index")
    assert report["state"] == "degraded"
    assert re.search(rf"want of space: [34]\d MB are free on the volume of {folder}", report["reason"])
    found = await findings(on_small_volume)
    assert (found["index"]["state"], found["worker index"]["state"]) == ("degraded", "missing")
    assert re.search(r"only [34]\d MB are free there", found["index"]["detail"])
    assert "free some space" in found["index"]["advice"]
    assert "want of space" in found["worker index"]["detail"]
    reply = await bot.recall("Dove sta la barca?")
    assert ("boat" in ids(reply["memories"]), reply["degraded"]) == (True, [])
    ballast.unlink()
    states = await bot.settled(one["id"] for one in later)
    assert set(states.values()) == {"remembered"}
    await becomes(wire, "index", "ready")
    assert "rain-5" in ids((await bot.recall("Piove da 5 giorni?"))["memories"])

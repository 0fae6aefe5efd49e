"""`ricordo up` is killed, and goes up again with everything it had acknowledged."""

import json
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest
from tests.e2e.cli.ricordo_command import Ricordo, up

pytestmark = pytest.mark.e2e
COUNT = 40
NOW = datetime.now(UTC)
"""Said just now, and alike each time it is published: nothing is condensed yet."""


def chat() -> str:
    lines = (
        {
            "id": f"m-{number}",
            "user_id": "u",
            "conversation_id": "c",
            "role": "user",
            "content": f"Il gatto numero {number} dorme.",
            "timestamp": (NOW - timedelta(minutes=COUNT - number)).isoformat(),
        }
        for number in range(COUNT)
    )
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_a_killed_stack_goes_up_again_with_all_that_was_acknowledged(tmp_path: Path) -> None:
    ricordo = Ricordo(tmp_path)
    with up(ricordo) as first:
        family = first.process.children(recursive=True)
        assert ricordo.publish(chat())["published"] == COUNT
        first.process.kill()
        first.process.wait()
        assert "no stack runs" in ricordo("stats", "--user", "u", code=1)
        with up(ricordo) as second:
            _, alive = psutil.wait_procs(family, timeout=15)
            assert alive == []
            assert ricordo.publish(chat(), "--wait")["remembered"] == COUNT
            assert ricordo.json("stats", "--user", "u")["memories"] == COUNT
            assert ricordo.json("stats", "--user", "u")["history"] == COUNT
            assert second.stop(signal.SIGTERM) == 0

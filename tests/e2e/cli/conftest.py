"""One `ricordo up` for all tests of the command line: use users of your own."""

from collections.abc import Iterator

import pytest
from tests.e2e.cli.ricordo_command import Ricordo, Up, up
from tests.fixtures.scraping import free_port


@pytest.fixture(scope="session")
def ricordo(tmp_path_factory: pytest.TempPathFactory) -> Ricordo:
    """Return the command with the data folder of the running stack."""
    return Ricordo(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def health_port() -> int:
    return free_port()


@pytest.fixture(scope="session")
def running(ricordo: Ricordo, health_port: int) -> Iterator[Up]:
    settings = {
        "RICORDO_WORKER__HEALTH_PORT": str(health_port),
        "RICORDO_GATEWAY__PORT": str(free_port()),
        "RICORDO_GATEWAY__KEY": "a key of the tests",
    }
    with up(Ricordo(ricordo.home, settings)) as stack:
        yield stack
        failed = [line for line in stack.log.read_text().splitlines() if '"request failed"' in line]
        assert failed == [], "a request raised what no server expects"

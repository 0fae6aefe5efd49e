"""Fixtures that all tests share, and how they run."""

import getpass
import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Final

import pytest
import structlog
from hypothesis import settings

pytest_plugins = ["tests.fixtures.stack"]

settings.register_profile("ricordo", deadline=None, max_examples=40)  # a busy machine is no defect
settings.register_profile("fast", parent=settings.get_profile("ricordo"), max_examples=10)
# It judges a change: the same examples each time. The others search with new ones at each run.
settings.register_profile(
    "thorough", parent=settings.get_profile("ricordo"), max_examples=100, derandomize=True
)
settings.load_profile("ricordo")

# Rich would colour the source of each traceback that is logged: a second or more where many fail on purpose.
_PLAIN: Final = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
structlog.configure(processors=[*structlog.get_config()["processors"][:-1], _PLAIN])

# A shell has its background jobs ignore interrupts, and so would the processes that these tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# There are as many processes as cores: more threads for a product of matrices only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

SLOWEST_FIRST: Final = ("chaos/", "e2e/cli/", "e2e/docs/", "e2e/", "integration/", "contract/")
MEMORY: Final = Path("/dev/shm")
ROOM_BYTES: Final = 8 << 30
_FOLDER: Final = pytest.StashKey[Path]()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Keep temporary files in memory, unless `--basetemp` or `TMPDIR` names a folder or there is no room."""
    if config.option.basetemp or os.environ.get("TMPDIR") or not _has_room(MEMORY):
        return
    name = f"ricordo-tests-{getpass.getuser()}-"
    for left in MEMORY.glob(f"{name}*"):
        if not Path("/proc", left.name.removeprefix(name)).exists():  # its process was killed
            shutil.rmtree(left, ignore_errors=True)
    folder = MEMORY / f"{name}{os.getpid()}"
    folder.mkdir(mode=0o711)  # the account of PostgreSQL walks through it
    config.stash[_FOLDER] = folder
    config.option.basetemp = folder / "pytest"
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the temporary files in memory."""
    if folder := config.stash.get(_FOLDER, None):
        shutil.rmtree(folder, ignore_errors=True)


def _has_room(folder: Path) -> bool:
    if not os.path.ismount(folder) or not os.access(folder, os.W_OK | os.X_OK):
        return False
    found = os.statvfs(folder)
    return not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= ROOM_BYTES


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slow folders first, so that no process is left with a slow file when the others have ended."""
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    return next(
        (n for n, folder in enumerate(SLOWEST_FIRST) if f"tests/{folder}" in item.nodeid), len(SLOWEST_FIRST)
    )

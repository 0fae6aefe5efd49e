"""Reads the settings, completes them with the servers of the local stack, and sets up logs."""

import os
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Final

import structlog
from pydantic import ValidationError

from ricordo import log
from ricordo.messages.errors import reason
from ricordo.settings import Settings, WorkerSettings
from ricordo.urls import bare
from ricordo_services.cli.client_calls import NATS_VARIABLE, Call, checked_url, no_stack, running_stack
from ricordo_services.cli.failures import Failed

_log = structlog.stdlib.get_logger(__name__)

_PREFIX: Final = "RICORDO_"
_BESIDE: Final = ("RICORDO_CONFIG", "RICORDO_DEBUG", NATS_VARIABLE)
"""Variables that are read and are not settings."""
_TELLING: Final = ("literal_error", "greater_than", "less_than", "finite_number", "int_", "float_", "bool_")
"""Prefixes of error types whose value may be shown: numbers, choices and switches, never secrets."""
_MOST_SHOWN: Final = 40  # characters of a value
_LIKE_ENOUGH: Final = 0.8  # of a name that could be somebody else's, to be taken for a slip


def read_settings() -> Settings:
    """Read `RICORDO_*` and the TOML file that `RICORDO_CONFIG` names."""
    file = os.environ.get("RICORDO_CONFIG")
    if file and not Path(file).is_file():
        raise Failed(f"RICORDO_CONFIG names {file}, which is no file")
    # A variable of the cluster's `.env` has single underscores; what has others is a misspelt setting.
    single = {each.replace("__", "_") for each in Settings.variables()}
    for name in _unread():
        if "__" in name or name.upper() in single:
            raise Failed(_no_setting(name, _nearest(name, Settings.variables())))
    try:
        return Settings()
    except ValidationError as error:
        raise Failed(first_fault(error)) from None
    except ValueError as error:  # a file that is no TOML in UTF-8, or a variable that is no JSON
        raise Failed(f"the settings{f' of {file}' if file else ''} cannot be read: {error}") from None


def first_fault(error: ValidationError) -> str:
    """Say which setting is wrong and why, without a value that may be a secret."""
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"]]
    variable = f"{_PREFIX}{'__'.join(path).upper()}"
    if first["type"] == "extra_forbidden":
        near = _nearest(variable, Settings.variables())
        return _no_setting(".".join(path), near and near.removeprefix(_PREFIX).lower().replace("__", "."))
    said = reason(first)
    if first["type"].startswith(_TELLING):
        value = f"{first['input']}"
        shown = value if len(value) <= _MOST_SHOWN else f"{value[:_MOST_SHOWN]}…"
        said = f"{said}, not {shown!r}"
    wrong = "" if said.startswith("must") else "is wrong: "
    return f"the setting {'.'.join(path)} (or {variable}) {wrong}{said}"


def _unread() -> Iterator[str]:
    """Yield the `RICORDO_*` variables that nothing reads."""
    known = {*Settings.variables(), *_BESIDE}
    return (name for name in os.environ if name.upper().startswith(_PREFIX) and name.upper() not in known)


def _nearest(variable: str, known: Sequence[str], least: float = 0.6) -> str | None:
    """Return the one of `known` that is most like `variable`, or None where none is; `least` is in [0, 1]."""
    short = {each.removeprefix(_PREFIX): each for each in known}
    near = get_close_matches(variable.upper().removeprefix(_PREFIX), short, n=1, cutoff=least)
    return short[near[0]] if near else None


def _no_setting(name: str, near: str | None) -> str:
    return f"there is no setting {name}" + (f": did you mean {near}?" if near else "")


async def check_health_page(worker: WorkerSettings, ports: Sequence[int] = ()) -> None:
    """Check that the health page can listen at its address, before anything starts.

    Args:
        ports: of several pages; empty for the one of the settings.

    Raises:
        PageUnavailable: it cannot.
    """
    from ricordo.runtime.health_service import check_address  # noqa: PLC0415 - for those alone who have a page

    if worker.health_port is not None:
        for port in ports or [worker.health_port]:
            await check_address(worker.health_host, port)


def configure_logs(settings: Settings) -> None:
    """Log to standard error: for a person at a terminal, as JSON otherwise, unless the settings say which."""
    said = "format" in settings.log.model_fields_set
    readable = settings.log.format == "text" if said else sys.stderr.isatty()
    log.configure(level=settings.log.level, readable=readable)


def log_for_people(level: str) -> None:
    """Have this process and those that it starts log in words from `level` on, unless settings differ."""
    said = read_settings().log.model_fields_set
    for name, value in (("level", level), ("format", "text")):
        if name not in said:
            os.environ[f"{_PREFIX}LOG__{name.upper()}"] = value


def set_up_logs(settings: Settings) -> None:
    """Configure logs; the first lines name the variables that look like misspelt ones of ours."""
    configure_logs(settings)
    known = (*Settings.variables(), *_BESIDE)
    for name in _unread():
        if near := _nearest(name, known, _LIKE_ENOUGH):
            _log.warning("nothing reads this variable", variable=name, nearest=near)


POSTGRES_SETTING = "postgres_dsn"


def required_stores(call: Call) -> Settings:
    """Return settings that name the servers, for commands that need them."""
    settings = store_settings(call)
    if POSTGRES_SETTING not in settings.stores.model_fields_set:
        otherwise = "name the servers: RICORDO_STORES__POSTGRES_DSN and RICORDO_BUS__URL"
        raise no_stack(call.folder, otherwise)
    return settings


def stores_of_target(call: Call) -> Settings:
    """Return settings with the stores that belong to the NATS of `call`, for commands that use both."""
    target, settings = call.target, read_settings()
    named = POSTGRES_SETTING in settings.stores.model_fields_set and call.data_dir is None
    stack = running_stack(call.folder)
    if stack is not None and bare(str(stack["nats"])) == bare(target.url):
        of_folder = of_stack(settings, call.folder, stack)
        if named and settings.stores.postgres_dsn != of_folder.stores.postgres_dsn:
            raise Failed(
                f"RICORDO_STORES__POSTGRES_DSN names other stores than those of {call.folder}, whose NATS "
                "this would speak to: name the NATS beside them too, with --nats, or neither; nothing was "
                "changed"
            )
        return of_folder
    if named:
        return with_bus(settings, target.url)
    raise Failed(
        f"{target.named_by} names NATS, and nothing names the stores beside it: name them too, with "
        "RICORDO_STORES__POSTGRES_DSN and the like, or neither; nothing was changed"
    )


def owner_dsn(settings: Settings) -> str:
    """Return the address of the database for its owner, who alone can do what is asked for."""
    owner = settings.stores.postgres_admin_dsn
    if owner is None:
        raise Failed("RICORDO_STORES__POSTGRES_ADMIN_DSN names no owner of the database: it takes one")
    return owner.get_secret_value()


def with_bus(settings: Settings, url: str) -> Settings:
    """Return `settings` with the NATS of `url`."""
    return settings.model_copy(update={"bus": settings.bus.model_copy(update={"url": url})})


def store_settings(call: Call) -> Settings:
    """Return settings that name the servers of the local stack; where none runs, what the settings name.

    A named database (`RICORDO_STORES__POSTGRES_DSN` or the TOML file) wins, unless a data folder is named.
    """
    settings = read_settings()
    if call.data_dir is None and call.nats:
        return with_bus(settings, checked_url(call.nats, "--nats"))
    if call.data_dir is None and POSTGRES_SETTING in settings.stores.model_fields_set:
        return settings
    stack = running_stack(call.folder)
    return settings if stack is None else of_stack(settings, call.folder, stack)


def of_stack(settings: Settings, folder: Path, stack: dict[str, object]) -> Settings:
    """Return `settings` with the servers of the `stack.json` of a data folder."""
    from ricordo_services.stack.endpoints import Endpoints, local_settings  # noqa: PLC0415 - slow to load

    return local_settings(Endpoints.read(folder, stack), settings)

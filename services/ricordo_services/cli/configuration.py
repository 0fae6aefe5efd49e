"""What a process that runs workers begins with: settings read once, logs set up."""

import os
import sys
from pathlib import Path

from pydantic import ValidationError

from ricordo import log
from ricordo.settings import Settings
from ricordo_services.cli.failures import Failed


def read_settings() -> Settings:
    """Read `RICORDO_*` and the TOML file that `RICORDO_CONFIG` names.

    Raises:
        Failed: a value is wrong, or the file cannot be read; says which.
    """
    file = os.environ.get("RICORDO_CONFIG")
    if file and not Path(file).is_file():
        raise Failed(f"RICORDO_CONFIG names {file}, which is no file")
    try:
        return Settings()
    except ValidationError as error:
        raise Failed(_first_fault(error)) from None
    except ValueError as error:  # not TOML, or not JSON in a variable
        raise Failed(f"the settings cannot be read: {error}") from None


def _first_fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    path = [str(part) for part in first["loc"]]
    variable = f"RICORDO_{'__'.join(path).upper()}"
    return f"the setting {'.'.join(path)} (or {variable}) is wrong: {first['msg']}"


def keep_logs_quiet() -> None:
    """Log to standard error what went wrong, in a command that prints its own result."""
    log.configure(level="error", readable=sys.stderr.isatty())


def set_up_logs(settings: Settings) -> None:
    """Log to standard error: for a person at a terminal, as JSON otherwise, unless the settings say which."""
    said = "format" in settings.log.model_fields_set
    readable = settings.log.format == "text" if said else sys.stderr.isatty()
    log.configure(level=settings.log.level, readable=readable)

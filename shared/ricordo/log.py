"""Logs: structured lines on standard error, JSON unless a person is watching."""

import logging
import os
import re
import sys
from typing import Final, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_SECRET_NAME: Final = re.compile(
    r"pass(word|wd)?|secret|token|credential|api_?key|authorization|dsn", re.IGNORECASE
)
_SECRET_IN_URL: Final = re.compile(r"(?<=://)([^\s/@:]*):([^\s/@]+)@|(?<=://)([^\s/@:]{16,})@")
_CHATTY: Final = ("httpx", "mcp")
"""Libraries that say of each request at `info` that it was made."""
_HIDDEN: Final = "***"


def configure(*, level: str = "info", readable: bool = False, stream: TextIO | None = None) -> None:
    """Set up structlog, and route the standard library's loggers through it. Calling it again replaces that.

    Args:
        level: `debug`, `info`, `warning`, `error` or `critical`; lines below it are dropped.
        readable: for people instead of machines; coloured at a terminal, unless `NO_COLOR` is set.
        stream: where lines go, standard error by default.

    Raises:
        ValueError: no such level.
    """
    threshold = logging.getLevelNamesMapping().get(level.upper())
    if threshold is None:
        raise ValueError(f"{level!r} is no log level: use debug, info, warning, error or critical")
    target = stream if stream is not None else sys.stderr
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.ExtraAdder(),
        hide_secrets,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(target)
    coloured = readable and target.isatty() and not os.environ.get("NO_COLOR")
    handler.setFormatter(_formatter(shared, readable=readable, coloured=coloured))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(threshold)
    for chatty in _CHATTY:
        logging.getLogger(chatty).setLevel(max(threshold, logging.WARNING))


def _formatter(
    shared: list[Processor], *, readable: bool, coloured: bool
) -> structlog.stdlib.ProcessorFormatter:
    rendering: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if readable:
        # With plain tracebacks: the others show the values of variables, which are what people said.
        plain = structlog.dev.plain_traceback
        rendering.append(structlog.dev.ConsoleRenderer(colors=coloured, exception_formatter=plain))
    else:
        rendering += [structlog.processors.format_exc_info, hide_secrets, structlog.processors.JSONRenderer()]
    return structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=rendering)


def hide_secrets(_: WrappedLogger, __: str, line: EventDict) -> EventDict:
    """Replace what is named like a secret, and passwords within addresses, by asterisks.

    A structlog processor.
    """
    for name, value in line.items():
        if _SECRET_NAME.search(name) and value is not None:
            line[name] = _HIDDEN
        elif isinstance(value, str):
            line[name] = without_secrets(value)
    return line


def without_secrets(text: str) -> str:
    """Return `text` with the passwords and tokens of the addresses in it replaced by asterisks."""
    if "://" not in text:
        return text
    return _SECRET_IN_URL.sub(lambda match: f"{match[1]}:{_HIDDEN}@" if match[2] else f"{_HIDDEN}@", text)

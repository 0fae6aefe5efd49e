"""Reads documents in a process of their own, which can be killed at any time.

A malicious PDF can make its reader compute forever or exhaust memory. A thread can neither be stopped nor
limited, and would hold Python's interpreter lock.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

import structlog

from ricordo.documents.reading_limits import ReadingLimits, Unreadable
from ricordo.memory.document_cutting import DocumentPart

_log = structlog.stdlib.get_logger(__name__)
_CHILD: Final = "ricordo.documents.readers.dispatch"
# The reader gets no secrets of the worker's environment.
_ENVIRONMENT: Final = ("PATH", "PYTHONPATH", "PYTHONHOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT")
_QUOTED: Final = 2_000  # characters of a crashed reader's output


class ReaderProcess:
    """Reads documents, with one process each."""

    def __init__(self, limits: ReadingLimits | None = None) -> None:
        self._limits = limits or ReadingLimits()

    async def read(self, name: str, media_type: str, data: bytes) -> Sequence[DocumentPart]:
        """Return the parts of a document, at least one with text.

        Raises:
            Unreadable: it cannot be read, is broken or encrypted, has no text, or exceeds a limit.
            OSError: no process can be started now.
        """
        header = {"name": name, "media_type": media_type, "limits": asdict(self._limits)}
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", _CHILD, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )
        try:
            async with asyncio.timeout(self._limits.seconds):
                output, errors = await process.communicate(json.dumps(header).encode() + b"\n" + data)
        except TimeoutError:
            raise Unreadable(f"takes longer to read than {self._limits.seconds:g} seconds") from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        return _parts(process.returncode, output, errors)


def _parts(code: int | None, output: bytes, errors: bytes) -> Sequence[DocumentPart]:
    answer: Mapping[str, Any] | None = None
    with suppress(ValueError):
        answer = json.loads(output) if code == 0 else None
    if answer is None:
        _log.warning(
            "reader of a document crashed", code=code, errors=errors.decode(errors="replace")[-_QUOTED:]
        )
        raise Unreadable("crashes its reader")
    if "unreadable" in answer:
        raise Unreadable(answer["unreadable"])
    return [DocumentPart(**part) for part in answer["parts"]]

"""Documents are read in a process of their own, which may be ended at any moment.

What reads a PDF may be made to compute for ever or to fill the memory by whoever wrote the PDF. A thread can
neither be stopped nor limited, and would keep Python's lock from everything else that the worker does.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

import structlog

from ricordo.documents.reader import ReadingLimits, Unreadable
from ricordo.memory.documents import DocumentPart

_log = structlog.stdlib.get_logger(__name__)
_CHILD: Final = "ricordo.documents.readers.child"
# No password of a worker's is any business of who reads what strangers have written.
_PASSED_ON: Final = ("PATH", "PYTHONPATH", "PYTHONHOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT")
_QUOTED: Final = 2_000  # characters of what a reader that fell over has said


class ReaderProcess:
    """Implements `DocumentReader`: a process for each document.

    Args:
        limits: what reading one may take.
    """

    def __init__(self, limits: ReadingLimits | None = None) -> None:
        self._limits = limits or ReadingLimits()

    async def read(self, name: str, media_type: str, data: bytes) -> Sequence[DocumentPart]:
        """Return what is read; see `DocumentReader.read`.

        Raises:
            Unreadable: nobody can read it.
            OSError: no process can be started now.
        """
        header = {"name": name, "media_type": media_type, "limits": asdict(self._limits)}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", _CHILD, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=_environment()
        )
        try:
            async with asyncio.timeout(self._limits.seconds):
                out, said = await process.communicate(json.dumps(header).encode() + b"\n" + data)
        except TimeoutError:
            raise Unreadable(f"takes longer to read than {self._limits.seconds:g} seconds") from None
        finally:
            await _ended(process)
        return _parts(process.returncode, out, said)


async def _ended(process: Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _parts(code: int | None, out: bytes, said: bytes) -> Sequence[DocumentPart]:
    answer = _answer(out) if code == 0 else None
    if answer is None:
        _log.warning(
            "a reader of documents fell over", code=code, said=said.decode(errors="replace")[-_QUOTED:]
        )
        raise Unreadable("makes its reader fall over")
    if "unreadable" in answer:
        raise Unreadable(answer["unreadable"])
    return [DocumentPart(**part) for part in answer["parts"]]


def _answer(out: bytes) -> Mapping[str, Any] | None:
    try:
        found: Mapping[str, Any] = json.loads(out)
    except ValueError:
        return None
    return found


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}

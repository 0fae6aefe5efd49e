"""Seconds on the wall and on the processors, over several laps."""

import time
from types import TracebackType
from typing import Self


class Stopwatch:
    """Adds up what its `with` blocks take.

    Attributes:
        seconds: on the wall.
        cpu: of all threads of this process.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.cpu = 0.0
        self._began = (0.0, 0.0)

    def __enter__(self) -> Self:
        self._began = (time.perf_counter(), time.process_time())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds += time.perf_counter() - self._began[0]
        self.cpu += time.process_time() - self._began[1]

"""W3C trace context: carried in the header `traceparent` from a cause to everything that follows.

The trace id is also the correlation id of log lines.
"""

import random
import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Self

from structlog.contextvars import bound_contextvars

_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII)
_NO_TRACE = "0" * 32
_NO_SPAN = "0" * 16
_SAMPLED = "01"


@dataclass(frozen=True, slots=True)
class TraceContext:
    """A span of a trace.

    Attributes:
        trace_id: 32 hexadecimal digits in lower case, not all zero.
        span_id: 16 hexadecimal digits in lower case, not all zero.
        flags: 2 hexadecimal digits.
    """

    trace_id: str
    span_id: str
    flags: str = _SAMPLED

    @classmethod
    def begin(cls) -> Self:
        """Begin a new trace."""
        return cls(trace_id=_digits(32), span_id=_digits(16))

    @staticmethod
    def parse(header: str | None) -> "TraceContext | None":
        """Parse a `traceparent` header; None if absent or malformed, which does not invalidate a message."""
        match = _TRACEPARENT.fullmatch((header or "").strip())
        if match is None or match[1] == _NO_TRACE or match[2] == _NO_SPAN:
            return None
        if match[0].startswith("00") and match[4]:
            return None
        return TraceContext(trace_id=match[1], span_id=match[2], flags=match[3])

    @staticmethod
    def continued(header: str | None) -> "TraceContext":
        """Return a new span: a child of the one in `header`, or the first of a new trace."""
        parent = TraceContext.parse(header)
        return TraceContext.begin() if parent is None else parent.child()

    def child(self) -> Self:
        """Return a new span of the same trace."""
        return type(self)(trace_id=self.trace_id, span_id=_digits(16), flags=self.flags)

    def __str__(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{self.flags}"


def _digits(count: int) -> str:
    # Ids need to differ, not to be secret; zero alone is not allowed.
    return f"{random.getrandbits(4 * count) or 1:0{count}x}"


def bind_log_context(trace: TraceContext | None, **names: object) -> AbstractContextManager[None]:
    """Return a context in which log lines carry `names` and the trace id as `correlation_id`."""
    known = {name: value for name, value in names.items() if value is not None}
    if trace is not None:
        known["correlation_id"] = trace.trace_id
    return bound_contextvars(**known)

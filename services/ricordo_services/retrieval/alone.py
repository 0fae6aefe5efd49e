"""What is done at the same time fails as if it were done alone."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def alone() -> Iterator[None]:
    """Raise what failed first in a task group as what it is, and not as a group.

    Whoever asked tells a store that is away from a defect by the exception, and knows nothing of tasks.

    Raises:
        Exception: the first of the group.
    """
    try:
        yield
    except ExceptionGroup as group:
        first: Exception = group
        while isinstance(first, ExceptionGroup):
            first = first.exceptions[0]
        raise first from first.__cause__

"""What every port raises when its server cannot be asked just now."""

from typing import ClassVar


class DependencyUnavailable(Exception):
    """A dependency does not answer: a transient failure, the same call may succeed later.

    Attributes:
        server: which, in the words of an answer.
        state: what is the matter with it, in such words.
    """

    server: ClassVar[str] = "a server that this needs"
    state: ClassVar[str] = "is away"

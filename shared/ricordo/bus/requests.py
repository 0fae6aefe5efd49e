"""Request-reply on the bus, beside the log of `ricordo.bus.port`: the answering side."""

from collections.abc import Callable, Mapping
from typing import Protocol


class Request(Protocol):
    """A question that waits for one reply."""

    @property
    def subject(self) -> str:
        """The subject that the question was sent on."""
        ...

    @property
    def body(self) -> bytes:
        """The question."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Its headers."""
        ...

    async def respond(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send the reply; sending nothing leaves the caller waiting.

        Raises:
            BusError: the reply could not be sent (no connection, larger than the bus carries).
        """
        ...


class Endpoint(Protocol):
    """A place where requests arrive."""

    async def close(self) -> None:
        """Take no further requests; those that came before are still accepted. Closing twice does nothing."""
        ...


class Responder(Protocol):
    """Request-reply, the answering side."""

    async def serve(self, subject: str, queue: str | None, accept: Callable[[Request], None]) -> Endpoint:
        """Receive the requests on `subject` (wildcards allowed), shared with all servers of the same `queue`.

        Args:
            subject: a subject or a pattern.
            queue: each request goes to one member of a queue; without a queue, to everyone.
            accept: called with each request on the event loop; must not block and must not raise.

        Returns:
            The endpoint, once the server has registered the interest: no request sent afterwards is missed.

        Raises:
            BusUnavailable: the bus does not answer.
        """
        ...

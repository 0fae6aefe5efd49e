"""A question's way to Ricordo and its answer's way to the screen."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import typer

from ricordo.client import InvalidRequest, MemoryClient, RicordoError
from ricordo.messages.base import Message
from ricordo.messages.errors import ErrorBody
from ricordo_services.cli.failures import Misused, sentence
from ricordo_services.cli.output import print_json, print_line
from ricordo_services.cli.servers import Target, target

R = TypeVar("R", bound=Message)


@dataclass(frozen=True, slots=True)
class Asking:
    """One question: whom it goes to, and in which form the answer is wanted.

    Attributes:
        target: whom.
        as_json: as it came over the wire, or for a person.
    """

    target: Target
    as_json: bool

    @asynccontextmanager
    async def client(self) -> AsyncIterator[MemoryClient]:
        """Connect; what goes wrong is answered on standard output too when JSON is wanted.

        Raises:
            Misused: the question cannot be asked so.
            RicordoError: it was not answered.
        """
        try:
            async with self.target.client() as client:
                yield client
        except RicordoError as error:
            if self.as_json:
                body = ErrorBody.of(error.code, error.message, error.field)
                print_json(body.model_dump(mode="json"))
            if isinstance(error, InvalidRequest):
                raise Misused(sentence(error)) from None
            raise

    def answer(self, reply: R, show: Callable[[R], None]) -> None:
        """Print `reply` in the wanted form."""
        if self.as_json:
            print_line(reply.model_dump_json())
        else:
            show(reply)


def asking(
    context: typer.Context, nats: str | None, tenant: str | None, data_dir: Path | None, *, as_json: bool
) -> Asking:
    """Gather what the shared options say.

    Raises:
        Failed: there is nobody to ask.
    """
    return Asking(target(context, nats, tenant, data_dir), as_json)

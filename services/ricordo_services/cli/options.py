"""The options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Nats = Annotated[
    str | None,
    typer.Option(
        "--nats",
        metavar="URL",
        help="Where NATS answers. Else RICORDO_NATS_URL, else the stack of the data folder.",
        show_default=False,
    ),
]
Tenant = Annotated[
    str | None,
    typer.Option(
        "--tenant", metavar="NAME", help='Whose memories; "default" unless said.', show_default=False
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        metavar="DIR",
        help="The data folder of the local stack; the user's own unless said.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the reply as it came over the wire, as one line.")]
User = Annotated[str, typer.Option("--user", "-u", metavar="ID", help="Whose memory.", show_default=False)]
OnlyUser = Annotated[
    str | None,
    typer.Option("--user", "-u", metavar="ID", help="Of this user only.", show_default=False),
]
OnlyTenant = Annotated[
    str | None,
    typer.Option(
        "--tenant", metavar="NAME", help="Of this tenant only; all unless said.", show_default=False
    ),
]
Conversation = Annotated[
    str | None,
    typer.Option("--conversation", metavar="ID", help="Of this conversation only.", show_default=False),
]
ShownZone = Annotated[
    str | None,
    typer.Option(
        "--timezone",
        metavar="ZONE",
        help="Show times there, such as Europe/Rome; where this machine is unless said.",
        show_default=False,
    ),
]
Workers = Annotated[
    str | None,
    typer.Option("--workers", metavar="A,B", help="Run these workers only.", show_default=False),
]
RequestId = Annotated[
    str | None,
    typer.Option(
        "--request-id",
        metavar="ID",
        help="Of your own: under the same one, a repeated command changes nothing.",
        show_default=False,
    ),
]
Ids = Annotated[bool, typer.Option("--ids", help="Show their ids, by which commands name them.")]

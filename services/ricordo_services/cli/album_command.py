"""`ricordo album`: a link that signs a browser in to the album, where people see what is remembered."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Final, cast
from urllib.parse import urlsplit

from rich.console import Console
from rich.text import Text

from ricordo_services.api_keys import OF_ONE_USER, KeyStore
from ricordo_services.cli.client_calls import Call, ServerTarget, checked_user
from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.options import OnlyUser, flag, option, reworded
from ricordo_services.cli.output import print_json, print_line, print_remark

LIFETIME: Final = timedelta(minutes=10)
_STARTING_TAKES_S: Final = 30.0  # on a busy machine, whose workers have just started

AsOperator = Annotated[
    bool, flag("--operator", "Of the whole installation: reads dead letters of all tenants, too.")
]


async def album(
    call: Annotated[Call, reworded(as_json="Print the link and what it allows as a JSON object.")],
    *,
    user: OnlyUser = None,
    operator: AsOperator = False,
    url: Annotated[
        str | None, option("URL", "Address of the gateway. Default: that of the local stack.")
    ] = None,
) -> None:
    """Print a link to the album, where people see, keep, correct and forget what is remembered.

    It signs one browser in, once, within ten minutes. Without --user, the person chooses among the users of
    the tenant; on the local stack that person is its operator. A link opens what it names to whoever has it.

    Examples:
        ricordo album
        ricordo album --user davide
        ricordo album --user davide --tenant acme --url https://album.example.org
    """
    check_whose(user, operator=operator)
    target = call.target
    rights = operator or (target.stack is not None and user is None)
    link = await album_link(target, _address(target, url), user, operator=rights)
    if call.as_json:
        print_json({"album": link, "tenant": target.tenant, "user_id": user, "operator": rights})
        return
    print_line(link)
    whose = f"of user {user}" if user else f"of all users of tenant {target.tenant}"
    print_remark(f"the album {whose}; the link signs one browser in, once, within 10 minutes")


def check_whose(user: str | None, *, operator: bool) -> None:
    """Check whom a key or a link is for.

    Raises:
        Misused: no id of a user, or one user who is to be an operator.
    """
    if user is not None:
        checked_user(user)
        if operator:
            raise Misused(f"{OF_ONE_USER}: leave out --user or --operator")


async def album_link(target: ServerTarget, address: str, user_id: str | None, *, operator: bool) -> str:
    """Make a link to the album.

    Args:
        target: the NATS, and the tenant whose memories it opens.
        address: of the gateway, such as `http://127.0.0.1:7480`.
        user_id: the only user that it opens; None for all users of the tenant.
        operator: whether it opens the operator's pages, too.

    Raises:
        RicordoError: NATS does not answer.
    """
    async with target.connection(_STARTING_TAKES_S) as connection:
        keys = KeyStore(connection.client.jetstream(timeout=_STARTING_TAKES_S))
        _, token = await keys.create(
            target.tenant, user_id, "album", use="link", lifetime=LIFETIME, operator=operator
        )
    return f"{address}/album/sign-in#{token}"


def print_album(console: Console, link: str, again: str) -> None:
    """Print a link where nobody overlooks it, and the command that makes another one."""
    console.print(Text.assemble(("\n  Open the album:  ", "bold"), (link, "bold cyan")), soft_wrap=True)
    console.print("  It signs you in once, within 10 minutes. This makes another link:", style="dim")
    console.print(Text(f"  {again}\n", "cyan"), soft_wrap=True)


def _address(target: ServerTarget, url: str | None) -> str:
    """Return the address of the gateway: the one that is named, else that of the local stack."""
    if url is not None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise Misused("--url: name the address of the gateway, such as https://album.example.org")
        return url.rstrip("/")
    if target.stack is None:
        raise Misused(f"name the gateway with --url: {target.named_by} names a NATS, and nothing the gateway")
    if "gateway" not in cast("Sequence[str]", target.stack.get("workers", ())):
        raise Failed("that stack runs without a gateway: leave out --workers at its start, or use --url")
    return str(target.stack["http"])

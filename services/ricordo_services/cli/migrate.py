"""`ricordo migrate`: schema and streams, before the workers start."""

from typing import Annotated

import typer

from ricordo_services.cli.failures import Failed
from ricordo_services.cli.options import DataDir
from ricordo_services.cli.output import margin, print_json, print_line
from ricordo_services.cli.stores import store_settings


async def migrate(
    context: typer.Context,
    *,
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as a JSON object.")] = False,
) -> None:
    """Bring the database's schema and the streams to this version."""
    settings = store_settings(context, data_dir)
    if settings.stores.postgres_admin_dsn is None:
        raise Failed(
            "RICORDO_STORES__POSTGRES_ADMIN_DSN names no owner of the schema: it takes one to migrate it"
        )
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and wrong usage none

    done = await jobs.prepare(settings)
    if as_json:
        print_json({"done": done})
        return
    for sentence in done:
        print_line(sentence)
    if not done:
        margin().print("nothing to do")

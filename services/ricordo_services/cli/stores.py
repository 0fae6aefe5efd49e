"""Settings for the commands that work on the stores themselves, beside the workers."""

from pathlib import Path

import typer
from pydantic import SecretStr

from ricordo.messages.subjects import checked_tenant
from ricordo.settings import Settings
from ricordo.urls import bare
from ricordo_services.cli.configuration import read_settings
from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.folders import default_data_dir
from ricordo_services.cli.globals import folder_of, said_before
from ricordo_services.cli.servers import Target, checked_url, running_stack, said_folder

POSTGRES_SETTING = "postgres_dsn"


def named_stores(context: typer.Context, data_dir: Path | None) -> Settings:
    """Return settings that name the servers, for commands that can do nothing without them; else as below.

    Raises:
        Failed: nothing names them, and no stack runs; or the settings are wrong.
    """
    settings = store_settings(context, data_dir)
    if POSTGRES_SETTING not in settings.stores.model_fields_set:
        folder = folder_of(context, data_dir)
        raise Failed(
            f"no stack runs on {folder}: start one with `ricordo up{said_folder(folder)}`, "
            "or name the servers: RICORDO_STORES__POSTGRES_DSN and RICORDO_BUS__URL"
        )
    return settings


def stores_beside(target: Target, context: typer.Context, data_dir: Path | None) -> Settings:
    """Return settings that name the stores beside the NATS of `target`, for commands that speak to both.

    Raises:
        Failed: nothing names them, or what does names those of another Ricordo; or the settings are wrong.
    """
    settings = read_settings()
    named = POSTGRES_SETTING in settings.stores.model_fields_set
    folder_named = (data_dir or said_before(context).data_dir) is not None
    folder = folder_of(context, data_dir)
    stack = running_stack(folder)
    if stack is not None and bare(str(stack["nats"])) == bare(target.url):
        beside = of_stack(settings, stack)
        if named and not folder_named and settings.stores.postgres_dsn != beside.stores.postgres_dsn:
            raise Failed(
                f"RICORDO_STORES__POSTGRES_DSN names other stores than those of {folder}, whose NATS this "
                "would speak to: name the NATS beside them too, with --nats, or neither; nothing was changed"
            )
        return beside
    if named and not folder_named:
        return settings.model_copy(update={"bus": settings.bus.model_copy(update={"url": target.url})})
    raise Failed(
        f"{target.named_by} names NATS, and nothing names the stores beside it: name them too, with "
        "RICORDO_STORES__POSTGRES_DSN and the like, or neither; nothing was changed"
    )


def tenant_of(context: typer.Context, named: str | None) -> str | None:
    """Return the tenant that is meant, named behind the command or before it; None for all of them.

    Raises:
        Misused: no tenant goes by that name.
    """
    name = named or said_before(context).tenant
    try:
        return None if name is None else checked_tenant(name)
    except ValueError as error:
        raise Misused(str(error)) from None


def store_settings(context: typer.Context, data_dir: Path | None) -> Settings:
    """Return settings that name the servers of the local stack; where none runs, what the settings name.

    A named database (`RICORDO_STORES__POSTGRES_DSN` or the TOML file) wins, unless a data folder is named.

    Raises:
        Failed: the settings are wrong.
    """
    settings = read_settings()
    outer = said_before(context)
    data_dir = data_dir or outer.data_dir
    if data_dir is None and (outer.nats or POSTGRES_SETTING in settings.stores.model_fields_set):
        url = checked_url(outer.nats, "--nats") if outer.nats else settings.bus.url
        return settings.model_copy(update={"bus": settings.bus.model_copy(update={"url": url})})
    stack = running_stack(data_dir or default_data_dir())
    return settings if stack is None else of_stack(settings, stack)


def of_stack(settings: Settings, stack: dict[str, object]) -> Settings:
    """Return `settings` with the servers in it that a stack has left word of."""
    stores = settings.stores.model_copy(
        update={
            "postgres_dsn": SecretStr(str(stack["postgres"])),
            "postgres_admin_dsn": SecretStr(str(stack["postgres_admin"]))
            if "postgres_admin" in stack
            else None,
            "bolt_url": str(stack["bolt"]),
            "bolt_user": str(stack.get("bolt_user", "")),
            "bolt_password": SecretStr(str(stack.get("bolt_password", ""))),
            "bolt_database": str(stack.get("bolt_database", "")),
        }
    )
    bus = settings.bus.model_copy(update={"url": str(stack["nats"])})
    return settings.model_copy(update={"bus": bus, "stores": stores})

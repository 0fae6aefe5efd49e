"""`ricordo backup|restore|forgotten`: the data folder as one file, and lists of what was forgotten."""

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final, TypeVar

import typer
from pydantic import TypeAdapter, ValidationError

from ricordo.messages.subjects import checked_tenant
from ricordo.store.schema import OLDEST, Tombstone, newest_schema, schema_version, tombstones
from ricordo_services import private_files as private
from ricordo_services.cli.client_calls import Call, FolderCall, FolderJsonCall, running_stack
from ricordo_services.cli.command_settings import POSTGRES_SETTING, owner_dsn, store_settings
from ricordo_services.cli.failures import Failed
from ricordo_services.cli.input_files import numbered_lines
from ricordo_services.cli.options import ServerOptions, argument, flag, offered, repeated
from ricordo_services.cli.output import counted, print_text
from ricordo_services.stack.archive import Manifest, unpack, verify_backup, write_backup
from ricordo_services.stack.folder import (
    BACKED_UP,
    FOLDERS,
    MINIMUM_FREE_BYTES,
    RESTORED,
    RESTORING,
    DataFolder,
    activate,
)
from ricordo_services.stack.local import standalone_postgres
from ricordo_services.stack.postgres import give_to_account, server_account
from ricordo_services.stack.servers import StackError

_STONES = TypeAdapter(Tombstone)


def write_list(path: Path, stones: Sequence[Tombstone]) -> None:
    """Replace a list atomically, with mode 0600: it holds ids of users, and no content."""
    private.write(path.expanduser(), "".join(_STONES.dump_json(stone).decode() + "\n" for stone in stones))


def read_list(path: Path) -> list[Tombstone]:
    """Read a list.

    Raises:
        Failed: it cannot be read, or a line is no entry of such a list.
    """
    lines = numbered_lines(str(path.expanduser()))
    return [_stone(path, number, line) for number, line in lines if line.strip()]


def _stone(path: Path, number: int, line: bytes) -> Tombstone:
    try:
        stone = _STONES.validate_json(line)
        checked_tenant(stone.tenant)
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{'.'.join(map(str, first['loc']))} {first['msg']}".strip()
    except ValueError as error:
        reason = str(error)
    else:
        return stone
    raise Failed(f"{path}, line {number} is not an entry of a list of forgotten data: {reason}")


T = TypeVar("T")

_MEGABYTE: Final = 1_000_000
_CLUSTER: Final = Path("postgres", "cluster")


def backup(call: FolderJsonCall, target: Annotated[Path, argument("FILE.tar.gz", "New file.")]) -> None:
    """Back up the data folder to one file.

    Stop `ricordo up` first. The file contains memories, documents and passwords; its mode is 0600.

    Examples:
        ricordo backup memory.tar.gz
        ricordo backup memory.tar.gz --data-dir ./memory
    """
    path, target = call.folder.expanduser().absolute(), target.expanduser().absolute()
    if target.exists():
        raise Failed(f"{target} exists: name another file")
    if target.is_relative_to(path):
        raise Failed(f"{target} is inside the data folder: name a file elsewhere")
    _require_memories(path)
    with _locked(path) as folder:
        schema = _query(folder, schema_version)  # running PostgreSQL also recovers it after a crash
        made_at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        manifest = Manifest(ricordo=version("ricordo"), schema_version=schema, made_at=made_at)
        write_backup(folder.path, target, manifest)
    size = target.stat().st_size
    warning = "it contains memories and passwords: keep it private"
    told = f"{target} is written, {size / _MEGABYTE:,.1f} MB; {warning}"
    call.print_result({"file": str(target), "bytes": size, "schema_version": schema}, told)


def restore(
    call: FolderJsonCall,
    source: Annotated[Path, argument("FILE.tar.gz", "A backup.")],
    *,
    force: Annotated[bool, flag("--force", "Replace the memories in the data folder.")] = False,
    forgotten: Annotated[list[Path] | None, repeated("FILE.jsonl", "List by `forgotten save`")] = None,
) -> None:
    """Restore the data folder from a backup.

    Stop `ricordo up` first. The backup is verified before anything is replaced. What was forgotten in the
    folder since it was made is erased again when `ricordo up` starts; if the folder is lost, --forgotten
    names a list of it.

    Examples:
        ricordo restore memory.tar.gz --data-dir ./new
        ricordo restore memory.tar.gz --force
        ricordo restore memory.tar.gz --forgotten forgotten.jsonl
    """
    path, file = call.folder.expanduser().absolute(), source.expanduser()
    if not file.exists():
        raise Failed(f"there is no file {source}")
    stones = [stone for one in forgotten or () for stone in read_list(one)]
    manifest = verify_backup(file, OLDEST, newest_schema())
    with _locked(path) as folder:
        for part in (folder.path / name for name in BACKED_UP):
            if part.is_symlink():
                raise Failed(f"{part} is a link to another place: restore into a new folder")
        if (folder.path / _CLUSTER).exists():
            if not force:
                raise Failed(
                    f"{folder.path} contains memories: name another folder with --data-dir, or replace them "
                    "with --force; what was forgotten there stays forgotten"
                )
            stones += _forgotten_there(folder, anyway=bool(forgotten))
        begun = _put(file, manifest.size, folder, stones)
    done = {"data_dir": str(path), "made_at": manifest.made_at, "forgotten_again": begun}
    since = f"\nForgotten since then: {begun}; `ricordo up` erases it when it starts." if begun else ""
    call.print_result(done, f"{path} is as it was at {manifest.made_at}{since}")


def forgotten(servers: Annotated[ServerOptions, offered("nats", "data_dir")]) -> None:
    """Save the list of what was forgotten, and apply it after an older backup is restored.

    The list contains ids of users, conversations and messages, and no content. It works with a running
    Ricordo, and on a data folder that is not in use.

    Examples:
        ricordo forgotten save forgotten.jsonl
        ricordo forgotten apply forgotten.jsonl
    """


def save(
    call: FolderCall,
    target: Annotated[Path, typer.Argument(metavar="FILE.jsonl")],
    *,
    force: Annotated[bool, flag("--force", "Replace FILE, whatever it contains.")] = False,
) -> None:
    """Write the list of forgotten data to a file; an earlier list is replaced."""
    if not force:
        _refuse_other(target)
    stones = _ask_database(call, tombstones)
    write_list(target, stones)
    print_text(f"{target} lists what was forgotten: {counted(len(stones), 'entries')}")


def _refuse_other(path: Path) -> None:
    """Refuse to overwrite a file that is not such a list."""
    path = path.expanduser()
    if path.is_dir():
        raise Failed(f"{path} is a folder: name a file")
    if not path.exists():
        return
    try:
        read_list(path)
    except Failed:
        other = "name another file, or replace it with --force"
        raise Failed(f"{path} exists, and is not a list of forgotten data: {other}") from None


def apply(call: FolderCall, source: Annotated[Path, typer.Argument(metavar="FILE.jsonl")]) -> None:
    """Erase the listed data again, in a database restored from an older backup."""
    from ricordo_services.app.jobs import forget_again  # noqa: PLC0415 - slow to load

    stones = read_list(source)
    begun = _ask_database(call, partial(forget_again, stones=stones))
    print_text(f"{begun} of {counted(len(stones), 'entries')} are now erased by the workers")


def _ask_database(call: Call, ask: Callable[[str], Coroutine[None, None, T]]) -> T:
    """Return what `ask` finds with the owner's address: of what runs, or is named, or of the folder alone."""
    path = call.folder.expanduser().absolute()
    settings = store_settings(call)
    only_a_folder = call.data_dir is not None and running_stack(path) is None
    if POSTGRES_SETTING in settings.stores.model_fields_set and not only_a_folder:
        return asyncio.run(ask(owner_dsn(settings)))
    _require_memories(path)
    with _locked(path) as folder:
        return _query(folder, ask)


@contextmanager
def _locked(path: Path) -> Iterator[DataFolder]:
    """Hold a data folder for a `with`; one that was not there is removed if this fails."""
    created = not path.exists()
    try:
        folder = asyncio.run(DataFolder.hold(path))
        try:
            yield folder
        finally:
            folder.forget_run()
            folder.release()
    except BaseException:
        if created:
            shutil.rmtree(path, ignore_errors=True)
        raise


def _require_memories(path: Path) -> None:
    if not any((path / name).exists() for name in (_CLUSTER, RESTORED)):
        raise Failed(f"{path} contains no memories: name the data folder with --data-dir")


def _query(folder: DataFolder, ask: Callable[[str], Coroutine[None, None, T]]) -> T:
    """Run PostgreSQL alone, and return what `ask` finds with the address for its owner."""

    async def answer() -> T:
        async with standalone_postgres(folder) as dsn:
            return await ask(dsn)

    return asyncio.run(answer())


def _forgotten_there(folder: DataFolder, *, anyway: bool) -> list[Tombstone]:
    """Return what was forgotten in the folder that is about to be replaced."""
    try:
        return _query(folder, tombstones)
    except StackError as error:
        if anyway:
            return []
        raise Failed(
            f"what was forgotten in {folder.path} cannot be read, and would come back: name a list of it "
            f"with --forgotten, or restore into a new folder ({error})"
        ) from error


def _put(file: Path, size: int, folder: DataFolder, stones: list[Tombstone]) -> int:
    """Restore into a new folder, apply the tombstones there, and swap it in."""
    from ricordo_services.app.jobs import forget_again  # noqa: PLC0415 - slow to load

    new = DataFolder(folder.path / RESTORING, folder.lock_fd)
    free, needed = shutil.disk_usage(folder.path).free, size + MINIMUM_FREE_BYTES
    if free < needed:
        raise Failed(
            f"{folder.path} has {free // _MEGABYTE} MB free and the restored folder needs "
            f"{needed // _MEGABYTE} beside what is there: free some space or choose another folder with "
            "--data-dir"
        )
    try:
        new.path.mkdir(mode=0o700)
        unpack(file, new.path)
        for name in FOLDERS:
            (new.path / name).mkdir(mode=0o700, exist_ok=True)
        give_to_account(new.path / _CLUSTER, server_account(folder.path / _CLUSTER, folder.path))
        begun = _query(new, partial(forget_again, stones=stones)) if stones else 0
    except BaseException:
        shutil.rmtree(new.path, ignore_errors=True)
        raise
    activate(folder.path)
    return begun

"""Lists of what was asked to be forgotten, a JSON object a line: kept apart from backups, and newer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ricordo.messages.subjects import checked_tenant
from ricordo.store.schema import Tombstone
from ricordo_services import private_files as private
from ricordo_services.cli.failures import Failed

_Name = Annotated[str, Field(min_length=1, max_length=128)]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True)

    tenant: str
    scope: Literal["message", "conversation", "user", "erased"]
    user_id: _Name
    key: _Name
    buried_at: AwareDatetime


_STONES = TypeAdapter(Tombstone)


def write_list(path: Path, stones: Sequence[Tombstone]) -> None:
    """Replace a list in one step, readable by its owner only: it holds ids of users, never what they said."""
    private.write(path, "".join(_STONES.dump_json(stone).decode() + "\n" for stone in stones))


def check_replaceable(path: Path) -> None:
    """Refuse to write a list over what is none.

    Raises:
        Failed: a file is there that is no such list.
        OSError: it cannot be read.
    """
    if path.is_dir():
        raise Failed(f"{path} is a folder: name a file")
    if not path.exists():
        return
    try:
        read_list(path)
    except Failed:
        raise Failed(
            f"{path} is there, and is no list of what was forgotten: name another file, or replace it with "
            "--force"
        ) from None


def read_list(path: Path) -> list[Tombstone]:
    """Return what a list holds.

    Raises:
        Failed: a line is none of such a list.
        OSError: it cannot be read.
    """
    return [
        _stone(path, number, line)
        for number, line in enumerate(path.read_bytes().split(b"\n"), start=1)
        if line.strip()
    ]


def _stone(path: Path, number: int, line: bytes) -> Tombstone:
    try:
        read = _Line.model_validate_json(line)
        return Tombstone(**{**read.model_dump(), "tenant": checked_tenant(read.tenant)})
    except ValidationError as error:
        first = error.errors()[0]
        told = f"{'.'.join(map(str, first['loc']))} {first['msg']}".strip()
    except ValueError as error:
        told = str(error)
    raise Failed(f"{path}, line {number} is nothing that was forgotten: {told}")

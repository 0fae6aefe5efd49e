"""The permissions of the bots of a tenant; those of workers are in `ricordo.bus.nats.permissions`."""

from dataclasses import dataclass

from ricordo.messages.routing import CONTRACTS, STREAM_SUBJECTS, ContractKind
from ricordo.messages.subjects import PREFIX, STREAM_DERIVED


@dataclass(frozen=True, slots=True)
class Permissions:
    """The subjects of a user, with NATS wildcards; all others are denied."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def inbox_prefix(tenant: str) -> str:
    """Return the prefix of the inboxes of a tenant's bots."""
    return f"_INBOX_{tenant}"


def bot_events() -> tuple[str, ...]:
    """Return the names of the events that bots publish."""
    return tuple(c.name for c in CONTRACTS.values() if c.from_bots and c.kind is ContractKind.EVENT)


def bot_requests() -> tuple[str, ...]:
    """Return the names of requests, with a wildcard."""
    return tuple(f"{kind.value}.*" for kind in (ContractKind.QUERY, ContractKind.COMMAND))


def bot_subjects(tenant: str) -> tuple[str, ...]:
    """Return the subjects of the events that a bot of `tenant` may receive; `*` means all tenants."""
    return tuple(subject.replace("*", tenant, 1) for subject in STREAM_SUBJECTS[STREAM_DERIVED])


def bot_permissions(tenant: str) -> Permissions:
    """Return the permissions of a bot of `tenant`."""
    return Permissions(
        publish=tuple(f"{PREFIX}.{tenant}.{name}" for name in (*bot_events(), *bot_requests())),
        subscribe=(f"{inbox_prefix(tenant)}.>", *bot_subjects(tenant)),
    )

"""What a bot of one tenant may do on the bus; what a worker may stands with the adapter of NATS."""

from dataclasses import dataclass

from ricordo.messages.routing import CONTRACTS, STREAM_SUBJECTS, ContractKind
from ricordo.messages.subjects import PREFIX, STREAM_DERIVED


@dataclass(frozen=True, slots=True)
class Permissions:
    """The subjects of a user, wildcards of NATS among them; all others are denied.

    Attributes:
        publish: on which it may publish.
        subscribe: to which it may subscribe; a queue group behind a blank binds it to that.
    """

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def inbox_of(tenant: str) -> str:
    """Return the prefix of the inboxes of a tenant's bots."""
    return f"_INBOX_{tenant}"


def told_by_bots() -> tuple[str, ...]:
    """Return the names of the events that bots publish."""
    return tuple(c.name for c in CONTRACTS.values() if c.from_bots and c.kind is ContractKind.EVENT)


def asked_by_bots() -> tuple[str, ...]:
    """Return what their requests are called, with a wildcard."""
    return tuple(f"{kind.value}.*" for kind in (ContractKind.QUERY, ContractKind.COMMAND))


def heard_by_bots(tenant: str) -> tuple[str, ...]:
    """Return the subjects of the events that a bot of `tenant` may hear; `*` means all."""
    return tuple(subject.replace("*", tenant, 1) for subject in STREAM_SUBJECTS[STREAM_DERIVED])


def of_bot(tenant: str) -> Permissions:
    """Return what a bot of `tenant` must be allowed: to tell and to ask, and to hear replies and events."""
    return Permissions(
        publish=tuple(f"{PREFIX}.{tenant}.{name}" for name in (*told_by_bots(), *asked_by_bots())),
        subscribe=(f"{inbox_of(tenant)}.>", *heard_by_bots(tenant)),
    )

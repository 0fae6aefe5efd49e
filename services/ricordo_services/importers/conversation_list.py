"""Reads what exports of assistants have in common: a JSON list of conversations, and branches of a tree."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ricordo_services.importers.archive import ExportArchive, UnreadableExport
from ricordo_services.importers.past_message import FAULTS, Entry, malformed


def read_conversations(
    export: ExportArchive,
    pattern: str,
    read: Callable[[str, Mapping[str, Any]], Iterator[Entry]],
    *,
    of_another: tuple[str, str],
) -> Iterator[Entry]:
    """Yield what `read` finds in each conversation, whose place it is given; a malformed one is skipped.

    Args:
        pattern: of the names of files that hold a list of conversations each.
        of_another: a field of the conversations of another service, and its name.

    Raises:
        UnreadableExport: there is no such file, or one holds no list, or that of the other service.
    """
    for name in export.required(pattern, "conversations.json: is it the zip that the service sent?"):
        conversations = export.document(name)
        if not isinstance(conversations, list):
            raise UnreadableExport(
                f"{export.place(name)} is no list of conversations: is it conversations.json of the service?"
            )
        field, service = of_another
        if any(isinstance(each, Mapping) and field in each for each in conversations):
            raise UnreadableExport(
                f"{export.place(name)} looks like an export of another service: --from {service}"
            )
        for number, conversation in enumerate(conversations):
            place = f"{export.place(name)}, [{number}]"
            try:
                yield from read(place, conversation)
            except FAULTS as error:
                yield malformed(place, error)


def branch_to(leaf: str | None, parents: Mapping[str, str | None]) -> list[str]:
    """Return the ids from the root to `leaf`, or to the last of all ids where it is unknown.

    Raises:
        ValueError: messages follow each other in a circle.
    """
    node = leaf if leaf in parents else next(reversed(list(parents)), None)
    branch: dict[str, None] = {}
    while node is not None and node in parents:
        if node in branch:
            raise ValueError("its messages follow each other in a circle")
        branch[node] = None
        node = parents[node]
    return list(reversed(branch))

"""Reads the entries of an export one by one, so that a malformed one does not hold up the others."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Concatenate, Final, ParamSpec

from ricordo_services.importers.entries import Entry, PastMessage, Skip, SkipReason

P = ParamSpec("P")
FAULTS: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""What reading a malformed entry raises."""


def read_entry(
    place: str, read: Callable[P, PastMessage | SkipReason], *args: P.args, **kwargs: P.kwargs
) -> Entry:
    """Return what `read` reads at `place`; a message without text and a malformed entry are skipped."""
    try:
        found = read(*args, **kwargs)
    except FAULTS as error:
        return malformed(place, error)
    if isinstance(found, PastMessage) and found.text.strip():
        return replace(found, place=place)
    return Skip(place, SkipReason.NO_TEXT if isinstance(found, PastMessage) else found)


def read_entries(
    place: str,
    entries: Iterable[Any],
    read: Callable[Concatenate[Any, P], PastMessage | SkipReason],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Iterator[Entry]:
    """Yield what `read` reads in each of the entries of a list at `place`."""
    for number, entry in enumerate(entries):
        yield read_entry(f"{place}[{number}]", read, entry, *args, **kwargs)


def malformed(place: str, error: Exception) -> Skip:
    """Return the skip of an entry that could not be read."""
    if isinstance(error, KeyError):
        detail = f"has no {error.args[0]!r}"
    elif not isinstance(error, ValueError):  # their words are of this program, and not of the file
        detail = "is not of the shape that the service writes"
    else:
        detail = f"is malformed ({error})"
    return Skip(place, SkipReason.MALFORMED, detail)


def text_of(value: Any) -> str:  # noqa: ANN401 - any JSON
    """Return `value`, which must be a text or null.

    Raises:
        ValueError: it is something else.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError("its text is no text")  # noqa: TRY004 - a fault of the file, as any other
    return value

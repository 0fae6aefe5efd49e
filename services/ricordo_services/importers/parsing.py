"""Reads the entries of an export one by one, so that a malformed one does not hold up the others."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Concatenate, Final, ParamSpec

from ricordo_services.importers.entries import Entry, PastMessage, Skip, SkipReason

P = ParamSpec("P")
FAULTS: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""What reading a malformed entry raises."""


class NoText(Exception):
    """A message has no text."""


def read_entry(
    place: str, read: Callable[P, PastMessage | SkipReason], *args: P.args, **kwargs: P.kwargs
) -> Entry:
    """Return what `read` reads at `place`; a malformed entry is skipped, the others are imported."""
    try:
        found = read(*args, **kwargs)
    except NoText:
        found = SkipReason.NO_TEXT
    except FAULTS as error:
        return malformed(place, error)
    return Skip(place, found) if isinstance(found, SkipReason) else replace(found, place=place)


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


def written(text: str) -> str:
    """Return the text of a message.

    Raises:
        NoText: it has none.
    """
    if not text.strip():
        raise NoText
    return text

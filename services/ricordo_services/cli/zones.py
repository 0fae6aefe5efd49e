"""In which zone instants are shown."""

from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from ricordo_services.cli.failures import Misused


def zone_of(name: str | None) -> tzinfo | None:
    """Return the zone `name`; None, which is this machine's own, where no name is given.

    Raises:
        Misused: there is no such zone.
    """
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, KeyError):  # what is no name, names a folder, or names nothing
        raise Misused(f"there is no time zone {name}: name one such as Europe/Rome") from None


def local_text(instant: datetime, zone: tzinfo | None) -> str:
    """Return `instant` as a person reads it, to the minute and with the zone's name."""
    return instant.astimezone(zone).strftime("%a %d %b %Y %H:%M %Z")

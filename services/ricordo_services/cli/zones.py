"""In which zone instants are shown."""

from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo


def zone_of(name: str | None) -> tzinfo | None:
    """Return the zone `name`; None, which is this machine's own, where there is no such zone or name."""
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError):  # ZoneInfoNotFoundError is a KeyError, which is what an unknown name raises
        return None
    except KeyError:
        return None


def local_text(instant: datetime, zone: tzinfo | None) -> str:
    """Return `instant` as a person reads it, to the minute."""
    return instant.astimezone(zone).strftime("%a %d %b %Y %H:%M")

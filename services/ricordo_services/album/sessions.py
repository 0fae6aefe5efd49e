"""Sessions of the album: a short-lived key in a cookie, and what a browser says of its person."""

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Self
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from starlette.requests import HTTPConnection

from ricordo_services.album.texts import LANGUAGES, language_of
from ricordo_services.api_keys import ApiKey, KeyStore

SESSION: Final = "ricordo_album"
LIFETIME: Final = timedelta(days=30)
_USER: Final = "ricordo_user"
_LANGUAGE: Final = "ricordo_language"
_THEME: Final = "ricordo_theme"
ZONE: Final = "ricordo_zone"
PREFERENCES: Final = frozenset({_USER, _LANGUAGE, _THEME, ZONE})
"""Cookies that a person sets; none of them gives a right."""


@dataclass(frozen=True, slots=True)
class Browser:
    """What a request says of the browser and its person.

    Attributes:
        session: the text of the session's key; empty without one.
        user_id: whose memories are looked at, where a session may see those of several; empty if none.
        language: `it` or `en`: the chosen one, else that of the browser.
        theme: `light`, `dark`, or empty for that of the device.
    """

    session: str
    user_id: str
    language: str
    theme: str
    timezone: str

    @classmethod
    def of(cls, connection: HTTPConnection) -> Self:
        """Read the headers of a request."""
        values = {name: unquote(value) for name, value in connection.cookies.items()}
        language = values.get(_LANGUAGE, "")
        return cls(
            values.get(SESSION, ""),
            values.get(_USER, ""),
            language if language in LANGUAGES else language_of(connection.headers.get("accept-language", "")),
            values.get(_THEME, ""),
            _known_zone(values.get(ZONE, "")),
        )


current_browser: ContextVar[Browser] = ContextVar("current_browser")
"""That of the request that is answered."""


class Sessions:
    """Begins and ends sessions. Each method raises `Unavailable` if NATS does not answer."""

    def __init__(self, keys: KeyStore) -> None:
        self._keys = keys

    async def begin(self, text: str) -> str | None:
        """Return the text of a new session, for the token of a link or an API key; None if it is neither."""
        key = await self._keys.redeem(text) or await self._keys.find(text)
        if key is None:
            return None
        _, session = await self._keys.create(
            key.tenant, key.user_id, "album", use="session", lifetime=LIFETIME, operator=key.operator
        )
        return session

    async def find(self, text: str) -> ApiKey | None:
        """Return what a session may see; None if there is no such session."""
        return await self._keys.find(text, use="session") if text else None

    async def end(self, text: str) -> None:
        """End a session."""
        key = await self.find(text)
        if key is not None:
            await self._keys.revoke(key.tenant, key.id)


def _known_zone(name: str) -> str:
    try:
        return ZoneInfo(name).key if name else "UTC"
    except (ValueError, OSError, KeyError):  # a KeyError where this machine does not know it
        return "UTC"

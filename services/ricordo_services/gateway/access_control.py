"""Decides before any route who asks, how much and how slowly: host, origin, key, rate, and sizes."""

import asyncio
import re
from asyncio import TimerHandle
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl

from aiolimiter import AsyncLimiter
from cachetools import LRUCache
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ricordo.client import RicordoError
from ricordo_services.api_keys import ApiKey, KeyStore
from ricordo_services.gateway.problems import GatewayError, problem_response
from ricordo_services.importers import PARSERS

PUBLIC: Final = frozenset({"/healthz", "/openapi.json"})
STREAMED: Final = frozenset({"/v1/imports", *(f"/v1/imports/{service}" for service in PARSERS)})
"""Routes that read their body themselves, of any length."""
ALBUM: Final = "/album/"
_UPLOAD: Final = re.compile(r"/album/_nicegui/client/[^/]+/upload/\d+")
MOST_UPLOADED_BYTES: Final = 512 << 20
"""Of a file that the album is given to import."""
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_SECRETS_IN_URL: Final = frozenset({"key", "api_key", "apikey", "token", "access_token", "authorization"})
BODY_WITHIN_S: Final = 30.0
_HEAD_BYTES: Final = 65_536
_LIMITERS: Final = 10_000


class HeaderTimeoutProtocol(HttpToolsProtocol):
    """Closes a connection on which the head of a request is longer than allowed, or longer under way.

    It may take as long as a connection may be idle; so may the rest of a refused body. uvicorn limits
    neither.
    """

    _head: TimerHandle | None = None
    _head_bytes = 0
    _in_head = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Read what came."""
        was_in_head = self._in_head
        super().data_received(data)
        if not getattr(self.cycle, "response_complete", True):  # None before the first request
            return
        self._await_head()
        self._head_bytes += len(data) if was_in_head else 0
        if self._head_bytes > _HEAD_BYTES:
            self.transport.close()

    def on_headers_complete(self) -> None:
        """Leave the time and the size of the body to `AccessControl`."""
        self._end_head()
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Expect the head of the next request."""
        super().on_message_complete()
        self._in_head = True

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._end_head()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _end_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
        self._head, self._head_bytes = None, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessControl:
    """ASGI middleware; the key of a request is in `scope["state"]["key"]`.

    Attributes:
        album: answers `/` and what is below `/album`, by sessions of its own; host and origin are checked.
        hosts: names in `Host` that are accepted; another is the sign of DNS rebinding.
        origins: values of `Origin` that are accepted, besides those of `hosts`.
        requests_per_second: of each key.
        max_body_bytes: of a body that is not streamed.
    """

    app: ASGIApp
    album: ASGIApp
    keys: KeyStore
    hosts: Collection[str] = LOOPBACK
    origins: Collection[str] = ()
    requests_per_second: float = 500
    max_body_bytes: int = 1 << 20
    _limiters: LRUCache[str, AsyncLimiter] = field(default_factory=lambda: LRUCache(_LIMITERS))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a problem."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        is_album = scope["path"] in ("/", "/favicon.ico") or (scope["path"] + "/").startswith(ALBUM)
        try:
            self._check_host(headers)
            if is_album:
                receive = await self._to_album(scope, headers, receive)
            elif scope["type"] == "http":
                receive = await self._admitted(scope, headers, receive)
        except (GatewayError, RicordoError) as error:
            await problem_response(error)(scope, receive, send)
        else:
            await (self.album if is_album else self.app)(scope, receive, send)

    async def _to_album(self, scope: Scope, headers: dict[str, str], receive: Receive) -> Receive:
        """Refuse what another page may have caused: a browser says where a request comes from."""
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if changes and (
            not headers.get("origin") or headers.get("sec-fetch-site", "same-origin") != "same-origin"
        ):
            raise GatewayError(403, "the album is asked by its own pages only")
        if scope["type"] == "websocket" or _UPLOAD.fullmatch(scope["path"]):
            length = headers.get("content-length", "")
            if scope["type"] == "http" and not (length.isdecimal() and int(length) <= MOST_UPLOADED_BYTES):
                raise GatewayError(413, f"a file may have at most {MOST_UPLOADED_BYTES:,} bytes")
            return receive
        return await self._whole_body(scope, headers, receive)

    async def _admitted(self, scope: Scope, headers: dict[str, str], receive: Receive) -> Receive:
        if scope["path"] not in PUBLIC:
            key = await self._key(scope, headers)
            scope.setdefault("state", {})["key"] = key
            await self._check_rate(key)
        if scope["path"] in STREAMED:
            return receive
        return await self._whole_body(scope, headers, receive)

    def _check_host(self, headers: dict[str, str]) -> None:
        if _name_of(headers.get("host", "")) not in self.hosts:
            raise GatewayError(
                421, "this gateway does not answer under that name: RICORDO_GATEWAY__HOSTS lists its names"
            )
        origin = headers.get("origin")
        if origin is None or origin in self.origins:
            return
        if _name_of(origin.rpartition("//")[2]) not in self.hosts:
            raise GatewayError(
                421, "pages of that origin may not ask: RICORDO_GATEWAY__ORIGINS lists those that may"
            )

    async def _key(self, scope: Scope, headers: dict[str, str]) -> ApiKey:
        named = {name.lower() for name, _ in parse_qsl(scope["query_string"].decode("latin-1"))}
        if named & _SECRETS_IN_URL:
            raise GatewayError(
                400, "a key in a URL ends up in logs: send it in the header, Authorization: Bearer KEY"
            )
        scheme, _, text = headers.get("authorization", "").partition(" ")
        is_sent = scheme.lower() == "bearer" and text.strip() != ""
        key = await self.keys.find(text.strip()) if is_sent else None
        if key is not None:
            return key
        # Of a wrong key it is not said whether there was one like it: revoked, or with another ending.
        fault, error = ("is not known", ', error="invalid_token"') if is_sent else ("is missing", "")
        raise GatewayError(
            401,
            f"the key {fault}: send one in the header, Authorization: Bearer KEY; "
            "`ricordo key create` makes one",
            headers={"WWW-Authenticate": f'Bearer realm="ricordo"{error}'},
        )

    async def _check_rate(self, key: ApiKey) -> None:
        limiter = self._limiters.get(key.id)
        if limiter is None:
            limiter = self._limiters[key.id] = AsyncLimiter(self.requests_per_second, 1.0)
        if not limiter.has_capacity():
            raise GatewayError(
                429, "this key asks more often than it may; wait a second", headers={"Retry-After": "1"}
            )
        await limiter.acquire()

    async def _whole_body(self, scope: Scope, headers: dict[str, str], receive: Receive) -> Receive:
        """Read the body up to the limit, and return a `receive` that yields it again."""
        length = headers.get("content-length", "0")
        too_large = GatewayError(413, f"a body may have at most {self.max_body_bytes:,} bytes")
        if length.isdecimal() and int(length) > self.max_body_bytes:
            raise too_large
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_WITHIN_S):
                async for part in Request(scope, receive).stream():
                    body += part
                    if len(body) > self.max_body_bytes:
                        raise too_large
        except ClientDisconnect:
            return _replay({"type": "http.disconnect"}, receive)
        except TimeoutError:
            raise GatewayError(408, f"the body did not come within {BODY_WITHIN_S:g} s") from None
        return _replay({"type": "http.request", "body": bytes(body), "more_body": False}, receive)


def _replay(first: Message, receive: Receive) -> Receive:
    """Return a `receive` that yields `first`, and then what the connection says."""
    waiting = [first]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _name_of(host: str) -> str:
    """Return a host without its port, in lower case."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return name.strip("[]").lower()

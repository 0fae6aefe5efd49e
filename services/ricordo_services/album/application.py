"""The album as an ASGI application: who may see it, what its answers allow a browser, and its pages."""

import asyncio
import importlib
import re
import secrets
from importlib.metadata import version
from pathlib import Path
from typing import Final, Protocol, cast
from urllib.parse import parse_qs, quote

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ricordo.client import RicordoError
from ricordo_services.album import sessions
from ricordo_services.album.sessions import Browser, Sessions
from ricordo_services.album.texts import render, sentence_of, texts

PATH: Final = "/album"
_STATIC: Final = Path(__file__).parent / "static"
_FILES: Final = f"/_nicegui/{version('nicegui')}/"
"""Files of the front end, which say nothing of anybody: they need no session."""
_SCRIPT: Final = re.compile(rb"<script\b")
_NONCE: Final = "{nonce}"
_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' 'nonce-{_NONCE}' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
# Not `no-referrer`: browsers would then send `Origin: null` with a form.
_HEADERS: Final = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class _Pages(Protocol):
    """The module `pages_application`, which loads NiceGUI."""

    def mount(self, app: FastAPI) -> None: ...
    async def start(self) -> None: ...
    async def stop(self) -> None: ...


class Album:
    """ASGI application of `/` and of all below `/album`; `AccessControl` has checked host and origin.

    NiceGUI is loaded with the first page that is asked for: a gateway that nobody visits does without it.
    """

    def __init__(self, app: FastAPI, own: Sessions) -> None:
        self._sessions = own
        self._app = app
        self._loaded: asyncio.Task[_Pages] | None = None
        self._static = StaticFiles(directory=_STATIC)
        self._guarded = GZipMiddleware(_Guarded(self._answer), minimum_size=1_000)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or a WebSocket of a page."""
        await self._guarded(scope, receive, send)

    async def close(self) -> None:
        """End all pages."""
        if self._loaded is not None:
            await asyncio.wait([self._loaded])
            if self._loaded.exception() is None:
                await self._loaded.result().stop()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; where the bus does not answer, a page says so."""
        try:
            await self._route(scope, receive, send)
        except RicordoError as error:  # before the answer began: by whoever asked for the session
            if scope["type"] == "websocket":
                raise
            t = texts(Browser.of(HTTPConnection(scope)).language)
            page = render("alone.html", t.language, sentence=sentence_of(error, t))
            await HTMLResponse(page, error.code.number)(scope, receive, send)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(PATH)
        if scope["path"] == "/favicon.ico":
            await RedirectResponse(f"{PATH}/static/icon.svg", 303)(scope, receive, send)
        elif scope["path"] == "/" or path == "":
            await RedirectResponse(f"{PATH}/", 303)(scope, receive, send)
        elif path.startswith("/static/"):
            await self._static({**scope, "root_path": f"{PATH}/static"}, receive, send)
        elif path in ("/sign-in", "/sign-out", "/preferences") and scope["type"] == "http":
            await (await self._outside(path, Request(scope, receive)))(scope, receive, send)
        else:
            await self._inside(path, scope, receive, send)

    async def _inside(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        browser = Browser.of(HTTPConnection(scope))
        key = await self._sessions.find(browser.session)
        if key is None and not path.startswith(_FILES):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 4401})
            else:
                await RedirectResponse(f"{PATH}/sign-in", 303)(scope, receive, send)
            return
        await asyncio.shield(self._loading())
        if key is not None:
            scope.setdefault("state", {})["key"] = key
            scope["state"] |= {"album": self._app.state, "session": browser.session}
            sessions.current_browser.set(browser)
        await self._app(scope, receive, send)

    def _loading(self) -> asyncio.Task[_Pages]:
        """Load the pages, unless they are; again after a failure."""
        if self._loaded is None or (self._loaded.done() and self._loaded.exception() is not None):
            self._loaded = asyncio.create_task(self._load())
        return self._loaded

    async def _load(self) -> _Pages:
        name = "ricordo_services.album.pages_application"
        pages = cast("_Pages", await asyncio.to_thread(importlib.import_module, name))
        pages.mount(self._app)
        await pages.start()
        return pages

    async def _outside(self, path: str, request: Request) -> Response:
        browser = Browser.of(request)
        match path, request.method:
            case "/sign-in", "GET":
                _ = self._loading()  # while the person reads
                return HTMLResponse(render("sign_in.html", browser.language, failed=False))
            case "/sign-in", "POST":
                form = await _form_of(request)
                session = await self._sessions.begin(form.get("token", [""])[0].strip())
                if session is None:
                    return HTMLResponse(render("sign_in.html", browser.language, failed=True), 403)
                await self._sessions.end(browser.session)
                inside: Response = RedirectResponse(f"{PATH}/", 303)
                inside = _with_cookie(request, inside, sessions.ZONE, form.get("zone", [""])[0])
                return _with_cookie(request, inside, sessions.SESSION, session)
            case "/sign-out", "POST":
                await self._sessions.end(browser.session)
                return _with_cookie(request, RedirectResponse(f"{PATH}/sign-in", 303), sessions.SESSION, "")
            case "/preferences", "POST":
                form = await _form_of(request)
                response: Response = Response(status_code=204)
                for name in sessions.PREFERENCES & form.keys():
                    response = _with_cookie(request, response, name, form[name][0])
                return response
            case _:
                return Response(status_code=405)


async def _form_of(request: Request) -> dict[str, list[str]]:
    return parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)


def _with_cookie(request: Request, response: Response, name: str, value: str) -> Response:
    """Set a cookie; an empty value deletes it."""
    response.set_cookie(
        name,
        quote(value),
        max_age=int(sessions.LIFETIME.total_seconds()) if value else 0,
        path=PATH,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


class _Guarded:
    """ASGI middleware that adds the headers that protect a page, and to its scripts the nonce of its policy.

    What people wrote is escaped in every page, so that no `<script` in it is theirs.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        nonce, is_page, body = secrets.token_urlsafe(16), False, bytearray()
        start: Message = {}

        async def guarding(message: Message) -> None:
            nonlocal is_page, start
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in _HEADERS.items():
                    headers[name] = value
                is_file = scope["path"].startswith((f"{PATH}/static/", f"{PATH}{_FILES}"))
                headers.setdefault("Cache-Control", "no-cache" if is_file else "no-store")
                headers["Content-Security-Policy"] = _POLICY.replace(_NONCE, nonce)
                is_page, start = headers.get("content-type", "").startswith("text/html"), message
                if is_page:
                    return
            elif message["type"] == "http.response.body" and is_page:
                body.extend(message.get("body", b""))
                if message.get("more_body", False):
                    return
                page = _SCRIPT.sub(f'<script nonce="{nonce}"'.encode(), bytes(body))
                headers = MutableHeaders(raw=start["headers"])
                headers["content-length"] = str(len(page))
                await send(start)
                message = {"type": "http.response.body", "body": page}
            await send(message)

        await self._app(scope, receive, guarding)

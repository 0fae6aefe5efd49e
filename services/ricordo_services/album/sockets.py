"""Sockets of the pages: each speaks for a page of its own session, as long as that session lasts."""

import asyncio
import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs

from nicegui import Client, core

from ricordo.client import Unavailable

_CHECKED: Final = ("handshake", "event", "javascript_response", "ack", "log")
"""Messages of NiceGUI's browsers, which name the page that they are of."""
_LEAVES_WITHIN_S: Final = 2.0
_SIGN_IN: Final = "location.href = '/album/sign-in'"
Handler = Callable[..., Any]


def guard() -> None:
    """Have NiceGUI's handlers asked for pages of the same session only."""
    handlers: dict[str, Handler] = core.sio.handlers["/"]
    for name in _CHECKED:
        core.sio.on(name, _checked(handlers[name]))
    connect = handlers["connect"]

    async def connected(sid: str, environ: dict[str, Any], auth: object = None) -> Any:  # noqa: ANN401
        page_id = parse_qs(environ.get("QUERY_STRING", "")).get("client_id", [""])[0]
        return await connect(sid, environ, auth) if _is_own(page_id, environ["asgi.scope"]) else False

    core.sio.on("connect", connected)


def _checked(handle: Handler) -> Handler:
    async def checked(sid: str, message: dict[str, Any]) -> Any:  # noqa: ANN401 - what the handler returns
        if not _is_own(message.get("client_id"), core.sio.get_environ(sid)["asgi.scope"]):
            await core.sio.disconnect(sid)
            return False
        done = handle(sid, message)
        return await done if inspect.isawaitable(done) else done

    return checked


def _is_own(page_id: object, scope: dict[str, Any]) -> bool:
    """Return whether a page was made for the session of a socket."""
    page = Client.instances.get(str(page_id))
    return page is not None and page.request.scope["state"]["key"].id == scope["state"]["key"].id


async def close_ended() -> None:
    """Leave the pages whose session has ended, which would go on otherwise; later, while NATS is away."""
    with suppress(Unavailable):
        for page in list(Client.instances.values()):
            state = page.request.scope["state"]
            if "key" in state and await state["album"].keys.find(state["session"], use="session") is None:
                with page:
                    _ = page.run_javascript(_SIGN_IN)
                # Once it has been told where to go.
                asyncio.get_running_loop().call_later(_LEAVES_WITHIN_S, page.delete)

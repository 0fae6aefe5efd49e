"""A visit: whose memories a page shows, by which client, in which language; and how a page is registered."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from fastapi import Request
from markupsafe import Markup
from nicegui import context, ui
from nicegui.events import GenericEventArguments
from starlette.datastructures import QueryParams, State

from ricordo.client import MemoryClient, NotFound, RicordoError
from ricordo_services.album.sessions import Browser, current_browser
from ricordo_services.album.texts import Texts, render, sentence_of, texts
from ricordo_services.album.undo import show_erasures
from ricordo_services.api_keys import ApiKey
from ricordo_services.gateway.event_stream import EventFeeds
from ricordo_services.gateway.nats_clients import NatsClients

_log = structlog.stdlib.get_logger(__name__)
Act = Callable[[Mapping[str, Any]], Awaitable[None]]
"""Carries out what an element with `data-act` asks for; its other `data-` attributes are the argument."""
Build = Callable[["Visit"], Awaitable[None]]
PLACES: Final = "today timeline kept journey search people graph feelings sleep chat".split()
"""The pages of the navigation, in their order."""
MORE: Final = ("live", "take", "users")
FREE: Final = frozenset({"users", "operations", "nothing"})
"""Pages for which no user need be chosen."""
_BUILT_WITHIN_S: Final = 20.0
"""What a page asks for; more than a client waits for an answer."""
_HEAD: Final = """
<link rel="stylesheet" href="/album/static/album.css">
<link rel="stylesheet" href="/album/static/drawings.css">
<script src="/album/static/album.js" defer></script>
"""


@dataclass(frozen=True)
class Visit:
    """One page in one browser.

    Attributes:
        name: of the page.
        user_id: whose memories are shown; empty on the page that asks for it.
        gateway: the state of the gateway's application: `clients`, `feeds`, `keys`, `throughput`.
        parameters: of the path.
        query: of the URL.
    """

    name: str
    key: ApiKey
    user_id: str
    browser: Browser
    gateway: State
    parameters: Mapping[str, str]
    query: QueryParams

    @property
    def clients(self) -> NatsClients:
        """The connection to the bus."""
        clients: NatsClients = self.gateway.clients
        return clients

    @property
    def feeds(self) -> EventFeeds:
        """The events of all tenants."""
        feeds: EventFeeds = self.gateway.feeds
        return feeds

    @cached_property
    def client(self) -> MemoryClient:
        """The client of the tenant."""
        return self.clients.memory(self.key.tenant)

    @cached_property
    def t(self) -> Texts:
        """The album's words in the language of the visit."""
        return texts(self.browser.language)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The zone of the browser."""
        return ZoneInfo(self.browser.timezone)

    @cached_property
    def erasures(self) -> ui.element:
        """The place of the page that tells of erasures."""
        return ui.element("div").classes("undos")

    @property
    def now(self) -> datetime:
        """The present, in the zone of the browser."""
        return datetime.now(UTC).astimezone(self.zone)

    def html(self, template: str, **values: object) -> Markup:
        """Render a template, in which every value is escaped."""
        shown = {"zone": self.zone, "now": self.now, "visit": self}
        return render(template, self.browser.language, **shown, **values)

    def show(self, template: str, **values: object) -> ui.html:
        """Add a template to the page."""
        return ui.html(self.html(template, **values), sanitize=False).classes("full")

    def append(self, selector: str, template: str, **values: object) -> None:
        """Add a template to the first element of the page that matches, and keep nothing of it here."""
        run_in_browser("append", selector, str(self.html(template, **values)))

    def on(self, **acts: Act) -> None:
        """Have clicks on elements with `data-act` carried out; errors are told in a notice."""

        async def handle(event: GenericEventArguments) -> None:
            data = event.args if isinstance(event.args, dict) else {}
            act = acts.get(str(data.get("act")))
            if act is not None:
                await self.attempt(act(data))

        ui.on("album", handle)

    async def attempt(self, work: Awaitable[None]) -> bool:
        """Do something, and tell in a notice if it failed; return whether it did not."""
        try:
            await work
        except RicordoError as error:
            sentence = sentence_of(error, self.t)
        except Exception:  # noqa: BLE001 - a fault of ours must not look like a click that did nothing
            _log.exception("an action of the album failed", page=self.name)
            sentence = self.t("errors.internal")
        else:
            return True
        ui.notify(sentence, type="negative", multi_line=True)
        return False


def page(path: str, name: str) -> Callable[[Build], Build]:
    """Register a page: its frame is drawn, then what the function adds, or in its place what went wrong.

    Args:
        path: below `/album`, with parameters as in FastAPI.
        name: the page's name in the texts.
    """

    def register(build: Build) -> Build:
        @_Page(path, response_timeout=_BUILT_WITHIN_S)
        async def shown(request: Request) -> None:
            visit = visit_of(request, name)
            _frame(visit)
            if not visit.user_id and name not in FREE:
                ui.navigate.to("/users")
                return
            try:
                await build(visit)
            except RicordoError as error:
                is_missing = isinstance(error, NotFound)
                context.client.status_code = 404 if is_missing else 200
                visit.show("trouble.html", sentence=sentence_of(error, visit.t), is_missing=is_missing)
            except Exception:  # noqa: BLE001 - a fault of ours is no reason to leave a person with an empty page
                _log.exception("a page of the album failed", page=name)
                visit.show("trouble.html", sentence=visit.t("errors.internal"), is_missing=False)

        _Page.names[path] = name
        return build

    return register


def _frame(visit: Visit) -> None:
    """Draw what stands around a page."""
    ui.add_head_html(_HEAD)
    more = (*MORE, "operations") if visit.key.operator else MORE
    with ui.header().classes("frame"):
        visit.show("frame.html", places=PLACES, more=more)
    _ = visit.erasures
    show_erasures(visit)


class _Page(ui.page):
    """A page whose title, language and colours are those of the request."""

    names: dict[str, str] = {}  # noqa: RUF012 - filled while modules are loaded

    def resolve_title(self) -> str:
        t = texts(current_browser.get().language)
        return f"{t(f'pages.{self.names[self.path]}')} · Ricordo"

    def resolve_language(self) -> Any:  # noqa: ANN401 - a literal type of NiceGUI
        return {"it": "it", "en": "en-US"}[current_browser.get().language]

    def resolve_dark(self) -> bool | None:
        return {"light": False, "dark": True}.get(current_browser.get().theme)


def visit_of(request: Request, name: str) -> Visit:
    """Return the visit of a request that has a session."""
    scope, browser = request.scope["state"], current_browser.get()
    user_id = scope["key"].user_id or browser.user_id
    parameters, query = request.path_params, request.query_params
    return Visit(name, scope["key"], user_id, browser, scope["album"], parameters, query)


def run_in_browser(function: str, *arguments: object) -> None:
    """Call a function of album.js with values of JSON."""
    _ = context.client.run_javascript(f"album.{function}({', '.join(map(json.dumps, arguments))})")


def uuid_of(text: object) -> UUID | None:
    """Return the UUID that a text spells; None if it spells none."""
    try:
        return UUID(str(text))
    except ValueError:
        return None

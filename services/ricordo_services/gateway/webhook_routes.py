"""Routes of webhooks: make, list, delete."""

from typing import Annotated, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, HttpUrl

from ricordo.client import NotFound
from ricordo.messages.inputs import StrictMessage
from ricordo.messages.message_types import Id
from ricordo.settings import GatewaySettings
from ricordo_services.gateway.event_stream import SUBJECT_NAMES, EventType
from ricordo_services.gateway.problems import GatewayError, documented
from ricordo_services.gateway.scopes import as_json, key_of, user_of
from ricordo_services.gateway.webhook_delivery import AddressRefused, resolve
from ricordo_services.gateway.webhook_store import NewWebhook, Webhook, WebhookInfo, WebhookStore

router = APIRouter(responses=documented())

_USUAL: Final[tuple[EventType, ...]] = ("remembered", "changed", "forgotten")


class WebhookBody(StrictMessage):
    """A webhook to make.

    Attributes:
        url: where events are posted.
        events: which; `surfaced`, one per recall, has to be named.
        user_id: the only user whose events are posted; a key of one user need not name it.
    """

    model_config = ConfigDict(title="WebhookRequest", defer_build=False)

    url: HttpUrl
    events: Annotated[tuple[EventType, ...], Field(min_length=1, max_length=len(SUBJECT_NAMES))] = _USUAL
    user_id: Id | None = None


class Webhooks(BaseModel):
    """The webhooks that a key may see."""

    webhooks: tuple[WebhookInfo, ...]


@router.post(
    "/v1/webhooks",
    summary="Have events posted to a URL, signed as Standard Webhooks specifies.",
    status_code=201,
    responses=documented(409),
)
async def add_webhook(request: Request, body: WebhookBody) -> NewWebhook:
    """Make a webhook; its secret is in this answer only."""
    settings: GatewaySettings = request.app.state.settings
    key = key_of(request)
    user = None if key.user_id is None and body.user_id is None else user_of(request, body.user_id)
    await _check(body.url, settings)
    store = _store(request)
    if len(await store.of_tenant(key.tenant)) >= settings.webhooks_per_tenant:
        raise GatewayError(409, f"the tenant has {settings.webhooks_per_tenant} webhooks: delete one first")
    webhook = Webhook.draw(key.tenant, user, str(body.url), body.events)
    await store.add(webhook)
    return webhook


@router.get("/v1/webhooks", summary="List the webhooks, without their secrets.", response_model=Webhooks)
async def webhooks(request: Request) -> Response:
    """List the webhooks of the tenant, or of the user that the key is bound to."""
    found = [WebhookInfo(**webhook.model_dump()) for webhook in await _visible(request)]
    return as_json(Webhooks(webhooks=tuple(found)))


@router.delete(
    "/v1/webhooks/{webhook_id}", summary="Delete a webhook.", status_code=204, response_class=Response
)
async def delete_webhook(request: Request, webhook_id: str) -> Response:
    """Delete a webhook; deliveries that have begun are completed."""
    for webhook in await _visible(request):
        if webhook.id == webhook_id:
            await _store(request).remove(webhook)
            return Response(status_code=204)
    raise NotFound("there is no such webhook")


def _store(request: Request) -> WebhookStore:
    settings: GatewaySettings = request.app.state.settings
    return WebhookStore(request.app.state.clients.streams, settings.webhook_timeout_s)


async def _visible(request: Request) -> list[Webhook]:
    key = key_of(request)
    found = await _store(request).of_tenant(key.tenant)
    return [webhook for webhook in found if key.user_id in {None, webhook.user_id}]


async def _check(url: HttpUrl, settings: GatewaySettings) -> None:
    """Refuse a URL with a password, which lists would show, and one inside the operator's network."""
    if url.username is not None or url.password is not None:
        raise GatewayError(422, "url: must have no user and no password", field="url")
    try:
        await resolve(url.host or "", url.port or 443, settings.webhook_networks)
    except AddressRefused as refusal:
        raise GatewayError(
            422, f"url: {refusal}; RICORDO_GATEWAY__WEBHOOK_NETWORKS may allow others", field="url"
        ) from None

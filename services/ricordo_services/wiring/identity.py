"""Who is asked where rules cannot say who is who: the language model that reads facts, if there is one."""

from ricordo.models.encoder import ModelUnavailable
from ricordo.models.ollama import open_identity_reader
from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker, evenly
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.settings import KnowledgeSettings
from ricordo.store.life import PostgresLife
from ricordo.store.types.identity import KnowledgeLedger
from ricordo.urls import bare
from ricordo_services.knowledge.identify import IdentifyByModel
from ricordo_services.resources import Resources
from ricordo_services.wiring.projecting import following


def can_be_asked(settings: KnowledgeSettings) -> bool:
    """Tell whether there is anybody who can be asked what rules cannot say."""
    return settings.provider != "rules"


async def identifying(resources: Resources, ledger: KnowledgeLedger) -> list[Service]:
    """Return the pass that asks a language model who is who; nothing where there is none."""
    settings, clock = resources.settings.knowledge, resources.clock
    if not can_be_asked(settings):
        return []
    opening = open_identity_reader(settings.ollama_url, settings.model, timeout=settings.budget_s)
    life = await resources.store(PostgresLife)
    asking = IdentifyByModel(
        ledger=ledger,
        follow=await following(resources),
        reader=await resources.opened("identities", opening),
        throttle=Throttle(
            CircuitBreaker(clock, settings.failures_to_open, settings.open_s, counted=ModelUnavailable),
            evenly(settings.requests_per_s),
            clock,
            budget=settings.budget_s,
            patience=2 * settings.open_s,
            gone=f"nobody says for a while who is who, without {settings.model}",
            back=f"{settings.model} says again who is who",
        ),
        tenants=life.tenants,
        backlog=await resources.backlog(("knowledge",)),
        ask_graph=resources.ask_graph,
    )
    job = Periodic(name="identify", job=asking.run, interval=settings.identify_every_s, clock=clock)
    job.health.figures = lambda: asking.figures
    job.health.trouble = lambda: asking.trouble
    job.health.works_by = {"identity_model": settings.model, "identity_server": bare(settings.ollama_url)}
    return [job]

"""Looking at who reads facts: what the workers that run say of it."""

from typing import Final

from ricordo_services.cli.findings import Finding, State, well
from ricordo_services.cli.model_check import AtWork

_WITHOUT: Final = (
    "fine as it is; RICORDO_KNOWLEDGE__GLINER_MODEL names a GLiNER model that finds entities for it, "
    "with pip install 'ricordo[gliner]' where workers run"
)


def look_at_knowledge(at_work: AtWork) -> list[Finding]:
    """Say by which models facts are read; nothing where the rules do it alone."""
    reports = [one for one in at_work.reports.get("knowledge", ()) if one.get("relation_model")]
    if not reports:
        return []
    entities = {str(one["entity_model"]) for one in reports if one.get("entity_model")}
    detail = f"read by rules and {reports[0]['relation_model']} on {reports[0].get('relation_server')}"
    if entities:
        return [well("facts", f"{detail}, with entities by {', '.join(sorted(entities))}")]
    return [Finding("facts", State.NOTED, f"{detail}, without entities by GLiNER", _WITHOUT)]

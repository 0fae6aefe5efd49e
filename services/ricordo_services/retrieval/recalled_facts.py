"""The facts of a recall: those that the question asks for, and those that surface by themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

from ricordo.language.tokenization import content_words
from ricordo.memory.facts.fact_model import Fact, select_facts
from ricordo.messages.enumerations import Degradation
from ricordo.store.database import StoreUnavailable
from ricordo.store.fact_queries import FactQueries
from ricordo_services.retrieval.recall_result import RecallResult

_SHOWN = 10
_TELLING = 5  # memories whose facts are shown where a question asks for none
_READ = 100  # the one that a word of the question names may not be among the surest


@dataclass(frozen=True, slots=True)
class RecalledFacts:
    """Finds the facts of a recall; what the store cannot say is missing, and named in the result.

    Attributes:
        threshold: confidence (1-10) from which a fact is shown unasked.
    """

    queries: FactQueries
    threshold: int = 3

    async def surfacing(self, tenant: str, user_id: str, recalled: RecallResult) -> Sequence[Fact]:
        """Return confident facts, and facts about whom the question names, by a name or by ties."""
        if Degradation.ROWS in recalled.degraded:  # the store was unavailable a moment ago
            return ()
        try:
            with recalled.timing("facts"):
                if recalled.analysis.entities:
                    recalled.bearers = await self.queries.bearers(tenant, user_id, recalled.analysis.entities)
                if (asked := recalled.relative) is not None:
                    recalled.relatives = await self.queries.relatives(
                        tenant, user_id, asked.ties[0], asked.stored_ties(), asked.further()
                    )
                words = content_words(recalled.lexical_text, recalled.analysis.language)
                return await self.queries.surfacing(
                    tenant,
                    user_id,
                    names=[*recalled.analysis.entities, *recalled.bearers, *recalled.relatives.names, *words],
                    threshold=self.threshold,
                    limit=_SHOWN,
                )
        except StoreUnavailable:
            recalled.degraded.add(Degradation.ROWS)
            return ()

    async def selected(
        self, tenant: str, user_id: str, recalled: RecallResult, surfacing: Sequence[Fact]
    ) -> Sequence[Fact]:
        """Return the facts that the question asks for, what leads to whom it names, and `surfacing`."""
        relatives, requested = recalled.relatives, recalled.analysis.requested
        names = relatives.names or recalled.bearers
        requested_facts: Sequence[Fact] = ()
        if requested.names and Degradation.ROWS not in recalled.degraded:
            wanted, read = requested.names, self.queries
            try:
                requested_facts = await (
                    read.about_named(tenant, user_id, names=names, predicates=wanted, limit=_READ)
                    if names
                    else read.about_user(tenant, user_id, predicates=wanted, limit=_READ)
                )
            except StoreUnavailable:
                recalled.degraded.add(Degradation.ROWS)
        chosen = select_facts(
            [*requested_facts, *relatives.facts, *surfacing],
            named_entities=names,
            predicates=requested.names,
            besides=requested.besides,
            language=recalled.analysis.language,
            limit=_SHOWN,
            threshold=self.threshold,
        )
        asked = [one for one in chosen if one.predicate in requested.names and one.speaks_of(relatives.names)]
        return list(dict.fromkeys((*asked, *relatives.facts, *chosen)))[:_SHOWN]


def with_told(recalled: RecallResult, facts: Sequence[Fact]) -> Sequence[Fact]:
    """Return the facts of a recall and behind them those of its first memories, which are near in meaning.

    Args:
        facts: current ones, some of which these memories tell.
    """
    if recalled.analysis.requested.names or recalled.analysis.entities or recalled.relative is not None:
        return recalled.facts  # the question says which facts it asks for
    messages = [one.memory.message_id for one in recalled.relevant_memories[:_TELLING]]
    told = [fact for message in messages for fact in facts if message in fact.message_ids]
    return list(dict.fromkeys((*recalled.facts, *told)))[:_SHOWN]

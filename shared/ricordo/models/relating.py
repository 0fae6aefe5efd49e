"""Models that read facts, as ports: one that recognises entities, and one that relates them."""

from collections.abc import Sequence
from typing import Protocol

from ricordo.memory.facts.relation_validation import Passage, RecognisedEntity, Relation


class EntityRecogniser(Protocol):
    """Finds entities of given kinds in texts."""

    @property
    def model(self) -> str:
        """Its name."""
        ...

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[RecognisedEntity]]:
        """Return the entities of each of `texts`, in their order, each text's by where they begin.

        Raises:
            ModelUnavailable: the model cannot answer now.
        """
        ...


class RelationReader(Protocol):
    """A language model, asked once in each call; what it says are claims, to be borne out by the messages.

    Texts are data within the prompt, never instructions.
    """

    @property
    def model(self) -> str:
        """Its name."""
        ...

    async def relate(self, passages: Sequence[Passage]) -> Sequence[Sequence[Relation] | None]:
        """Say of each message what it states of its writer and of those whom it names, in their order.

        Returns:
            Nothing of a message that states nothing; None for one that the answer does not hold.

        Raises:
            Nonsense: the answer holds none of them.
            ModelUnavailable: there was no answer in time.
        """
        ...

"""Contract suites of the truth: a subclass gives the fixture `stores` and runs every law on its adapter.

    class TestIntake(IntakeContract): ...

with a fixture named `stores` that yields a `Stores` whose tenant no other test uses.
"""

from ricordo.testing.stores.correcting import CorrectingContract
from ricordo.testing.stores.curating import CuratingContract
from ricordo.testing.stores.encodings import EncodingsContract
from ricordo.testing.stores.enrichments import EnrichmentsContract
from ricordo.testing.stores.fading import FadingContract
from ricordo.testing.stores.habits import HabitsContract
from ricordo.testing.stores.indexing import IndexingContract
from ricordo.testing.stores.intake import IntakeContract
from ricordo.testing.stores.intake_order import ArrivalContract
from ricordo.testing.stores.ledger import FactLedgerContract
from ricordo.testing.stores.ledger_asking import AskingContract
from ricordo.testing.stores.ledger_contributions import ContributionsContract
from ricordo.testing.stores.ledger_folding import FoldingContract
from ricordo.testing.stores.ledger_late import LatenessContract
from ricordo.testing.stores.ledger_rejected import RejectingContract
from ricordo.testing.stores.ledger_settled import SettlingContract
from ricordo.testing.stores.ledger_taken_back import TakingBackContract
from ricordo.testing.stores.life import LifeContract
from ricordo.testing.stores.links import LinksContract
from ricordo.testing.stores.passes import PassesContract
from ricordo.testing.stores.recollection import RecollectionContract
from ricordo.testing.stores.retention import RetentionContract
from ricordo.testing.stores.stages import StagesContract
from ricordo.testing.stores.stores import Scope, Stores
from ricordo.testing.stores.working import DesksContract, NotebookContract

__all__ = [
    "ArrivalContract",
    "AskingContract",
    "ContributionsContract",
    "CorrectingContract",
    "CuratingContract",
    "DesksContract",
    "EncodingsContract",
    "EnrichmentsContract",
    "FactLedgerContract",
    "FadingContract",
    "FoldingContract",
    "HabitsContract",
    "IndexingContract",
    "IntakeContract",
    "LatenessContract",
    "LifeContract",
    "LinksContract",
    "NotebookContract",
    "PassesContract",
    "RecollectionContract",
    "RejectingContract",
    "RetentionContract",
    "Scope",
    "SettlingContract",
    "StagesContract",
    "Stores",
    "TakingBackContract",
]

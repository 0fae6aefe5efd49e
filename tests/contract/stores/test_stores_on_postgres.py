"""Every contract of the truth, on PostgreSQL."""

import pytest

from ricordo.testing import stores

pytestmark = pytest.mark.integration


class TestIntake(stores.IntakeContract):
    """Ingest's part."""


class TestArrival(stores.ArrivalContract):
    """Ingest's part, in any order."""


class TestStages(stores.StagesContract):
    """The stages, whoever sets them."""


class TestEncodings(stores.EncodingsContract):
    """Embedding's part, encode."""


class TestEnrichments(stores.EnrichmentsContract):
    """Enrichment's part."""


class TestIndexing(stores.IndexingContract):
    """Embedding's part, index."""


class TestFactLedger(stores.FactLedgerContract):
    """Knowledge's part."""


class TestAsking(stores.AskingContract):
    """Retrieval's part of the same: questions about facts."""


class TestFolding(stores.FoldingContract):
    """Knowledge's part: facts are a fold."""


class TestLateness(stores.LatenessContract):
    """Knowledge's part: what is remembered makes no difference."""


class TestContributions(stores.ContributionsContract):
    """Knowledge's part: what a message does to what is known."""


class TestSettling(stores.SettlingContract):
    """Knowledge's part: a user's word."""


class TestTakingBack(stores.TakingBackContract):
    """Knowledge's part: a user's word that is taken back."""


class TestRejecting(stores.RejectingContract):
    """Knowledge's part: what the user says was read wrongly."""


class TestRecollection(stores.RecollectionContract):
    """Retrieval's part."""


class TestLife(stores.LifeContract):
    """Lifecycle's part."""


class TestPasses(stores.PassesContract):
    """Lifecycle's part: which passes were made, and by whom."""


class TestCurating(stores.CuratingContract):
    """Lifecycle's part: a user's word on memories."""


class TestDesks(stores.DesksContract):
    """Retrieval's part: what is at hand."""


class TestNotebook(stores.NotebookContract):
    """Lifecycle's part: notes."""


class TestCorrecting(stores.CorrectingContract):
    """Lifecycle's part: what the user puts right."""


class TestRetention(stores.RetentionContract):
    """Lifecycle's part: what is past its time, and what is too much."""


class TestFading(stores.FadingContract):
    """Lifecycle's part: fading under clocks that are wrong."""


class TestHabits(stores.HabitsContract):
    """Retrieval's part: how a user talks."""

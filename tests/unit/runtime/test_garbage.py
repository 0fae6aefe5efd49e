import gc
import weakref

import pytest

from ricordo.runtime.process import freeze_gc


class Ring:
    def __init__(self) -> None:
        self.itself = self


def test_cycles_that_form_within_are_found() -> None:
    with freeze_gc():
        ring = weakref.ref(Ring())
        gc.collect()
        assert ring() is None


def test_what_stood_is_left_alone_while_it_lasts() -> None:
    outside = Ring()
    alive = weakref.ref(outside)
    with freeze_gc():
        assert gc.get_freeze_count() > 0
        assert not any(each is outside for each in gc.get_objects())
        del outside
    gc.collect()
    assert alive() is None


def test_everything_is_as_it_was_at_the_end_whatever_happened() -> None:
    before = gc.get_threshold()
    with pytest.raises(LookupError):
        _fail_within()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def _fail_within() -> None:
    with freeze_gc():
        raise LookupError

"""What a person forgets is erased ten seconds later, unless it is undone meanwhile, on any page."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import structlog
from nicegui import ui

from ricordo.client import RicordoError
from ricordo_services.album.texts import Texts, sentence_of

if TYPE_CHECKING:
    from ricordo_services.album.visit import Visit

UNDO_S: Final = 10
"""Seconds before what cannot be taken back is done."""
_REPORTED_FOR_S: Final = 60.0
_SHOWN_FOR_S: Final = 8.0
_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True, eq=False)
class _Erasure:
    """An erasure that a person has asked for.

    Attributes:
        label: what is erased, in words.
        due: of the event loop's clock.
        is_final: whether it has begun, and cannot be undone.
        is_undone: whether it will not be.
        report: what it did; empty until then.
    """

    label: str
    due: float
    task: asyncio.Task[None] | None = None
    is_final: bool = False
    is_undone: bool = False
    report: str = ""

    def undo(self) -> None:
        """Do not erase; too late once it has begun."""
        if not self.is_final and self.task is not None:
            self.is_undone = True
            self.task.cancel()


_erasures: defaultdict[str, list[_Erasure]] = defaultdict(list)
"""By session, for a minute after they are done: whichever page is open tells of them."""


def undo_all() -> None:
    """Undo what has not begun."""
    for each in _erasures.values():
        for one in each:
            one.undo()
    _erasures.clear()


def forget_later(visit: "Visit", label: str, erase: Callable[[], Awaitable[object]]) -> None:
    """Erase something in ten seconds, unless it is undone; the person may go to other pages meanwhile.

    Args:
        label: what is erased, in words.
        erase: returns a reply with `erased`.
    """
    loop, session, t = asyncio.get_running_loop(), visit.key.id, visit.t
    one = _Erasure(label, loop.time() + UNDO_S)
    _erasures[session].append(one)

    async def wait_and_erase() -> None:
        await asyncio.sleep(UNDO_S)
        one.is_final = True
        one.report = await _reported(erase, t)

    def drop() -> None:
        _erasures[session] = [each for each in _erasures[session] if each is not one]
        if not _erasures[session]:
            del _erasures[session]

    one.task = asyncio.create_task(wait_and_erase())
    one.task.add_done_callback(lambda _: loop.call_later(_REPORTED_FOR_S, drop))
    with visit.erasures:
        _show(one, t)


async def _reported(erase: Callable[[], Awaitable[object]], t: Texts) -> str:
    """Erase, and return what was erased where, or why not, in words."""
    try:
        reply: Any = await erase()
    except RicordoError as error:
        return sentence_of(error, t)
    except Exception:  # noqa: BLE001 - the person waits for a report, of a fault of ours too
        _log.exception("an erasure of the album failed")
        return t("errors.internal")
    counts = {name: count for name, count in reply.erased.model_dump().items() if count}
    places = ", ".join(f"{t(f'erased.{name}')}: {count}" for name, count in counts.items())
    return t("erased.report", places=places or t("erased.nothing"))


def show_erasures(visit: "Visit") -> None:
    """Show what is about to be erased on a page that is opened, each with a button that undoes it."""
    for one in _erasures.get(visit.key.id, ()):
        if not one.is_undone:
            with visit.erasures:
                _show(one, visit.t)


def _show(one: _Erasure, t: Texts) -> None:
    """Show an erasure until it is undone, on whichever page, or its report has been read."""
    loop = asyncio.get_running_loop()

    def tell() -> None:
        if one.is_undone or one.report:
            timer.cancel()
            label.text = t("erased.undone") if one.is_undone else one.report
            ui.timer(_SHOWN_FOR_S, bar.delete, once=True)
        else:
            label.text = t("erased.waiting", label=one.label, n=max(0, round(one.due - loop.time())))
        button.set_visibility(not (one.is_undone or one.is_final))

    def undo() -> None:
        one.undo()
        tell()

    with ui.element("div").classes("undo").props('role="group"') as bar:
        label = ui.label().props('role="status"')
        button = ui.button(t("acts.undo"), on_click=undo)
        timer = ui.timer(0.5, tell)

"""Rules are loaded once a process is ready, and not before."""

import asyncio
import gc

from ricordo.language.data_files import LANGUAGES
from ricordo.runtime.scheduling import CpuExecutor
from ricordo_services.app.preloading import Preloading, enrichment_rules, fact_words, question_rules


async def test_each_language_is_loaded_once_the_process_is_ready() -> None:
    loaded, ready, stopping = list[str](), asyncio.Event(), asyncio.Event()
    async with CpuExecutor() as executor:
        preloading = Preloading(executor, [loaded.append])
        running = asyncio.create_task(preloading.run(stopping, ready.set))
        await ready.wait()
        assert loaded == []
        preloading.begin.set()
        await running
    gc.unfreeze()
    assert loaded == list(LANGUAGES)


async def test_a_process_that_stops_before_it_is_ready_loads_nothing() -> None:
    loaded, stopping = list[str](), asyncio.Event()
    stopping.set()
    async with CpuExecutor() as executor:
        await Preloading(executor, [loaded.append]).run(stopping, lambda: None)
    assert loaded == []


def test_rules_of_each_language_can_be_loaded() -> None:
    for load in (enrichment_rules, fact_words, question_rules):
        for language in LANGUAGES:
            load(language)

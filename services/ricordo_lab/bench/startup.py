"""Measures how long the whole system takes to start and to stop, and its memory."""

from ricordo_lab.bench.measurement import Figures, Options, Report, repeated
from ricordo_lab.bench.system import scratch, up


async def startup(options: Options, report: Report) -> None:
    """Measure the first start on an empty folder, the next start on it, the stop, and the memory."""

    async def measure(_: int) -> Figures:
        found: dict[str, float] = {}
        with scratch() as folder:
            for start in ("first_start_s", "start_s"):
                async with up(folder) as system:
                    found[start] = system.ready_s
                    found["memory_mb"] = sum(system.memory_mb().values())
                    found["stop_s"] = await system.stop()
        return found

    found = await repeated("startup", options.runs, report, measure)
    report({"bench": "startup", "runs": options.runs, **found})

"""How long the whole system takes to start and to stop, and what it holds in memory."""

from ricordo_lab.bench.figures import middle, rounded
from ricordo_lab.bench.options import Options, Say
from ricordo_lab.bench.system import scratch, up


async def startup(options: Options, say: Say) -> None:
    """Measure the first start on an empty folder, the starts that follow on it, and the stops."""
    first: list[float] = []
    later: list[float] = []
    stops: list[float] = []
    memory: list[float] = []
    for run in range(1, options.runs + 1):
        with scratch() as folder:
            for starts in (first, later):
                async with up(folder) as system:
                    starts.append(system.ready_s)
                    memory.append(system.memory_mb())
                    stops.append(await system.stop())
        say(
            {
                "bench": "startup",
                "run": run,
                "first_start_s": rounded(first[-1]),
                "start_s": rounded(later[-1]),
                "stop_s": rounded(stops[-1]),
            }
        )
    say(
        {
            "bench": "startup",
            "runs": options.runs,
            "first_start_s": middle(first),
            "start_s": middle(later),
            "stop_s": middle(stops),
            "memory_mb": middle(memory),
        }
    )

"""Settings of worker processes and logs."""

from typing import Annotated, Literal

from pydantic import Field

from ricordo.settings.group import Group, PositiveFloat, PositiveInt


class WorkerSettings(Group):
    """The worker loop.

    Attributes:
        batch: maximum number of events per handler call.
        slots: maximum number of in-flight events per consumer and process; `encode` holds twice as many.
        import_slots: the same for the bulk lane.
        breaker_window: number of latest messages that decide whether a worker halts.
        breaker_threshold: share of failures among them above which a worker halts; 1 disables halting.
        breaker_max_pause_s: maximum seconds between two probes of a halted worker; the pause starts at 1 and
            doubles.
        import_delay_s: the bulk lane pauses while the work queued before other consumers takes longer than
            this many seconds.
        import_backlog: the bulk lane pauses while more derived events than this are waiting.
        under_way: maximum number of messages of one user in the pipeline; further ones are stored in the
            history and continue when there is room.
        grace_s: how long a stop waits for work in progress.
        health_host: address of `/healthz` and `/metrics`.
        health_port: port of `/healthz` and `/metrics`; none disables them.
    """

    batch: PositiveInt = 64
    slots: PositiveInt = 128
    import_slots: PositiveInt = 32
    import_delay_s: PositiveFloat = 0.6
    import_backlog: PositiveInt = 1000
    breaker_window: Annotated[int, Field(ge=2)] = 20
    breaker_threshold: Annotated[float, Field(gt=0, le=1)] = 0.5
    breaker_max_pause_s: Annotated[float, Field(ge=1)] = 60.0
    under_way: PositiveInt = 100
    grace_s: PositiveFloat = 4.0
    health_host: str = "127.0.0.1"
    health_port: Annotated[int, Field(ge=0, le=65535)] | None = None


class LogSettings(Group):
    """Logs, on standard error.

    Attributes:
        level: minimum level.
        format: `json`, or `text` for people, which is the default on a terminal.
    """

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["json", "text"] = "json"

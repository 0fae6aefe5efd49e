"""How a process of workers runs, and what it logs."""

from typing import Annotated, Literal

from pydantic import Field

from ricordo.settings.values import Group, PositiveFloat, PositiveInt


class WorkerSettings(Group):
    """The worker loop.

    Attributes:
        batch: events handled together at the most.
        slots: events in work at once, of one consumer, in one process. `encode` holds twice as many: some are
            before the model while the vectors of others are written.
        import_slots: the same for the bulk lane.
        brake_messages: a worker halts when too many of so many messages, the last ones, have failed.
        brake_share: the share of them that may fail; 1 lets it go on whatever fails.
        brake_longest_s: seconds between two messages that a halted worker tries: one at first, then twice as
            many each time, up to these.
        import_delay_s: seconds that what is said may have to wait for workers because of an import: the bulk
            lane goes on while what is before them takes no longer than that.
        import_backlog: derived events that may wait for a worker while the bulk lane goes on, however fast
            they are.
        under_way: messages of one user on their way to being remembered at once; further ones are in the
            history, and go on as the bulk lane does.
        grace_s: how long a stop waits for what is in work.
        health_host: the address that `/healthz` and `/metrics` listen on.
        health_port: where `/healthz` and `/metrics` answer; None for nowhere.
    """

    batch: PositiveInt = 64
    slots: PositiveInt = 128
    import_slots: PositiveInt = 32
    import_delay_s: PositiveFloat = 0.6
    import_backlog: PositiveInt = 1000
    brake_messages: Annotated[int, Field(ge=2)] = 20
    brake_share: Annotated[float, Field(gt=0, le=1)] = 0.5
    brake_longest_s: Annotated[float, Field(ge=1)] = 60.0
    under_way: PositiveInt = 100
    grace_s: PositiveFloat = 4.0
    health_host: str = "127.0.0.1"
    health_port: Annotated[int, Field(ge=0, le=65535)] | None = None


class LogSettings(Group):
    """Logs, on standard error.

    Attributes:
        level: lines below it are dropped.
        format: `text` is for people; at a terminal it is the default.
    """

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["json", "text"] = "json"

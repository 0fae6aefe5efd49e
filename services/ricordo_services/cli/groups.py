"""Commands that hold commands, such as `dlq`: what is said before the inner one's name is not lost."""

import typer

from ricordo_services.cli.globals import NoColor, forbid_color, remember
from ricordo_services.cli.options import DataDir, Nats


def group(summary: str) -> typer.Typer:
    """Return an empty group, whose options count for the command that follows them.

    Args:
        summary: a line for its help page.
    """
    app = typer.Typer(rich_markup_mode=None)

    def heed(
        context: typer.Context, nats: Nats = None, data_dir: DataDir = None, no_color: NoColor = False
    ) -> None:
        remember(context, nats, data_dir)
        if no_color:
            forbid_color()

    app.callback(help=summary)(heed)
    return app

"""A shard owned by this process: opened again when it cannot be flushed, replaced when damaged.

All calls block, on the engine's thread. The engine's panics are not `Exception`, so everything is caught, and
raised again unless the engine raised it.
"""

from dataclasses import dataclass
from pathlib import Path

import structlog

from ricordo.index.port import IndexUnavailable
from ricordo.index.qdrant.edge_folder import ShardFolder, is_engine_error, tells_damage
from ricordo.index.qdrant.edge_shard import Shard, opened

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True)
class ShardFailures:
    """What has failed since the start, with all shards of this process.

    Attributes:
        flushes: number of failed flushes.
        flush_error: of the last flush; empty if it succeeded.
        replaced: number of damaged shards that were set aside.
    """

    flushes: int = 0
    flush_error: str = ""
    replaced: int = 0

    def flush_failed(self, error: BaseException, path: Path) -> None:
        """Count and log a failed flush."""
        self.flushes += 1
        self.flush_error = str(error)
        _log.error("the vector index could not be flushed", path=str(path), error=str(error))


class OwnedShard:
    """The shard in `folder`; closed until `open`."""

    def __init__(self, folder: ShardFolder, dimensions: int, failures: ShardFailures) -> None:
        self.folder = folder
        self._dimensions = dimensions
        self._failures = failures
        self._shard: Shard | None = None

    def open(self) -> Shard:
        """Open or create the shard, unless it is open; a damaged one is replaced by an empty one.

        Raises:
            IndexUnavailable: another process has it, or it has vectors of other dimensions.
            Exception: of the engine, if the machine prevents opening any shard.
        """
        if self._shard is None:
            self.folder.acquire()
            try:
                self._shard = self._checked()
            except BaseException:
                self.folder.release()
                raise
        return self._shard

    def flush(self) -> None:
        """Flush the engine's log to disk.

        If that fails, the shard is opened again, which reads the log, and flushed once more; a damaged one is
        replaced by an empty one.

        Raises:
            IndexUnavailable: it could not be flushed. Its points are in the log, or in PostgreSQL alone.
        """
        try:
            self.open().flush()
        except BaseException as error:  # noqa: BLE001 - see above
            self._failed(error)
            self._flush_again()

    def close(self) -> None:
        """Flush if possible, release the files and the lock."""
        if self._shard is not None:
            try:
                self._shard.flush()
            except BaseException as error:  # noqa: BLE001 - see above
                self._failed(error)  # the engine's log is replayed at the next start
        self.abandon()

    def abandon(self) -> None:
        """Release the files and the lock without a flush; changes remain in the engine's log."""
        self._let_go()
        self.folder.release()

    def _flush_again(self) -> None:
        self._let_go()
        try:
            self.open().flush()
        except BaseException as error:
            if is_engine_error(error) and not tells_damage(error):
                raise IndexUnavailable(str(error)) from error
            self._failed(error)
            self._let_go()
            self._replace(str(error))
        else:
            _log.warning("vector index opened again and flushed", path=str(self.folder.path))

    def _checked(self) -> Shard:
        damage = self.folder.damage()
        if not damage:
            try:
                return Shard(opened(self.folder.path, self._dimensions))
            except BaseException as error:
                if not is_engine_error(error) or not tells_damage(error):
                    raise
                damage = str(error)
        self._replace(damage)
        return Shard(opened(self.folder.path, self._dimensions))

    def _replace(self, damage: str) -> None:
        _log.error(
            "vector index damaged and set aside: its points are written again from PostgreSQL",
            path=str(self.folder.path),
            error=damage,
        )
        self.folder.set_aside()
        self._failures.replaced += 1

    def _let_go(self) -> None:
        """Close the engine's shard and keep the lock."""
        shard, self._shard = self._shard, None
        if shard is not None:
            try:
                shard.close()
            except BaseException as error:
                if not is_engine_error(error):
                    raise
                _log.warning("shard could not be closed", error=str(error))

    def _failed(self, error: BaseException) -> None:
        if not is_engine_error(error):
            raise error
        self._failures.flush_failed(error, self.folder.path)

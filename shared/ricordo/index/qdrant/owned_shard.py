"""A shard that this process owns: it is opened again when it cannot be flushed, and replaced when damaged.

All of it blocks, and runs on the engine's thread: whoever searches meanwhile waits. The engine's panics are
no `Exception`, so that everything is caught, and raised again unless the engine has raised it.
"""

import structlog

from ricordo.index.port import IndexUnavailable
from ricordo.index.qdrant.edge_folder import ShardFolder, is_engine_error, tells_damage
from ricordo.index.qdrant.edge_shard import Shard, opened

_log = structlog.stdlib.get_logger(__name__)


class OwnedShard:
    """The shard in `folder`; closed until `open`.

    Args:
        folder: where it is.
        dimensions: of its dense vectors.
        counted_from: memories of a user from which on the frequencies of the user's words are kept.

    Attributes:
        failed_flushes: how many flushes have failed since the start.
        trouble: why the last flush failed; empty once one has succeeded.
        replaced: how often a damaged shard was set aside, in this process.
    """

    def __init__(self, folder: ShardFolder, dimensions: int, *, counted_from: int) -> None:
        self.folder = folder
        self.failed_flushes = 0
        self.trouble = ""
        self.replaced = 0
        self._dimensions = dimensions
        self._counted_from = counted_from
        self._shard: Shard | None = None

    def open(self) -> Shard:
        """Open the shard if it is not, or make it; a damaged one is replaced by an empty one.

        Raises:
            IndexUnavailable: another process has it, or it holds vectors of other dimensions.
            Exception: the engine's own, where the machine keeps it from opening any shard.
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
        """Write to disk what stands in the engine's log only.

        If that fails, the shard is opened again, which reads the log, and flushed once more; a damaged one is
        replaced by an empty one.

        Raises:
            IndexUnavailable: it could not be flushed. Its points stand in the log, or in PostgreSQL alone.
        """
        try:
            self.open().flush()
        except BaseException as error:  # noqa: BLE001 - see above
            self._failed(error)
            self._flush_again()
        self.trouble = ""

    def close(self) -> None:
        """Flush if that is possible, release the files and the lock."""
        if self._shard is not None:
            try:
                self._shard.flush()
            except BaseException as error:  # noqa: BLE001 - see above
                self._failed(error)  # nothing is lost: the engine's log is read at the next start
        self.abandon()

    def abandon(self) -> None:
        """Release the files and the lock without a flush: what is not flushed stands in the engine's log."""
        self._let_go()
        self.folder.release()

    def _flush_again(self) -> None:
        self._let_go()
        try:
            self.open().flush()
        except BaseException as error:
            self._failed(error)
            if not tells_damage(error):
                raise IndexUnavailable(f"the vector index could not be flushed: {error}") from error
            self._let_go()
            self._replace(str(error))
            self.open()
        else:
            _log.warning("the vector index was opened again and flushed", path=str(self.folder.path))

    def _checked(self) -> Shard:
        damage = self.folder.damage()
        if not damage:
            try:
                return self._loaded()
            except BaseException as error:
                if not is_engine_error(error) or not tells_damage(error):
                    raise
                damage = str(error)
        self._replace(damage)
        return self._loaded()

    def _loaded(self) -> Shard:
        return Shard(opened(self.folder.path, self._dimensions), counted_from=self._counted_from)

    def _replace(self, damage: str) -> None:
        _log.error(
            "the vector index is damaged and is set aside: its points are written anew from PostgreSQL",
            path=str(self.folder.path),
            error=damage,
        )
        self.folder.set_aside()
        self.replaced += 1

    def _let_go(self) -> None:
        """Close the engine's shard and keep the lock."""
        shard, self._shard = self._shard, None
        if shard is not None:
            try:
                shard.close()
            except BaseException as error:
                if not is_engine_error(error):
                    raise
                _log.warning("a shard was left without closing it", error=str(error))

    def _failed(self, error: BaseException) -> None:
        if not is_engine_error(error):
            raise error
        self.failed_flushes += 1
        self.trouble = str(error)
        _log.error("the vector index could not be flushed", path=str(self.folder.path), error=str(error))

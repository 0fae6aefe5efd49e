"""Runs one server for as long as the process that started it.

A server that is a plain child outlives a parent killed with ``kill -9``. The guard stands between
them: its standard input is a pipe whose other end only the parent holds, so the pipe ends when the
parent does, however that happens. The guard then asks the server to stop, insists after a grace
period, and leaves only when every descendant is gone. On Linux two more nets hang below: the server
gets a signal when the guard itself is killed, and orphaned grandchildren (the backends of a killed
PostgreSQL) are handed to the guard.

The file is run as a script in a bare interpreter (``python -I -S guard.py SPEC``), so it imports a
handful of standard modules and nothing of ours.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn, TypedDict

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LIVENESS_SECONDS = 1.0
ORPHAN_SECONDS = 5.0
LINUX = sys.platform == "linux"


class GuardSpec(TypedDict):
    """What the guard runs and how it ends it, a `Launch`; sent as one JSON argument.

    ``stop_signal`` asks the server to finish, ``orphan_signal`` is what the kernel sends it when the
    guard is killed, ``grace`` is in seconds. ``account`` has a uid and a gid, and is null to stay who
    we are. ``record`` is where the process ids go.
    """

    argv: list[str]
    cwd: str
    stdin: str
    stop_signal: int
    orphan_signal: int
    grace: float
    account: dict[str, int] | None
    record: str


def process_identity(pid: int) -> str | None:
    """Return what tells process ``pid`` from any other that ever had its number; None when gone.

    A zombie counts as gone: it holds no files, ports or locks any more.
    """
    if LINUX:
        try:
            fields = _stat_fields(pid)
        except OSError:
            return None
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return None if fields[0] in "ZX" else f"{boot} {fields[19]}"  # state, and start in ticks
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    import subprocess  # noqa: PLC0415 - only where there is no /proc: it costs the guard memory

    listing = subprocess.run(("/bin/ps", "-o", "lstart=", "-p", str(pid)), capture_output=True, check=False)
    return listing.stdout.decode().strip() or None


def _stat_fields(pid: int) -> list[str]:
    """Return what follows the name in a process's status line: state, parent, ..."""
    line = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return line.rpartition(")")[2].split()


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process (Linux)."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, *(ctypes.c_ulong(argument) for argument in (value, 0, 0, 0))) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")


def _exec_server(spec: GuardSpec, guard: int) -> NoReturn:
    """Turn the forked child into the server; never returns."""
    try:
        os.setpgid(0, 0)
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored, signal.SIG_DFL)
        os.dup2(os.open(spec["stdin"], os.O_RDONLY), 0)
        os.dup2(2, 1)
        os.chdir(spec["cwd"])  # before the user changes: it may not be allowed to walk there
        if (account := spec["account"]) is not None:
            os.setgroups([])
            os.setgid(account["gid"])
            os.setuid(account["uid"])
        if LINUX:
            prctl(PR_SET_PDEATHSIG, spec["orphan_signal"])  # a change of user clears it, so it comes last
            if os.getppid() != guard:
                os._exit(1)
        os.execv(spec["argv"][0], spec["argv"])  # noqa: S606 - no shell wanted
    except OSError as error:
        os.write(2, f"guard: cannot run {spec['argv'][0]}: {error}\n".encode())
    os._exit(127)


def _reap(server: int) -> int | None:
    """Collect every child that has ended; return the server's exit status if it is among them."""
    status = None
    while True:
        try:
            pid, raw = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 0 if status is None else status
        if pid == 0:
            return status
        if pid == server:
            status = os.waitstatus_to_exitcode(raw)


def _children() -> list[int]:
    """Return the processes whose parent we are: after the server's end, its orphans (Linux)."""
    me, found = str(os.getpid()), []
    for entry in Path("/proc").glob("[0-9]*") if LINUX else ():
        try:
            parent = _stat_fields(int(entry.name))[1]
        except OSError:
            continue
        if parent == me:
            found.append(int(entry.name))
    return found


def _end_orphans(server: int) -> None:
    """Kill what the ended server left behind, and wait until it is gone."""
    deadline = time.monotonic() + ORPHAN_SECONDS
    if not LINUX:  # there they are our children by now, and a number that was freed is best left alone
        _kill_group(server)
    while time.monotonic() < deadline:
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        for orphan in _children():
            _send(orphan, signal.SIGKILL)
        time.sleep(0.01)  # its own children become ours only when it is gone: nothing to wait for yet


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _kill_group(server: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(server, signal.SIGKILL)


def _write_record(path: Path, server: int) -> None:
    record = {
        "guard": [os.getpid(), process_identity(os.getpid())],
        "server": [server, process_identity(server)],
    }
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(record), encoding="utf-8")
    fresh.replace(path)


class _Watch:
    """Wakes on the end of the pipe, on signals, and once a second to see whether the parent lives."""

    def __init__(self) -> None:
        self._parent = os.getppid()
        self._asked = False
        self._wake, write_end = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._ask)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._poller = select.poll()
        self._poller.register(self._wake, select.POLLIN)
        self._poller.register(0, select.POLLIN)

    def _ask(self, *_: object) -> None:
        self._asked = True

    @property
    def stop_asked(self) -> bool:
        # A fork of the parent that never execs could hold the pipe open; the parent's pid cannot be held.
        return self._asked or os.getppid() != self._parent

    def wait(self, seconds: float) -> None:
        for fd, _ in self._poller.poll(max(0.0, seconds) * 1000):
            try:
                alive = os.read(fd, 512)
            except BlockingIOError:
                continue
            if fd == 0 and not alive:
                self._asked = True
                self._poller.unregister(0)


def _watch(server: int, spec: GuardSpec, watch: _Watch) -> int:
    deadline: float | None = None
    while (status := _reap(server)) is None:
        now = time.monotonic()
        if deadline is None and watch.stop_asked:
            _send(server, spec["stop_signal"])
            deadline = now + spec["grace"]
        elif deadline is not None and now >= deadline:
            _kill_group(server)
            deadline = now + LIVENESS_SECONDS
        watch.wait(LIVENESS_SECONDS if deadline is None else min(LIVENESS_SECONDS, deadline - now))
    return 128 - status if status < 0 else status


def main() -> int:
    """Run the server described by the first argument until it ends or the parent does."""
    spec: GuardSpec = json.loads(sys.argv[1])
    if LINUX:
        prctl(PR_SET_CHILD_SUBREAPER, 1)
    watch = _Watch()
    guard = os.getpid()
    server = os.fork()
    if server == 0:
        _exec_server(spec, guard)
    record = Path(spec["record"])
    _write_record(record, server)
    status = _watch(server, spec, watch)
    _end_orphans(server)
    record.unlink(missing_ok=True)
    return status


if __name__ == "__main__":
    sys.exit(main())

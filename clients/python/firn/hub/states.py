"""
A folder of kept states, `<package id>.state`: what the last checkpoint of a chain left, for the next delta to go on
from. Nothing depends on it: a state that is absent, damaged or cannot be written means that a whole chain is decoded.
"""

import contextlib
import logging
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..decoder.bytes.errors import DamagedPackage
from ..decoder.restore.chain import Package
from ..decoder.restore.kept_state import KeptState, StateKeeper, StateWriter, state_bytes

_log = logging.getLogger("firn")

# All states together; those that were used last stay.
STATES_BYTES_MAX = 8 << 30
# Of the room that the disk has left, a state takes no more than this part.
_ROOM_PART = 4
_UNFINISHED_PREFIX = ".unfinished-"
# Unfinished states of this age are left from processes that were killed.
_UNFINISHED_AGE_S = 24 * 3600.0


class States:
    """Keeps and finds states. `bytes_max` bounds what they take together."""

    def __init__(self, folder: Path, bytes_max: int = STATES_BYTES_MAX) -> None:
        self._folder = folder
        self._bytes_max = bytes_max

    @contextlib.contextmanager
    def attached(self, chain: Sequence[Package]) -> Iterator[list[Package]]:
        """The same chain, with the newest state that is kept of a package before the last."""
        found = list(chain)
        with contextlib.ExitStack() as opened:
            for at in range(len(chain) - 2, -1, -1):
                # A merged package is read from its first checkpoint on.
                if chain[at + 1].index.position != 0:
                    continue
                state = self._open(chain[at].index.package_id.hex())
                if state is not None:
                    opened.callback(state.close)
                    found[at] = replace(chain[at], kept=state)
                    break
            yield found

    def forget(self, chain: Sequence[Package]) -> None:
        """Removes the states of all packages of a chain."""
        for package in chain:
            self._remove(self._path_of(package.index.package_id.hex()))

    @contextlib.contextmanager
    def keeping(self, chain: Sequence[Package]) -> Iterator[StateKeeper | None]:
        """
        What receives the states of the last package's blocks. They are kept, instead of those of the chain before, if
        the body comes to its end.
        """
        package = chain[-1]
        size = state_bytes(package.index.files)
        package_id = package.index.package_id.hex()
        if size == 0 or size > self._bytes_max or self._path_of(package_id).exists():
            yield None
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if size > shutil.disk_usage(self._folder).free // _ROOM_PART:
                raise OSError("there is too little room")
            part = self._folder / f"{_UNFINISHED_PREFIX}{secrets.token_hex(8)}"
            opened = part.open("xb", buffering=0)
        except OSError as error:
            _log.info("the state of %s is not kept: %s", package_id, error)
            yield None
            return
        try:
            with opened as file:
                writer = StateWriter(file, package_id, package.index.files)
                yield writer
                finished = self._finish(writer, package_id)
            if finished:
                self._place(part, chain)
        finally:
            self._remove(part)

    def _finish(self, writer: StateWriter, package_id: str) -> bool:
        try:
            writer.finish()
            return True
        except OSError as error:
            _log.info("the state of %s is not kept: %s", package_id, error)
            return False

    def _place(self, part: Path, chain: Sequence[Package]) -> None:
        try:
            os.replace(part, self._path_of(chain[-1].index.package_id.hex()))
        except OSError as error:
            _log.info("a state is not kept: %s", error)
            return
        self.forget(chain[:-1])
        self._make_room()

    def _make_room(self) -> None:
        """
        Removes the states that were not used for longest, until the rest is within its bound, and what killed processes
        left.
        """
        states: list[tuple[float, int, Path]] = []
        for path in self._folder.iterdir():
            with contextlib.suppress(OSError):
                found = path.stat()
                if path.suffix == ".state":
                    states.append((found.st_mtime, found.st_size, path))
                elif path.name.startswith(_UNFINISHED_PREFIX) and time.time() - found.st_mtime > _UNFINISHED_AGE_S:
                    self._remove(path)
        total = sum(size for _, size, _ in states)
        for _, size, path in sorted(states)[:-1]:
            if total > self._bytes_max:
                self._remove(path)
                total -= size

    def _open(self, package_id: str) -> KeptState | None:
        path = self._path_of(package_id)
        try:
            state = KeptState(path, package_id)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (DamagedPackage, OSError) as error:
            _log.warning("a kept state cannot be used (%s); the chain is decoded from further back", error)
            self._remove(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return state

    def _path_of(self, package_id: str) -> Path:
        return self._folder / f"{package_id}.state"

    def _remove(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink()

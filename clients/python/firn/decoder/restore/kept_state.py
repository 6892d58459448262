"""
The state that a checkpoint's residual blocks are left in, kept in a file: with it the next delta is decoded from its
own package alone.

The file has, each at a multiple of 8: of every block the values of its elements (i32) and then their activities (u8).
An index in JSON follows, and a trailer of 44 bytes: the length of the index (u32), its SHA-256, and `FIRNKPT1`. The
index is `{"package": id, "files": [[path, [[block, elements, offset, CRC-32], ...]], ...]}`. Numbers are little-endian.
"""

import hashlib
import json
import os
import threading
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from ..bytes.errors import DamagedPackage, check
from ..bytes.limits import BLOCK_ELEMENTS_MAX
from ..index.package_index import PackageFile
from ..methods.lattice import LatticeState

_MAGIC = b"FIRNKPT1"
_TRAILER_BYTES = 4 + 32 + len(_MAGIC)
_INDEX_BYTES_MAX = 64 << 20
_ALIGNMENT = 8
# A value and an activity.
_ELEMENT_BYTES = 5


class StateKeeper(Protocol):
    """What receives the states of blocks, on any thread."""

    def of(self, path: str, block: int) -> Callable[[LatticeState], None] | None:
        """What takes the state of a block of a file; None where it is not wanted."""


def state_bytes(files: Sequence[PackageFile]) -> int:
    """How many bytes the states of these files take, without their index; 0 where no block has one."""
    return sum(_room_of(count) for _, _, count in _blocks_of(files))


class KeptState:
    """An open file of states. Reads on any thread. DamagedPackage for what is not as it was written; OSError."""

    def __init__(self, path: Path, package_id: str) -> None:
        self._file = path.open("rb")
        self._lock = threading.Lock()
        try:
            self._places = self._read_index(package_id)
        except BaseException:
            self._file.close()
            raise

    def has(self, path: str, block: int) -> bool:
        """Whether the state of a block of a file is there."""
        return (path, block) in self._places

    def read(self, path: str, block: int, count: int) -> LatticeState:
        """The state of a block of `count` elements, its checksum compared."""
        kept, offset, checksum = self._places[path, block]
        check(kept == count, "a kept state is of another number of elements")
        data = np.empty(count * _ELEMENT_BYTES, np.uint8)
        self._fill(data, offset)
        check(zlib.crc32(data) == checksum, "a kept state has a wrong checksum")
        return LatticeState(data[: 4 * count].view("<i4").astype(np.int32, copy=False), data[4 * count :])

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _fill(self, data: np.ndarray, offset: int) -> None:
        if hasattr(os, "preadv"):
            got = os.preadv(self._file.fileno(), [data], offset)
        else:
            with self._lock:
                self._file.seek(offset)
                got = self._file.readinto(data)
        check(got == data.size, "a kept state is cut off")

    def _read_index(self, package_id: str) -> dict[tuple[str, int], tuple[int, int, int]]:
        end = self._file.seek(0, os.SEEK_END) - _TRAILER_BYTES
        check(end >= 0, "a kept state is cut off")
        self._file.seek(end)
        trailer = self._file.read(_TRAILER_BYTES)
        length = int.from_bytes(trailer[:4], "little")
        check(trailer[36:] == _MAGIC and length <= min(end, _INDEX_BYTES_MAX), "a kept state is damaged")
        self._file.seek(end - length)
        stored = self._file.read(length)
        check(hashlib.sha256(stored).digest() == trailer[4:36], "the index of a kept state has a wrong digest")
        return read_places(stored, package_id, end - length)


def read_places(stored: bytes, package_id: str, states_end: int) -> dict[tuple[str, int], tuple[int, int, int]]:
    """By path and number of a block: elements, offset and checksum of its state, which ends before `states_end`."""
    try:
        index: Any = json.loads(stored)
    except (ValueError, RecursionError) as error:
        raise DamagedPackage("the index of a kept state is not JSON") from error
    check(isinstance(index, dict) and index.get("package") == package_id, "a kept state is of another package")
    files = index.get("files")
    check(
        isinstance(files, list) and all(isinstance(each, list) and len(each) == 2 for each in files),
        "the index of a kept state is damaged",
    )
    places: dict[tuple[str, int], tuple[int, int, int]] = {}
    for path, blocks in files:
        check(isinstance(path, str) and isinstance(blocks, list), "the index of a kept state is damaged")
        for block in blocks:
            check(
                isinstance(block, list) and len(block) == 4 and all(type(each) is int and each >= 0 for each in block),
                "a place of a kept state is damaged",
            )
            number, count, offset, checksum = block
            check(
                1 <= count <= BLOCK_ELEMENTS_MAX and offset + count * _ELEMENT_BYTES <= states_end,
                "a kept state is not in its file",
            )
            places[path, number] = (count, offset, checksum)
    return places


class StateWriter:
    """
    Writes the states of a package's blocks into an empty file that is not buffered. What cannot be written makes
    `finish` an OSError, and nothing before it.
    """

    def __init__(self, file: BinaryIO, package_id: str, files: Sequence[PackageFile]) -> None:
        self._file = file
        self._package_id = package_id
        self._lock = threading.Lock()
        self._places: dict[tuple[str, int], int] = {}
        self._written: dict[tuple[str, int], tuple[int, int, int]] = {}
        self._error: OSError | None = None
        self._end = 0
        for path, block, count in _blocks_of(files):
            self._places[path, block] = self._end
            self._end += _room_of(count)

    def of(self, path: str, block: int) -> Callable[[LatticeState], None] | None:
        """What takes the state of a block of a file; None for one that has none."""
        if (path, block) not in self._places:
            return None
        return lambda state: self._write((path, block), state)

    def finish(self) -> None:
        """Writes the index. OSError."""
        if self._error is not None:
            raise self._error
        files: dict[str, list[tuple[int, ...]]] = {}
        for (path, block), place in sorted(self._written.items()):
            files.setdefault(path, []).append((block, *place))
        index = json.dumps({"package": self._package_id, "files": list(files.items())}, separators=(",", ":")).encode()
        self._file.seek(self._end)
        trailer = len(index).to_bytes(4, "little") + hashlib.sha256(index).digest() + _MAGIC
        self._write_all(np.frombuffer(index + trailer, np.uint8))

    def _write(self, block: tuple[str, int], state: LatticeState) -> None:
        values = np.ascontiguousarray(state.values, "<i4")
        activities = np.ascontiguousarray(state.activities, np.uint8)
        checksum = zlib.crc32(activities, zlib.crc32(values))
        with self._lock:
            try:
                self._file.seek(self._places[block])
                self._write_all(values)
                self._write_all(activities)
            except OSError as error:
                self._error = error
            self._written[block] = (len(values), self._places[block], checksum)

    def _write_all(self, data: np.ndarray) -> None:
        left = memoryview(data).cast("B")
        while left:
            left = left[self._file.write(left) :]


def _blocks_of(files: Sequence[PackageFile]) -> list[tuple[str, int, int]]:
    """Path, number and elements of each block that has a state."""
    return [
        (file.path, number, block.plan.count)
        for file in files
        for number, block in enumerate(file.blocks)
        if block.plan.block_class[0] == "residual"
    ]


def _room_of(count: int) -> int:
    return -(-count * _ELEMENT_BYTES // _ALIGNMENT) * _ALIGNMENT

"""The C++ core behind its plain C interface (native/c/firn.h), loaded with ctypes where it was built."""

import ctypes
import os
import sys
import weakref
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_char_p, c_int32, c_size_t, c_uint32, c_void_p
from functools import cache
from pathlib import Path

import numpy as np

from .decoder.bytes.errors import DamagedPackage, UnsupportedFormat
from .decoder.methods.lattice import LatticeState

_ABI = 2
_OK, _CORRUPT, _TRUNCATED, _INVALID_ARGUMENT, _OUT_OF_MEMORY, _UNSUPPORTED = range(6)

_KINDS = ("bytes", "f16", "bf16", "f32", "f64", "word16", "word32", "word64")
_DTYPES = ("F32", "F16", "BF16")
# The reference of a run of masters.
_MASTER_KINDS = {None: 0, "BF16": 1, "F16": 2}

Buffer = bytes | bytearray | memoryview | np.ndarray

class _Bytes(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class _ResidualLink(ctypes.Structure):
    _fields_ = [
        ("tables", c_void_p),
        ("payload", _Bytes),
        ("segments", c_void_p),
        ("slots", c_void_p),
        ("segment_count", c_size_t),
        ("joint_symbols", _Bytes),
        ("width", c_uint32),
        ("position", c_uint32),
        ("checksum", c_uint32),
    ]


class _ResidualBlock(ctypes.Structure):
    _fields_ = [
        ("links", POINTER(_ResidualLink)),
        ("link_count", c_size_t),
        ("values", c_void_p),
        ("activity", c_void_p),
        ("origins", c_void_p),
        ("dtype", c_uint32),
        ("out", c_void_p),
        ("out_size", c_size_t),
        ("values_after", c_void_p),
        ("activity_after", c_void_p),
    ]


_NOTHING = _Bytes(None, 0)


class Handle:
    """Tables that the core has parsed; freed with this object."""

    def __init__(self, pointer: int, free: Callable[[int], None]) -> None:
        self.pointer = pointer
        weakref.finalize(self, free, pointer)


class Core:
    """
    Decoders of single blocks. Elements come as bytes-like objects. DamagedPackage and UnsupportedFormat as from the
    decoders in Python.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._library = library = ctypes.CDLL(str(path))
        library.firn_abi.restype = c_uint32
        if library.firn_abi() != _ABI:
            raise OSError(f"{path} has another interface than this package needs")
        library.firn_status_text.restype = c_char_p
        library.firn_status_text.argtypes = [c_int32]
        library.firn_crc32c.restype = c_uint32
        library.firn_crc32c.argtypes = [c_void_p, c_size_t, c_uint32]
        block = [c_void_p, c_size_t]
        self._declare("firn_exact_decode", _Bytes, _Bytes, c_uint32, *block)
        self._declare("firn_bitmask_decode", _Bytes, _Bytes, c_uint32, *block)
        self._declare("firn_bucket_decode", _Bytes, _Bytes, c_uint32, *block)
        self._declare("firn_merged_bucket_decode", _Bytes, _Bytes, c_uint32, c_uint32, c_uint32, *block)
        self._declare("firn_state_decode", c_uint32, _Bytes, _Bytes, c_void_p, c_size_t, *block)
        self._declare("firn_master_decode", _Bytes, _Bytes, c_void_p, c_size_t, *block)
        self._declare("firn_token_tables_parse", _Bytes, POINTER(c_void_p))
        self._declare("firn_levels_decode", c_void_p, _Bytes, _Bytes, c_uint32, *block)
        self._declare("firn_levels_to_elements", _Bytes, c_uint32, _Bytes, c_int32, _Bytes, *block)
        self._declare("firn_context_tables_parse", _Bytes, c_uint32, POINTER(c_void_p))
        self._declare("firn_residual_decode", POINTER(_ResidualBlock), c_size_t)
        for name in ("firn_token_tables_free", "firn_context_tables_free"):
            getattr(library, name).restype = None
            getattr(library, name).argtypes = [c_void_p]

    def crc32c(self, data: Buffer) -> int:
        """The CRC-32C of `data`."""
        view = _view(data)
        return self._library.firn_crc32c(view.ctypes.data, view.size, 0)

    def exact(self, payload: Buffer, kind: str, size: int, previous: Buffer | None) -> Buffer:
        """An exact block of `size` bytes."""
        return self._block(size, self._library.firn_exact_decode, payload, previous, c_uint32(_KINDS.index(kind)))

    def bitmask(self, payload: Buffer, kind: str, size: int, previous: Buffer | None) -> Buffer:
        """A block of 16-bit weights of which some changed."""
        return self._block(size, self._library.firn_bitmask_decode, payload, previous, c_uint32(_KINDS.index(kind)))

    def buckets(self, payload: Buffer, dtype: str, size: int, previous: Buffer | None) -> Buffer:
        """A block in buckets."""
        return self._block(size, self._library.firn_bucket_decode, payload, previous, c_uint32(_DTYPES.index(dtype)))

    def merged_buckets(
        self, payload: Buffer, dtype: str, size: int, previous: Buffer | None, part: tuple[int, int]
    ) -> Buffer:
        """A block in buckets of a merged package; `part` is how many checkpoints it has, and which one this is."""
        call = self._library.firn_merged_bucket_decode
        return self._block(
            size, call, payload, previous, c_uint32(_DTYPES.index(dtype)), c_uint32(part[0]), c_uint32(part[1])
        )

    def state(
        self, payload: Buffer, encoding: int, segments: Sequence[tuple[int, int, int]], reference: Buffer | None
    ) -> Buffer:
        """A block of optimizer state; segments are count, columns and first column."""
        runs = np.array(segments, np.uint32)
        out = np.empty(4 * int(runs[:, 0].sum()), np.uint8)
        data, known = _view(payload), _view(reference)
        call = self._library.firn_state_decode
        self._check(call(encoding, _span(data), _span(known), runs.ctypes.data, len(runs), out.ctypes.data, out.size))
        return out.data

    def masters(self, payload: Buffer, segments: Sequence[tuple[int, str | None]], reference: Buffer) -> Buffer:
        """A block of masters; segments are count and the dtype of their reference."""
        runs = np.array([(count, _MASTER_KINDS[dtype]) for count, dtype in segments], np.uint32)
        out = np.empty(4 * int(runs[:, 0].sum()), np.uint8)
        data, known = _view(payload), _view(reference)
        call = self._library.firn_master_decode
        self._check(call(_span(data), _span(known), runs.ctypes.data, len(runs), out.ctypes.data, out.size))
        return out.data

    def token_tables(self, stored: Buffer) -> Handle:
        """The codes of a table set."""
        return self._parsed("firn_token_tables", stored)

    def context_tables(self, stored: Buffer, slots: int) -> Handle:
        """The context tables of a package."""
        return self._parsed("firn_context_tables", stored, slots)

    def levels(
        self, tables: Handle, stream: Buffer, previous: np.ndarray | None, count: int, modulus: int
    ) -> np.ndarray:
        """Levels, a byte each."""
        out = np.empty(count, np.uint8)
        data, before = _view(stream), _view(previous)
        call = self._library.firn_levels_decode
        self._check(call(tables.pointer, _span(data), _span(before), modulus, out.ctypes.data, count))
        return out

    def level_elements(
        self, levels: np.ndarray, dtype: str, table: Buffer, protected_level: int | None, words: Buffer
    ) -> Buffer:
        """The elements that levels stand for."""
        out = np.empty(len(levels) * (4 if dtype == "F32" else 2), np.uint8)
        entries, values = _view(table), _view(words)
        level = -1 if protected_level is None else protected_level
        call = self._library.firn_levels_to_elements
        self._check(
            call(_span(levels), _DTYPES.index(dtype), _span(entries), level, _span(values), out.ctypes.data, out.size)
        )
        return out.data

    def residual(
        self,
        links: Sequence["ResidualLink"],
        start: LatticeState | None,
        origins: np.ndarray | None,
        dtype: str,
        count: int,
        keep: bool,
    ) -> tuple[Buffer, LatticeState | None]:
        """
        The elements after a chain of residual blocks, oldest first, that starts from a state or from origins; and the
        state there, if it is to be kept.
        """
        array = (_ResidualLink * len(links))()
        for target, link in zip(array, links, strict=True):
            target.tables = link.tables.pointer
            target.payload = _span(link.payload)
            target.segments = link.segments.ctypes.data
            target.slots = link.slots.ctypes.data
            target.segment_count = len(link.segments)
            target.joint_symbols = _span(link.joint_symbols)
            target.width, target.position, target.checksum = link.width, link.position, link.checksum
        out = np.empty(count * (4 if dtype == "F32" else 2), np.uint8)
        block = _ResidualBlock(
            links=array, link_count=len(links), dtype=_DTYPES.index(dtype), out=out.ctypes.data, out_size=out.size
        )
        if start is not None:
            if not len(start.values) == len(start.activities) == count:
                raise DamagedPackage("a state has another number of elements than its block")
            block.values, block.activity = start.values.ctypes.data, start.activities.ctypes.data
        elif origins is not None:
            block.origins = origins.ctypes.data
        after = LatticeState(np.empty(count, np.int32), np.empty(count, np.uint8)) if keep else None
        if after is not None:
            block.values_after, block.activity_after = after.values.ctypes.data, after.activities.ctypes.data
        self._check(self._library.firn_residual_decode(byref(block), 1))
        return out.data, after

    def _declare(self, name: str, *arguments: type) -> None:
        getattr(self._library, name).restype = c_int32
        getattr(self._library, name).argtypes = list(arguments)

    def _block(
        self, size: int, call: Callable[..., int], payload: Buffer, previous: Buffer | None, *numbers: c_uint32
    ) -> Buffer:
        out = np.empty(size, np.uint8)
        data, before = _view(payload), _view(previous)
        self._check(call(_span(data), _span(before), *numbers, out.ctypes.data, size))
        return out.data

    def _parsed(self, kind: str, stored: Buffer, *numbers: int) -> Handle:
        pointer, data = c_void_p(), _view(stored)
        self._check(getattr(self._library, f"{kind}_parse")(_span(data), *numbers, byref(pointer)))
        return Handle(pointer.value or 0, getattr(self._library, f"{kind}_free"))

    def _check(self, status: int) -> None:
        if status == _OK:
            return
        text = self._library.firn_status_text(status).decode()
        # A size or number out of range can only come from the package: this module passes on what its index says.
        if status in (_CORRUPT, _TRUNCATED, _INVALID_ARGUMENT):
            raise DamagedPackage(f"a block cannot be decoded: {text}")
        if status == _UNSUPPORTED:
            raise UnsupportedFormat(text)
        raise MemoryError(text) if status == _OUT_OF_MEMORY else RuntimeError(text)


class ResidualLink:
    """
    What one package says of a block of residual elements; `segments` are of SEGMENT. In a package of one checkpoint,
    `joint_symbols` is empty and `width` 0.
    """

    def __init__(
        self,
        tables: Handle,
        payload: Buffer,
        checksum: int,
        segments: np.ndarray,
        slots: np.ndarray,
        joint_symbols: bytes,
        width: int,
        position: int,
    ) -> None:
        self.tables = tables
        self.payload = _view(payload)
        self.checksum = checksum
        self.segments = segments
        self.slots = slots
        self.joint_symbols = _view(joint_symbols)
        self.width = width
        self.position = position


def _view(data: Buffer | None) -> np.ndarray:
    return np.frombuffer(data if data is not None else b"", np.uint8)


def _span(view: np.ndarray) -> _Bytes:
    return _Bytes(view.ctypes.data, view.size) if view.size else _NOTHING


@cache
def load_core() -> Core | None:
    """
    The core, or None where it was not built. FIRN_CORE names the library to load, or is `numpy` to decode without one;
    a library that it names and that cannot be loaded is an OSError.
    """
    named = os.environ.get("FIRN_CORE")
    if named == "numpy":
        return None
    if named:
        return Core(Path(named))
    name = {"win32": "firn.dll", "darwin": "libfirn.dylib"}.get(sys.platform, "libfirn.so")
    path = Path(__file__).parent / name
    try:
        return Core(path) if path.exists() else None
    except OSError:
        return None

"""Blocks of masters, coded against what was rounded from them (format-blocks.md, section 18)."""

from dataclasses import dataclass

import numpy as np

from ..bytes.byte_reader import ByteReader
from ..bytes.element_kinds import KIND_OF_DTYPE
from ..bytes.errors import check
from .exact_blocks import needs_previous, read_exact_block

MASTER_MODE = 10

_CUT_BITS = {"BF16": 16, "F16": 13}
_WORD16 = KIND_OF_DTYPE["U16"]
_F32 = KIND_OF_DTYPE["F32"]


@dataclass(frozen=True)
class MasterSegment:
    """
    A run of a block: its number of elements, the dtype of their reference tensor if there is one, and its elements.
    """

    count: int
    dtype: str | None
    reference: bytes


def read_master_block(payload: bytes, segments: list[MasterSegment]) -> bytes:
    """The F32 elements of the block."""
    reader = ByteReader(payload)
    check(reader.unsigned(1) == MASTER_MODE, "a block of masters is of another mode")
    parts = [_near_of(segment) for segment in segments]
    near = np.concatenate([part[0] for part in parts])
    wide = np.concatenate([part[1] for part in parts])[near]
    cut = np.concatenate(
        [np.full(segment.count, _CUT_BITS.get(segment.dtype or "", 0), np.int64) for segment in segments]
    )[near]
    exceptions = _read_exceptions(reader, len(wide))
    rests = np.frombuffer(_read_alone(reader.take(reader.varint()), "word16", len(wide)), "<u2").astype(np.int64)
    check(bool(np.all(rests < 1 << cut)), "a rest has more bits than rounding cut")
    patterns = (wide + rests - np.where(rests > 1 << (cut - 1), 1 << cut, 0)) & 0xFFFFFFFF
    for element, pattern in exceptions:
        patterns[element] = pattern
    words = np.zeros(len(near), "<u4")
    words[near] = patterns
    words[~near] = np.frombuffer(_read_alone(reader.rest(), "f32", len(near) - len(wide)), "<u4")
    return words.tobytes()


def _near_of(segment: MasterSegment) -> tuple[np.ndarray, np.ndarray]:
    """Which elements are near, and the patterns of their reference elements as F32."""
    if segment.dtype is None:
        return np.zeros(segment.count, bool), np.zeros(segment.count, np.int64)
    bits = np.frombuffer(segment.reference, "<u2").astype(np.int64)
    if segment.dtype == "BF16":
        return bits & 0x7F80 != 0x7F80, bits << 16
    exponent = bits >> 10 & 31
    return (exponent > 0) & (exponent < 31), (bits & 0x8000) << 16 | ((bits & 0x7FFF) << 13) + (112 << 23)


def _read_exceptions(reader: ByteReader, near_count: int) -> list[tuple[int, int]]:
    count = reader.varint()
    check(count <= near_count, "a block has more exceptions than elements")
    exceptions, at = [], 0
    for _ in range(count):
        at += reader.varint()
        check(at < near_count, "an exception is of an element that is not there")
        exceptions.append((at, reader.unsigned(4)))
        at += 1
    return exceptions


def _read_alone(payload: bytes, kind: str, count: int) -> bytes:
    check(len(payload) > 0 and not needs_previous(payload), "a part of a block of masters does not stand alone")
    return read_exact_block(payload, _WORD16 if kind == "word16" else _F32, count, None)


def widened(elements: bytes, dtype: str) -> bytes:
    """Elements of F32, F16 or BF16 as F32."""
    if dtype == "F32":
        return elements
    bits = np.frombuffer(elements, "<u2").astype(np.uint32)
    if dtype == "BF16":
        return (bits << np.uint32(16)).astype("<u4").tobytes()
    words = np.frombuffer(elements, "<f2").astype("<f4").view("<u4").copy()
    is_nan = (bits & 0x7C00 == 0x7C00) & (bits & 0x3FF != 0)
    words[is_nan] = (bits[is_nan] & 0x8000) << np.uint32(16) | 0x7FC00000 | (bits[is_nan] & 0x3FF) << np.uint32(13)
    return words.tobytes()

"""How residual elements move and what they stand for (format-blocks.md, section 14; format.md, "Residual tensors")."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..bytes.errors import check

ACTIVITY_AT_FIRST = 168

_STATE_BOUND = 1 << 23
_CLASS_EDGES = (12, 28, 40, 48, 56)
_LIFTS = np.array([0, 46, 54, 58, 62], np.int64)
_DECAY = 6
_STEP_CODE_MAX = 511
_STEP_UNITS = np.array([round(2 ** (20 + i / 32)) for i in range(32)], np.int64)


@dataclass(frozen=True)
class LatticeRecord:
    """What the index says about a residual tensor."""

    exponent: int
    origin: int
    shift: int
    step_code: int
    offset_codes: tuple[int, int]
    gain: int


# Parameters of a segment, as the C interface has them too: a record with the package's step scale applied, and the
# shift its block has. `count` is the number of its elements.
SEGMENT = np.dtype(
    [("count", "u4"), ("exponent", "i4"), ("step", "i4"), ("shift", "i4"), ("offsets", "i4", 3), ("gain", "i4")]
)


@dataclass(frozen=True)
class LatticeState:
    """Values and activities of a block's elements after a checkpoint."""

    values: np.ndarray
    activities: np.ndarray


def lattice_segments(records: Sequence[LatticeRecord], step_scales: Sequence[int]) -> np.ndarray:
    """The parameters of tensors, of SEGMENT, with a step scale for each; `count` is left 0."""
    found = np.zeros(len(records), SEGMENT)
    if not records:
        return found
    e = np.clip(
        np.array([record.step_code for record in records], np.int64) + np.array(step_scales, np.int64),
        0,
        _STEP_CODE_MAX,
    )
    step = (_STEP_UNITS[e % 32] * 2 ** (e // 32) + (1 << 19)) >> 20
    codes = np.array([record.offset_codes for record in records], np.int64)
    # Towards zero.
    offsets = np.sign(codes) * (np.abs(codes) * step[:, None] // 16)
    found["exponent"] = [record.exponent for record in records]
    found["step"] = step
    found["shift"] = [record.shift for record in records]
    found["offsets"] = offsets[:, [0, 1, 1]]
    found["gain"] = [record.gain for record in records]
    return found


def placed_state(elements: bytes, segments: np.ndarray, dtype: str) -> LatticeState:
    """
    The state in which a block starts from elements that have none: each at the nearest unit of its segment, ties to
    even, inside the lattice; 0 for NaN.
    """
    numbers = _numbers(elements, dtype)
    units = np.repeat(np.ldexp(np.float32(1), -segments["exponent"]).astype(np.float32), segments["count"])
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        # Times a power of two is exact, or beyond the lattice, or 0 either way.
        scaled = np.nan_to_num(np.rint(numbers * units), nan=0.0)
    values = np.clip(scaled, 1 - _STATE_BOUND, _STATE_BOUND - 1).astype(np.int32)
    return LatticeState(values, np.full(len(values), ACTIVITY_AT_FIRST, np.uint8))


def _numbers(elements: bytes, dtype: str) -> np.ndarray:
    """Elements as binary32."""
    if dtype == "F32":
        return np.frombuffer(elements, "<f4").astype(np.float32, copy=False)
    if dtype == "F16":
        return np.frombuffer(elements, "<f2").astype(np.float32)
    return (np.frombuffer(elements, "<u2").astype(np.uint32) << 16).view(np.float32)


def shifted_values(values: np.ndarray, shift: int) -> np.ndarray:
    """The previous values in the present unit."""
    moved = values << shift
    check(bool(np.all(np.abs(moved) < _STATE_BOUND)), "a value leaves the lattice")
    return moved


def contexts(values: np.ndarray, shifted: np.ndarray, activities: np.ndarray, step: int) -> np.ndarray:
    """The context of each element: `values` before, `shifted` after the shift."""
    a, d = activities >> 2, activities & 3
    class_ = sum((a >= edge).astype(np.int64) for edge in _CLASS_EDGES)
    outwards = ((d == 1) & (values >= 0)) | ((d == 2) & (values < 0))
    direction = np.where(d == 0, 0, np.where(outwards, 1, 2))
    size = 2 * np.abs(shifted)
    magnitude = (size >= step).astype(np.int64) + (size >= 3 * step)
    return (class_ * 3 + direction) * 3 + magnitude


def apply_moves(shifted: np.ndarray, activities: np.ndarray, z: np.ndarray, segment: np.void) -> LatticeState:
    """The state of a segment after moves of `z`, the symbols with their escapes added."""
    n = (z + 1) // 2
    outwards = np.where(shifted < 0, -1, 1)
    direction = np.where(z % 2 == 1, -outwards, outwards)
    offsets = np.array([0, *segment["offsets"]], np.int64)
    values = shifted + np.where(n == 0, 0, direction * (n * int(segment["step"]) - offsets[np.minimum(n, 3)]))
    check(bool(np.all(np.abs(values) < _STATE_BOUND)), "a value leaves the lattice")
    a = np.maximum((activities >> 2) - _DECAY, _LIFTS[np.minimum(n, 4)])
    d = np.where(n == 0, 0, np.where(direction == 1, 1, 2))
    return LatticeState(values, 4 * a + d)


def element_bytes_of(values: np.ndarray, segment: np.void, dtype: str) -> bytes:
    """The elements of a segment, as they stand in the file."""
    scale = np.float32((768 + int(segment["gain"])) * 2.0 ** (int(segment["exponent"]) - 10))
    products = values.astype(np.float32) * scale
    if dtype == "F32":
        return products.astype("<f4").tobytes()
    if dtype == "F16":
        with np.errstate(over="ignore"):
            return products.astype("<f2").tobytes()
    words = products.view(np.uint32)
    return ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype("<u2").tobytes()

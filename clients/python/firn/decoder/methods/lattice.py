"""How residual elements move and what they stand for (format-blocks.md, section 14; format.md, "Residual tensors")."""

from dataclasses import dataclass

import numpy as np

from ..bytes.errors import check

ACTIVITY_AT_FIRST = 168

_STATE_BOUND = 1 << 23
_CLASS_EDGES = (12, 28, 40, 48, 56)
_LIFTS = np.array([0, 46, 54, 58, 62], np.int64)
_DECAY = 6
_STEP_CODE_MAX = 511
_STEP_UNITS = [round(2 ** (20 + i / 32)) for i in range(32)]


@dataclass(frozen=True)
class LatticeRecord:
    """What the index says about a residual tensor."""

    exponent: int
    origin: int
    shift: int
    step_code: int
    offset_codes: tuple[int, int]
    gain: int


@dataclass(frozen=True)
class LatticeParameters:
    """The parameters of a segment: a record with the package's step scale applied, and the shift its block has."""

    exponent: int
    step: int
    shift: int
    offsets: tuple[int, int, int]
    gain: int


@dataclass(frozen=True)
class LatticeState:
    """Values and activities of a block's elements after a checkpoint."""

    values: np.ndarray
    activities: np.ndarray


def lattice_parameters(record: LatticeRecord, step_scale: int, has_previous: bool) -> LatticeParameters:
    """The parameters of a tensor's elements in a block with or without a previous one."""
    e = min(max(record.step_code + step_scale, 0), _STEP_CODE_MAX)
    step = (_STEP_UNITS[e % 32] * 2 ** (e // 32) + (1 << 19)) >> 20
    first, second = (_towards_zero(code * step, 16) for code in record.offset_codes)
    return LatticeParameters(
        record.exponent, step, record.shift if has_previous else 0, (first, second, second), record.gain
    )


def _towards_zero(numerator: int, divisor: int) -> int:
    size = abs(numerator) // divisor
    return -size if numerator < 0 else size


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


def apply_moves(
    shifted: np.ndarray, activities: np.ndarray, z: np.ndarray, parameters: LatticeParameters
) -> LatticeState:
    """The state after moves of `z`, the symbols with their escapes added."""
    n = (z + 1) // 2
    outwards = np.where(shifted < 0, -1, 1)
    direction = np.where(z % 2 == 1, -outwards, outwards)
    offsets = np.array([0, *parameters.offsets], np.int64)
    values = shifted + np.where(n == 0, 0, direction * (n * parameters.step - offsets[np.minimum(n, 3)]))
    check(bool(np.all(np.abs(values) < _STATE_BOUND)), "a value leaves the lattice")
    a = np.maximum((activities >> 2) - _DECAY, _LIFTS[np.minimum(n, 4)])
    d = np.where(n == 0, 0, np.where(direction == 1, 1, 2))
    return LatticeState(values, 4 * a + d)


def element_bytes_of(values: np.ndarray, parameters: LatticeParameters, dtype: str) -> bytes:
    """The elements, as they stand in the file."""
    scale = np.float32((768 + parameters.gain) * 2.0 ** (parameters.exponent - 10))
    products = values.astype(np.float32) * scale
    if dtype == "F32":
        return products.astype("<f4").tobytes()
    if dtype == "F16":
        with np.errstate(over="ignore"):
            return products.astype("<f2").tobytes()
    words = products.view(np.uint32)
    return ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype("<u2").tobytes()

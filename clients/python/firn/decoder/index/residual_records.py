"""The records of a file's residual tensors (format.md, "Residual tensors")."""

from collections.abc import Sequence

from ..bytes.byte_reader import ByteReader
from ..bytes.errors import check
from ..methods.lattice import LatticeRecord

_SHIFT_MAX = 15
_EXPONENT_MIN, _EXPONENT_MAX = -126, 104
_ORIGIN_BOUND = 1 << 22
_STEP_CODE_MAX = 511
_GAIN_MAX = 1023
_UNIT_GAIN = 256


def read_residual_records(reader: ByteReader, references: Sequence[LatticeRecord | None]) -> list[LatticeRecord]:
    """
    One record for each reference: that of the tensor of the same name in the ancestor's file, None where it has none.
    """
    scales = [reader.varint() if old else reader.zigzag() for old in references]
    origins = [0 if old else reader.zigzag() for old in references]
    steps = [(old.step_code if old else 0) + reader.zigzag() for old in references]
    offsets = [reader.unsigned(1) for _ in references]
    gains = [(old.gain if old else _UNIT_GAIN) + reader.zigzag() for old in references]
    records = []
    for old, scale, origin, step, offset, gain in zip(references, scales, origins, steps, offsets, gains, strict=True):
        shift, exponent = 0, scale
        if old:
            check(scale <= _SHIFT_MAX, "a shift is out of range")
            shift, exponent, origin = scale, old.exponent - scale, old.origin << scale
        check(_EXPONENT_MIN <= exponent <= _EXPONENT_MAX, "an exponent is out of range")
        check(abs(origin) < _ORIGIN_BOUND, "an origin is out of range")
        check(0 <= step <= _STEP_CODE_MAX and 0 <= gain <= _GAIN_MAX, "a residual tensor's record is out of range")
        records.append(LatticeRecord(exponent, origin, shift, step, (_signed(offset & 15), _signed(offset >> 4)), gain))
    return records


def _signed(nibble: int) -> int:
    return nibble - 16 if nibble > 7 else nibble

"""Blocks of weights moved by the values of buckets (format-blocks.md, sections 20 and 21)."""

import numpy as np

from ..bytes.byte_reader import ByteReader
from ..bytes.element_kinds import ElementKind
from ..bytes.errors import check
from .exact_blocks import needs_previous, read_exact_block

_WHOLE, _DELTA = 0, 1
_CODE_BITS_MAX = 15
_APART, _JOINT = 0, 1
_LISTED_MAX = 4095


def goes_on(payload: bytes) -> bool:
    """Whether a payload needs the elements of the previous block."""
    return payload[0] == _DELTA


def read_bucket_block(payload: bytes, kind: ElementKind, count: int, previous: bytes | None) -> bytes:
    """The elements of a block, `previous` being those of the previous block where there is one."""
    if payload[0] == _WHOLE:
        check(
            len(payload) > 1 and not needs_previous(payload[1:]),
            "a whole block in buckets is not one that stands alone",
        )
        return read_exact_block(payload[1:], kind, count, None)
    check(payload[0] == _DELTA, "a block in buckets has a mode that does not exist")
    check(previous is not None, "a block in buckets has no previous block")
    values, symbols = _read_delta(payload[1:], count)
    return _moved(previous or b"", kind, symbols, values)


def read_merged_bucket_block(
    payload: bytes, kind: ElementKind, count: int, previous: bytes | None, part: tuple[int, int]
) -> bytes:
    """
    The elements of a block in one of the checkpoints of a merged package, `part` being how many they are and which it
    is (section 21).
    """
    width, position = part
    check(previous is not None, "a block of a merged package in buckets has no previous block")
    reader = ByteReader(payload)
    mode = reader.unsigned(1)
    check(mode in (_APART, _JOINT), "a block of a merged package in buckets has a mode that does not exist")
    elements = previous or b""
    if mode == _APART:
        deltas = [reader.take(reader.varint()) for _ in range(width - 1)] + [reader.rest()]
        for delta in deltas[: position + 1]:
            values, symbols = _read_delta(delta, count)
            elements = _moved(elements, kind, symbols, values)
        return elements
    values_of = [_read_values(reader) for _ in range(width)]
    listed = np.array(_read_list(reader, values_of), np.int64).reshape(-1, width)
    lengths = _read_lengths(reader, len(listed) + 1)
    for values, symbols in zip(
        values_of[: position + 1], _read_joint(reader.rest(), lengths, count, (listed, values_of)), strict=False
    ):
        elements = _moved(elements, kind, symbols, values)
    return elements


def _read_delta(data: bytes, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The values of symbols, and the symbols of elements."""
    reader = ByteReader(data)
    values = _read_values(reader)
    lengths = _read_lengths(reader, len(values))
    symbols, _, bits_left = _read_codes(reader.rest(), lengths, count)
    check(bits_left.size < 8 and not bits_left.any(), "bits follow the symbols of a block in buckets")
    return values, symbols


def _read_values(reader: ByteReader) -> np.ndarray:
    """By symbol; symbol 0 is no change."""
    values = np.frombuffer(reader.take(4 * reader.unsigned(1)), "<f4")
    check(bool(np.all(np.isfinite(values) & (values != 0))), "a bucket's value is zero or not finite")
    return np.concatenate((np.zeros(1, np.float32), values))


def _read_list(reader: ByteReader, values_of: list[np.ndarray]) -> list[int]:
    width = len(values_of)
    count = reader.varint(_LISTED_MAX + 1)
    listed = list(reader.take(count * width))
    check(
        all(symbol < len(values_of[i % width]) for i, symbol in enumerate(listed)), "a list names a bucket that is none"
    )
    return listed


def _read_lengths(reader: ByteReader, count: int) -> list[int]:
    halves = [half for byte in reader.take((count + 1) // 2) for half in (byte & 15, byte >> 4)]
    check(not any(halves[count:]), "half a byte of code lengths is left over and not zero")
    lengths = halves[:count]
    if count == 1:
        check(lengths[0] == 0, "a single symbol has a code")
    else:
        check(
            all(lengths) and sum(1 << _CODE_BITS_MAX - length for length in lengths) == 1 << _CODE_BITS_MAX,
            "a code of buckets is not complete",
        )
    return lengths


def _read_joint(
    data: bytes, lengths: list[int], count: int, lists: tuple[np.ndarray, list[np.ndarray]]
) -> list[np.ndarray]:
    """By checkpoint, the symbols of elements."""
    listed, values_of = lists
    fields = [(len(values) - 1).bit_length() for values in values_of]
    numbers, told, bits_left = _read_codes(data, lengths, count, sum(fields))
    check(bits_left.size < 8 and not bits_left.any(), "bits follow the symbols of a block in buckets")
    is_listed = numbers < len(listed)
    symbols, after = [], sum(fields)
    for j, (values, field) in enumerate(zip(values_of, fields, strict=True)):
        after -= field
        of_checkpoint = told >> after & (1 << field) - 1
        check(bool(np.all(of_checkpoint < len(values))), "an element is in a bucket that is none")
        found = np.zeros(count, np.int64)
        found[is_listed] = listed[numbers[is_listed], j]
        found[~is_listed] = of_checkpoint
        symbols.append(found)
    return symbols


def _read_codes(
    data: bytes, lengths: list[int], count: int, field_bits: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The symbols of elements, the bits that follow each last symbol, and those behind them all."""
    last = len(lengths) - 1
    # The codes count up from 0 in this order, so that each fills the next part of all windows of 15 bits.
    order = sorted(range(len(lengths)), key=lambda symbol: (lengths[symbol], symbol))
    symbol_at = np.repeat(order, [1 << _CODE_BITS_MAX - lengths[symbol] for symbol in order]).tolist()
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    padded = np.concatenate((bits, np.zeros(_CODE_BITS_MAX, np.uint8))).astype(np.int64)
    windows = np.zeros(len(bits) + 1, np.int64)
    for place in range(_CODE_BITS_MAX):
        windows = windows << 1 | padded[place : place + len(windows)]
    by_position = windows.tolist()
    found, told, position = [], [], 0
    for _ in range(count):
        symbol = symbol_at[by_position[position]]
        found.append(symbol)
        position += lengths[symbol]
        if field_bits > 0 and symbol == last:
            position += field_bits
            check(position <= len(bits), "the symbols of a block in buckets are cut off")
            told.append(_field(data, position - field_bits, field_bits))
        elif symbol == last:
            told.append(0)
        check(position <= len(bits), "the symbols of a block in buckets are cut off")
    return np.array(found, np.int64), np.array(told, np.int64), bits[position:]


def _field(data: bytes, first: int, count: int) -> int:
    end = (first + count + 7) // 8
    return int.from_bytes(data[first // 8 : end], "big") >> 8 * end - first - count & (1 << count) - 1


def _moved(previous: bytes, kind: ElementKind, symbols: np.ndarray, values: np.ndarray) -> bytes:
    words = np.frombuffer(previous, f"<u{kind.bits // 8}").copy()
    with np.errstate(all="ignore"):
        if kind.name == "f32":
            moved = (words.view("<f4") + values[symbols]).view("<u4")
            finite = np.isfinite(moved.view("<f4"))
        elif kind.name == "f16":
            moved = (words.view("<f2").astype(np.float32) + values[symbols]).astype("<f2").view("<u2")
            finite = np.isfinite(moved.view("<f2"))
        else:
            sums = (
                ((words.astype(np.uint32) << 16).view(np.float32) + values[symbols]).view(np.uint32).astype(np.uint64)
            )
            # To nearest, ties to even, of the upper 16 bits.
            moved = ((sums + 0x7FFF + (sums >> 16 & 1)) >> 16).astype("<u2")
            finite = (sums >> 23 & 0xFF != 0xFF) & (moved & 0x7F80 != 0x7F80)
    changed = (symbols != 0) & finite
    words[changed] = moved[changed]
    return words.tobytes()

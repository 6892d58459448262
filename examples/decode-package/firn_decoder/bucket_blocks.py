"""Blocks of weights moved by the values of buckets (format-blocks.md, section 20)."""

import numpy as np

from .byte_reader import ByteReader
from .element_kinds import ElementKind
from .errors import check
from .exact_blocks import needs_previous, read_exact_block

_WHOLE, _DELTA = 0, 1
_CODE_BITS_MAX = 15


def goes_on(payload: bytes) -> bool:
    """Whether a payload needs the elements of the previous block."""
    return payload[0] == _DELTA


def read_bucket_block(payload: bytes, kind: ElementKind, count: int, previous: bytes | None) -> bytes:
    """The elements of a block, `previous` being those of the previous block where there is one."""
    if payload[0] == _WHOLE:
        check(len(payload) > 1 and not needs_previous(payload[1:]), "a whole block in buckets is not one that stands alone")
        return read_exact_block(payload[1:], kind, count, None)
    check(payload[0] == _DELTA, "a block in buckets has a mode that does not exist")
    check(previous is not None, "a block in buckets has no previous block")
    reader = ByteReader(payload[1:])
    bucket_count = reader.unsigned(1)
    values = np.frombuffer(reader.take(4 * bucket_count), "<f4")
    check(bool(np.all(np.isfinite(values) & (values != 0))), "a bucket's value is zero or not finite")
    halves = [half for byte in reader.take((bucket_count + 2) // 2) for half in (byte & 15, byte >> 4)]
    check(not any(halves[bucket_count + 1 :]), "half a byte of code lengths is left over and not zero")
    symbols = _read_symbols(reader.rest(), halves[: bucket_count + 1], count)
    return _moved(previous or b"", kind, symbols, np.concatenate((np.zeros(1, np.float32), values)))


def _read_symbols(data: bytes, lengths: list[int], count: int) -> np.ndarray:
    if len(lengths) == 1:
        check(lengths[0] == 0 and not data, "a block without buckets has bits")
        return np.zeros(count, np.int64)
    check(all(lengths) and sum(1 << _CODE_BITS_MAX - length for length in lengths) == 1 << _CODE_BITS_MAX, "a code of buckets is not complete")
    # The codes count up from 0 in this order, so that each fills the next part of all windows of 15 bits.
    order = sorted(range(len(lengths)), key=lambda symbol: (lengths[symbol], symbol))
    symbol_at = np.repeat(order, [1 << _CODE_BITS_MAX - lengths[symbol] for symbol in order]).tolist()
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    padded = np.concatenate((bits, np.zeros(_CODE_BITS_MAX, np.uint8))).astype(np.int64)
    windows = np.zeros(len(bits) + 1, np.int64)
    for place in range(_CODE_BITS_MAX):
        windows = windows << 1 | padded[place : place + len(windows)]
    by_position = windows.tolist()
    found, position = [], 0
    for _ in range(count):
        symbol = symbol_at[by_position[position]]
        found.append(symbol)
        position += lengths[symbol]
        check(position <= len(bits), "the symbols of a block in buckets are cut off")
    check(len(bits) - position < 8 and not bits[position:].any(), "bits follow the symbols of a block in buckets")
    return np.array(found, np.int64)


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
            sums = ((words.astype(np.uint32) << 16).view(np.float32) + values[symbols]).view(np.uint32).astype(np.uint64)
            # To nearest, ties to even, of the upper 16 bits.
            moved = ((sums + 0x7FFF + (sums >> 16 & 1)) >> 16).astype("<u2")
            finite = (sums >> 23 & 0xFF != 0xFF) & (moved & 0x7F80 != 0x7F80)
    changed = (symbols != 0) & finite
    words[changed] = moved[changed]
    return words.tobytes()

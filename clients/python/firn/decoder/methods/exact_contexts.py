"""Exact blocks of floats whose symbols are coded in contexts (format-blocks.md, section 16)."""

import numpy as np

from ..bytes.byte_reader import ByteReader
from ..coders.context_blocks import ESCAPE, ContextBlock, read_context_block
from ..coders.context_tables import read_context_tables
from ..bytes.element_kinds import ElementKind
from ..bytes.errors import check
from ..coders.range_coder import Number, RangeDecoder

BLOCK_COUNT_MAX = 131_072

_CHUNK = 256
_LEVEL_MAX = 255
_SYMBOL_OF_ZERO = 30


def _read_stream(reader: ByteReader, contexts: np.ndarray) -> ContextBlock:
    tables = read_context_tables(reader.take(reader.varint(1 << 32)), 1)
    payload = reader.take(reader.varint(1 << 32))
    return read_context_block(payload, tables, np.zeros(len(contexts), np.int64), contexts)


def _read_levels(reader: ByteReader, chunks: int) -> tuple[int, np.ndarray]:
    top = reader.varint(1 << 32)
    decoder = RangeDecoder(reader.take(reader.varint(1 << 32)))
    steps = Number()
    level = 0
    levels = []
    for _ in range(chunks):
        coded = steps.decode(decoder)
        level += -(coded // 2) - 1 if coded % 2 else coded // 2
        check(0 <= level <= _LEVEL_MAX, "a level is out of range")
        levels.append(level)
    decoder.finish()
    return top, np.array(levels, np.int64)


def read_exponents(reader: ByteReader, kind: ElementKind, count: int) -> np.ndarray:
    """The words of a block of mode 8."""
    check(kind.name in ("bf16", "f32") and count <= BLOCK_COUNT_MAX, "mode 8 does not serve this block")
    top, levels = _read_levels(reader, -(-count // _CHUNK))
    level = np.repeat(levels, _CHUNK)[:count]
    block = _read_stream(reader, level % 4)
    symbols = block.symbols.astype(np.int64)
    exponents = np.where(symbols == _SYMBOL_OF_ZERO, 0, (top - level // 4 - symbols) % 256)
    escapes = np.array(block.escapes, np.int64)
    check(bool((escapes < 256).all()), "an escaped exponent is too large")
    exponents[symbols == ESCAPE] = escapes
    low = (
        np.zeros(count, np.int64) if kind.bits == 16 else np.frombuffer(reader.take(2 * count), "<u2").astype(np.int64)
    )
    high = np.frombuffer(reader.take(count), np.uint8).astype(np.int64)
    top_bits = kind.bits - 16
    words = (high & 128) << kind.bits - 8 | exponents << 7 + top_bits | (high & 127) << top_bits | low
    return words.astype(f"<u{kind.bits // 8}")


def _fields(kind: ElementKind) -> tuple[list[int], list[int], int]:
    """For each symbol the least z and the bits of its field, and which symbol is the word itself."""
    if kind.bits == 32:
        bases, bits = [0, *(1 << s for s in range(1, 30))], [*range(30)]
    else:
        bases = [0, 2, 3, 4, 5, 6, 7, *(1 << length for length in range(3, 14))]
        bits = [0] * 7 + [*range(3, 14)]
    last = len(bases)
    unused = [0] * (31 - last)
    return [*bases, 0, *unused], [*bits, kind.bits, *unused], last


def _take_fields(data: bytes, widths: np.ndarray) -> np.ndarray:
    """Fields of these widths, the first in the lowest bits."""
    ends = np.cumsum(widths)
    total = int(ends[-1]) if len(ends) else 0
    check((total + 7) // 8 == len(data), "fields have a wrong length")
    bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little").astype(np.int64)
    check(not bits[total:].any(), "a padding bit is set")
    begins = ends - widths
    values = np.zeros(len(widths), np.int64)
    for place in range(int(widths.max(initial=0))):
        here = np.flatnonzero(widths > place)
        values[here] |= bits[begins[here] + place] << place
    return values


def read_context_differences(reader: ByteReader, kind: ElementKind, previous: np.ndarray) -> np.ndarray:
    """The words of a block of mode 9."""
    check(kind.name in ("f16", "bf16", "f32") and len(previous) <= BLOCK_COUNT_MAX, "mode 9 does not serve this block")
    reference = reader.varint(1 << 32)
    check(reference < 1 << kind.exponent_bits, "a reference exponent is too large")
    words = previous.astype(np.int64)
    sign_bit, mask = 1 << kind.bits - 1, (1 << kind.bits) - 1
    exponents = words >> kind.bits - 1 - kind.exponent_bits & (1 << kind.exponent_bits) - 1
    block = _read_stream(reader, np.clip(reference - exponents, 0, 31))
    check(not block.escapes, "a difference has an escape value")
    bases, widths, word_symbol = _fields(kind)
    fields = _take_fields(reader.rest(), np.array(widths)[block.symbols])
    z = np.array(bases)[block.symbols] + fields
    negative = words >= sign_bit
    ordered = words ^ np.where(negative, mask, sign_bit)
    against = z % 2 == 1
    moved = ordered + np.where(negative != against, -(z // 2), z // 2) & mask
    now = moved ^ np.where(moved >= sign_bit, sign_bit, mask)
    return np.where(block.symbols == word_symbol, fields, now).astype(f"<u{kind.bits // 8}")

"""Exact blocks: elements whose bytes come back as they were (format-blocks.md, sections 6 to 9 and 16)."""

import numpy as np

from ..bytes.bit_reader import BitReader
from ..bytes.byte_reader import ByteReader
from ..bytes.element_kinds import ElementKind
from ..bytes.errors import UnsupportedFormat, check, fail
from .exact_contexts import read_context_differences, read_exponents
from ..coders.range_coder import ContextTree, Model, RangeDecoder
from ..coders.static_rans import read_frequencies, read_static_rans

_ADAPTIVE_COUNT_MAX = 16_384
_NEEDS_PREVIOUS = (4, 5, 6, 7, 9)


def needs_previous(payload: bytes) -> bool:
    """Whether the payload of an exact block can only be decoded with the previous block."""
    return payload[0] in _NEEDS_PREVIOUS


def read_exact_block(payload: bytes, kind: ElementKind, count: int, previous: bytes | None) -> bytes:
    """The bytes of `count` elements, `previous` being those of the previous block, if it is needed."""
    reader = ByteReader(payload)
    mode = reader.unsigned(1)
    if mode > 9:
        raise UnsupportedFormat(f"exact blocks of mode {mode} are not known")
    size = count * kind.bits // 8
    if mode == 0:
        words = reader.take(size)
    elif mode == 1:
        words = reader.take(kind.bits // 8) * count
    elif mode == 3:
        check(
            count <= _ADAPTIVE_COUNT_MAX and (kind.is_float or kind.name == "bytes"), "mode 3 does not serve this block"
        )
        words = _to_bytes(_read_adaptive(reader.rest(), kind, count), kind)
    elif mode == 2:
        words = _to_bytes(_read_planes(reader, kind, count), kind)
    elif mode == 8:
        words = read_exponents(reader, kind, count).tobytes()
    else:
        if previous is None:
            fail("an exact block needs a previous block, and there is none")
        words = _read_against(reader, mode, kind, np.frombuffer(previous, f"<u{kind.bits // 8}"))
    reader.finish("an exact block")
    return words


def _read_against(reader: ByteReader, mode: int, kind: ElementKind, previous: np.ndarray) -> bytes:
    if mode == 4:
        return previous.tobytes()
    if mode == 5:
        return (_read_planes(reader, kind, len(previous)) ^ previous).tobytes()
    if mode == 6:
        return _to_bytes(_read_differences(reader, kind, previous.tolist()), kind)
    if mode == 9:
        return read_context_differences(reader, kind, previous).tobytes()
    check(len(previous) <= _ADAPTIVE_COUNT_MAX, "mode 7 does not serve this block")
    return _to_bytes(_read_adaptive_differences(reader.rest(), kind, previous.tolist()), kind)


def _to_bytes(words: np.ndarray | list[int], kind: ElementKind) -> bytes:
    return np.array(words, f"<u{kind.bits // 8}").tobytes()


def _read_planes(reader: ByteReader, kind: ElementKind, count: int) -> np.ndarray:
    words = np.zeros(count, np.uint64)
    for _ in range(kind.bits // 8):
        words = words << np.uint64(8) | _read_plane(reader, count).astype(np.uint64)
    if kind.is_float:
        words = words >> np.uint64(1) | (words & np.uint64(1)) << np.uint64(kind.bits - 1)
    return words.astype(f"<u{kind.bits // 8}")


def _read_plane(reader: ByteReader, count: int) -> np.ndarray:
    method = reader.unsigned(1)
    check(method <= 2, "a byte plane has an unknown method")
    if method == 0:
        return np.frombuffer(reader.take(count), np.uint8)
    if method == 1:
        return np.full(count, reader.unsigned(1), np.uint8)
    field = RangeDecoder(reader.take(reader.varint(1 << 32)))
    frequencies = read_frequencies(field, 1)
    field.finish()
    return read_static_rans(reader, count, frequencies, [0] * count)


def _read_adaptive(field: bytes, kind: ElementKind, count: int) -> list[int]:
    decoder = RangeDecoder(field)
    words = []
    if not kind.is_float:
        byte_tree = ContextTree(8)
        before = 0
        for _ in range(count):
            before = byte_tree.decode(decoder, before)
            words.append(before)
        decoder.finish()
        return words
    exponent_bits = kind.exponent_bits
    mantissa_bits = kind.bits - 1 - exponent_bits
    shift = max(exponent_bits - 8, 0)
    exponents, signs, mantissas = ContextTree(exponent_bits), ContextTree(1), ContextTree(2)
    last = last_but_one = 0
    for _ in range(count):
        exponent = exponents.decode(decoder, max(last, last_but_one) >> shift)
        sign = signs.decode(decoder, exponent >> shift)
        top = mantissas.decode(decoder, exponent >> shift)
        low = decoder.raw(mantissa_bits - 2)
        words.append((sign << exponent_bits | exponent) << mantissa_bits | top << mantissa_bits - 2 | low)
        last, last_but_one = exponent, last
    decoder.finish()
    return words


def _exponent(word: int, kind: ElementKind) -> int:
    if not kind.is_float:
        return 0
    return word >> kind.bits - 1 - kind.exponent_bits & (1 << kind.exponent_bits) - 1


def _context(word: int, kind: ElementKind, reference: int) -> int:
    return min(max(reference - _exponent(word, kind), 0), 31)


def _move(previous: int, kind: ElementKind, magnitude: int, against: int) -> int:
    """The word that is `magnitude` away from `previous` in the order of the numbers."""
    sign_bit = 1 << kind.bits - 1
    mask = (1 << kind.bits) - 1
    negative = kind.is_float and bool(previous & sign_bit)
    down = negative != bool(against)
    check(magnitude < sign_bit or (magnitude == sign_bit and down), "a difference is too large")
    ordered = previous if not kind.is_float else previous ^ (mask if negative else sign_bit)
    moved = ordered + (-magnitude if down else magnitude) & mask
    if not kind.is_float:
        return moved
    return moved ^ (sign_bit if moved & sign_bit else mask)


def _read_adaptive_differences(field: bytes, kind: ElementKind, previous: list[int]) -> list[int]:
    decoder = RangeDecoder(field)
    reference = decoder.raw(kind.exponent_bits)
    moves, lengths, directions, tops = ContextTree(1), ContextTree(7), ContextTree(1), ContextTree(2)
    history = 0
    words = []
    for word in previous:
        c = _context(word, kind, reference)
        moved = moves.decode(decoder, 4 * c + history)
        history = (history << 1 | moved) & 3
        if not moved:
            words.append(word)
            continue
        t = lengths.decode(decoder, c)
        length = t - 31 + c
        check(1 <= length <= kind.bits, "a difference has a wrong length")
        against = directions.decode(decoder, t)
        modelled = min(length - 1, 2)
        magnitude = 1 << modelled | tops.decode(decoder, t, modelled)
        magnitude = magnitude << length - 1 - modelled | decoder.raw(length - 1 - modelled)
        words.append(_move(word, kind, magnitude, against))
    decoder.finish()
    return words


def _read_differences(reader: ByteReader, kind: ElementKind, previous: list[int]) -> list[int]:
    decoder = RangeDecoder(reader.take(reader.varint(1 << 32)))
    reference = decoder.raw(kind.exponent_bits)
    begins = Model()
    table_of_context = [0]
    for _ in range(31):
        table_of_context.append(table_of_context[-1] + decoder.bit(begins))
    frequencies = read_frequencies(decoder, table_of_context[-1] + 1)
    decoder.finish()
    tables = [table_of_context[_context(word, kind, reference)] for word in previous]
    symbols = read_static_rans(reader, len(previous), frequencies, tables).tolist()
    bits = BitReader(reader.rest())
    words = []
    for word, symbol in zip(previous, symbols, strict=True):
        check(symbol < 255, "a difference has an unknown symbol")
        if symbol == 0:
            words.append(word)
        elif symbol <= 2:
            words.append(_move(word, kind, 1, symbol - 1))
        else:
            length = 2 + (symbol - 3) // 4
            top = 2 | (symbol - 3) % 2
            check(length <= kind.bits, "a difference has a wrong length")
            magnitude = top << length - 2 | bits.number(length - 2)
            words.append(_move(word, kind, magnitude, (symbol - 3) % 4 // 2))
    bits.finish()
    return words

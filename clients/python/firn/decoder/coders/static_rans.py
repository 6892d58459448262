"""rANS with static frequencies of bytes (format-blocks.md, section 5)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..bytes.byte_reader import ByteReader
from ..bytes.errors import check
from .range_coder import Model, Number, RangeDecoder

_LANES = 8
_LANES_FROM_COUNT = 16_384
_STATE_MIN = 1 << 16


@dataclass(frozen=True)
class Frequencies:
    """Tables of a stream: `shares[t]` is the list of f[t][s], `symbols[t]` the symbol of each slot; 2**bits slots."""

    bits: int
    shares: list[list[int]]
    starts: list[list[int]]
    symbols: list[list[int]]


def read_frequencies(decoder: RangeDecoder, table_count: int) -> Frequencies:
    """The frequencies of `table_count` tables."""
    bits = 14 if decoder.bit(Model()) else 12
    numbers = [Number() for _ in range(16)]
    result = Frequencies(bits, [], [], [])
    for _ in range(table_count):
        shares: list[int] = []
        total = 0
        while total < 1 << bits:
            check(len(shares) < 256, "frequencies do not reach their sum")
            context = min(shares[-1].bit_length() if shares else 0, 15)
            shares.append(numbers[context].decode(decoder))
            total += shares[-1]
            check(total <= 1 << bits, "frequencies exceed their sum")
        result.shares.append(shares)
        result.starts.append([0, *np.cumsum(shares).tolist()])
        result.symbols.append(np.repeat(np.arange(len(shares)), shares).tolist())
    return result


def read_static_rans(reader: ByteReader, count: int, frequencies: Frequencies, tables: Sequence[int]) -> np.ndarray:
    """`count` symbols from `reader`, symbol i coded with table `tables[i]`."""
    word_count = reader.varint(1 << 32)
    lanes = _LANES if count >= _LANES_FROM_COUNT else 1
    states = [reader.unsigned(4) for _ in range(lanes)]
    check(min(states) >= _STATE_MIN, "a rANS state is too small")
    words = np.frombuffer(reader.take(2 * word_count), "<u2").tolist()
    bits, mask = frequencies.bits, (1 << frequencies.bits) - 1
    symbols = np.zeros(count, np.uint8)
    used = 0
    for i in range(count):
        table = tables[i]
        x = states[i % lanes]
        slot = x & mask
        symbol = frequencies.symbols[table][slot]
        x = frequencies.shares[table][symbol] * (x >> bits) + slot - frequencies.starts[table][symbol]
        if x < _STATE_MIN:
            check(used < word_count, "a rANS stream is cut off")
            x = x << 16 | words[used]
            used += 1
        states[i % lanes] = x
        symbols[i] = symbol
    check(used == word_count, "a rANS stream has unread words")
    check(all(x == _STATE_MIN for x in states), "a rANS stream ends in a wrong state")
    return symbols

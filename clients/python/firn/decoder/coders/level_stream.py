"""Levels of one block (format-blocks.md, section 4)."""

import numpy as np

from ..bytes.bit_reader import BitReader
from ..bytes.errors import check, fail
from .token_tables import LevelCode, Token


def _next_token(bits: BitReader, code: LevelCode) -> Token:
    size = value = 0
    while True:
        token = code.tokens.get((size, value))
        if token is not None:
            return token
        value = value << 1 | bits.bit()
        size += 1


def _read_group(bits: BitReader, code: LevelCode, count: int, modulus: int) -> np.ndarray:
    """The d of the `count` elements that have one source level."""
    found = np.zeros(count, np.int64)
    filled = 0
    before = -1
    ahead: Token | None = None
    while filled < count:
        kind, d = ahead or _next_token(bits, code)
        ahead = None
        check(kind == 0, "a run stands where a value is due")
        check(d < modulus, "a value is not below the modulus")
        check(d != before, "a run is not maximal")
        before = d
        run = 1
        if filled + 1 < count:
            ahead = _next_token(bits, code)
            if ahead[0] == 1:
                run = ahead[1]
                ahead = None
        check(filled + run <= count, "a run reaches past its group")
        found[filled : filled + run] = d
        filled += run
    return found


def read_level_stream(stream: bytes, codes: list[LevelCode | None], previous: np.ndarray, modulus: int) -> np.ndarray:
    """The levels of a block, `previous` being those of the same elements in the ancestor (zeros without one)."""
    bits = BitReader(stream)
    levels = np.zeros(len(previous), np.int64)
    for source in np.unique(previous).tolist():
        check(source < modulus, "a previous level is not below the modulus")
        code = codes[source] if source < len(codes) else None
        if code is None:
            fail("a level has no code")
        where = np.flatnonzero(previous == source)
        levels[where] = (source - _read_group(bits, code, len(where), modulus)) % modulus
    bits.finish()
    return levels

"""Blocks of 16-bit weights with a mask of those that changed (format-blocks.md, section 19)."""

import numpy as np

from ..bytes.byte_reader import ByteReader
from ..bytes.element_kinds import ElementKind
from ..bytes.errors import check
from .exact_blocks import needs_previous, read_exact_block

_BITMASK_MODE = 11


def goes_on(payload: bytes) -> bool:
    """Whether a payload needs the elements of the previous block."""
    return payload[0] == _BITMASK_MODE


def read_bitmask_block(payload: bytes, kind: ElementKind, count: int, previous: bytes | None) -> bytes:
    """The elements of a block, `previous` being those of the previous block where there is one."""
    if not goes_on(payload):
        check(not needs_previous(payload), "a whole block of weights needs a previous one")
        return read_exact_block(payload, kind, count, None)
    check(previous is not None, "a mask of changed weights has no previous block")
    reader = ByteReader(payload[1:])
    bits = np.unpackbits(np.frombuffer(reader.take((count + 7) // 8), np.uint8), bitorder="little")
    check(not bits[count:].any(), "a padding bit of a mask is set")
    changed = bits[:count].astype(bool)
    words = np.frombuffer(previous or b"", "<u2").copy()
    words[changed] = np.frombuffer(reader.take(2 * int(np.count_nonzero(changed))), "<u2")
    reader.finish("a block of changed weights")
    return words.tobytes()

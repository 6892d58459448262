"""
Blocks of several checkpoints: one joint symbol for an element's symbols in all of them (format-blocks.md, section 15).
"""

from collections.abc import Sequence

import numpy as np

from ..bytes.byte_reader import ByteReader
from .context_blocks import ESCAPE, read_context_block
from .context_tables import ContextTables
from ..bytes.errors import check

_SYMBOLS = 32
_ESCAPE_BOUND = 1 << 32


def read_joint_block(
    payload: bytes, joint_symbols: Sequence[bytes], tables: ContextTables, slots: np.ndarray, contexts: np.ndarray
) -> list[np.ndarray]:
    """
    For each checkpoint, the moves of the elements: symbols with their escapes added. `joint_symbols` has the listed
    symbols of each checkpoint.
    """
    reader = ByteReader(payload)
    escape_count = reader.varint(_ESCAPE_BOUND)
    check(escape_count <= reader.left, "a block has more escapes than bytes")
    escapes = [reader.varint(_ESCAPE_BOUND) for _ in range(escape_count)]
    block = read_context_block(reader.rest(), tables, slots, contexts)
    symbols = _symbols_of(block.symbols.astype(np.int64), np.array(block.escapes, np.int64), joint_symbols)
    moves = []
    for of_checkpoint in symbols:
        is_escape = of_checkpoint == ESCAPE
        count = int(np.count_nonzero(is_escape))
        check(count <= len(escapes), "a block has too few escapes")
        of_checkpoint[is_escape] += np.array(escapes[:count], np.int64)
        escapes = escapes[count:]
        moves.append(of_checkpoint)
    check(not escapes, "a block has too many escapes")
    return moves


def _symbols_of(numbers: np.ndarray, told: np.ndarray, joint_symbols: Sequence[bytes]) -> list[np.ndarray]:
    listed = len(joint_symbols[0])
    is_told = numbers == ESCAPE
    check(bool(np.all(numbers[~is_told] < listed)), "an element has a joint symbol that is not listed")
    in_list = told < listed - ESCAPE
    packed = told - max(listed - ESCAPE, 0)
    check(
        bool(np.all(in_list | (packed < _SYMBOLS ** len(joint_symbols)))),
        "an element has a joint symbol that does not exist",
    )
    found = []
    for position, symbols in enumerate(joint_symbols):
        table = np.frombuffer(symbols, np.uint8).astype(np.int64)
        of_checkpoint = table[np.where(is_told, 0, numbers)]
        from_list = table[np.where(in_list, told + ESCAPE, 0)]
        of_checkpoint[is_told] = np.where(in_list, from_list, packed // _SYMBOLS**position % _SYMBOLS)
        found.append(of_checkpoint)
    return found

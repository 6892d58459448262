"""Context blocks: symbols 0..31 and escape values (format-blocks.md, section 13)."""

from dataclasses import dataclass

import numpy as np

from ..bytes.bit_reader import BitReader
from ..bytes.byte_reader import ByteReader
from .context_tables import Code, ContextTables
from ..bytes.errors import UnsupportedFormat, check
from .lanes import LaneStream

ESCAPE = 31

_ZERO, _DENSE, _RUNS, _RAW = range(4)
_LANES_OF_FORM = (1, 1, 1, 1, 4, 8, 32, 64)


@dataclass(frozen=True)
class ContextBlock:
    """The symbol of each element, and the escape value of each symbol 31."""

    symbols: np.ndarray
    escapes: list[int]


def _table_numbers(tables: ContextTables, slots: np.ndarray, contexts: np.ndarray) -> list[int]:
    """The table number of each element's row."""
    keys, which = np.unique(slots.astype(np.int64) * 64 + contexts, return_inverse=True)
    numbers = []
    for key in keys.tolist():
        table = tables.table_of(key // 64, key % 64)
        check(table is not None, "a row has no table")
        numbers.append(table)
    return np.array(numbers, np.int64)[which].tolist()


def _read_moved(stream: LaneStream, runs: Code, run_max: int, count: int) -> list[int]:
    """Which of a group's elements have another symbol than 0."""
    moved = []
    at = 0
    while at < count:
        zeros = stream.next(runs)
        if zeros < run_max:
            check(at + zeros < count, "a run reaches past its group")
            moved.append(at + zeros)
            at += zeros + 1
        else:
            at = min(at + zeros, count)
    return moved


def _read_runs(stream: LaneStream, tables: ContextTables, numbers: list[int]) -> np.ndarray:
    symbols = np.zeros(len(numbers), np.uint8)
    number_of = np.array(numbers)
    for number, table in enumerate(tables.tables):
        group = np.flatnonzero(number_of == number)
        if len(group) == 0 or table.values is None:
            continue
        moved = range(len(group)) if table.runs is None else _read_moved(stream, table.runs, table.run_max, len(group))
        for i in moved:
            symbols[group[i]] = stream.next(table.values)
    return symbols


def _read_symbols(
    mode: int, form: int, body: bytes, tables: ContextTables, slots: np.ndarray, contexts: np.ndarray
) -> np.ndarray:
    count = len(contexts)
    if mode == _ZERO:
        check(form == 0 and not body, "a zero block has more than its first byte")
        return np.zeros(count, np.uint8)
    if mode == _RAW:
        check(form == 0, "a raw block has lanes")
        bits = BitReader(body)
        symbols = np.array([bits.number(5) for _ in range(count)], np.uint8)
        bits.finish()
        return symbols
    numbers = _table_numbers(tables, slots, contexts)
    stream = LaneStream(body, _LANES_OF_FORM[form], form + 1)
    if mode == _DENSE:
        codes = [table.symbols for table in tables.tables]
        symbols = np.array([stream.next(codes[number]) for number in numbers], np.uint8)
    else:
        symbols = _read_runs(stream, tables, numbers)
    stream.finish()
    return symbols


def _read_escapes(field: bytes, count: int) -> list[int]:
    bits = BitReader(field)
    found = []
    for _ in range(count):
        length = 0
        while bits.bit():
            length += 1
            check(length <= 32, "an escape value is too large")
        value = (1 << length | bits.number(length)) - 1
        check(value < 1 << 32, "an escape value is too large")
        found.append(value)
    bits.finish()
    return found


def read_context_block(payload: bytes, tables: ContextTables, slots: np.ndarray, contexts: np.ndarray) -> ContextBlock:
    """The symbols of a block whose elements have these slots and contexts."""
    reader = ByteReader(payload)
    first = reader.unsigned(1)
    if first >> 6:
        raise UnsupportedFormat("a context block has unknown flags")
    mode, form, escaped = first & 3, first >> 2 & 7, bool(first & 32)
    escape_bytes = reader.varint(1 << 32) if escaped else 0
    check(escape_bytes <= reader.left, "an escape field is cut off")
    body = reader.take(reader.left - escape_bytes)
    symbols = _read_symbols(mode, form, body, tables, slots, contexts)
    escape_count = int(np.count_nonzero(symbols == ESCAPE))
    check(escaped == (escape_count > 0), "a block's flag of escape values is wrong")
    return ContextBlock(symbols, _read_escapes(reader.rest(), escape_count))

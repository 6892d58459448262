"""Blocks of optimizer state (format-blocks.md, section 16)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..bytes.byte_reader import ByteReader
from ..coders.context_blocks import ESCAPE, read_context_block
from ..coders.context_tables import SLOTS_MAX, read_context_tables
from ..bytes.element_kinds import KIND_OF_DTYPE
from ..bytes.errors import UnsupportedFormat, check
from .exact_blocks import needs_previous, read_exact_block
from ..coders.range_coder import Number, RangeDecoder

SECOND, FIRST, MOMENTUM, CLUSTERS = "second moment", "first moment", "momentum", "clusters"
ENCODINGS = (SECOND, FIRST, MOMENTUM, CLUSTERS)

_EXACT, _ALONE, _WITH_PREVIOUS = range(3)
_NUMBER_END = 1 << 24
_FIT_MIN, _FIT_MAX = -16384, 16383
_FIT_ROWS_MIN = 4
_HIGHEST = 0x7F7FFFFF
_SCALE_MAX = _HIGHEST >> 21


@dataclass(frozen=True)
class Segment:
    """Elements of a tensor with rows of `columns` elements (0: one row) from column `column` on."""

    count: int
    columns: int
    column: int

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """The row and the column of each element."""
        if self.columns == 0:
            return np.zeros(self.count, np.int64), np.arange(self.count)
        at = self.column + np.arange(self.count)
        return at // self.columns, at % self.columns

    @property
    def rows(self) -> int:
        """How many rows it has a part in."""
        return -(-(self.column + self.count) // self.columns) if self.columns else 1

    @property
    def fitted_columns(self) -> int:
        """How many columns have a number of their own."""
        return self.columns if self.rows >= _FIT_ROWS_MIN else 0


def goes_on(payload: bytes, encoding: str) -> bool:
    """Whether a payload needs the elements of the previous block."""
    return encoding == SECOND and payload[0] == _WITH_PREVIOUS


def read_state_block(payload: bytes, encoding: str, segments: Sequence[Segment], reference: bytes | None) -> bytes:
    """The elements of a block, coded against those of `reference` where the encoding and the mode need any."""
    count = sum(segment.count for segment in segments)
    reader = ByteReader(payload)
    mode = reader.unsigned(1)
    if mode > _WITH_PREVIOUS:
        raise UnsupportedFormat("a state block has an unknown mode")
    if mode == _EXACT:
        check(reader.left > 0 and not needs_previous(payload[1:]), "an exact state block needs a previous one")
        return read_exact_block(reader.rest(), KIND_OF_DTYPE["F32"], count, None)
    check(mode == _ALONE or encoding == SECOND, "a state block has a mode that its encoding does not have")
    if encoding == CLUSTERS:
        return _read_clusters(reader, segments, count)
    if encoding == MOMENTUM:
        return _read_momentum(reader, segments)
    check(reference is not None or (encoding == SECOND and mode == _ALONE), "a state block lacks its reference")
    patterns = np.frombuffer(reference or b"", "<u4").astype(np.int64)
    return (
        _read_first(reader, segments, patterns)
        if encoding == FIRST
        else _read_second(reader, segments, patterns if mode == _WITH_PREVIOUS else None)
    )


def _unzigzag(value: int) -> int:
    return (value + 1) // 2 if value & 1 else -(value // 2)


def _read_list(decoder: RangeDecoder, models: Number, count: int, low: int, high: int, last: int = 0) -> list[int]:
    found = []
    for _ in range(count):
        last += _unzigzag(models.decode(decoder))
        check(low <= last <= high, "a number of a row or column is out of range")
        found.append(last)
    return found


def _read_row_numbers(reader: ByteReader, segments: Sequence[Segment], high: int) -> np.ndarray:
    """By element: the number of its row."""
    decoder, models = RangeDecoder(reader.take(reader.varint())), Number()
    numbers, last = [], 0
    for segment in segments:
        rows = _read_list(decoder, models, segment.rows, 0, high, last)
        last = rows[-1]
        numbers.append(np.array(rows)[segment.places()[0]])
    decoder.finish()
    return np.concatenate(numbers)


def _read_symbols(reader: ByteReader, segments: Sequence[Segment], contexts: np.ndarray) -> np.ndarray:
    slots = np.repeat([min(i, SLOTS_MAX - 1) for i in range(len(segments))], [segment.count for segment in segments])
    tables = read_context_tables(reader.take(reader.varint()), min(len(segments), SLOTS_MAX))
    block = read_context_block(reader.rest(), tables, slots, contexts)
    codes = block.symbols.astype(np.int64)
    codes[codes == ESCAPE] += np.array(block.escapes, np.int64)
    numbers = np.where(codes & 1, (codes + 1) // 2, -(codes // 2))
    check(bool(np.all(np.abs(numbers) < _NUMBER_END)), "a number of a state block is too large")
    return numbers


def _read_share(reader: ByteReader, zero_allowed: bool) -> np.float32:
    value = np.frombuffer(reader.take(4), "<f4")[0]
    check(0 <= value <= 1 and not np.signbit(value) and (zero_allowed or value > 0), "a step or floor is out of range")
    return value


def _levels(patterns: np.ndarray, shift: int) -> np.ndarray:
    magnitudes = np.minimum(patterns & 0x7FFFFFFF, _HIGHEST)
    return np.minimum((magnitudes + (1 << shift - 1)) >> shift, _HIGHEST >> shift)


def _expected(rows: np.ndarray, columns: np.ndarray | None, segment: Segment) -> np.ndarray:
    """By element: what is expected in quarters of a level, a half added."""
    row, column = segment.places()
    total = rows[row] + (0 if columns is None else columns[column])
    return np.maximum(total, 0) + 2


def _means(values: np.ndarray, places: np.ndarray, counted: np.ndarray, size: int) -> np.ndarray:
    totals, counts = np.zeros(size, np.int64), np.zeros(size, np.int64)
    np.add.at(totals, places[counted], values[counted])
    np.add.at(counts, places[counted], 1)
    means = np.clip((2 * totals + counts) // np.maximum(2 * counts, 1), -_FIT_MAX, _FIT_MAX)
    return np.where(counts == 0, _FIT_MIN, means)


def _distances(levels: np.ndarray, segment: Segment) -> np.ndarray:
    """By element: how far the earlier checkpoint's level is from what its own fit expects, -8..7, plus 8."""
    row, column = segment.places()
    counted, width = levels > 0, segment.fitted_columns
    rows = _means(4 * levels, row, counted, segment.rows)
    columns = None
    for _ in range(2 if width else 0):
        columns = _means(4 * levels - rows[row], column, counted, width)
        rows = _means(4 * levels - columns[column], row, counted, segment.rows)
    return np.clip(levels - _expected(rows, columns, segment) // 4, -8, 7) + 8


def _read_second(reader: ByteReader, segments: Sequence[Segment], previous: np.ndarray | None) -> bytes:
    shift, lift = reader.unsigned(1), reader.unsigned(2)
    check(19 <= shift <= 23 and lift < 32768, "the levels of second moments are damaged")
    decoder, row_models, column_models = RangeDecoder(reader.take(reader.varint())), Number(), Number()
    before = None if previous is None else _levels(previous, shift)
    expected, contexts, at = [], [], 0
    for segment in segments:
        rows = _read_list(decoder, row_models, segment.rows, _FIT_MIN, _FIT_MAX)
        columns = _read_list(decoder, column_models, segment.fitted_columns, _FIT_MIN, _FIT_MAX)
        parts = _expected(np.array(rows), np.array(columns) if columns else None, segment)
        distances = 0 if before is None else _distances(before[at : at + segment.count], segment)
        expected.append(parts // 4)
        contexts.append(4 * distances + parts % 4)
        at += segment.count
    decoder.finish()
    levels = np.concatenate(expected) + _read_symbols(reader, segments, np.concatenate(contexts))
    check(bool(np.all((levels >= 0) & (levels <= _HIGHEST >> shift))), "a level of second moments is out of range")
    return np.where(levels == 0, 0, (levels << shift) + (lift << shift >> 16)).astype("<u4").tobytes()


def _read_first(reader: ByteReader, segments: Sequence[Segment], seconds: np.ndarray) -> bytes:
    step, floor = _read_share(reader, False), _read_share(reader, True)
    numbers = _read_symbols(reader, segments, _read_row_numbers(reader, segments, 15))
    usable = (seconds > 0) & (seconds <= _HIGHEST)
    roots = np.sqrt(np.where(usable, seconds, 0).astype("<u4").view("<f4"))
    return _multiples(numbers, step * (roots + floor))


def _read_momentum(reader: ByteReader, segments: Sequence[Segment]) -> bytes:
    step = _read_share(reader, False)
    scales = (_read_row_numbers(reader, segments, _SCALE_MAX) << 21).astype("<u4").view("<f4")
    numbers = _read_symbols(reader, segments, np.zeros(len(scales), np.int64))
    return _multiples(numbers, step * scales)


def _multiples(numbers: np.ndarray, units: np.ndarray) -> bytes:
    return np.where(numbers == 0, np.float32(0), numbers.astype("<f4") * units).astype("<f4").tobytes()


def _read_clusters(reader: ByteReader, segments: Sequence[Segment], count: int) -> bytes:
    tables = np.frombuffer(reader.take(128 * len(segments)), "<f4").reshape(len(segments), 16, 2)
    check(bool(np.all(np.isfinite(tables)) and not np.any(np.signbit(tables[:, :, 0]))), "a cluster is damaged")
    halves = np.frombuffer(reader.take((count + 1) // 2), np.uint8)
    labels = np.stack([halves & 15, halves >> 4], 1).reshape(-1)
    check(count % 2 == 0 or labels[count] == 0, "a padding half of a label is set")
    codes = np.frombuffer(reader.take(count), np.uint8)
    reader.finish("a block of clusters")
    which = np.repeat(np.arange(len(segments)), [segment.count for segment in segments])
    chosen = tables[which, labels[:count]]
    return (chosen[:, 1] + chosen[:, 0] * (codes.astype("<f4") / np.float32(255))).astype("<f4").tobytes()

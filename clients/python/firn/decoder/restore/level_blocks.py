"""The elements of a block of levels along a chain, by the core or in numpy (format.md, "Payloads")."""

from collections.abc import Sequence

import numpy as np

from ..bytes.byte_reader import ByteReader
from ..bytes.element_kinds import element_bytes
from ..bytes.errors import check
from ..coders.level_stream import read_level_stream
from ..index.package_index import Codebook
from .chain import Link


def decode_levels(links: Sequence[Link]) -> bytes:
    """The elements of the first of these links, newest first."""
    core = links[0].package.core
    levels = np.zeros(links[0].block.plan.count, np.int64)
    words = b""
    level_count_before = 0
    for at, link in enumerate(reversed(links)):
        book = link.codebook
        reader = ByteReader(link.package.payload(link.block))
        word_count = reader.varint()
        check(word_count <= (len(levels) if book.has_protected else 0), "a block has too many protected words")
        words = reader.take(2 * word_count)
        level_count = max(book.level_count, level_count_before)
        if core is None:
            levels = read_level_stream(reader.rest(), book.codes.parsed, levels, level_count)
        else:
            before = levels if at > 0 else None
            levels = core.levels(book.codes.of_core(core), reader.rest(), before, len(levels), level_count)
        check(bool(np.all(levels < book.level_count)), "a level is not in its codebook")
        if book.protected_level is not None:
            protected_count = int(np.count_nonzero(levels == book.protected_level))
            check(protected_count == word_count, "protected words do not fit the levels")
        level_count_before = book.level_count
    if core is None:
        return _elements(links[0], levels, words)
    book = links[0].codebook
    return core.level_elements(levels, book.dtype, _table_of(book).tobytes(), book.protected_level, words)


def _table_of(book: Codebook) -> np.ndarray:
    """By level: its element; the pruned and the protected level stand for +0."""
    unit = np.dtype(f"<u{element_bytes(book.dtype)}")
    table = np.zeros(book.level_count, unit)
    centroids = np.frombuffer(book.centroids, unit)
    table[: len(centroids)] = centroids
    return table


def _elements(link: Link, levels: np.ndarray, words: bytes) -> bytes:
    book = link.codebook
    unit = np.dtype(f"<u{element_bytes(book.dtype)}")
    elements = _table_of(book)[levels]
    if book.protected_level is not None:
        values = np.frombuffer(words, "<u2").astype(unit)
        elements[levels == book.protected_level] = values << 16 if book.dtype == "F32" else values
    return elements.tobytes()

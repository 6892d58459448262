"""The bytes of one block's elements, from its payload and those it goes on from (format.md, "Payloads")."""

from collections.abc import Generator, Sequence

import numpy as np

from ...core import SEGMENT_OF_LATTICE, Core, ResidualLink
from ..methods.bitmask_blocks import goes_on as mask_goes_on
from ..methods.bitmask_blocks import read_bitmask_block
from ..methods.bucket_blocks import goes_on as buckets_go_on
from ..methods.bucket_blocks import read_bucket_block, read_merged_bucket_block
from ..bytes.byte_reader import ByteReader
from .chain import BlockFinder, Link, Place
from ..coders.context_blocks import ESCAPE, read_context_block
from ..bytes.element_kinds import KIND_OF_DTYPE, element_bytes
from ..bytes.errors import check, fail
from ..methods.exact_blocks import needs_previous, read_exact_block
from ..methods.lattice import (
    ACTIVITY_AT_FIRST,
    LatticeParameters,
    LatticeState,
    apply_moves,
    contexts,
    element_bytes_of,
    lattice_parameters,
    shifted_values,
)
from ..methods.master_blocks import MASTER_MODE, MasterSegment, read_master_block
from ..coders.level_stream import read_level_stream
from ..methods.state_blocks import FIRST, FORMS, Segment, goes_on, read_state_block
from ..index.package_index import Codebook
from ..coders.joint_blocks import read_joint_block

# Decodes a block: yields the places of elements that it needs of other blocks, is sent those elements, and returns its
# own.
Steps = Generator[list[Place], list[bytes], bytes]


def decode_block(finder: BlockFinder, links: Sequence[Link]) -> Steps:
    """
    The elements of the first link's block, `links` being that block and all it goes on from, newest first. It stops
    where it needs elements of other blocks, for the caller to decode them meanwhile: these may need others in turn,
    down the whole chain, which is deeper than calls can go.
    """
    kind = links[0].block.plan.block_class[0]
    if kind == "state":
        return (yield from _decode_state(links))
    if kind == "exact":
        return (yield from _decode_exact(finder, links))
    if kind == "levels":
        core = links[0].package.core
        return _decode_levels_in_core(core, links) if core else _decode_levels(links)
    if kind == "bitmask":
        return _decode_bitmasks(links)
    if kind == "buckets":
        return _decode_buckets(links)
    core = links[0].package.core
    return _decode_residual_in_core(core, links) if core else _decode_residual(links)


def _dtype(link: Link) -> str:
    return link.file.tensors[link.block.plan.runs[0].tensor].dtype


def _decode_exact(finder: BlockFinder, links: Sequence[Link]) -> Steps:
    payloads: list[bytes] = []
    for link in links:
        payloads.append(link.package.payload(link.block))
        if not needs_previous(payloads[-1]):
            break
    # The oldest payload is the only one that may need others than the one before it.
    oldest = links[len(payloads) - 1]
    elements: bytes | None = None
    if needs_previous(payloads[-1]):
        places = finder.gathered(oldest)
        if places is None:
            fail("an exact block needs a previous block, or a gathered one, and there is none")
        elements = b"".join((yield places))
    elif payloads[-1][0] == MASTER_MODE and any(run.tensor in oldest.file.named for run in oldest.block.plan.runs):
        elements = yield from _decode_masters(oldest, payloads.pop())
    for payload in reversed(payloads):
        elements = _read_exact(links[0], payload, elements)
    return elements or b""


def _read_exact(link: Link, payload: bytes, previous: bytes | None) -> bytes:
    kind, count, core = KIND_OF_DTYPE[_dtype(link)], link.block.plan.count, link.package.core
    if core is None:
        return read_exact_block(payload, kind, count, previous)
    return core.exact(payload, kind.name, count * kind.bits // 8, previous)


def _decode_masters(link: Link, payload: bytes) -> Steps:
    named, runs = link.file.named, link.block.plan.runs
    references = iter(
        (yield [Place(link.at, *named[run.tensor], run.first, run.count) for run in runs if run.tensor in named])
    )
    segments = []
    for run in runs:
        if run.tensor not in named:
            segments.append(MasterSegment(run.count, None, b""))
            continue
        file, tensor = named[run.tensor]
        dtype = link.package.index.files[file].tensors[tensor].dtype
        segments.append(MasterSegment(run.count, dtype, next(references)))
    core = link.package.core
    if core is None:
        return read_master_block(payload, segments)
    return core.masters(payload, [(segment.count, segment.dtype) for segment in segments], b"".join(segment.reference for segment in segments))


def _state_segments(link: Link) -> list[Segment]:
    segments = []
    for run in link.block.plan.runs:
        tensor = link.file.tensors[run.tensor]
        rows = next((size for size in tensor.shape if size > 1), tensor.elements)
        columns = 0 if rows == tensor.elements else tensor.elements // rows
        segments.append(Segment(run.count, columns, run.first % columns if columns else 0))
    return segments


def _decode_state(links: Sequence[Link]) -> Steps:
    newest = links[0]
    form = FORMS[int(newest.block.plan.block_class[1])]
    if form == FIRST:
        seconds = newest.file.seconds
        reference = yield [Place(newest.at, newest.number, seconds[run.tensor], run.first, run.count) for run in newest.block.plan.runs]
        return _read_state(newest, newest.package.payload(newest.block), form, b"".join(reference))
    payloads: list[tuple[Link, bytes]] = []
    for link in links:
        payloads.append((link, link.package.payload(link.block)))
        if not goes_on(payloads[-1][1], form):
            break
    before: bytes | None = None
    for link, payload in reversed(payloads):
        before = _read_state(link, payload, form, before)
    return before or b""


def _read_state(link: Link, payload: bytes, form: str, reference: bytes | None) -> bytes:
    segments, core = _state_segments(link), link.package.core
    if core is None:
        return read_state_block(payload, form, segments, reference)
    runs = [(segment.count, segment.columns, segment.column) for segment in segments]
    return core.state(payload, FORMS.index(form), runs, reference)


def _decode_bitmasks(links: Sequence[Link]) -> bytes:
    payloads: list[bytes] = []
    for link in links:
        payloads.append(link.package.payload(link.block))
        if not mask_goes_on(payloads[-1]):
            break
    elements: bytes | None = None
    kind, count, core = KIND_OF_DTYPE[_dtype(links[0])], links[0].block.plan.count, links[0].package.core
    for payload in reversed(payloads):
        if core:
            elements = core.bitmask(payload, kind.name, count * kind.bits // 8, elements)
        else:
            elements = read_bitmask_block(payload, kind, count, elements)
    return elements or b""


def _decode_buckets(links: Sequence[Link]) -> bytes:
    dtype, count, core = _dtype(links[0]), links[0].block.plan.count, links[0].package.core
    kind = KIND_OF_DTYPE[dtype]
    size = count * kind.bits // 8
    found: list[tuple[Link, bytes]] = []
    at = 0
    while at < len(links):
        link = links[at]
        found.append((link, link.package.payload(link.block)))
        # The checkpoints of a merged package have one payload, which goes on from the block before the first of them.
        at += 1 + link.package.index.position
        if link.package.index.width == 0 and not buckets_go_on(found[-1][1]):
            break
    elements: bytes | None = None
    for link, payload in reversed(found):
        index = link.package.index
        part = (index.width, index.position)
        if core:
            elements = core.merged_buckets(payload, dtype, size, elements, part) if index.width else core.buckets(payload, dtype, size, elements)
        elif index.width == 0:
            elements = read_bucket_block(payload, kind, count, elements)
        else:
            elements = read_merged_bucket_block(payload, kind, count, elements, part)
    return elements or b""


def _decode_levels(links: Sequence[Link]) -> bytes:
    count = links[0].block.plan.count
    levels = np.zeros(count, np.int64)
    words = b""
    level_count_before = 0
    for link in reversed(links):
        book = link.codebook
        reader = ByteReader(link.package.payload(link.block))
        word_count = reader.varint()
        check(word_count <= (count if book.has_protected else 0), "a block has too many protected words")
        words = reader.take(2 * word_count)
        levels = read_level_stream(reader.rest(), book.codes.parsed, levels, max(book.level_count, level_count_before))
        check(bool(np.all(levels < book.level_count)), "a level is not in its codebook")
        if book.protected_level is not None:
            check(
                int(np.count_nonzero(levels == book.protected_level)) == word_count,
                "protected words do not fit the levels",
            )
        level_count_before = book.level_count
    return _elements_of_levels(links[0], levels, words)


def _decode_levels_in_core(core: Core, links: Sequence[Link]) -> bytes:
    count = links[0].block.plan.count
    levels: np.ndarray | None = None
    words = b""
    level_count_before = 0
    for link in reversed(links):
        book = link.codebook
        reader = ByteReader(link.package.payload(link.block))
        word_count = reader.varint()
        check(word_count <= (count if book.has_protected else 0), "a block has too many protected words")
        words = reader.take(2 * word_count)
        tables = book.codes.of_core(core)
        levels = core.levels(tables, reader.rest(), levels, count, max(book.level_count, level_count_before))
        check(int(levels.max()) < book.level_count, "a level is not in its codebook")
        if book.protected_level is not None:
            check(int(np.count_nonzero(levels == book.protected_level)) == word_count, "protected words do not fit the levels")
        level_count_before = book.level_count
    assert levels is not None
    book = links[0].codebook
    return core.level_elements(levels, book.dtype, _table_of(book).tobytes(), book.protected_level, words)


def _table_of(book: Codebook) -> np.ndarray:
    """By level: its element; the pruned and the protected level stand for +0."""
    unit = np.dtype(f"<u{element_bytes(book.dtype)}")
    table = np.zeros(book.level_count, unit)
    centroids = np.frombuffer(book.centroids, unit)
    table[: len(centroids)] = centroids
    return table


def _elements_of_levels(link: Link, levels: np.ndarray, words: bytes) -> bytes:
    book = link.codebook
    unit = np.dtype(f"<u{element_bytes(book.dtype)}")
    elements = _table_of(book)[levels]
    if book.protected_level is not None:
        values = np.frombuffer(words, "<u2").astype(unit)
        elements[levels == book.protected_level] = values << 16 if book.dtype == "F32" else values
    return elements.tobytes()


def _parameters(link: Link, has_previous: bool) -> list[LatticeParameters]:
    index = link.package.index
    found = []
    for run in link.block.plan.runs:
        is_matrix = sum(size > 1 for size in link.file.tensors[run.tensor].shape) >= 2
        scale = index.matrix_scale if is_matrix else index.vector_scale
        found.append(lattice_parameters(link.file.records[run.tensor], scale, has_previous))
    return found


def _origins(link: Link) -> LatticeState:
    values = np.concatenate(
        [np.full(run.count, link.file.records[run.tensor].origin, np.int64) for run in link.block.plan.runs]
    )
    return LatticeState(values, np.full(len(values), ACTIVITY_AT_FIRST, np.int64))


def _decode_residual(links: Sequence[Link]) -> bytes:
    state: LatticeState | None = None
    parameters: list[LatticeParameters] = []
    moves: list[np.ndarray] = []
    for link in reversed(links):
        parameters = _parameters(link, state is not None)
        # The first checkpoint of a merged package reads the moves of all.
        if link.package.index.position == 0:
            moves = _read_moves(link, parameters, state)
        state = _next_state(link, parameters, state, moves[link.package.index.position])
    if state is None:
        return b""
    parts, at = [], 0
    for run, segment in zip(links[0].block.plan.runs, parameters, strict=True):
        parts.append(element_bytes_of(state.values[at : at + run.count], segment, _dtype(links[0])))
        at += run.count
    return b"".join(parts)


def _decode_residual_in_core(core: Core, links: Sequence[Link]) -> bytes:
    chain = []
    payload = joint_symbols = b""
    for link in reversed(links):
        index = link.package.index
        # The checkpoints of a merged package have one payload, and the core wants it to be the same object.
        if index.position == 0:
            payload = link.package.payload(link.block)
            joint_symbols = b"".join(index.joint_symbols or [])
        runs = link.block.plan.runs
        segments = np.array(
            [
                (run.count, one.exponent, one.step, one.shift, one.offsets, one.gain)
                for run, one in zip(runs, _parameters(link, len(chain) > 0), strict=True)
            ],
            SEGMENT_OF_LATTICE,
        )
        slots = [link.file.slots[run.tensor] for run in runs]
        chain.append(ResidualLink(index.tables.of_core(core), payload, segments, slots, joint_symbols, index.width if joint_symbols else 0, index.position))
    oldest = links[-1]
    origins = [oldest.file.records[run.tensor].origin for run in oldest.block.plan.runs]
    return core.residual(chain, origins, _dtype(links[0]), links[0].block.plan.count)


def _segments(link: Link) -> list[slice]:
    edges = np.cumsum([0, *(run.count for run in link.block.plan.runs)]).tolist()
    return [slice(a, b) for a, b in zip(edges, edges[1:], strict=False)]


def _read_moves(link: Link, parameters: Sequence[LatticeParameters], previous: LatticeState | None) -> list[np.ndarray]:
    """The symbols of a payload with their escapes added: one array, or one for each checkpoint of a merged package."""
    start = previous or _origins(link)
    runs = link.block.plan.runs
    context = []
    for part, segment in zip(_segments(link), parameters, strict=True):
        values = start.values[part]
        context.append(contexts(values, shifted_values(values, segment.shift), start.activities[part], segment.step))
    slots = np.repeat([link.file.slots[run.tensor] for run in runs], [run.count for run in runs])
    index = link.package.index
    payload = link.package.payload(link.block)
    if index.joint_symbols is not None:
        return read_joint_block(payload, index.joint_symbols, index.tables.parsed, slots, np.concatenate(context))
    block = read_context_block(payload, index.tables.parsed, slots, np.concatenate(context))
    moves = block.symbols.astype(np.int64)
    moves[moves == ESCAPE] += np.array(block.escapes, np.int64)
    return [moves]


def _next_state(
    link: Link, parameters: Sequence[LatticeParameters], previous: LatticeState | None, moves: np.ndarray
) -> LatticeState:
    start = previous or _origins(link)
    segments = _segments(link)
    shifted = [
        shifted_values(start.values[part], segment.shift) for part, segment in zip(segments, parameters, strict=True)
    ]
    states = [
        apply_moves(values, start.activities[part], moves[part], segment)
        for part, values, segment in zip(segments, shifted, parameters, strict=True)
    ]
    values = np.concatenate([state.values for state in states])
    if previous is None:
        return LatticeState(values, np.full(len(values), ACTIVITY_AT_FIRST, np.int64))
    return LatticeState(values, np.concatenate([state.activities for state in states]))

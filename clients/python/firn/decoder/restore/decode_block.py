"""The bytes of one block's elements, from its payload and those it goes on from (format.md, "Payloads")."""

from collections.abc import Generator, Sequence

from ..bytes.element_kinds import KIND_OF_DTYPE
from ..bytes.errors import fail
from ..methods.bitmask_blocks import goes_on as mask_goes_on
from ..methods.bitmask_blocks import read_bitmask_block
from ..methods.bucket_blocks import goes_on as buckets_go_on
from ..methods.bucket_blocks import read_bucket_block, read_merged_bucket_block
from ..methods.exact_blocks import needs_previous, read_exact_block
from ..methods.master_blocks import MASTER_MODE, MasterSegment, read_master_block
from ..methods.state_blocks import FIRST, ENCODINGS, Segment, goes_on, read_state_block
from .chain import BlockFinder, Link, Place
from .level_blocks import decode_levels
from .residual_blocks import GATHERED_START_VERSION, Keep, decode_residual

# Decodes a block: yields the places of elements that it needs of other blocks, is sent those elements, and returns its
# own.
Steps = Generator[list[Place], list[bytes], bytes]


def decode_block(finder: BlockFinder, links: Sequence[Link], keep: Keep | None = None) -> Steps:
    """
    The elements of the first link's block, `links` being that block and all it goes on from, newest first. It stops
    where it needs elements of other blocks, for the caller to decode them meanwhile: these may need others in turn,
    down the whole chain, which is deeper than calls can go. `keep` receives the state of a residual block.
    """
    kind = links[0].block.plan.block_class[0]
    if kind == "state":
        return (yield from _decode_state(links))
    if kind == "exact":
        return (yield from _decode_exact(finder, links))
    if kind == "levels":
        return decode_levels(links)
    if kind == "bitmask":
        return _decode_bitmasks(links)
    if kind == "buckets":
        return _decode_buckets(links)
    return (yield from _decode_residual(finder, links, keep))


def _decode_residual(finder: BlockFinder, links: Sequence[Link], keep: Keep | None) -> Steps:
    oldest = links[-1]
    places = None
    if oldest.package.index.version >= GATHERED_START_VERSION and not oldest.has_kept_state:
        places = finder.gathered(oldest, may_be_absent=True)
    if places is None:
        return decode_residual(links, keep=keep)
    found = yield places
    # Nothing is sent where the elements lie in too many blocks: there is no gathered block then.
    gathered = b"".join(part + bytes(zeros) for part, zeros in zip(found, places.zeros, strict=True)) if found else None
    return decode_residual(links, gathered, keep)


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
        found = yield places
        elements = b"".join(part + bytes(zeros) for part, zeros in zip(found, places.zeros, strict=True))
    elif payloads[-1][0] == MASTER_MODE and any(run.tensor in oldest.file.named for run in oldest.block.plan.runs):
        elements = yield from _decode_masters(oldest, payloads.pop())
    for payload in reversed(payloads):
        elements = _read_exact(links[0], payload, elements)
    return elements or b""


def _read_exact(link: Link, payload: bytes, previous: bytes | None) -> bytes:
    kind, count, core = KIND_OF_DTYPE[link.dtype], link.block.plan.count, link.package.core
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
    return core.masters(
        payload,
        [(segment.count, segment.dtype) for segment in segments],
        b"".join(segment.reference for segment in segments),
    )


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
    encoding = ENCODINGS[int(newest.block.plan.block_class[1])]
    if encoding == FIRST:
        seconds = newest.file.seconds
        reference = yield [
            Place(newest.at, newest.number, seconds[run.tensor], run.first, run.count) for run in newest.block.plan.runs
        ]
        return _read_state(newest, newest.package.payload(newest.block), encoding, b"".join(reference))
    payloads: list[tuple[Link, bytes]] = []
    for link in links:
        payloads.append((link, link.package.payload(link.block)))
        if not goes_on(payloads[-1][1], encoding):
            break
    before: bytes | None = None
    for link, payload in reversed(payloads):
        before = _read_state(link, payload, encoding, before)
    return before or b""


def _read_state(link: Link, payload: bytes, encoding: str, reference: bytes | None) -> bytes:
    segments, core = _state_segments(link), link.package.core
    if core is None:
        return read_state_block(payload, encoding, segments, reference)
    runs = [(segment.count, segment.columns, segment.column) for segment in segments]
    return core.state(payload, ENCODINGS.index(encoding), runs, reference)


def _decode_bitmasks(links: Sequence[Link]) -> bytes:
    payloads: list[bytes] = []
    for link in links:
        payloads.append(link.package.payload(link.block))
        if not mask_goes_on(payloads[-1]):
            break
    elements: bytes | None = None
    kind, count, core = KIND_OF_DTYPE[links[0].dtype], links[0].block.plan.count, links[0].package.core
    for payload in reversed(payloads):
        if core:
            elements = core.bitmask(payload, kind.name, count * kind.bits // 8, elements)
        else:
            elements = read_bitmask_block(payload, kind, count, elements)
    return elements or b""


def _decode_buckets(links: Sequence[Link]) -> bytes:
    dtype, count, core = links[0].dtype, links[0].block.plan.count, links[0].package.core
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
            elements = (
                core.merged_buckets(payload, dtype, size, elements, part)
                if index.width
                else core.buckets(payload, dtype, size, elements)
            )
        elif index.width == 0:
            elements = read_bucket_block(payload, kind, count, elements)
        else:
            elements = read_merged_bucket_block(payload, kind, count, elements, part)
    return elements or b""

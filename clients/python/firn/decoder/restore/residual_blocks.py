"""The elements of a residual block along a chain, by the core or in numpy (format.md, "Payloads")."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...core import Core, ResidualLink
from ..coders.context_blocks import ESCAPE, read_context_block
from ..coders.joint_blocks import read_joint_block
from ..methods.lattice import (
    ACTIVITY_AT_FIRST,
    LatticeState,
    apply_moves,
    contexts,
    element_bytes_of,
    placed_state,
    shifted_values,
)
from .chain import Link

# From this version on a residual block without a previous one starts from its gathered block, where it has one.
GATHERED_START_VERSION = 11

# Receives the state that a block is left in.
Keep = Callable[[LatticeState], None]


def decode_residual(links: Sequence[Link], gathered: bytes | None = None, keep: Keep | None = None) -> bytes:
    """
    The elements of the first of these links, newest first. A kept state of the last one is where the others start. Else
    that one starts from `gathered`, the elements of its gathered block, if it has one.
    """
    start = links[-1].kept_state()
    if start is not None:
        links, oldest = links[:-1], links[-1]
        if not links:
            return _elements(oldest, oldest.lattice.segments(oldest.block.plan.runs, True), start)
        begin = Begin(start, in_own_units=False)
    elif gathered is not None:
        segments = links[-1].lattice.segments(links[-1].block.plan.runs, False)
        begin = Begin(placed_state(gathered, segments, links[-1].dtype), in_own_units=True)
    else:
        begin = Begin(None, in_own_units=True)
    core = links[0].package.core
    return _decode_in_core(core, links, begin, keep) if core else _decode_in_numpy(links, begin, keep)


@dataclass(frozen=True)
class Begin:
    """
    The state that the oldest block starts from, None for origins, and whether it counts in the units of that block.
    """

    state: LatticeState | None
    in_own_units: bool


def _decode_in_core(core: Core, links: Sequence[Link], begin: Begin, keep: Keep | None) -> bytes:
    chain = []
    payload, joint_symbols = np.empty(0, np.uint8), b""
    for link in reversed(links):
        index = link.package.index
        # The checkpoints of a merged package have one payload, and the core wants it to be the same object.
        if index.position == 0:
            payload = link.package.view[link.block.offset : link.block.offset + link.block.length]
            joint_symbols = b"".join(index.joint_symbols or [])
        runs = link.block.plan.runs
        has_previous = not begin.in_own_units or len(chain) > 0
        chain.append(
            ResidualLink(
                index.tables.of_core(core),
                payload,
                link.block.checksum,
                link.lattice.segments(runs, has_previous),
                link.lattice.slots(runs),
                joint_symbols,
                index.width if joint_symbols else 0,
                index.position,
            )
        )
    origins = None if begin.state is not None else links[-1].lattice.origins(links[-1].block.plan.runs)
    count = links[0].block.plan.count
    elements, state = core.residual(chain, begin.state, origins, links[0].dtype, count, keep is not None)
    if keep is not None and state is not None:
        keep(state)
    return elements


def _decode_in_numpy(links: Sequence[Link], begin: Begin, keep: Keep | None) -> bytes:
    start = begin.state
    state = None if start is None else LatticeState(start.values.astype(np.int64), start.activities.astype(np.int64))
    segments = np.empty(0)
    moves: list[np.ndarray] = []
    for link in reversed(links):
        has_previous = link is not links[-1] or not begin.in_own_units
        segments = link.lattice.segments(link.block.plan.runs, has_previous)
        # The first checkpoint of a merged package reads the moves of all.
        if link.package.index.position == 0:
            moves = _read_moves(link, segments, state)
        state = _next_state(link, segments, state, moves[link.package.index.position])
    assert state is not None
    if keep is not None:
        keep(LatticeState(state.values.astype(np.int32), state.activities.astype(np.uint8)))
    return _elements(links[0], segments, state)


def _elements(link: Link, segments: np.ndarray, state: LatticeState) -> bytes:
    parts = zip(_parts(segments), segments, strict=True)
    return b"".join(element_bytes_of(state.values[part], segment, link.dtype) for part, segment in parts)


def _parts(segments: np.ndarray) -> list[slice]:
    edges = np.cumsum([0, *segments["count"].tolist()]).tolist()
    return [slice(a, b) for a, b in zip(edges, edges[1:], strict=False)]


def _origins(link: Link, segments: np.ndarray) -> LatticeState:
    values = np.repeat(link.lattice.origins(link.block.plan.runs).astype(np.int64), segments["count"])
    return LatticeState(values, np.full(len(values), ACTIVITY_AT_FIRST, np.int64))


def _read_moves(link: Link, segments: np.ndarray, previous: LatticeState | None) -> list[np.ndarray]:
    """The symbols of a payload with their escapes added: one array, or one for each checkpoint of a merged package."""
    start = previous or _origins(link, segments)
    context = []
    for part, segment in zip(_parts(segments), segments, strict=True):
        values = start.values[part]
        shifted = shifted_values(values, int(segment["shift"]))
        context.append(contexts(values, shifted, start.activities[part], int(segment["step"])))
    slots = np.repeat(link.lattice.slots(link.block.plan.runs), segments["count"])
    index = link.package.index
    payload = link.package.payload(link.block)
    if index.joint_symbols is not None:
        return read_joint_block(payload, index.joint_symbols, index.tables.parsed, slots, np.concatenate(context))
    block = read_context_block(payload, index.tables.parsed, slots, np.concatenate(context))
    moves = block.symbols.astype(np.int64)
    moves[moves == ESCAPE] += np.array(block.escapes, np.int64)
    return [moves]


def _next_state(link: Link, segments: np.ndarray, previous: LatticeState | None, moves: np.ndarray) -> LatticeState:
    start = previous or _origins(link, segments)
    states = []
    for part, segment in zip(_parts(segments), segments, strict=True):
        values = shifted_values(start.values[part], int(segment["shift"]))
        states.append(apply_moves(values, start.activities[part], moves[part], segment))
    values = np.concatenate([state.values for state in states])
    # At a block's start, moves express the size of a weight, not its activity.
    if previous is None:
        return LatticeState(values, np.full(len(values), ACTIVITY_AT_FIRST, np.int64))
    return LatticeState(values, np.concatenate([state.activities for state in states]))

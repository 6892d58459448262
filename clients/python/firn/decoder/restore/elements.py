"""Blocks of any package of a chain, and elements of tensors as it gives them (format.md, "Rebuilding a file")."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from ..index.block_plan import WIDENED_CODING
from .chain import BlockFinder, Gathered, Place
from .decode_block import Steps, decode_block
from .kept_state import StateKeeper
from ..bytes.element_kinds import element_bytes
from ..bytes.errors import check
from ..bytes.limits import BLOCK_ELEMENTS_MAX, FILE_BYTES_MAX, GATHERED_BLOCKS_MAX
from ..methods.master_blocks import widened


@dataclass(frozen=True)
class BlockNumber:
    """A block by its number in a file, of a package of the chain, each by its number."""

    at: int
    file: int
    block: int


@dataclass(frozen=True)
class _Part:
    """What a block has of a tensor, from element `first` on, and how many of the block's elements come before it."""

    block: int
    first: int
    before: int


@dataclass
class _Unfinished:
    """A block that is being decoded, the places it waits for, and those of their blocks that may not be decoded yet."""

    number: BlockNumber
    steps: Steps
    places: list[Place] | None = None
    blocks: list[BlockNumber] = field(default_factory=list)


class ElementReader:
    """
    Decodes blocks. Those that others need are each decoded once and put into `scratch`, an empty file. `keeper`
    receives the states of the blocks of the last package.
    """

    def __init__(self, finder: BlockFinder, scratch: BinaryIO, keeper: StateKeeper | None = None) -> None:
        self.finder = finder
        self.scratch = scratch
        self.keeper = keeper
        self.scratch_bytes = 0
        self.offsets: dict[BlockNumber, int] = {}
        self.parts: dict[tuple[int, int], dict[int, list[_Part]]] = {}

    def block(self, wanted: BlockNumber) -> bytes:
        """
        The elements of a block. What it needs is decoded first, and what that needs before that; blocks that wait stand
        in a list, which may get as long as the chain and longer.
        """
        unfinished = [self._begin(wanted)]
        while True:
            newest = unfinished[-1]
            while newest.blocks and newest.blocks[-1] in self.offsets:
                newest.blocks.pop()
            if newest.blocks:
                unfinished.append(self._begin(newest.blocks[-1]))
                continue
            try:
                if newest.places is None:
                    newest.places = next(newest.steps)
                else:
                    newest.places = newest.steps.send([self._taken(place) for place in newest.places])
                newest.blocks = [self._part_of(self._stored(place))[0] for place in newest.places]
                if isinstance(newest.places, Gathered) and len(set(newest.blocks)) > GATHERED_BLOCKS_MAX:
                    check(newest.places.may_be_absent, "a gathered block lies in too many blocks")
                    newest.places, newest.blocks = [], []
            except StopIteration as finished:
                unfinished.pop()
                if not unfinished:
                    return finished.value
                self._keep(newest.number, finished.value)

    def alone(self, wanted: BlockNumber) -> bytes | None:
        """
        The elements of a block that needs no others, None of one that does. Unlike the other methods, on any thread.
        """
        try:
            next(self._begin(wanted).steps)
        except StopIteration as finished:
            return finished.value
        return None

    def elements(self, at: int, file: int, tensor: int) -> Iterator[bytes]:
        """All elements of a tensor of a file of a package, each by its number, in pieces."""
        count = self.finder.chain[at].index.files[file].tensors[tensor].elements
        for first in range(0, count, BLOCK_ELEMENTS_MAX):
            place = Place(at, file, tensor, first, min(BLOCK_ELEMENTS_MAX, count - first))
            number, _ = self._part_of(self._stored(place))
            if number not in self.offsets:
                self._keep(number, self.block(number))
            yield self._taken(place)

    def _begin(self, number: BlockNumber) -> _Unfinished:
        links = self.finder.links(number.at, number.file, number.block)
        is_last = number.at == len(self.finder.chain) - 1
        keep = self.keeper.of(links[0].file.path, number.block) if self.keeper and is_last else None
        return _Unfinished(number, decode_block(self.finder, links, keep))

    def _keep(self, number: BlockNumber, elements: bytes) -> None:
        check(
            self.scratch_bytes + len(elements) <= FILE_BYTES_MAX, "blocks need more of others than this decoder keeps"
        )
        self.scratch.seek(self.scratch_bytes)
        self.offsets[number] = self.scratch_bytes
        self.scratch_bytes += self.scratch.write(elements)

    def _stored(self, place: Place) -> Place:
        """
        The same elements where they lie in a block: of a copy those of its original, of a kept tensor or a widened copy
        those of what it names.
        """
        at, number, tensor = place.at, place.file, place.tensor
        while True:
            file = self.finder.chain[at].index.files[number]
            if tensor in file.copies:
                number, tensor = file.copies[tensor]
            elif tensor in file.kept:
                number, tensor = file.kept[tensor]
                at -= 1
            elif file.codings[tensor] == WIDENED_CODING:
                number, tensor = file.named[tensor]
            else:
                return Place(at, number, tensor, place.first, place.count)

    def _part_of(self, place: Place) -> tuple[BlockNumber, int]:
        """The block that has all of these elements, and the number of the first of them in it."""
        # Tensors of as many elements are cut alike, so that the elements of one block lie in one block there, too.
        part = self._parts_of(place.at, place.file)[place.tensor][place.first // BLOCK_ELEMENTS_MAX]
        return BlockNumber(place.at, place.file, part.block), part.before + place.first - part.first

    def _parts_of(self, at: int, file: int) -> dict[int, list[_Part]]:
        """What the blocks of a file have of each of its tensors, in element order."""
        if (at, file) not in self.parts:
            found: dict[int, list[_Part]] = {}
            for number, block in enumerate(self.finder.chain[at].index.files[file].blocks):
                before = 0
                for run in block.plan.runs:
                    found.setdefault(run.tensor, []).append(_Part(number, run.first, before))
                    before += run.count
            self.parts[at, file] = found
        return self.parts[at, file]

    def _dtype(self, place: Place) -> str:
        return self.finder.chain[place.at].index.files[place.file].tensors[place.tensor].dtype

    def _taken(self, place: Place) -> bytes:
        """The elements of a place whose block is kept."""
        stored = self._stored(place)
        number, first = self._part_of(stored)
        dtype = self._dtype(stored)
        unit = element_bytes(dtype)
        self.scratch.seek(self.offsets[number] + unit * first)
        elements = self.scratch.read(unit * place.count)
        return elements if self._dtype(place) == dtype else widened(elements, dtype)

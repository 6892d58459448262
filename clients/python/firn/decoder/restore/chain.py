"""
Packages of a chain, base first, and what of the ancestor a block goes on from (format.md, "Previous blocks" and
"Gathered blocks").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..index.block_plan import CODEBOOK_CODING, BlockPlan
from ..bytes.checksum import crc32c
from ..bytes.element_kinds import element_bytes
from ..bytes.errors import check
from ..bytes.limits import CHAIN_PACKAGES_MAX, GATHERINGS_MAX
from ..index.package_index import EXTERNAL, SAFETENSORS, Codebook, PackageFile, PackageIndex, StoredBlock
from ..index.namesakes import stands_for
from ..index.read_index import read_index
from ..methods.lattice import LatticeState
from .kept_state import KeptState
from .lattice_table import LatticeTable

if TYPE_CHECKING:
    from ...core import Core

BlockKey = tuple[object, ...]


@dataclass(frozen=True)
class Package:
    """
    The bytes of a package and its index; `core` decodes its blocks, or Python does. `kept` is the state that an earlier
    decoding left its blocks in.
    """

    data: bytes
    index: PackageIndex
    core: "Core | None" = None
    kept: KeptState | None = None

    @cached_property
    def view(self) -> np.ndarray:
        """The same bytes as an array."""
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def lattices(self) -> list[LatticeTable]:
        """By file: the parameters of its residual tensors."""
        return [LatticeTable(self.index, file) for file in self.index.files]

    def payload(self, block: StoredBlock) -> bytes:
        """A block's payload, its checksum compared."""
        data = self.data[block.offset : block.offset + block.length]
        found = self.core.crc32c(data) if self.core else crc32c(data)
        check(found == block.checksum, "a payload has a wrong checksum")
        return data


@dataclass(frozen=True)
class Place:
    """
    `count` elements from element `first` on of a tensor, in a file, of a package of the chain, each by its number.
    """

    at: int
    file: int
    tensor: int
    first: int
    count: int


class Gathered(list[Place]):
    """
    The places of a gathered block's elements, and how many bytes of zeros follow those of each. One that may be absent
    is left out where its elements lie in too many blocks.
    """

    def __init__(self, may_be_absent: bool = False) -> None:
        super().__init__()
        self.zeros: list[int] = []
        self.may_be_absent = may_be_absent


@dataclass(frozen=True)
class Link:
    """Block number `block_number` of file number `number` in package number `at` of the chain."""

    at: int
    number: int
    package: Package
    block_number: int

    @property
    def block(self) -> StoredBlock:
        """The block itself."""
        return self.file.blocks[self.block_number]

    @property
    def dtype(self) -> str:
        """The dtype of the block's elements."""
        return self.file.tensors[self.block.plan.runs[0].tensor].dtype

    @property
    def lattice(self) -> LatticeTable:
        """The parameters of the file's residual tensors."""
        return self.package.lattices[self.number]

    @property
    def has_kept_state(self) -> bool:
        """Whether the state of the block is kept."""
        return self.package.kept is not None and self.package.kept.has(self.file.path, self.block_number)

    def kept_state(self) -> LatticeState | None:
        """The state of the block, if it is kept. DamagedPackage."""
        kept = self.package.kept
        return (
            kept.read(self.file.path, self.block_number, self.block.plan.count)
            if kept is not None and self.has_kept_state
            else None
        )

    @property
    def file(self) -> PackageFile:
        """The block's file."""
        return self.package.index.files[self.number]

    @property
    def codebook(self) -> Codebook:
        """The codebook of a level block."""
        return self.package.index.codebooks[self.file.codings[self.block.plan.runs[0].tensor] - CODEBOOK_CODING]


def open_chain(packages: Sequence[bytes], wanted_id: bytes | None = None, core: "Core | None" = None) -> list[Package]:
    """
    Reads the indexes of packages in order: a base, then each with the one before it as its ancestor. A merged package
    becomes as many packages as it has checkpoints. The chain ends with the package of this id, or the last one. With
    `core`, that decodes the blocks.
    """
    check(len(packages) >= 1, "a chain has no packages")
    chain: list[Package] = []
    for data in packages:
        for index in read_index(data, chain[-1].index if chain else None, core.crc32c if core else crc32c):
            check((index.ancestor_id is None) == (len(chain) == 0), "a chain is a base and, after it, deltas only")
            chain.append(Package(data, index, core))
        check(len(chain) <= CHAIN_PACKAGES_MAX, "a chain has too many packages")
    if wanted_id is None:
        return chain
    places = [i for i, package in enumerate(chain) if package.index.package_id == wanted_id]
    check(len(places) == 1, "the wanted package is not in the chain")
    return chain[: places[0] + 1]


def _key(
    index: PackageIndex, file: PackageFile, plan: BlockPlan, runs: tuple[tuple[str, int, int], ...] | None = None
) -> BlockKey:
    """What makes a block the previous one of another: its coding and runs, or those given."""
    kind, detail = plan.block_class
    if kind == "levels":
        book = index.codebooks[file.codings[plan.runs[0].tensor] - CODEBOOK_CODING]
        kind, detail = f"levels {book.layer_type}", book.dtype
    own = tuple((file.tensors[run.tensor].name, run.first, run.count) for run in plan.runs)
    return kind, detail, own if runs is None else runs


class BlockFinder:
    """
    Finds previous and gathered blocks; remembers the paths of packages, and the blocks and names of files, that it was
    asked about.
    """

    def __init__(self, chain: Sequence[Package]) -> None:
        self.chain = chain
        self.paths: dict[int, dict[str, int]] = {}
        self.blocks: dict[tuple[int, int], dict[BlockKey, int]] = {}
        self.names: dict[tuple[int, int], dict[str, int]] = {}
        self.first_names: dict[int, dict[str, tuple[int, int]]] = {}

    def links(self, at: int, number: int, block_number: int) -> list[Link]:
        """A block of a file of one package and all it goes on from, newest first, up to one whose state is kept."""
        found = [Link(at, number, self.chain[at], block_number)]
        while at > 0 and not found[-1].has_kept_state:
            at -= 1
            newer = found[-1]
            same_path = self._file_like(at, newer.file)
            if same_path is None:
                break
            before = self.chain[at].index.files[same_path]
            if before.content != newer.file.content or before.content == EXTERNAL:
                break
            runs = newer.file.runs_in(same_path, newer.block.plan, before)
            if runs is None:
                break
            key = _key(newer.package.index, newer.file, newer.block.plan, runs)
            blocks = self.blocks.get((at, same_path))
            if blocks is None:
                blocks = {_key(self.chain[at].index, before, other.plan): i for i, other in enumerate(before.blocks)}
                self.blocks[at, same_path] = blocks
            previous = blocks.get(key)
            if previous is None:
                break
            found.append(Link(at, same_path, self.chain[at], previous))
        return found

    def gathered(self, link: Link, may_be_absent: bool = False) -> Gathered | None:
        """
        The elements of the gathered block of a block without a previous one, run by run; None if it has none. A block
        that can do without one says so with `may_be_absent`.
        """
        if link.at == 0 or link.package.index.version < 6 or link.file.content != SAFETENSORS:
            return None
        if sum(package.index.version >= 6 for package in self.chain[: link.at]) >= GATHERINGS_MAX:
            return None
        files = self.chain[link.at - 1].index.files
        places = Gathered(may_be_absent)
        for run in link.block.plan.runs:
            tensor = link.file.tensors[run.tensor]
            namesake = link.file.namesakes.get(run.tensor) or self._namesake(link.at - 1, link.file, tensor.name)
            if namesake is None:
                return None
            there = files[namesake[0]].tensors[namesake[1]]
            count = min(run.count, there.elements - run.first)
            is_whole = there.elements == tensor.elements
            if not stands_for(there, tensor) or count <= 0 or not (is_whole or link.package.index.version >= 10):
                return None
            places.append(Place(link.at - 1, *namesake, run.first, count))
            places.zeros.append((run.count - count) * element_bytes(tensor.dtype))
        return places

    def _file_like(self, at: int, file: PackageFile) -> int | None:
        """The number of the file of the same path in a package."""
        if at not in self.paths:
            self.paths[at] = {other.path: i for i, other in enumerate(self.chain[at].index.files)}
        return self.paths[at].get(file.path)

    def _namesake(self, at: int, file: PackageFile, name: str) -> tuple[int, int] | None:
        """Which tensor of which file of a package is the namesake of a tensor of that name."""
        same_path = self._file_like(at, file)
        if same_path is not None and name in self._names_of(at, same_path):
            return same_path, self._names_of(at, same_path)[name]
        if at not in self.first_names:
            files = range(len(self.chain[at].index.files))
            self.first_names[at] = {
                name: (i, tensor) for i in reversed(files) for name, tensor in self._names_of(at, i).items()
            }
        return self.first_names[at].get(name)

    def _names_of(self, at: int, number: int) -> dict[str, int]:
        """The tensors of a file by name; none of a file that is not safetensors."""
        if (at, number) not in self.names:
            file = self.chain[at].index.files[number]
            tensors = file.tensors if file.content == SAFETENSORS else []
            self.names[at, number] = {tensor.name: i for i, tensor in enumerate(tensors)}
        return self.names[at, number]

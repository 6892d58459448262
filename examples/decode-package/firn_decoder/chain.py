"""Packages of a chain, base first, and which block of the ancestor a block goes on from (format.md, "Previous blocks")."""

from collections.abc import Sequence
from dataclasses import dataclass

from .block_plan import CODEBOOK_CODING, BlockPlan
from .checksum import crc32c
from .errors import check
from .limits import CHAIN_PACKAGES_MAX
from .package_index import EXTERNAL, Codebook, PackageFile, PackageIndex, StoredBlock
from .read_index import read_index

BlockKey = tuple[object, ...]


@dataclass(frozen=True)
class Package:
    """The bytes of a package and its index."""

    data: bytes
    index: PackageIndex

    def payload(self, block: StoredBlock) -> bytes:
        """A block's payload, its checksum compared."""
        data = self.data[block.offset : block.offset + block.length]
        check(crc32c(data) == block.checksum, "a payload has a wrong checksum")
        return data


@dataclass(frozen=True)
class Link:
    """A block in one package of the chain."""

    package: Package
    file: PackageFile
    block: StoredBlock

    @property
    def codebook(self) -> Codebook:
        """The codebook of a level block."""
        return self.package.index.codebooks[self.file.codings[self.block.plan.runs[0].tensor] - CODEBOOK_CODING]


def open_chain(packages: Sequence[bytes], wanted_id: bytes | None = None) -> list[Package]:
    """
    Reads the indexes of packages in order: a base, then each with the one before it as its ancestor. A super-step becomes as many packages as it has checkpoints. The
    chain ends with the package of this id, or the last one.
    """
    check(len(packages) >= 1, "a chain has no packages")
    chain: list[Package] = []
    for data in packages:
        for index in read_index(data, chain[-1].index if chain else None):
            check((index.ancestor_id is None) == (len(chain) == 0), "a chain is a base and, after it, deltas only")
            chain.append(Package(data, index))
        check(len(chain) <= CHAIN_PACKAGES_MAX, "a chain has too many packages")
    if wanted_id is None:
        return chain
    places = [i for i, package in enumerate(chain) if package.index.package_id == wanted_id]
    check(len(places) == 1, "the wanted package is not in the chain")
    return chain[: places[0] + 1]


def _key(index: PackageIndex, file: PackageFile, plan: BlockPlan) -> BlockKey:
    kind, detail = plan.block_class
    if kind == "levels":
        book = index.codebooks[file.codings[plan.runs[0].tensor] - CODEBOOK_CODING]
        kind, detail = f"levels {book.layer_type}", book.dtype
    runs = tuple((file.tensors[run.tensor].name, run.first, run.count) for run in plan.runs)
    return kind, detail, runs


class BlockFinder:
    """Finds previous blocks; remembers the blocks of each file it was asked about."""

    def __init__(self, chain: Sequence[Package]) -> None:
        self.chain = chain
        self.known: dict[tuple[int, int], dict[BlockKey, StoredBlock]] = {}

    def links(self, file: PackageFile, block: StoredBlock) -> list[Link]:
        """A block of the newest package and all it goes on from, newest first."""
        at = len(self.chain) - 1
        found = [Link(self.chain[at], file, block)]
        while at > 0:
            key = _key(self.chain[at].index, found[-1].file, found[-1].block.plan)
            at -= 1
            same_path = [i for i, other in enumerate(self.chain[at].index.files) if other.path == file.path]
            if not same_path:
                break
            before = self.chain[at].index.files[same_path[0]]
            if before.content != file.content or before.content == EXTERNAL:
                break
            blocks = self.known.get((at, same_path[0]))
            if blocks is None:
                blocks = {_key(self.chain[at].index, before, other.plan): other for other in before.blocks}
                self.known[at, same_path[0]] = blocks
            previous = blocks.get(key)
            if previous is None:
                break
            found.append(Link(self.chain[at], before, previous))
        return found


"""Files of the newest package of a chain (format.md, "Rebuilding a file")."""

import hashlib
import os
import tempfile
from collections.abc import Sequence
from typing import BinaryIO

from .block_plan import WIDENED_CODING
from .chain import BlockFinder, Link, Package
from .decode_block import decode_block
from .element_kinds import element_bytes
from .errors import check, fail
from .limits import BLOCK_ELEMENTS_MAX, FILE_BYTES_MAX
from .master_blocks import widened
from .package_index import EXTERNAL, SAFETENSORS, PackageFile, StoredBlock

_PIECE_BYTES = 1 << 20
_GATHERING_VERSION_MIN = 6


def rebuild_files(chain: Sequence[Package], folder: str) -> list[tuple[PackageFile, bool]]:
    """
    Writes the files of the chain's last package under `folder`, replacing what is there; says of each whether it was written, which external
    ones are not. Files appear once the digests of all are right.
    """
    finder = BlockFinder(chain)
    files = [(number, file) for number, file in enumerate(chain[-1].index.files) if file.content != EXTERNAL]
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=folder) as scratch:
        rebuilt = [(file, os.path.join(scratch, str(number))) for number, file in files]
        for file, path in rebuilt:
            check(file.size <= FILE_BYTES_MAX, "a file is larger than this decoder writes")
            with open(path, "wb") as out:
                _write_file(finder, file, out)
        # What copies are of may lie in a later file.
        for file, path in rebuilt:
            with open(path, "r+b") as out:
                _write_copies(chain[-1].index.files, file, out)
                _write_widened(chain[-1].index.files, file, out)
                check(_digest(out) == file.sha256, f"{file.path} was rebuilt with a wrong digest")
        for file, path in rebuilt:
            place = os.path.join(folder, *file.path.split("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.replace(path, place)
    return [(file, file.content != EXTERNAL) for file in chain[-1].index.files]


def _write_file(finder: BlockFinder, file: PackageFile, out: BinaryIO) -> None:
    start = 0
    if file.content == SAFETENSORS:
        start = out.write(len(file.header).to_bytes(8, "little") + file.header)
    reader = ElementReader(finder, file)
    for block in file.blocks:
        elements = decode_block(finder.links(file, block), reader.elements, reader.elements_of, reader.gathered)
        at = 0
        for run in block.plan.runs:
            tensor = file.tensors[run.tensor]
            unit = element_bytes(tensor.dtype)
            out.seek(start + tensor.offset + run.first * unit)
            at += out.write(elements[at : at + run.count * unit])
    for number, (owner, original) in file.kept.items():
        tensor = file.tensors[number]
        out.seek(start + tensor.offset)
        for first in range(0, tensor.elements, BLOCK_ELEMENTS_MAX):
            count = min(BLOCK_ELEMENTS_MAX, tensor.elements - first)
            out.write(reader.elements_of(finder.chain[-2], owner, original, first, count))


def _write_copies(files: Sequence[PackageFile], file: PackageFile, out: BinaryIO) -> None:
    """Copies lie in files that are rebuilt before, each under its number beside this one, or earlier in this one."""
    for number, (owner, original) in file.copies.items():
        tensor, there = file.tensors[number], files[owner].tensors[original]
        left = tensor.elements * element_bytes(tensor.dtype)
        with open(os.path.join(os.path.dirname(out.name), str(owner)), "rb") as source:
            out.flush()
            source.seek(8 + len(files[owner].header) + there.offset)
            out.seek(8 + len(file.header) + tensor.offset)
            while piece := source.read(min(left, _PIECE_BYTES)):
                left -= out.write(piece)


def _write_widened(files: Sequence[PackageFile], file: PackageFile, out: BinaryIO) -> None:
    """Widened copies are of tensors that have blocks of their own, so these are in their files by now."""
    for number, (owner, original) in file.named.items():
        if file.codings[number] != WIDENED_CODING:
            continue
        tensor, there = file.tensors[number], files[owner].tensors[original]
        out.flush()
        with open(os.path.join(os.path.dirname(out.name), str(owner)), "rb") as source:
            source.seek(8 + len(files[owner].header) + there.offset)
            elements = source.read(there.elements * element_bytes(there.dtype))
        out.seek(8 + len(file.header) + tensor.offset)
        out.write(widened(elements, there.dtype))


class ElementReader:
    """Gives elements of tensors that other tensors' blocks need; keeps the block that was needed last."""

    def __init__(self, finder: BlockFinder, file: PackageFile) -> None:
        self.finder = finder
        self.file = file
        self.kept: tuple[StoredBlock, bytes] | None = None
        self.others: dict[tuple[int, int], ElementReader] = {}
        self.names: dict[int, dict[str, tuple[int, int]]] = {}

    def elements(self, tensor: int, first: int, count: int) -> bytes:
        """`count` elements of a tensor from `first` on, all of one block."""
        for block in self.file.blocks:
            at = 0
            for run in block.plan.runs:
                if run.tensor == tensor and run.first <= first and first + count <= run.first + run.count:
                    start = at + first - run.first
                    unit = element_bytes(self.file.tensors[tensor].dtype)
                    return self._decoded(block)[unit * start : unit * (start + count)]
                at += run.count
        fail("tensors of as many elements are cut into other blocks")

    def elements_of(self, package: Package, file: int, tensor: int, first: int, count: int) -> bytes:
        """The same of any tensor of another file, as a package of the chain has it; all of one block, or what would be one if it had any."""
        at = self._place(package)
        while tensor in (owner := self.finder.chain[at].index.files[file]).copies or tensor in owner.kept:
            at -= tensor in owner.kept
            file, tensor = owner.copies.get(tensor) or owner.kept[tensor]
        if owner.codings[tensor] == WIDENED_CODING:
            file, tensor = owner.named[tensor]
            dtype = self.finder.chain[at].index.files[file].tensors[tensor].dtype
            return widened(self._of_blocks(at, file, tensor, first, count), dtype)
        return self._of_blocks(at, file, tensor, first, count)

    def gathered(self, link: Link) -> bytes | None:
        """What an exact block goes on from that has no previous one (format.md, "Gathered blocks")."""
        at = self._place(link.package) - 1
        if at < 0 or link.package.index.version < _GATHERING_VERSION_MIN or link.file.content != SAFETENSORS:
            return None
        parts = []
        for run in link.block.plan.runs:
            here = link.file.tensors[run.tensor]
            place = self._namesake(at, link.file.path, here.name)
            there = place and self.finder.chain[at].index.files[place[0]].tensors[place[1]]
            if not place or not there or (there.dtype, there.elements) != (here.dtype, here.elements):
                return None
            parts.append(self.elements_of(self.finder.chain[at], *place, run.first, run.count))
        return b"".join(parts)

    def _namesake(self, at: int, path: str, name: str) -> tuple[int, int] | None:
        files = self.finder.chain[at].index.files
        for number, file in enumerate(files):
            if file.path == path and file.content == SAFETENSORS:
                same = [tensor for tensor, each in enumerate(file.tensors) if each.name == name]
                if same:
                    return number, same[0]
        if at not in self.names:
            places = [(each.name, (number, tensor)) for number, file in enumerate(files) if file.content == SAFETENSORS for tensor, each in enumerate(file.tensors)]
            self.names[at] = dict(reversed(places))
        return self.names[at].get(name)

    def _place(self, package: Package) -> int:
        return next(i for i, each in enumerate(self.finder.chain) if each is package)

    def _of_blocks(self, at: int, file: int, tensor: int, first: int, count: int) -> bytes:
        if (at, file) not in self.others:
            self.others[at, file] = ElementReader(BlockFinder(self.finder.chain[: at + 1]), self.finder.chain[at].index.files[file])
        return self.others[at, file].elements(tensor, first, count)

    def _decoded(self, block: StoredBlock) -> bytes:
        if self.kept is None or self.kept[0] is not block:
            self.kept = (block, decode_block(self.finder.links(self.file, block), self.elements, self.elements_of, self.gathered))
        return self.kept[1]


def _digest(file: BinaryIO) -> bytes:
    digest = hashlib.sha256()
    file.seek(0)
    while piece := file.read(_PIECE_BYTES):
        digest.update(piece)
    return digest.digest()

"""Files of the newest package of a chain (format.md, "Rebuilding a file")."""

import hashlib
import os
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import BinaryIO

from ..index.block_plan import WIDENED_CODING
from .chain import BlockFinder, Package
from ..bytes.element_kinds import element_bytes
from .elements import BlockNumber, ElementReader
from .kept_state import StateKeeper
from ..bytes.errors import check
from ..bytes.limits import FILE_BYTES_MAX
from ..methods.master_blocks import widened
from ..index.package_index import EXTERNAL, SAFETENSORS, PackageFile

_PIECE_BYTES = 1 << 20

# Blocks that one thread has decoded ahead of the writer, at most: a block takes up to a megabyte.
_BLOCKS_AHEAD = 4


def rebuild_files(
    chain: Sequence[Package], folder: str, keeper: StateKeeper | None = None
) -> list[tuple[PackageFile, bool]]:
    """
    Writes the files of the chain's last package under `folder`, replacing what is there; says of each whether it was
    written, which external ones are not. Files appear once the digests of all are right. `keeper` receives the states
    of its blocks.
    """
    files = [(number, file) for number, file in enumerate(chain[-1].index.files) if file.content != EXTERNAL]
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=folder) as scratch:
        rebuilt = [(file, os.path.join(scratch, str(number))) for number, file in files]
        with open(os.path.join(scratch, "blocks"), "w+b") as blocks:
            reader = ElementReader(BlockFinder(chain), blocks, keeper)
            for number, file in files:
                check(file.size <= FILE_BYTES_MAX, "a file is larger than this decoder writes")
                with open(os.path.join(scratch, str(number)), "wb") as out:
                    _write_file(reader, BlockNumber(len(chain) - 1, number, 0), file, out)
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


def _write_file(reader: ElementReader, number: BlockNumber, file: PackageFile, out: BinaryIO) -> None:
    """What a file has blocks for, and its kept tensors."""
    start = 0
    if file.content == SAFETENSORS:
        start = out.write(len(file.header).to_bytes(8, "little") + file.header)
    at, file_number = number.at, number.file
    for block, elements in zip(
        file.blocks, _decoded(reader, [BlockNumber(at, file_number, i) for i in range(len(file.blocks))]), strict=True
    ):
        taken = 0
        for run in block.plan.runs:
            tensor = file.tensors[run.tensor]
            unit = element_bytes(tensor.dtype)
            out.seek(start + tensor.offset + run.first * unit)
            taken += out.write(elements[taken : taken + run.count * unit])
    for tensor_number in file.kept:
        out.seek(start + file.tensors[tensor_number].offset)
        for piece in reader.elements(at, file_number, tensor_number):
            out.write(piece)


def _decoded(reader: ElementReader, wanted: Sequence[BlockNumber]) -> Iterator[bytes]:
    """
    The elements of these blocks, in order. The core decodes on all processors; those blocks that need others come one
    after another.
    """
    threads = os.cpu_count() or 1
    if reader.finder.chain[-1].core is None or len(wanted) == 1:
        yield from map(reader.block, wanted)
        return
    with ThreadPoolExecutor(threads) as pool:
        begun: deque[tuple[BlockNumber, Future[bytes | None]]] = deque()
        for number in wanted:
            begun.append((number, pool.submit(reader.alone, number)))
            if len(begun) > threads * _BLOCKS_AHEAD:
                yield _finished(reader, *begun.popleft())
        while begun:
            yield _finished(reader, *begun.popleft())


def _finished(reader: ElementReader, number: BlockNumber, decoded: "Future[bytes | None]") -> bytes:
    elements = decoded.result()
    return reader.block(number) if elements is None else elements


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


def _digest(file: BinaryIO) -> bytes:
    digest = hashlib.sha256()
    file.seek(0)
    while piece := file.read(_PIECE_BYTES):
        digest.update(piece)
    return digest.digest()

"""Files from packages, without a hub."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .core import load_core
from .decoder.restore.chain import open_chain
from .decoder.bytes.errors import check
from .decoder.restore.rebuild_files import rebuild_files


@dataclass(frozen=True)
class UnpackedFile:
    """A file of the package; not `written` if its bytes are kept elsewhere, as they were uploaded."""

    path: str
    sha256: str
    size_bytes: int
    written: bool


def unpack(
    packages: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], package_id: str | None = None
) -> list[UnpackedFile]:
    """
    Writes the files that a chain of packages stands for under the folder `out`, replacing what is there, once the
    SHA-256 of all is right. `packages`: files in any order, one chain. `package_id`: the wanted checkpoint, where a
    file holds several; by default the last one. DamagedPackage, UnsupportedFormat or OSError.
    """
    data = in_order([Path(path).read_bytes() for path in packages])
    chain = open_chain(data, bytes.fromhex(package_id) if package_id else None, load_core())
    return [
        UnpackedFile(file.path, file.sha256.hex(), file.size, written)
        for file, written in rebuild_files(chain, os.fspath(out))
    ]


def in_order(packages: Sequence[bytes]) -> list[bytes]:
    """
    The same packages, each after its ancestor, as far as their frames tell. What is no chain is left to open_chain() to
    refuse.
    """
    frames = [package_frame(package) for package in packages]
    placed: list[int] = []
    known: set[bytes | None] = {None}
    left = list(range(len(packages)))
    while left:
        ready = [i for i in left if frames[i].ancestor_id in known]
        if not ready:
            break
        for i in ready:
            known.update(frames[i].checkpoint_ids)
        placed += ready
        left = [i for i in left if i not in ready]
    return [packages[i] for i in placed + left]


@dataclass(frozen=True)
class PackageFrame:
    """Who a package is, and whose delta: ids of the package itself, of the checkpoints in it, and of its ancestor."""

    package_id: bytes
    checkpoint_ids: list[bytes]
    ancestor_id: bytes | None


def package_frame(package: bytes) -> PackageFrame:
    """
    Reads the ids of a package (docs/format.md, "Frame" and "Merged packages"); nothing else of it is checked.
    DamagedPackage.
    """
    check(len(package) >= 24 + 16 and package[:4] == b"FIRN", "this is no package")
    offset, length = int.from_bytes(package[-16:-8], "little"), int.from_bytes(package[-8:-4], "little")
    check(
        offset >= 24 and offset + length + 16 == len(package) and length > 0, "the index is not where the trailer says"
    )
    index = package[offset : offset + min(length, 1 + 16 + 1 + 4 * 16)]
    package_id = package[8:24]
    if not index[0] & 1:
        return PackageFrame(package_id, [package_id], None)
    check(len(index) >= 17, "an index is cut off")
    if package[4] not in (3, 9):
        return PackageFrame(package_id, [package_id], index[1:17])
    count = index[17] if len(index) > 17 else 0
    check(2 <= count <= 4 and len(index) >= 18 + 16 * count, "a merged package has too many checkpoints, or too few")
    return PackageFrame(package_id, [index[18 + 16 * i : 34 + 16 * i] for i in range(count)], index[1:17])

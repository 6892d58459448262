"""From the bytes of a package to its index (format.md, "Frame" and "Index")."""

from collections.abc import Callable

from ..bytes.byte_reader import ByteReader
from ..bytes.checksum import crc32c
from ..bytes.errors import UnsupportedFormat, check, fail
from .index_body import BodyReader
from ..bytes.inflate import inflate
from ..bytes.limits import INFLATED_INDEX_BYTES_MAX, MERGED_VERSIONS, PREFIX_BYTES, STORED_INDEX_BYTES_MAX
from .package_index import PackageIndex

_TRAILER_BYTES = 16


_CHECKPOINTS_MIN, _CHECKPOINTS_MAX = 2, 4


def read_index(
    package: bytes, ancestor: PackageIndex | None, checksum_of: Callable[[bytes], int] = crc32c
) -> list[PackageIndex]:
    """
    The index of a package; `ancestor` is that of the package before it in the chain, None for a base. One for each
    checkpoint of a merged package, oldest first. Checksums are made by `checksum_of`.
    """
    check(len(package) >= PREFIX_BYTES + _TRAILER_BYTES, "a package is too short")
    check(package[:4] == b"FIRN", "this is no package")
    version = package[4]
    if version not in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11):
        raise UnsupportedFormat(f"format version {version} is not known")
    trailer = ByteReader(package[-_TRAILER_BYTES:])
    offset, length, checksum = trailer.unsigned(8), trailer.unsigned(4), trailer.unsigned(4)
    check(
        offset >= PREFIX_BYTES and offset + length + _TRAILER_BYTES == len(package),
        "the index is not where the trailer says",
    )
    check(length <= STORED_INDEX_BYTES_MAX, "the index is too large")
    stored = package[offset : offset + length]
    check(
        checksum_of(package[:PREFIX_BYTES] + stored + package[-_TRAILER_BYTES:-4]) == checksum,
        "the index has a wrong checksum",
    )
    check(package[5:8] == bytes(3), "the prefix is damaged")

    reader = ByteReader(stored)
    flags = reader.unsigned(1)
    check(flags <= 3, "the index has unknown flags")
    ancestor_id = reader.take(16) if flags & 1 else None
    if ancestor_id is None:
        ancestor = None
    elif ancestor is None or ancestor.package_id != ancestor_id:
        fail(f"this package needs its ancestor {ancestor_id.hex()} before it")
    ids = _read_checkpoint_ids(reader, ancestor_id) if version in MERGED_VERSIONS else []
    if flags & 2:
        body_length = reader.varint()
        check(body_length <= INFLATED_INDEX_BYTES_MAX, "the index is too large")
        body = inflate(reader.rest(), body_length)
    else:
        body = reader.rest()
    body_reader = BodyReader(body, version, ancestor, offset)
    return (
        body_reader.read_merged(ids) if version in MERGED_VERSIONS else [body_reader.read(package[8:24], ancestor_id)]
    )


def _read_checkpoint_ids(reader: ByteReader, ancestor_id: bytes | None) -> list[bytes]:
    check(ancestor_id is not None, "a merged package has no ancestor")
    count = reader.unsigned(1)
    check(_CHECKPOINTS_MIN <= count <= _CHECKPOINTS_MAX, "a merged package has too many checkpoints, or too few")
    ids = [reader.take(16) for _ in range(count)]
    check(len({ancestor_id, *ids}) == count + 1, "two checkpoints have one id")
    return ids

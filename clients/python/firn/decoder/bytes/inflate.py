"""Raw DEFLATE streams of known inflated length (format.md, conventions)."""

import zlib

from .errors import DamagedPackage, check


def inflate(stream: bytes, length: int, dictionary: bytes = b"") -> bytes:
    """Exactly `length` bytes from a stream that ends where `stream` ends."""
    inflater = zlib.decompressobj(-15, zdict=dictionary)
    try:
        found = inflater.decompress(stream, length + 1)
    except zlib.error as error:
        raise DamagedPackage("a DEFLATE stream is damaged") from error
    check(len(found) == length, "a DEFLATE stream has another length than announced")
    check(
        inflater.eof and not inflater.unused_data and not inflater.unconsumed_tail,
        "a DEFLATE stream does not end with its field",
    )
    return found

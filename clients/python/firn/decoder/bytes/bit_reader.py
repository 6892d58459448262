"""Bit fields, most significant bit first (format-blocks.md, conventions)."""

import numpy as np

from .errors import check


class BitReader:
    """The bits of `data`; every method raises DamagedPackage past their end."""

    def __init__(self, data: bytes) -> None:
        self.bits = np.unpackbits(np.frombuffer(data, np.uint8)).tolist()
        self.position = 0

    def bit(self) -> int:
        """The next bit."""
        check(self.position < len(self.bits), "a bit field is cut off")
        self.position += 1
        return self.bits[self.position - 1]

    def number(self, width: int) -> int:
        """The next `width` bits as a number."""
        value = 0
        for _ in range(width):
            value = value << 1 | self.bit()
        return value

    def finish(self) -> None:
        """Checks that less than a byte is left, and that its bits are zero."""
        padding = self.bits[self.position :]
        check(len(padding) < 8, "a bit field has unread bytes")
        check(not any(padding), "a padding bit is set")

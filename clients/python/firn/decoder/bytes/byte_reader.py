"""Reading fields one after another from bytes of known length."""

from .errors import check, fail


class ByteReader:
    """A cursor over `data`; every method raises DamagedPackage when the bytes do not reach."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset = 0

    @property
    def left(self) -> int:
        """Bytes that are not read yet."""
        return len(self.data) - self.offset

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        check(count <= self.left, "a field is cut off")
        self.offset += count
        return self.data[self.offset - count : self.offset]

    def unsigned(self, byte_count: int) -> int:
        """A little-endian integer of `byte_count` bytes."""
        return int.from_bytes(self.take(byte_count), "little")

    def varint(self, below: int = 1 << 53) -> int:
        """An unsigned LEB128 number in its shortest form."""
        # Most numbers have one byte, and an index has tens of them for each tensor.
        if self.offset < len(self.data) and self.data[self.offset] < min(below, 128):
            self.offset += 1
            return self.data[self.offset - 1]
        value = 0
        for shift in range(0, 63, 7):
            byte = self.unsigned(1)
            value |= (byte & 127) << shift
            if byte < 128:
                check(byte != 0 or shift == 0, "a number is not in its shortest form")
                check(value < below, "a number is too large")
                return value
        fail("a number is too large")

    def zigzag(self) -> int:
        """A signed number: 0, -1, 1, -2, ... as 0, 1, 2, 3, ..."""
        code = self.varint()
        return -(code + 1) // 2 if code & 1 else code // 2

    def rest(self) -> bytes:
        """All bytes that are not read yet."""
        return self.take(self.left)

    def finish(self, what: str) -> None:
        """Checks that nothing is left."""
        check(self.left == 0, f"bytes follow {what}")

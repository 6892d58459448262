"""CRC-32C (format-blocks.md, section 10)."""

_REFLECTED_POLYNOMIAL = 0x82F63B78


def _make_table() -> list[int]:
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (_REFLECTED_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _make_table()


def crc32c(data: bytes) -> int:
    """The checksum of `data`; that of b"123456789" is 0xE3069283."""
    table = _TABLE
    state = 0xFFFFFFFF
    for byte in data:
        state = state >> 8 ^ table[(state ^ byte) & 255]
    return state ^ 0xFFFFFFFF

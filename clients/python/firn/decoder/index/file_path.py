"""Paths of files (format.md, "Files")."""

from ..bytes.errors import check, fail

_UNITS_MAX = 1024


def read_path(stored: bytes) -> str:
    """A path that stays inside its folder."""
    try:
        path = stored.decode("utf-8")
    except UnicodeDecodeError:
        fail("a path is not UTF-8")
    check(0 < len(path.encode("utf-16-le")) // 2 <= _UNITS_MAX, "a path is too long")
    check(all(part not in ("", ".", "..") for part in path.split("/")), "a path leaves its folder")
    check(
        "\\" not in path and all(ord(char) >= 32 and ord(char) != 127 for char in path),
        "a path has a character that is not allowed",
    )
    return path

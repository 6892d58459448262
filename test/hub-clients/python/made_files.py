"""Files for the clients to push, and the check that they came back. Seeded, so that a second run makes the same."""

import filecmp
import os
import random
from pathlib import Path

MIB = 1 << 20


def made_bytes(size: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(size)


def write_file(path: Path, size: int, seed: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        for start in range(0, size, MIB):
            file.write(made_bytes(min(MIB, size - start), seed * 1_000_003 + start))
    return path


def check_same(one: Path, other: Path) -> None:
    """Both folders hold the same files with the same bytes; what a client keeps for itself does not count."""
    names = [files_of(folder) for folder in (one, other)]
    assert names[0] == names[1], f"{names[0] ^ names[1]} are only in one of {one} and {other}"
    for name in names[0]:
        assert filecmp.cmp(one / name, other / name, shallow=False), f"{name} came back with other bytes"


def files_of(folder: Path) -> set[str]:
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if not name.startswith(".cache" + os.sep)}

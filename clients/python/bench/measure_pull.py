#!/usr/bin/env python3
"""
What a compressed pull takes: `measure_pull.py ENDPOINT REPOSITORY BEFORE REVISION`, with a hub that has both revisions. Bytes over the line, and the time to decode beside
copying as many bytes. Everything is checked before it is timed; a figure is the median of rounds in which the compared things take turns, with the least and the most.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import firn
from firn.core import Core, load_core
from firn.decoder.chain import BlockFinder, Package, open_chain
from firn.decoder.elements import BlockNumber, ElementReader
from firn.decoder.rebuild_files import rebuild_files
from firn.manifest import read_manifest

ROUNDS = 15
# Copies are made from and to memory that no cache of the processor holds.
COPY_BYTES = 256 << 20


def main() -> None:
    endpoint, repository, before, revision = sys.argv[1:5]
    core = load_core()
    print(f"{os.cpu_count()} processors, Python {sys.version.split()[0]}, numpy {np.__version__}, core: {core.path if core else 'none, numpy decodes'}")
    with tempfile.TemporaryDirectory() as folder:
        hub = firn.Hub(endpoint, cache_dir=folder)
        hub.snapshot_download(repository, before, Path(folder, "before"))
        had = hub.received_bytes
        out = Path(hub.snapshot_download(repository, revision, Path(folder, "after")))
        pulled = hub.received_bytes - had
        manifest = read_manifest(hub._client.pull(repository, revision, have=before))
        whole = sum(file.size_bytes for file in manifest.files)
        needed = [package for package in manifest.packages if not package.held]
        packages = sum(package.size_bytes for package in needed)
        print(f"files of {revision}: {whole} bytes, {len(manifest.files)} of them, all with the right SHA-256")
        print(f"pulled by someone who has {before}: {packages} bytes in {len(needed)} packages ({packages / whole:.2%} of the files), {pulled} with the list ({pulled / whole:.2%})")
        print(f"pulled by someone who has nothing: {sum(package.size_bytes for package in manifest.packages)} bytes in {len(manifest.packages)} packages")

        target = next(file for file in manifest.files if file.package_id is not None)
        links = manifest.chain(target.package_id or "")
        data = [path.read_bytes() for link in links for path in hub._cache.find(link) or []]
        wanted = bytes.fromhex(target.package_id or "")
        expected = (out / target.path).read_bytes()
        if core:
            time_decoding("C++ core", core, data, wanted, expected, ROUNDS)
        time_decoding("numpy", None, data, wanted, expected, 1)


def time_decoding(name: str, core: Core | None, data: list[bytes], wanted: bytes, expected: bytes, rounds: int) -> None:
    chain = open_chain(data, wanted, core)
    number = next(i for i, file in enumerate(chain[-1].index.files) if file.size == len(expected))
    check(chain, number, expected)
    source, target = np.ones(COPY_BYTES, np.uint8), np.zeros(COPY_BYTES, np.uint8)
    size = len(expected)
    copies: list[float] = []
    blocks: list[float] = []
    last: list[float] = []
    files: list[float] = []
    for _ in range(rounds):
        copies.append(seconds(lambda: np.copyto(target, source)) * size / COPY_BYTES)
        blocks.append(seconds(lambda: decode_blocks(chain, number)))
        last.append(seconds(lambda: open_chain(data, wanted, core)))
        with tempfile.TemporaryDirectory() as folder:
            files.append(seconds(lambda: rebuild_files(open_chain(data, wanted, core), folder)))
    copy = statistics.median(copies)
    print(f"copying the file's {size} bytes: {spread(copies)} ({size / copy / 1e9:.1f} GB/s)")
    print(f"{name}, a chain of {len(chain)} packages, one thread:")
    for label, times in (("its blocks", blocks), ("reading the indexes", last), ("indexes, blocks, files with their SHA-256", files)):
        print(f"  {label}: {spread(times)}, {copy / statistics.median(times):.4f} of memcpy")


def decode_blocks(chain: list[Package], number: int) -> list[bytes | None]:
    reader = ElementReader(BlockFinder(chain), None)  # type: ignore[arg-type]
    return [reader.alone(BlockNumber(len(chain) - 1, number, i)) for i in range(len(chain[-1].index.files[number].blocks))]


def check(chain: list[Package], number: int, expected: bytes) -> None:
    """That the blocks hold what the file does."""
    file = chain[-1].index.files[number]
    start = 8 + len(file.header)
    for block, elements in zip(file.blocks, decode_blocks(chain, number), strict=True):
        taken = 0
        for run in block.plan.runs:
            tensor = file.tensors[run.tensor]
            unit = (len(elements or b"")) // block.plan.count
            at = start + tensor.offset + run.first * unit
            if bytes((elements or b"")[taken : taken + run.count * unit]) != expected[at : at + run.count * unit]:
                raise SystemExit("a block was decoded wrong")
            taken += run.count * unit


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def spread(times: list[float]) -> str:
    return f"{statistics.median(times) * 1000:.2f} ms ({min(times) * 1000:.2f} to {max(times) * 1000:.2f})"


if __name__ == "__main__":
    main()

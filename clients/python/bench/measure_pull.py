#!/usr/bin/env python3
"""
What a compressed pull takes: `measure_pull.py ENDPOINT REPOSITORY BEFORE REVISION`, with a hub that has both revisions.
Bytes over the line, and the time to decode beside copying as many bytes, both in processor time: a machine that does
other things as well does not change that. Everything is checked before it is timed; a figure is the median of rounds in
which the compared things take turns, with the least and the most.
"""

import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import firn
from firn.core import Core, load_core
from firn.decoder.restore.chain import BlockFinder, Package, open_chain
from firn.decoder.restore.elements import BlockNumber, ElementReader
from firn.decoder.restore.kept_state import StateKeeper
from firn.decoder.restore.rebuild_files import rebuild_files
from firn.decoder.methods.lattice import LatticeState
from firn.hub.manifest import read_manifest
from firn.hub.states import STATES_BYTES_MAX, States

ROUNDS = 15
# Copies are made from and to memory that no cache of the processor holds.
COPY_BYTES = 256 << 20


def main() -> None:
    endpoint, repository, before, revision = sys.argv[1:5]
    core = load_core()
    decoder = core.path if core else "none, numpy decodes"
    print(
        f"{os.cpu_count()} processors, Python {sys.version.split()[0]}, numpy {np.__version__}, core: {decoder}"
    )
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
        print(
            f"pulled by someone who has {before}: {packages} bytes in {len(needed)} packages "
            f"({packages / whole:.2%} of the files), {pulled} with the list ({pulled / whole:.2%})"
        )
        print(
            f"pulled by someone who has nothing: {sum(package.size_bytes for package in manifest.packages)} bytes "
            f"in {len(manifest.packages)} packages"
        )

        target = next(file for file in manifest.files if file.package_id is not None)
        links = manifest.chain(target.package_id or "")
        data = [path.read_bytes() for link in links for path in hub._cache.find(link) or []]
        expected = (out / target.path).read_bytes()
        if core:
            # A base, a base and one delta, and the whole chain.
            for count in sorted({1, min(2, len(data)), len(data)}):
                time_decoding("C++ core", core, Pull(data[:count]), rebuilt(data[:count]), ROUNDS)
        time_decoding("numpy", None, Pull(data), expected, 1)
        if len(data) > 1:
            states = Path(folder, "states-before")
            keep_state(data[:-1], states)
            if core:
                time_decoding("C++ core", core, Pull(data, states), expected, ROUNDS)
            time_decoding("numpy", None, Pull(data, states), expected, 1)


class TimedCalls:
    """A library whose calls add up the processor time they take."""

    def __init__(self, library: object) -> None:
        self.library = library
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Callable[..., object]:
        call = getattr(self.library, name)

        def timed(*arguments: object) -> object:
            start = time.thread_time()
            try:
                return call(*arguments)
            finally:
                self.seconds += time.thread_time() - start

        return timed


@dataclass
class Pull:
    """A chain of packages, and the folder with the state of the last but one, where the last is decoded from it."""

    packages: list[bytes]
    states: Path | None = None

    @property
    def what(self) -> str:
        """The pull in words."""
        return (
            f"a chain of {len(self.packages)}"
            if self.states is None
            else f"the last of {len(self.packages)} from the state before it"
        )

    @contextlib.contextmanager
    def opened(self, core: Core | None) -> Iterator[list[Package]]:
        """The chain, with its state."""
        chain = open_chain(self.packages, None, core)
        if self.states is None:
            yield chain
            return
        with States(self.states).attached(chain) as short:
            if all(package.kept is None for package in short):
                raise SystemExit("there is no state to start from")
            yield short


def keep_state(packages: list[bytes], folder: Path) -> None:
    """Keeps the state of the last of these packages."""
    chain = open_chain(packages, None, load_core())
    with tempfile.TemporaryDirectory() as out, States(folder).keeping(chain) as keeper:
        rebuild_files(chain, out, keeper)


class NoKeeper:
    """Takes states and does nothing with them: what giving them costs the core."""

    def of(self, _path: str, _block: int) -> Callable[[LatticeState], None]:
        """What takes a state."""
        return lambda _: None


def time_decoding(name: str, core: Core | None, pull: Pull, expected: bytes, rounds: int) -> None:
    """Times the blocks of the file of this content, and what else rebuilding takes."""
    with pull.opened(core) as chain:
        time_chain(f"{name}, {pull.what}", core, chain, pull, expected, rounds)


def time_chain(name: str, core: Core | None, chain: list[Package], pull: Pull, expected: bytes, rounds: int) -> None:
    """The same of an open chain."""
    number = next(i for i, file in enumerate(chain[-1].index.files) if file.size == len(expected))
    check(chain, number, expected)
    size = len(expected)
    source, target = np.ones(COPY_BYTES, np.uint8), np.zeros(COPY_BYTES, np.uint8)
    calls = TimedCalls(core._library) if core else None
    if core and calls:
        core._library = calls  # type: ignore[assignment]
    times: dict[str, list[float]] = {
        "memcpy": [],
        "the core's calls": [],
        "its blocks, from Python": [],
        "the core's calls, with the state after": [],
        "its blocks, with the state after": [],
        "the indexes": [],
        "files with their SHA-256": [],
        "the same, and the state kept": [],
    }
    for _ in range(rounds):
        times["memcpy"].append(seconds(lambda: np.copyto(target, source)) * size / COPY_BYTES)
        for kept, keeper in (("", None), (", with the state after", NoKeeper())):
            before = calls.seconds if calls else 0.0
            label = f"its blocks{kept or ', from Python'}"
            times[label].append(seconds(lambda keeper=keeper: deque(decode_blocks(chain, number, keeper), maxlen=0)))
            times[f"the core's calls{kept}"].append((calls.seconds if calls else 0.0) - before)
        times["the indexes"].append(seconds(lambda: open_chain(pull.packages, None, core)))
        for label, bytes_max in (("files with their SHA-256", 0), ("the same, and the state kept", STATES_BYTES_MAX)):
            with tempfile.TemporaryDirectory() as folder:
                times[label].append(
                    seconds(
                        lambda folder=folder, most=bytes_max: rebuild(pull, core, Path(folder), most), time.process_time
                    )
                )
    if core and calls:
        core._library = calls.library  # type: ignore[assignment]
    copy = statistics.median(times.pop("memcpy"))
    print(f"{name}; copying the {size} bytes takes {copy * 1000:.2f} ms ({size / copy / 1e9:.1f} GB/s)")
    for label, found in times.items():
        if any(found):
            print(f"  {label}: {spread(found)}, {copy / statistics.median(found):.4f} of memcpy")


def rebuild(pull: Pull, core: Core | None, folder: Path, state_bytes_max: int) -> None:
    """What a pull does when everything is downloaded."""
    with pull.opened(core) as chain, States(folder / "states", state_bytes_max).keeping(chain) as keeper:
        rebuild_files(chain, str(folder / "files"), keeper)


def decode_blocks(chain: list[Package], number: int, keeper: StateKeeper | None = None) -> Iterator[bytes | None]:
    """
    One block after another, each freed before the next as when a file is written: memory that is new to the process is
    slow.
    """
    reader = ElementReader(BlockFinder(chain), None, keeper)  # type: ignore[arg-type]
    return (
        reader.alone(BlockNumber(len(chain) - 1, number, i)) for i in range(len(chain[-1].index.files[number].blocks))
    )


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


def rebuilt(packages: list[bytes]) -> bytes:
    """The largest file of a chain, its SHA-256 compared."""
    with tempfile.TemporaryDirectory() as folder:
        rebuild_files(open_chain(packages, None, load_core()), folder)
        return max((path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()), key=len)


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.thread_time) -> float:
    start = clock()
    call()
    return clock() - start


def spread(times: list[float]) -> str:
    return f"{statistics.median(times) * 1000:.2f} ms ({min(times) * 1000:.2f} to {max(times) * 1000:.2f})"


if __name__ == "__main__":
    main()

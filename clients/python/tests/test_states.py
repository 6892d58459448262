"""Kept states: what a chain comes to with them is what it comes to without, and nothing depends on them."""

import random
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import firn
from firn.core import Core, load_core
from firn.decoder.bytes.errors import DamagedPackage
from firn.decoder.restore.chain import Package, open_chain
from firn.decoder.restore.kept_state import KeptState, read_places
from firn.decoder.restore.rebuild_files import rebuild_files
from firn.hub.states import States

from fake_hub import FIXTURES, digests_of

# Runs of residual packages.
RUNS = {
    "format-v3": [FIXTURES / "format-v3" / f"run-{i}.firn" for i in range(4)],
    "format-v2": [FIXTURES / "format-v2" / f"residual-{i}.firn" for i in range(4)],
}
DECODERS: list[Core | None] = [load_core(), None] if load_core() else [None]


class KeptStates(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.states = States(self.folder / "states")
        self.outputs = 0

    def chain(self, data: list[bytes], core: Core | None, wanted: str | None = None) -> list[Package]:
        return open_chain(data, bytes.fromhex(wanted) if wanted else None, core)

    def rebuilt(self, chain: list[Package], states: States | None = None) -> dict[str, str]:
        """The files, from a state if there is one; their own is kept."""
        states = states or self.states
        self.outputs += 1
        out = self.folder / f"out-{self.outputs}"
        with states.keeping(chain) as keeper, states.attached(chain) as short:
            return {file.path: file.sha256.hex() for file, written in rebuild_files(short, str(out), keeper) if written}

    def without_payloads(self, chain: list[Package]) -> list[bytes]:
        """The same packages, the payloads of residual blocks damaged in all but the last."""
        damaged = []
        for package in chain[:-1]:
            data = bytearray(package.data)
            for file in package.index.files:
                for block in file.blocks:
                    if block.plan.block_class[0] == "residual":
                        data[block.offset] ^= 1
            damaged.append(bytes(data))
        return [*damaged, chain[-1].data]

    def test_a_link_is_decoded_from_its_own_package_and_the_state_before_it(self) -> None:
        for name, paths in RUNS.items():
            for core in DECODERS:
                states = States(self.folder / f"{name}-{core is None}")
                data = [path.read_bytes() for path in paths]
                for last in range(len(data)):
                    with self.subTest(name=name, last=last, core=core is not None):
                        expected = self.rebuilt(self.chain(data[: last + 1], core), States(self.folder / "none", 0))
                        chain = self.chain(data[: last + 1], core)
                        damaged = self.chain(self.without_payloads(chain), core)
                        if last > 0:
                            with self.assertRaises(DamagedPackage):
                                self.rebuilt(damaged, States(self.folder / "none", 0))
                        self.assertEqual(self.rebuilt(damaged, states), expected)

    def test_blocks_that_start_from_exact_weights_leave_a_state_like_others(self) -> None:
        data = [(FIXTURES / "format-v11" / f"starts-{i}.firn").read_bytes() for i in range(4)]
        kept = []
        for core in DECODERS:
            states = States(self.folder / f"starts-{core is None}")
            self.rebuilt(self.chain(data[:3], core), states)
            kept.append([path.read_bytes() for path in sorted((self.folder / f"starts-{core is None}").iterdir())])
            expected = self.rebuilt(self.chain(data, core), States(self.folder / "none", 0))
            # The payloads of the first lossy checkpoint are not read again.
            damaged = self.chain(self.without_payloads(self.chain(data, core)), core)
            self.assertEqual(self.rebuilt(damaged, states), expected)
        self.assertEqual([len(each) for each in kept], [1] * len(DECODERS))
        self.assertEqual(kept[0], kept[-1])

    @unittest.skipUnless(load_core(), "the core was not built")
    def test_the_core_and_numpy_keep_the_same_bytes(self) -> None:
        for name, paths in RUNS.items():
            data = [path.read_bytes() for path in paths]
            for last in range(len(data)):
                kept = []
                for core in DECODERS:
                    states = States(self.folder / f"{name}-{last}-{core is None}")
                    self.rebuilt(self.chain(data[: last + 1], core), states)
                    kept.append(
                        [
                            path.read_bytes()
                            for path in sorted((self.folder / f"{name}-{last}-{core is None}").iterdir())
                        ]
                    )
                with self.subTest(name=name, last=last):
                    self.assertEqual(len(kept[0]), 1)
                    self.assertEqual(kept[0], kept[1])

    def test_merged_packages_start_from_the_state_before_their_first_checkpoint_and_leave_the_same(self) -> None:
        base, merged = (FIXTURES / "format-v3" / name for name in ("run-0.firn", "run-1-to-3.firn"))
        ids = [package.index.package_id.hex() for package in self.chain([base.read_bytes(), merged.read_bytes()], None)]
        for core in DECODERS:
            for wanted in ids[1:]:
                states = States(self.folder / f"{wanted}-{core is None}")
                self.rebuilt(self.chain([base.read_bytes()], core), states)
                chain = self.chain([base.read_bytes(), merged.read_bytes()], core, wanted)
                # A state inside the merged package is none to start from.
                single = States(self.folder / "single")
                for i in (1, 2, 3):
                    self.rebuilt(self.chain([path.read_bytes() for path in RUNS["format-v3"][: i + 1]], core), single)
                with self.subTest(wanted=wanted, core=core is not None):
                    expected = digests_of("format-v3")[ids.index(wanted)]
                    self.assertEqual(self.rebuilt(chain, states), expected)
                    self.assertEqual(self.rebuilt(chain, single), expected)
                    left = self.folder / f"{wanted}-{core is None}" / f"{wanted}.state"
                    alone = States(self.folder / f"alone-{wanted}-{core is None}")
                    self.rebuilt(
                        self.chain([path.read_bytes() for path in RUNS["format-v3"][: ids.index(wanted) + 1]], core),
                        alone,
                    )
                    self.assertEqual(
                        left.read_bytes(),
                        (self.folder / f"alone-{wanted}-{core is None}" / f"{wanted}.state").read_bytes(),
                    )

    def test_the_state_of_the_chain_before_goes_when_the_next_one_is_there(self) -> None:
        data = [path.read_bytes() for path in RUNS["format-v3"]]
        for last in range(len(data)):
            chain = self.chain(data[: last + 1], load_core())
            self.rebuilt(chain)
            self.assertEqual(
                [path.name for path in (self.folder / "states").iterdir()],
                [f"{chain[-1].index.package_id.hex()}.state"],
            )

    def test_states_take_no_more_than_their_bound_and_those_used_last_stay(self) -> None:
        chains = [self.chain([paths[0].read_bytes()], load_core()) for paths in RUNS.values()]
        for chain in chains:
            self.rebuilt(chain)
        sizes = [
            (self.folder / "states" / f"{chain[-1].index.package_id.hex()}.state").stat().st_size for chain in chains
        ]
        small = States(self.folder / "small", sizes[0] + sizes[1] - 1)
        for chain in chains[:2]:
            self.rebuilt(chain, small)
        self.assertEqual(
            [path.name for path in (self.folder / "small").iterdir()], [f"{chains[1][-1].index.package_id.hex()}.state"]
        )
        none = States(self.folder / "none", min(sizes) // 2)
        self.rebuilt(chains[0], none)
        self.assertFalse((self.folder / "none").exists())

    def test_nothing_is_kept_of_what_failed(self) -> None:
        data = [path.read_bytes() for path in RUNS["format-v3"][:2]]
        chain = self.chain(data, load_core())
        damaged = self.chain(
            [self.without_payloads(self.chain([*data, b""][:2], load_core()))[0], data[1]], load_core()
        )
        with self.assertRaises(DamagedPackage):
            self.rebuilt(damaged)
        self.assertEqual(list((self.folder / "states").iterdir()), [])
        self.rebuilt(chain)

    def test_a_file_that_is_no_state_is_damage_and_nothing_else(self) -> None:
        chain = self.chain([RUNS["format-v3"][0].read_bytes()], load_core())
        self.rebuilt(chain)
        package_id = chain[-1].index.package_id.hex()
        whole = (self.folder / "states" / f"{package_id}.state").read_bytes()
        with self.assertRaises(DamagedPackage):
            KeptState(self.folder / "states" / f"{package_id}.state", "0" * 32)
        dice = random.Random(7)
        path = self.folder / "changed.state"
        blocks = [
            (file.path, number, block.plan.count)
            for file in chain[-1].index.files
            for number, block in enumerate(file.blocks)
        ]
        for round_ in range(300):
            changed = bytearray(whole if round_ % 2 else whole[-2000:])
            # Where the index and the trailer are, more often than in the states.
            at = len(changed) - 1 - dice.randrange(min(len(changed), 600 if round_ % 3 else len(changed)))
            changed[at] ^= 1 << dice.randrange(8)
            cut = dice.randrange(len(changed)) if round_ % 5 == 0 else len(changed)
            path.write_bytes(changed[:cut])
            with self.assertRaises(DamagedPackage):
                kept = KeptState(path, package_id)
                self.addCleanup(kept.close)
                for name, number, count in blocks:
                    if kept.has(name, number):
                        kept.read(name, number, count)
                kept.close()

    def test_indexes_that_lie_are_refused(self) -> None:
        package = "0" * 32

        def index(files: object) -> bytes:
            return repr({"package": package, "files": files}).replace("'", '"').replace("True", "true").encode()

        self.assertEqual(read_places(index([["a", [[0, 10, 0, 5]]]]), package, 50), {("a", 0): (10, 0, 5)})
        for name, stored in {
            "no JSON": b"{",
            "too deep": b"[" * 100_000,
            "no object": b"[]",
            "another package": index([]).replace(b"0", b"1"),
            "files that are none": index(5),
            "a file without blocks": index([["a"]]),
            "a path that is none": index([[5, []]]),
            "blocks that are none": index([["a", 5]]),
            "a block of three numbers": index([["a", [[0, 10, 0]]]]),
            "a truth for a number": index([["a", [[0, 10, True, 5]]]]),
            "a negative offset": index([["a", [[0, 10, -8, 5]]]]),
            "a state behind the end": index([["a", [[0, 10, 8, 5]]]]),
            "an empty block": index([["a", [[0, 0, 0, 5]]]]),
            "a block larger than any": index([["a", [[0, 131_073, 0, 5]]]]),
        }.items():
            with self.subTest(name), self.assertRaises(DamagedPackage):
                read_places(stored, package, 50)


class FoldersThatFail(unittest.TestCase):
    def test_a_folder_that_cannot_be_written_keeps_nothing_and_stops_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "states").write_text("a file where the folder should be")
            states = States(Path(folder, "states"))
            chain = open_chain([path.read_bytes() for path in RUNS["format-v3"][:2]], None, load_core())
            with states.keeping(chain) as keeper, states.attached(chain) as short:
                self.assertIsNone(keeper)
                found = {
                    file.path: file.sha256.hex() for file, _ in rebuild_files(short, str(Path(folder, "out")), keeper)
                }
            self.assertEqual(found, digests_of("format-v3")[1])
            states.forget(chain)

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no device that is full")
    def test_a_disk_that_gets_full_keeps_nothing_and_stops_nothing(self) -> None:
        chain = open_chain([RUNS["format-v3"][0].read_bytes()], None, load_core())
        with tempfile.TemporaryDirectory() as folder:
            states = States(Path(folder, "states"))
            with unittest.mock.patch.object(Path, "open", lambda *_, **__: open("/dev/full", "wb", buffering=0)):
                with states.keeping(chain) as keeper:
                    rebuild_files(chain, str(Path(folder, "out")), keeper)
            self.assertIsNotNone(keeper)
            self.assertEqual(list(Path(folder, "states").iterdir()), [])

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no device that is full")
    def test_a_full_disk_keeps_nothing_and_stops_nothing(self) -> None:
        from firn.decoder.restore.kept_state import StateWriter

        chain = open_chain([RUNS["format-v3"][0].read_bytes()], None, load_core())
        with tempfile.TemporaryDirectory() as folder, open("/dev/full", "wb", buffering=0) as full:
            writer = StateWriter(full, "0" * 32, chain[-1].index.files)
            found = {file.path: file.sha256.hex() for file, _ in rebuild_files(chain, folder, writer)}
            self.assertEqual(found, digests_of("format-v3")[0])
            with self.assertRaises(OSError):
                writer.finish()


@unittest.skipUnless(load_core(), "the core was not built")
class HostileStates(unittest.TestCase):
    def test_states_of_noise_are_refused_or_decoded(self) -> None:
        chain = open_chain([path.read_bytes() for path in RUNS["format-v3"][:2]], None, load_core())
        dice = random.Random(3)

        class Noise:
            def has(self, *_: object) -> bool:
                return True

            def read(self, path: str, block: int, count: int) -> object:
                import numpy as np

                from firn.decoder.methods.lattice import LatticeState

                size = dice.choice([count, count, count, count - 1, 0])
                values = np.frombuffer(dice.randbytes(4 * size), np.int32) >> dice.choice([0, 8, 12])
                return LatticeState(values, np.frombuffer(dice.randbytes(count), np.uint8))

        from dataclasses import replace

        noisy = [replace(chain[0], kept=Noise()), chain[1]]  # type: ignore[arg-type]
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(20):
                with self.assertRaises(firn.DamagedPackage):
                    rebuild_files(noisy, folder)


if __name__ == "__main__":
    unittest.main()

"""Packages of every format version, decoded by the core, or by numpy with FIRN_CORE=numpy."""

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import firn
from firn.core import load_core

FIXTURES = Path(__file__).parents[3] / "test" / "fixtures"

# Chains of packages, which of their checkpoints, and where its digests are: the same for Node
# (test/shared-vectors.test.ts).
VECTORS = json.loads((FIXTURES / "vectors.json").read_text())


def unpacked(paths: list[Path], package_id: str | None = None) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        return {file.path: file.sha256 for file in firn.unpack(paths, folder, package_id) if file.written}


def digests_of(vector: dict[str, Any]) -> dict[str, str]:
    file, entry = vector["expected"]
    found = json.loads((FIXTURES / file).read_text())[entry]
    return found["digests"] if "digests" in found else found


class Vectors(unittest.TestCase):
    def test_shared_vectors(self) -> None:
        for vector in VECTORS:
            with self.subTest(vector["expected"]):
                paths = [FIXTURES / name for name in vector["packages"]]
                self.assertEqual(unpacked(paths, vector.get("packageId")), digests_of(vector))

    def test_a_changed_byte_anywhere_is_damage(self) -> None:
        base, delta = (FIXTURES / "format-v2" / f"mixed-{i}.firn" for i in (0, 1))
        data = delta.read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            for at in range(4, len(data), max(1, len(data) // 40)):
                changed = bytearray(data)
                changed[at] ^= 4
                path = Path(folder, "changed.firn")
                path.write_bytes(changed)
                with self.subTest(at=at), self.assertRaises((firn.DamagedPackage, firn.UnsupportedFormat)):
                    firn.unpack([base, path], Path(folder, "out"))
            self.assertEqual([path for path in Path(folder, "out").rglob("*") if path.is_file()], [])


@unittest.skipUnless(load_core(), "the core was not built")
class HostilePayloads(unittest.TestCase):
    """Calls of the C interface with payloads and sizes that no package has: an error each, and no crash."""

    def test_payloads_of_noise(self) -> None:
        core = load_core()
        assert core
        tables = core.token_tables(b"")
        contexts = core.context_tables(b"", 1)
        noise = bytes((i * 167 + i * i * 31) % 256 for i in range(400))
        for length in (1, 2, 17, 400):
            for first in range(12):
                payload = bytes([first]) + noise[: length - 1]
                for call in (
                    lambda: core.exact(payload, "f32", 4096, None),
                    lambda: core.exact(payload, "bytes", 4096, bytes(4096)),
                    lambda: core.bitmask(payload, "bf16", 4096, bytes(4096)),
                    lambda: core.buckets(payload, "F32", 4096, bytes(4096)),
                    lambda: core.merged_buckets(payload, "F16", 4096, bytes(4096), (3, 2)),
                    lambda: core.state(payload, 0, [(1024, 0, 0)], None),
                    lambda: core.state(payload, 1, [(1024, 32, 0)], bytes(4096)),
                    lambda: core.masters(payload, [(1000, "BF16"), (24, None)], bytes(2000)),
                    lambda: core.levels(tables, payload, None, 1024, 16),
                ):
                    try:
                        call()
                    except (firn.DamagedPackage, firn.UnsupportedFormat):
                        pass
        self.assertIsNotNone(contexts)

    def test_sizes_that_do_not_fit(self) -> None:
        core = load_core()
        assert core
        for call in (
            lambda: core.exact(b"\0", "f32", 4097, None),
            lambda: core.exact(b"\0", "f32", 4096, bytes(4095)),
            lambda: core.exact(b"", "f32", 4096, None),
            lambda: core.exact(b"\0", "bytes", 1 << 24, None),
            lambda: core.merged_buckets(b"\0", "F32", 4096, None, (3, 0)),
            lambda: core.merged_buckets(b"\0", "F32", 4096, bytes(4096), (2, 2)),
            lambda: core.masters(b"\x0a", [(1024, "BF16")], bytes(2)),
            lambda: core.state(b"\0", 9, [(4, 0, 0)], None),
        ):
            with self.assertRaises(firn.DamagedPackage):
                call()


if __name__ == "__main__":
    unittest.main()

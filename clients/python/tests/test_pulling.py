"""Pulls from a hub that behaves, breaks off, or lies."""

import hashlib
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import firn
from firn.hub.client import hub_address

from fake_hub import FakeHub, lossy_chain, residual_chain

# Pulls in a process of its own. Arguments: the hub, the folder for the files, the cache.
_CALL = """
import sys, firn
firn.snapshot_download("me/tiny", endpoint=sys.argv[1], local_dir=sys.argv[2], cache_dir=sys.argv[3])
"""


class Pulling(unittest.TestCase):
    def setUp(self) -> None:
        self.hub = FakeHub()
        self.addCleanup(self.hub.close)
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.cache = self.folder / "cache"

    def pull(self, name: str = "out") -> dict[str, str]:
        out = firn.snapshot_download(
            "me/tiny",
            revision="step-2",
            endpoint=self.hub.url,
            token="t",
            local_dir=self.folder / name,
            cache_dir=self.cache,
        )
        return self.digests(Path(out))

    def digests(self, folder: Path) -> dict[str, str]:
        paths = [path for path in folder.rglob("*") if path.is_file()]
        return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}

    def chain(
        self, count: int, make: Callable[[int], tuple[list[bytes], dict[str, str]]] = lossy_chain
    ) -> dict[str, str]:
        """Makes the hub serve a chain of so many packages beside a plain file; what a pull has to give."""
        data, digests = make(count)
        packages = [self.hub.add_package(each) for each in data]
        for before, after in zip(packages, packages[1:], strict=False):
            after["ancestorId"] = before["id"]
        with tempfile.TemporaryDirectory() as out:
            paths = []
            for i, each in enumerate(data):
                paths.append(Path(out, f"{i}.firn"))
                paths[-1].write_bytes(each)
            firn.unpack(paths, Path(out, "files"))
            sizes = {path: Path(out, "files", path).stat().st_size for path in digests}
        holder = packages[-1]["id"]
        # As large as to be worth their packages: the fixtures' files are small.
        files: list[Any] = [
            {
                "path": f"weights/{path}",
                "sizeBytes": sizes[path],
                "sha256": digest,
                "href": f"/whole/{path}",
                "package": {"id": holder, "path": path},
            }
            for path, digest in digests.items()
        ]
        self.hub.serve([*files, self.hub.add_file("config.json", b'{"a": 1}')], packages)
        expected = {f"weights/{path}": digest for path, digest in digests.items()}
        return {**expected, "config.json": hashlib.sha256(b'{"a": 1}').hexdigest()}

    def test_files_come_from_packages_and_the_second_pull_takes_only_what_is_new(self) -> None:
        self.assertEqual(self.pull_of(2), self.expected)
        self.assertEqual(len(self.hub.received("/packages/")), 2)
        self.assertEqual(self.hub.tokens[0], "Bearer t")
        self.hub.requests.clear()
        self.assertEqual(self.pull_of(3, "next"), self.expected)
        self.assertEqual(len(self.hub.received("/packages/")), 1)
        self.assertEqual(self.hub.received("/whole/"), [])
        self.hub.requests.clear()
        self.assertEqual(self.pull("next"), self.expected)
        self.assertEqual(len(self.hub.requests), 1)

    def pull_of(self, count: int, name: str = "out") -> dict[str, str]:
        self.expected = self.chain(count)
        return self.pull(name)

    def test_a_delta_is_downloaded_and_then_used(self) -> None:
        self.chain(2)
        self.hub.manifest["packages"][0]["held"] = True
        delta = firn.pull_delta("me/tiny", "step-1", "step-2", endpoint=self.hub.url, cache_dir=self.cache)
        self.assertEqual([path.name[:32] for path in delta.packages], [self.hub.manifest["packages"][1]["id"]])
        self.assertEqual(delta.files, ())
        self.assertTrue(any("have=" in path for path, _ in self.hub.requests))

    def test_broken_downloads_go_on_where_they_broke(self) -> None:
        expected = self.chain(2)
        first = self.hub.manifest["packages"][0]["href"]
        self.hub.cut_after = {first: 1000}
        self.assertEqual(self.pull(), expected)
        self.assertIn((first, "bytes=1000-"), self.hub.requests)

    def test_what_a_killed_process_left_is_used_if_it_is_right_and_else_pulled_again(self) -> None:
        expected = self.chain(2)
        package = self.hub.manifest["packages"][0]
        part = self.cache / "packages" / f"{package['id']}.part"
        part.parent.mkdir(parents=True)
        part.write_bytes(self.hub.bodies[package["href"]][:500])
        self.assertEqual(self.pull(), expected)
        self.assertIn((package["href"], "bytes=500-"), self.hub.requests)

        other = self.hub.manifest["packages"][1]
        kept = next((self.cache / "packages").glob(f"{other['id']}-*.firn"))
        kept.unlink()
        (self.cache / "packages" / f"{other['id']}.part").write_bytes(bytes(500))
        self.assertEqual(self.pull("again"), expected)

    @unittest.skipUnless(hasattr(signal, "SIGKILL"), "there is no SIGKILL here")
    def test_a_process_may_be_killed_at_any_time(self) -> None:
        expected = self.chain(3)
        self.hub.pause_s = 0.002
        environment = {**os.environ, "PYTHONPATH": str(Path(firn.__file__).parents[1])}
        for kill in range(6):
            seen = len(self.hub.received("/packages/"))
            arguments = [sys.executable, "-B", "-c", _CALL, self.hub.url, str(self.folder / "out"), str(self.cache)]
            with subprocess.Popen(arguments, env=environment, stderr=subprocess.DEVNULL) as process:
                deadline = time.monotonic() + 60
                while (
                    process.poll() is None
                    and len(self.hub.received("/packages/")) == seen
                    and time.monotonic() < deadline
                ):
                    time.sleep(0.005)
                time.sleep(0.01 * kill)
                process.kill()
            for path, digest in self.digests(self.folder / "out").items() if (self.folder / "out").exists() else ():
                # Whatever is there under its name is whole; the rest is in a folder of its own.
                self.assertTrue(path.startswith(".firn-unfinished-") or digest == expected[path])
        self.hub.pause_s = 0.0
        found = self.pull()
        self.assertEqual(
            {path: digest for path, digest in found.items() if not path.startswith(".firn-unfinished-")}, expected
        )

    def test_a_package_that_rots_in_the_cache_is_pulled_again(self) -> None:
        expected = self.chain(2)
        self.pull()
        for kept in (self.cache / "packages").glob("*.firn"):
            data = bytearray(kept.read_bytes())
            data[100] ^= 1
            kept.write_bytes(data)
        with self.assertLogs("firn", "WARNING"):
            self.assertEqual(self.pull("again"), expected)

    def test_the_next_step_goes_on_from_the_state_of_the_step_before(self) -> None:
        self.chain(4, residual_chain)
        ids = [package["id"] for package in self.hub.manifest["packages"]]
        for count in (1, 2, 3, 4):
            expected = self.chain(count, residual_chain)
            self.assertEqual(self.pull(f"out-{count}"), expected)
            self.assertEqual([path.name for path in (self.cache / "states").iterdir()], [f"{ids[count - 1]}.state"])

    def test_a_state_that_is_damaged_is_removed_and_the_chain_decoded(self) -> None:
        for at, change in ((0, 1), (5000, 1), (-1, 1), (-20, 1), (-60, 1)):
            self.chain(2, residual_chain)
            self.pull(f"before-{at}")
            (state,) = (self.cache / "states").iterdir()
            data = bytearray(state.read_bytes())
            data[at] ^= change
            state.write_bytes(data)
            expected = self.chain(3, residual_chain)
            with self.subTest(at=at), self.assertLogs("firn", "WARNING"):
                self.assertEqual(self.pull(f"after-{at}"), expected)
            self.assertFalse(state.exists())
            for path in (self.cache / "states").iterdir():
                path.unlink()

    def test_a_state_that_is_whole_but_wrong_is_removed_and_the_chain_decoded(self) -> None:
        self.chain(1, residual_chain)
        self.pull("base")
        (state,) = (self.cache / "states").iterdir()
        other = state.read_bytes()
        self.chain(2, residual_chain)
        self.pull("before")
        (kept,) = (self.cache / "states").iterdir()
        before, after = state.stem, kept.stem
        # The state of another checkpoint, under this one's name, in a file that is whole.
        length = int.from_bytes(other[-44:-40], "little")
        index = other[-44 - length : -44].replace(before.encode(), after.encode())
        kept.write_bytes(other[: -44 - length] + index + other[-44:-40] + hashlib.sha256(index).digest() + other[-8:])
        expected = self.chain(3, residual_chain)
        with self.assertLogs("firn", "WARNING"):
            self.assertEqual(self.pull("after"), expected)
        self.assertFalse(kept.exists())

    def test_processes_that_pull_at_once_all_get_the_files(self) -> None:
        for count in (1, 2, 3, 4):
            expected = self.chain(count, residual_chain)
            running = [self.process(f"out-{count}-{i}") for i in range(3)]
            for process in running:
                self.assertEqual(process.wait(120), 0)
            for i in range(3):
                self.assertEqual(self.digests(self.folder / f"out-{count}-{i}"), expected)
            self.assertEqual([path.suffix for path in (self.cache / "states").iterdir()], [".state"])

    @unittest.skipUnless(hasattr(signal, "SIGKILL"), "there is no SIGKILL here")
    def test_a_process_that_is_killed_while_it_keeps_a_state_harms_no_later_pull(self) -> None:
        self.chain(3, residual_chain)
        self.pull("before")
        self.chain(4, residual_chain)
        for kill in range(8):
            process = self.process(f"killed-{kill}")
            time.sleep(0.15 + 0.03 * kill)
            process.kill()
            process.wait()
        expected = self.chain(4, residual_chain)
        self.assertEqual(self.pull("after"), expected)
        self.assertEqual(
            [path.suffix for path in (self.cache / "states").iterdir() if not path.name.startswith(".")], [".state"]
        )

    def process(self, name: str) -> "subprocess.Popen[bytes]":
        """Pulls in a process of its own."""
        environment = {**os.environ, "PYTHONPATH": str(Path(firn.__file__).parents[1])}
        process = subprocess.Popen(
            [sys.executable, "-B", "-c", _CALL, self.hub.url, str(self.folder / name), str(self.cache)], env=environment
        )
        self.addCleanup(process.wait)
        return process

    @unittest.skipUnless(hasattr(os, "geteuid"), "folders cannot be made read-only here")
    def test_a_cache_that_cannot_be_written_is_read_and_else_done_without(self) -> None:
        self.chain(2, residual_chain)
        self.pull("before")
        expected = self.chain(3, residual_chain)
        out = self.folder / "out"
        out.mkdir()
        kept = {path: path.read_bytes() for path in self.cache.rglob("*") if path.is_file()}
        for path in (out, self.folder, self.cache, *self.cache.rglob("*")):
            path.chmod(0o777 if path == out else 0o555 if path.is_dir() else 0o444)
        self.addCleanup(
            lambda: [path.chmod(0o755) for path in (self.folder, self.cache, *self.cache.rglob("*")) if path.is_dir()]
        )
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        self.hub.requests.clear()
        if os.geteuid() == 0:
            # Root may write everywhere.
            os.seteuid(65534)
            self.addCleanup(os.seteuid, 0)
        self.assertEqual(self.pull("out"), expected)
        # Only what was not there is pulled.
        self.assertEqual(len(self.hub.received("/packages/")), 1)
        self.assertEqual({path: path.read_bytes() for path in self.cache.rglob("*") if path.is_file()}, kept)

    def test_packages_larger_than_the_files_are_not_pulled(self) -> None:
        self.chain(2)
        for package in self.hub.manifest["packages"]:
            package["sizeBytes"] = 1 << 40
        with self.assertRaises(firn.HubRefused) as refused:
            self.pull()
        self.assertEqual(refused.exception.status, 404)
        self.assertTrue(self.hub.received("/whole/"))

    def test_answers_that_lie_are_refused_and_leave_nothing(self) -> None:
        plain = {"path": "a", "sizeBytes": 1, "sha256": "0" * 64, "href": "/files/0"}
        cases: dict[str, Any] = {
            "no object": [],
            "a path that leaves the folder": {"files": [{**plain, "path": "../a"}]},
            "an absolute path": {"files": [{**plain, "path": "/etc/a"}]},
            "a path with a backslash": {"files": [{**plain, "path": "..\\a"}]},
            "a path with NUL": {"files": [{**plain, "path": "a\0"}]},
            "a path into a git repository": {"files": [{**plain, "path": "x/.GIT/hooks/post-commit"}]},
            "two files of one path": {"files": [plain, plain]},
            "a file that is a folder": {"files": [plain, {**plain, "path": "a/b"}]},
            "an address of another host": {"files": [{**plain, "href": "//other.example/a"}]},
            "a whole address": {"files": [{**plain, "href": "http://other.example/a"}]},
            "a negative size": {"files": [{**plain, "sizeBytes": -1}]},
            "a size that is no number": {"files": [{**plain, "sizeBytes": True}]},
            "a short digest": {"files": [{**plain, "sha256": "00"}]},
            "a package that is not listed": {"files": [{**plain, "package": {"id": "0" * 32, "path": "a"}}]},
            "packages in a circle": {
                "files": [{**plain, "package": {"id": "0" * 32, "path": "a"}}],
                "packages": [
                    {"id": x * 32, "holds": [x * 32], "ancestorId": y * 32, "sizeBytes": 1, "etag": '"e"', "href": "/p"}
                    for x, y in ("01", "10")
                ],
            },
        }
        for name, answer in cases.items():
            if isinstance(answer, dict):
                answer = {"revision": "a" * 40, "files": [], "packages": [], **answer}
            self.hub.manifest = answer
            with self.subTest(name), self.assertRaises(firn.UnsafeAnswer):
                self.pull()
        self.assertEqual(self.digests(self.folder / "out") if (self.folder / "out").exists() else {}, {})

    def test_bytes_that_are_not_what_they_are_named_are_refused(self) -> None:
        self.hub.serve([self.hub.add_file("a.bin", b"right")], [])
        self.hub.bodies["/files/0"] = b"wrong"
        with self.assertRaises(firn.WrongBytes):
            self.pull()
        self.hub.bodies["/files/0"] = b"longer"
        with self.assertRaises(firn.UnsafeAnswer):
            self.pull()
        self.hub.bodies["/files/0"] = b"right"
        self.hub.extra = {"/files/0": b" and more"}
        with self.assertRaises(firn.UnsafeAnswer):
            self.pull()
        self.hub.extra = {}
        self.assertEqual(list(self.pull()), ["a.bin"])

    def test_packages_that_hold_other_files_are_refused(self) -> None:
        self.chain(2)
        right = self.hub.manifest["files"][0]["sha256"]
        self.hub.manifest["files"][0]["sha256"] = "1" * 64
        with self.assertRaises(firn.WrongBytes):
            self.pull()
        self.hub.manifest["files"][0]["sha256"] = right
        first, second = self.hub.manifest["packages"]
        self.cache = self.folder / "other-cache"
        self.hub.bodies[second["href"]] = self.hub.bodies[first["href"]][: second["sizeBytes"]].ljust(
            second["sizeBytes"], b"\0"
        )
        with self.assertRaises(firn.WrongBytes):
            self.pull()

    def test_a_redirect_to_another_host_is_followed_without_the_token(self) -> None:
        bucket = FakeHub()
        self.addCleanup(bucket.close)
        self.hub.serve([self.hub.add_file("a.bin", b"right")], [])
        self.hub.redirects = {"/files/0": f"{bucket.url}/files/0"}
        bucket.bodies = {"/files/0": b"right"}
        self.assertEqual(list(self.pull()), ["a.bin"])
        self.assertEqual((self.hub.tokens[0], bucket.tokens), ("Bearer t", [None]))

    def test_a_token_goes_to_its_own_hub_only(self) -> None:
        for name in ("FIRN_URL", "FIRN_ENDPOINT", "FIRN_TOKEN", "HF_ENDPOINT", "HF_TOKEN"):
            old = os.environ.pop(name, None)
            self.addCleanup(
                lambda name=name, old=old: (
                    os.environ.update({name: old}) if old is not None else os.environ.pop(name, None)
                )
            )
        with self.assertRaises(firn.FirnError):
            hub_address(None, None)
        with self.assertRaises(firn.FirnError):
            hub_address("file:///etc", None)
        os.environ.update(HF_TOKEN="of-hf", FIRN_ENDPOINT="https://firn.example/")
        self.assertEqual(hub_address(None, None).token, None)
        self.assertEqual(hub_address(None, None).endpoint, "https://firn.example")
        os.environ["FIRN_URL"] = "https://other.example"
        self.assertEqual(hub_address(None, None).endpoint, "https://other.example")
        self.assertEqual(hub_address(None, None).token, None)
        del os.environ["FIRN_URL"]
        os.environ["HF_ENDPOINT"] = "https://firn.example"
        self.assertEqual(hub_address(None, None).token, "of-hf")


if __name__ == "__main__":
    unittest.main()

"""
A folder that keeps what was downloaded: `packages/<id>-<sha256>.firn` and `blobs/<sha256>`. A file appears under its
name when its bytes are whole and checked, so a process may be killed at any time; `*.part` is an unfinished one, which
the next download goes on with. A folder that cannot be written is read, and what is not there goes to a temporary one.
"""

import contextlib
import errno
import hashlib
import http.client
import logging
import os
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from .client import HubClient
from ..decoder.bytes.errors import DamagedPackage
from ..errors import HubError, HubRefused, UnsafeAnswer, WrongBytes
from .manifest import PulledFile, PulledPackage
from ..unpacking import package_frame

_log = logging.getLogger("firn")

_PIECE_BYTES = 1 << 20
# Connections in a row that brought nothing.
_IDLE_TRIES = 5


class PackageReplaced(HubError):
    """The package was merged with others since the hub listed it: list again."""


def default_cache() -> Path:
    """FIRN_CACHE, or `firn` in the user's folder of caches."""
    named = os.environ.get("FIRN_CACHE")
    if named:
        return Path(named)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "firn"


class Cache:
    """
    Finds and fetches packages and plain files. `folder` is the one that was named, `packages` and `blobs` are where
    downloads go.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._named = folder / "packages", folder / "blobs"
        self._damaged: set[str] = set()
        target = folder
        if not _can_be_written(folder):
            _log.warning("%s cannot be written: what is pulled is kept only as long as this process runs", folder)
            target = Path(tempfile.mkdtemp(prefix="firn-"))
            weakref.finalize(self, shutil.rmtree, target, ignore_errors=True)
        self.packages = target / "packages"
        self.blobs = target / "blobs"
        self.packages.mkdir(parents=True, exist_ok=True)
        self.blobs.mkdir(parents=True, exist_ok=True)

    def find(self, package: PulledPackage) -> list[Path] | None:
        """Files with all that a package holds: its own, or those its checkpoints had before they were merged."""
        whole = self._file_of(package.package_id)
        if whole is not None and whole.stat().st_size == package.size_bytes:
            return [whole]
        if package.holds == (package.package_id,):
            return None
        single = [self._file_of(held) for held in package.holds]
        return None if None in single else [path for path in single if path is not None]

    def fetch(self, client: HubClient, package: PulledPackage) -> list[Path]:
        """The same, downloaded if need be. PackageReplaced, HubError, WrongBytes."""
        part = self.packages / f"{package.package_id}.part"
        with _locked(part):
            found = self.find(package)
            if found is not None:
                return found

            def place() -> Path:
                _check_frame(part, package)
                return self.packages / f"{package.package_id}-{file_digest(part)}.firn"

            try:
                return [_download(client, package.href, package.size_bytes, part, place, package.etag)]
            except HubRefused as error:
                if error.status == 412 or error.status == 404:
                    raise PackageReplaced(f"the package {package.package_id} is not there any more") from error
                raise

    def blob(self, client: HubClient, file: PulledFile) -> Path:
        """A plain file, downloaded if need be. HubError, WrongBytes."""
        whole, part = self.blobs / file.sha256, self.blobs / f"{file.sha256}.part"
        with _locked(part):
            for kept in {whole, self._named[1] / file.sha256}:
                if kept.exists() and kept.stat().st_size == file.size_bytes:
                    return kept

            def place() -> Path:
                if file_digest(part) != file.sha256:
                    raise WrongBytes(f"{file.path} does not have the digest that the hub names it by")
                return whole

            return _download(client, file.href, file.size_bytes, part, place)

    def forget(self, package: PulledPackage) -> None:
        """Removes what is kept of a package, because it is damaged."""
        for package_id in {package.package_id, *package.holds}:
            for path in self.packages.glob(f"{package_id}-*.firn"):
                path.unlink(missing_ok=True)
            if self.packages != self._named[0]:
                self._damaged.add(package_id)

    def _file_of(self, package_id: str) -> Path | None:
        # What is damaged in a folder that cannot be written stays there.
        folders = {self.packages} if package_id in self._damaged else {self.packages, self._named[0]}
        found = (path for folder in folders for path in folder.glob(f"{package_id}-*.firn"))
        return next((path for path in found if re.fullmatch(r"[0-9a-f]{32}-[0-9a-f]{64}\.firn", path.name)), None)


def _can_be_written(folder: Path) -> bool:
    """Whether files may be made in a folder, which is made if it is not there."""
    try:
        for part in (folder, folder / "packages", folder / "blobs"):
            part.mkdir(parents=True, exist_ok=True)
            if not os.access(part, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
                return False
    except OSError:
        return False
    return True


def file_digest(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def _download(
    client: HubClient, href: str, size: int, part: Path, place: Callable[[], Path], etag: str | None = None
) -> Path:
    """
    Completes `part`, which `place` checks and names, and moves it there. What an earlier process left is not trusted:
    if that turns out wrong, it starts over.
    """
    resumed = part.exists() and part.stat().st_size > 0
    while True:
        _complete(client, href, size, part, etag)
        try:
            target = place()
            break
        except (WrongBytes, DamagedPackage) as error:
            part.unlink()
            if not resumed:
                raise WrongBytes(str(error)) from error
            resumed = False
    os.replace(part, target)
    _sync_folder(target.parent)
    return target


def _complete(client: HubClient, href: str, size: int, part: Path, etag: str | None) -> None:
    with part.open("ab") as file:
        if file.tell() > size:
            file.truncate(0)
            file.seek(0)
        idle = 0
        while file.tell() < size or (size == 0 and idle == 0):
            before = file.tell()
            try:
                _receive(client, href, size, file, etag)
            except (OSError, http.client.HTTPException) as error:
                # A full disk is no matter of the connection.
                if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise
                idle = 0 if file.tell() > before else idle + 1
                if idle > 0:
                    client.pause(idle - 1, error)
                continue
            if size == 0:
                break
            idle = 0 if file.tell() > before else idle + 1
            if idle >= _IDLE_TRIES:
                raise HubError("the hub sends less of a file than it says")
        file.flush()
        os.fsync(file.fileno())


def _receive(client: HubClient, href: str, size: int, file: BinaryIO, etag: str | None) -> None:
    """Appends what one answer brings, never beyond `size`."""
    start = file.tell()
    headers = {"Accept-Encoding": "identity"}
    if start > 0:
        headers["Range"] = f"bytes={start}-"
    if etag is not None:
        headers["If-Match"] = etag
    with client.open(href, headers) as answer:
        if start > 0 and answer.status != 206:
            # The hub does not go on: the whole file comes.
            file.truncate(0)
            file.seek(0)
            start = 0
        elif start > 0 and not (answer.headers.get("Content-Range") or "").startswith(
            f"bytes {start}-{size - 1}/{size}"
        ):
            raise UnsafeAnswer("the hub sends another part of a file than was asked for")
        left = size - start
        declared = answer.headers.get("Content-Length")
        if declared is not None and declared != str(left):
            raise UnsafeAnswer(f"the hub says that a file has {size} bytes, and sends another number")
        while piece := answer.read(min(_PIECE_BYTES, left + 1)):
            client.received_bytes += len(piece)
            left -= len(piece)
            if left < 0:
                raise UnsafeAnswer(f"the hub sends more than the {size} bytes of a file")
            file.write(piece)


def _check_frame(path: Path, package: PulledPackage) -> None:
    frame = package_frame(path.read_bytes())
    ids = [each.hex() for each in frame.checkpoint_ids]
    right = frame.package_id.hex() == package.package_id and all(held in ids for held in package.holds)
    ancestor = None if frame.ancestor_id is None else frame.ancestor_id.hex()
    if not right or ancestor != package.ancestor_id:
        raise WrongBytes(f"what the hub sends is not the package {package.package_id}")


def _sync_folder(folder: Path) -> None:
    """Makes a rename in the folder last, where the system can."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _locked(part: Path) -> Iterator[None]:
    """
    One process at a time works on `part`; the lock goes with the process. Without locks of files, on Windows, processes
    must not share a cache.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with open(part.with_suffix(".lock"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

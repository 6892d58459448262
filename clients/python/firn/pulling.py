"""Folders of files from a hub, by way of packages."""

import errno
import hashlib
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .core import load_core
from .decoder.bytes.errors import DamagedPackage
from .decoder.restore.chain import Package, open_chain
from .decoder.restore.rebuild_files import rebuild_files
from .errors import FirnError, WrongBytes
from .hub.cache import Cache, PackageReplaced, default_cache, file_digest
from .hub.client import HubClient, hub_address
from .hub.manifest import Manifest, PulledFile, PulledPackage, read_manifest
from .hub.states import States

_log = logging.getLogger("firn")

# How often the hub may merge packages while they are pulled.
_LISTINGS_MAX = 4
_SCRATCH_PREFIX = ".firn-unfinished-"
# Scratch folders of this age are left from processes that were killed.
_SCRATCH_AGE_S = 24 * 3600.0

Folder = str | os.PathLike[str]


@dataclass(frozen=True)
class PulledDelta:
    """
    What a pull of a delta brought: revisions of 40 hex digits, the packages (base first) and plain files that the
    second needs besides those of the first, and how many bytes came over the line.
    """

    from_revision: str
    to_revision: str
    packages: tuple[Path, ...]
    files: tuple[Path, ...]
    downloaded_bytes: int


class Hub:
    """
    A hub and a folder that keeps what was pulled from it. `received_bytes` says how many bytes of bodies came so far.
    """

    def __init__(self, endpoint: str | None = None, token: str | None = None, cache_dir: Folder | None = None) -> None:
        self._client = HubClient(hub_address(endpoint, token))
        self._cache = Cache(Path(cache_dir) if cache_dir is not None else default_cache())
        self._states = States(self._cache.folder / "states")

    @property
    def received_bytes(self) -> int:
        """Bytes of all bodies that the hub sent."""
        return self._client.received_bytes

    def snapshot_download(self, repo_id: str, revision: str = "main", local_dir: Folder | None = None) -> str:
        """As the function of this name."""
        for _ in range(_LISTINGS_MAX):
            manifest = read_manifest(self._client.pull(repo_id, revision))
            folder = Path(local_dir) if local_dir is not None else self._snapshot_folder(repo_id, manifest.revision)
            folder.mkdir(parents=True, exist_ok=True)
            try:
                self._fill(folder, manifest)
                return str(folder)
            except PackageReplaced as error:
                replaced = error
        raise replaced

    def pull_delta(self, repo_id: str, from_revision: str, to_revision: str) -> PulledDelta:
        """As the function of this name."""
        before_bytes = self.received_bytes
        for _ in range(_LISTINGS_MAX):
            before = read_manifest(self._client.pull(repo_id, from_revision))
            after = read_manifest(self._client.pull(repo_id, to_revision, have=before.revision))
            had = {file.sha256 for file in before.files}
            try:
                packages = [
                    path
                    for package in after.packages
                    if not package.held
                    for path in self._cache.fetch(self._client, package)
                ]
                plain = [file for file in after.files if file.package_id is None and file.sha256 not in had]
                files = [self._cache.blob(self._client, file) for file in plain]
                return PulledDelta(
                    before.revision, after.revision, tuple(packages), tuple(files), self.received_bytes - before_bytes
                )
            except PackageReplaced as error:
                replaced = error
        raise replaced

    def _snapshot_folder(self, repo_id: str, revision: str) -> Path:
        hub = hashlib.sha256(self._client.endpoint.encode()).hexdigest()[:12]
        return self._cache.folder / "snapshots" / hub / repo_id.replace("/", "--") / revision

    def _fill(self, folder: Path, manifest: Manifest) -> None:
        """Puts the files that are not there yet into the folder, each when its digest is right."""
        missing = [file for file in manifest.files if not _is_there(folder, file)]
        _check_room(folder, missing)
        _remove_old_scratch(folder)
        groups: dict[str, list[PulledFile]] = {}
        for file in missing:
            if file.package_id is not None:
                groups.setdefault(file.package_id, []).append(file)
        plain = [file for file in missing if file.package_id is None]
        for package_id, files in groups.items():
            chain = manifest.chain(package_id)
            to_fetch = sum(package.size_bytes for package in chain if self._cache.find(package) is None)
            # A long chain of a small file may be more than the file.
            if to_fetch >= sum(file.size_bytes for file in files):
                plain += files
            else:
                self._rebuild(folder, package_id, chain, files)
        for file in plain:
            with _scratch(folder) as scratch:
                copy = Path(scratch) / "file"
                kept = self._cache.blob(self._client, file)
                shutil.copyfile(kept, copy)
                if file_digest(copy) != file.sha256:
                    kept.unlink(missing_ok=True)
                    raise WrongBytes(f"{file.path} is damaged in the cache; it is removed, so try again")
                _put(copy, folder, file.path)
        _log.info(
            "pulled %d files of revision %s; %d bytes received so far",
            len(missing),
            manifest.revision,
            self.received_bytes,
        )

    def _rebuild(self, folder: Path, package_id: str, chain: list[PulledPackage], files: list[PulledFile]) -> None:
        """
        Rebuilds files from the chain of a package. What was kept in the cache is pulled again, once, if it is damaged.
        """
        was_kept = [package for package in chain if self._cache.find(package) is not None]
        try:
            self._rebuild_once(folder, package_id, chain, files)
        except (DamagedPackage, WrongBytes) as error:
            if not was_kept:
                raise _damaged(error) from error
            _log.warning("packages in the cache are damaged (%s); pulling them again", error)
            for package in was_kept:
                self._cache.forget(package)
            try:
                self._rebuild_once(folder, package_id, chain, files)
            except DamagedPackage as again:
                raise _damaged(again) from again

    def _rebuild_once(self, folder: Path, package_id: str, chain: list[PulledPackage], files: list[PulledFile]) -> None:
        paths = [path for package in chain for path in self._cache.fetch(self._client, package)]
        packages = open_chain([path.read_bytes() for path in paths], bytes.fromhex(package_id), load_core())
        found = {file.path: file for file in packages[-1].index.files}
        for file in files:
            stored = found.get(file.package_path or "")
            if stored is None or stored.sha256.hex() != file.sha256 or stored.size != file.size_bytes:
                raise WrongBytes(f"the package has another {file.package_path} than the hub says")
        with _scratch(folder) as scratch:
            self._decode(packages, scratch)
            wanted: dict[str, list[PulledFile]] = {}
            for file in files:
                wanted.setdefault(file.package_path or "", []).append(file)
            for package_path, targets in wanted.items():
                source = Path(scratch, *package_path.split("/"))
                if not source.exists():
                    raise WrongBytes(f"the package does not hold the bytes of {package_path}, as the hub says it does")
                for file in targets[1:]:
                    copy = Path(scratch) / f"{_SCRATCH_PREFIX}copy"
                    shutil.copyfile(source, copy)
                    _put(copy, folder, file.path)
                _put(source, folder, targets[0].path)

    def _decode(self, chain: Sequence[Package], scratch: str) -> None:
        """Rebuilds the files of the last package, from a kept state if there is one and it is right."""
        with self._states.keeping(chain) as keeper:
            with self._states.attached(chain) as short:
                try:
                    rebuild_files(short, scratch, keeper)
                    return
                except (DamagedPackage, OSError) as error:
                    if all(package.kept is None for package in short):
                        raise
                    _log.warning("a kept state is of no use (%s); the whole chain is decoded", error)
            self._states.forget(chain)
            rebuild_files(chain, scratch, keeper)


def snapshot_download(
    repo_id: str,
    *,
    revision: str = "main",
    endpoint: str | None = None,
    token: str | None = None,
    local_dir: Folder | None = None,
    cache_dir: Folder | None = None,
) -> str:
    """
    A folder with the files of a repository at a revision (a branch, a tag, `step-1200`, `run/step-1200` or 40 hex
    digits), rebuilt from packages where that takes fewer bytes. It is `local_dir`, in which files of the same paths are
    replaced, or a folder in the cache, which must not be changed. Files appear one by one, each with the SHA-256 that
    the hub names; after an error or a kill a repeated call goes on. FirnError.
    """
    return Hub(endpoint, token, cache_dir).snapshot_download(repo_id, revision, local_dir)


def pull_delta(
    repo_id: str,
    from_revision: str,
    to_revision: str,
    *,
    endpoint: str | None = None,
    token: str | None = None,
    cache_dir: Folder | None = None,
) -> PulledDelta:
    """
    Downloads into the cache what who has one revision needs for another, which may be much later or earlier, and
    rebuilds nothing: snapshot_download() of the second finds it there. FirnError.
    """
    return Hub(endpoint, token, cache_dir).pull_delta(repo_id, from_revision, to_revision)


def _damaged(error: Exception) -> FirnError:
    return error if isinstance(error, FirnError) else WrongBytes(f"the hub's packages are damaged: {error}")


def _is_there(folder: Path, file: PulledFile) -> bool:
    path = Path(folder, *file.path.split("/"))
    return path.is_file() and path.stat().st_size == file.size_bytes and file_digest(path) == file.sha256


def _check_room(folder: Path, missing: Iterable[PulledFile]) -> None:
    needed = sum(file.size_bytes for file in missing)
    if needed > shutil.disk_usage(folder).free:
        raise OSError(errno.ENOSPC, f"the files take {needed} bytes, more than there is room for", str(folder))


def _scratch(folder: Path) -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix=_SCRATCH_PREFIX, dir=folder)


def _remove_old_scratch(folder: Path) -> None:
    for left in folder.iterdir():
        if re.match(re.escape(_SCRATCH_PREFIX), left.name) and time.time() - left.stat().st_mtime > _SCRATCH_AGE_S:
            shutil.rmtree(left, ignore_errors=True)


def _put(source: Path, folder: Path, path: str) -> None:
    """Moves a checked file to its place, whole at any time."""
    target = Path(folder, *path.split("/"))
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(source, target)

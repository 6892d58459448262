"""What the hub says a revision consists of, checked before anything is done with it."""

import os
import re
from dataclasses import dataclass
from typing import Any

from ..decoder.bytes.errors import DamagedPackage
from ..decoder.index.file_path import read_path
from ..errors import UnsafeAnswer

_REVISION = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PACKAGE_ID = re.compile(r"[0-9a-f]{32}")
_FILES_MAX = 100_000
_PACKAGES_MAX = 100_000
_HOLDS_MAX = 4
_CHAIN_MAX = 1024
_SIZE_MAX = 1 << 53


@dataclass(frozen=True)
class PulledFile:
    """
    A file of a revision. `package_id` and `package_path` say where a package has it; None for a file that is downloaded
    as it is.
    """

    path: str
    size_bytes: int
    sha256: str
    href: str
    package_id: str | None
    package_path: str | None


@dataclass(frozen=True)
class PulledPackage:
    """
    A package to download; `holds` are the ids of the checkpoints' packages in it, `held` whether the revision asked
    about has it too.
    """

    package_id: str
    holds: tuple[str, ...]
    ancestor_id: str | None
    size_bytes: int
    etag: str
    href: str
    held: bool


@dataclass(frozen=True)
class Manifest:
    """A revision: its files, and the packages they are rebuilt from."""

    revision: str
    files: tuple[PulledFile, ...]
    packages: tuple[PulledPackage, ...]

    def chain(self, package_id: str) -> list[PulledPackage]:
        """The packages from the base to the one that holds the package of a checkpoint."""
        by_held = {held: package for package in self.packages for held in package.holds}
        chain: list[PulledPackage] = []
        wanted: str | None = package_id
        while wanted is not None:
            package = by_held.get(wanted)
            if package is None or package in chain or len(chain) == _CHAIN_MAX:
                raise UnsafeAnswer("the hub lists packages that are not a chain")
            chain.append(package)
            wanted = package.ancestor_id
        return chain[::-1]


def read_manifest(answer: Any) -> Manifest:
    """
    Reads the hub's answer. UnsafeAnswer for anything that is not as it should be, such as a path that leaves the
    folder.
    """
    _check(isinstance(answer, dict), "it is no object")
    revision = _text(answer.get("revision"), _REVISION, "a revision")
    files, packages = answer.get("files"), answer.get("packages")
    _check(isinstance(files, list) and len(files) <= _FILES_MAX, "its files are no list, or too many")
    _check(isinstance(packages, list) and len(packages) <= _PACKAGES_MAX, "its packages are no list, or too many")
    manifest = Manifest(revision, tuple(map(_file, files)), tuple(map(_package, packages)))
    check_paths([file.path for file in manifest.files])
    held = [held for package in manifest.packages for held in package.holds]
    _check(len(set(held)) == len(held), "two packages hold one checkpoint")
    for package_id in {file.package_id for file in manifest.files if file.package_id is not None}:
        manifest.chain(package_id)
    return manifest


def check_paths(paths: list[str]) -> None:
    """Raises UnsafeAnswer unless all these files can be there at once, each inside its folder."""
    known = set(paths)
    _check(len(known) == len(paths), "it has two files of one path")
    for path in paths:
        parts = path.split("/")
        _check(
            all("/".join(parts[:end]) not in known for end in range(1, len(parts))),
            "it has a file where another one needs a folder",
        )


def _file(entry: Any) -> PulledFile:
    _check(isinstance(entry, dict), "a file is no object")
    holder = entry.get("package")
    _check(holder is None or isinstance(holder, dict), "a file's package is no object")
    return PulledFile(
        safe_path(entry.get("path")),
        _size(entry.get("sizeBytes")),
        _text(entry.get("sha256"), _SHA256, "a digest"),
        _href(entry.get("href")),
        None if holder is None else _text(holder.get("id"), _PACKAGE_ID, "a package's id"),
        None if holder is None else safe_path(holder.get("path")),
    )


def _package(entry: Any) -> PulledPackage:
    _check(isinstance(entry, dict), "a package is no object")
    holds, ancestor, etag = entry.get("holds"), entry.get("ancestorId"), entry.get("etag")
    _check(isinstance(holds, list) and 1 <= len(holds) <= _HOLDS_MAX, "a package holds nothing, or too much")
    _check(isinstance(etag, str) and re.fullmatch(r'"[!#-~]{1,100}"', etag) is not None, "an ETag is not valid")
    return PulledPackage(
        _text(entry.get("id"), _PACKAGE_ID, "a package's id"),
        tuple(_text(held, _PACKAGE_ID, "a package's id") for held in holds),
        None if ancestor is None else _text(ancestor, _PACKAGE_ID, "a package's id"),
        _size(entry.get("sizeBytes")),
        etag,
        _href(entry.get("href")),
        entry.get("held") is True,
    )


def safe_path(path: Any) -> str:
    """A path that stays inside its folder, as it is."""
    _check(isinstance(path, str), "a path is no text")
    try:
        read_path(path.encode("utf-8"))
    except (DamagedPackage, UnicodeEncodeError) as error:
        raise UnsafeAnswer(f"the hub's answer is refused: {path!r} is not a path inside the folder") from error
    parts = path.split("/")
    _check(all(part.casefold() != ".git" for part in parts), f"{path!r} would change a git repository")
    _check(
        os.name != "nt" or all(":" not in part and part.rstrip(". ") == part for part in parts),
        f"{path!r} is not a file's name here",
    )
    return path


def _href(href: Any) -> str:
    _check(
        isinstance(href, str) and re.fullmatch(r"/[!-~]{0,8000}", href) is not None and not href.startswith("//"),
        "an address is not one of the hub",
    )
    return href


def _size(size: Any) -> int:
    _check(type(size) is int and 0 <= size < _SIZE_MAX, "a size is not one")
    return size


def _text(value: Any, pattern: re.Pattern[str], what: str) -> str:
    _check(isinstance(value, str) and pattern.fullmatch(value) is not None, f"{what} is not valid")
    return value


def _check(condition: bool, sentence: str) -> None:
    if not condition:
        raise UnsafeAnswer(f"the hub's answer is refused: {sentence}")

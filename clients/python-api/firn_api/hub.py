"""What a training job does with a hub: push a checkpoint, wait for it, pull it, list those of a run."""

from __future__ import annotations

import hashlib
import os
import time
from base64 import b64encode
from pathlib import Path, PurePosixPath
from typing import Any, Callable, Dict, Iterator, List, Optional, TypeVar, Union
from uuid import uuid4

from .operations import Operations
from .schemas import Checkpoint, CheckpointDetails, Run, RunInput, Upload
from .transport import HubRefused, Transport

# Largest file that goes along with a reservation, and all of them together, in bytes.
_CONTENT_BYTES = 64 * 1024
_CONTENTS_BYTES = 1024 * 1024
# Files up to this size, in bytes, are sent in one request: a broken one costs little.
_SMALL_BYTES = 8 * 1024 * 1024
# Bytes of each part of a larger file, and of each read.
_PART_BYTES = 8 * 1024 * 1024
# Uploads of one file that may have expired before this one.
_FORMER_UPLOADS_MAX = 20
_PART_SUFFIX = ".firn-part"

Step = Union[int, str]
T = TypeVar("T")


class CheckpointFailed(Exception):
    """A checkpoint ended as failed or cancelled; the sentence is the hub's."""


class WrongBytes(Exception):
    """A file that came is not what its SHA-256 names."""


class Hub:
    """A hub. `api` has every operation of its API; the methods here are made of them."""

    def __init__(self, url: str, token: Optional[str] = None) -> None:
        self._transport = Transport(url, token)
        self.api = Operations(self._transport)

    def close(self) -> None:
        """Closes its connections."""
        self._transport.close()

    def make_run(
        self,
        repository: str,
        run: str,
        eval_set: Optional[str] = None,
        thresholds: Optional[Dict[str, float]] = None,
    ) -> Run:
        """
        The run, made with its repository if they are not there. A new repository is private; a new run is exact unless
        it has an eval set. `thresholds` are the largest relative degradations, by metric. `HubRefused` with the code
        `conflict` if the run is there with another eval set or threshold, which would be ignored.
        """
        namespace, name = repository.split("/")
        found = _if_there(lambda: self.api.get_run(namespace, name, run))
        if found is not None:
            _refuse_other_measuring(f"{repository}/{run}", found, eval_set, thresholds or {})
            return found
        if _if_there(lambda: self.api.get_repository(namespace, name)) is None:
            self.api.create_repository(body={"namespace": namespace, "name": name}, idempotency_key=str(uuid4()))
        body: RunInput = {"name": run}
        if eval_set is not None:
            body["evalSet"] = eval_set
        if thresholds is not None:
            body["thresholds"] = {**thresholds}
        return self.api.create_run(namespace, name, body=body, idempotency_key=str(uuid4()))

    def push(
        self,
        repository: str,
        run: str,
        step: int,
        path: Union[str, Path],
        *,
        eval_set: Optional[str] = None,
        thresholds: Optional[Dict[str, float]] = None,
        **fields: Any,
    ) -> Checkpoint:
        """
        Pushes a file or a folder as a checkpoint, which is durable when this returns. Repeated after a break it goes on
        where it was. A repository and a run that are not there are made, with `eval_set` and `thresholds`: see
        `make_run`. `fields` are those of the reservation, such as `expects` and `final`. `HubRefused` with the code
        `step-exists` if the hub has other bytes for the step.
        """
        namespace, name = repository.split("/")
        files = _files_of(Path(path))
        self.make_run(repository, run, eval_set, thresholds)
        known = _if_there(lambda: self.api.get_checkpoint(namespace, name, run, step))
        there = {
            one["path"]: one["uploaded"].get("sha256") for one in (known or {"files": []})["files"] if one["received"]
        }
        if known is None:
            small = _small_files(files)
            listed = [{"path": path, "content": b64encode(content).decode()} for path, content in small.items()]
            # A folder of small files alone is committed in the same call.
            body: Any = {"step": step, "files": listed, "commit": len(small) == len(files), **fields}
            reserved = self.api.reserve_checkpoint(namespace, name, run, body=body, idempotency_key=str(uuid4()))
            if reserved["state"] != "open":
                return reserved
            there = {path: hashlib.sha256(content).hexdigest() for path, content in small.items()}
        for relative, file in files.items():
            digest = _digest(file)
            if there.get(relative) == digest:
                continue
            if known is not None and known["state"] != "open":
                raise HubRefused(409, "step-exists", f"Step {step} of {run} has another {relative}.")
            if file.stat().st_size <= _SMALL_BYTES:
                with file.open("rb") as stream:
                    self.api.put_file(namespace, name, run, step, relative, body=stream)
            else:
                self._push_parts(repository, run, step, relative, file, digest)
        if known is not None and known["state"] != "open":
            return known
        return self.api.commit_checkpoint(namespace, name, run, step, idempotency_key=str(uuid4()))

    def wait(self, repository: str, run: str, step: Step, timeout_s: float = 3600.0) -> CheckpointDetails:
        """The checkpoint once it is ready. Raises `CheckpointFailed`, or TimeoutError."""
        namespace, name = repository.split("/")
        until = time.monotonic() + timeout_s
        pause_s = 0.1
        while True:
            found = self.api.get_checkpoint(namespace, name, run, step)
            if found["state"] == "ready":
                return found
            if found["state"] in ("failed", "cancelled"):
                error = found.get("error")
                raise CheckpointFailed(error["message"] if error is not None else f"Step {step} was cancelled.")
            if time.monotonic() > until:
                raise TimeoutError(f"Step {step} of {run} is still {found['state']}.")
            time.sleep(pause_s)
            pause_s = min(5.0, pause_s * 1.5)

    def pull(self, repository: str, run: str, step: Step, folder: Union[str, Path]) -> List[Path]:
        """
        The files of a checkpoint, each compared with the SHA-256 that the hub names. Repeated after a break it goes on
        where it was. `step` may be `latest`.
        """
        found = self.wait(repository, run, step)
        pulled = []
        for one in found["files"]:
            rebuilt = one.get("rebuilt")
            if rebuilt is None:
                continue
            target = Path(folder, *_safe_parts(one["path"]))
            if not (target.exists() and _digest(target) == rebuilt["sha256"]):
                self._pull_file(rebuilt["href"], rebuilt["sha256"], target)
            pulled.append(target)
        return pulled

    def checkpoints(self, repository: str, run: str) -> Iterator[Checkpoint]:
        """All checkpoints of a run, oldest first."""
        namespace, name = repository.split("/")
        after: Optional[str] = None
        while True:
            page = self.api.list_checkpoints(namespace, name, run, after=after)
            for one in page["items"]:
                yield one
            after = page.get("next")
            if after is None:
                return

    def _push_parts(self, repository: str, run: str, step: int, path: str, file: Path, digest: str) -> None:
        namespace, name = repository.split("/")
        upload = self._open_upload(repository, run, step, path, file, digest)
        if upload["state"] == "complete":
            return
        part_bytes = upload["partBytes"]
        sent = self._sent_parts(repository, upload["id"])
        with file.open("rb") as stream:
            for index in range(upload["partCount"]):
                if index + 1 in sent:
                    continue
                stream.seek(index * part_bytes)
                body = stream.read(part_bytes)
                self.api.put_upload_part(namespace, name, upload["id"], index + 1, body=body)
        self.api.complete_upload(namespace, name, upload["id"], idempotency_key=str(uuid4()))

    def _open_upload(self, repository: str, run: str, step: int, path: str, file: Path, digest: str) -> Upload:
        """An earlier upload of the same bytes is found by a key that follows from them, so nothing is kept here."""
        namespace, name = repository.split("/")
        size = file.stat().st_size
        for former in range(_FORMER_UPLOADS_MAX):
            key = hashlib.sha256(f"{repository}\n{run}\n{step}\n{path}\n{digest}\n{former}".encode()).hexdigest()
            body: Any = {"path": path, "sizeBytes": size, "sha256": digest, "partBytes": _PART_BYTES}
            made = self.api.create_file_upload(namespace, name, run, step, body=body, idempotency_key=key)
            try:
                return self.api.get_upload(namespace, name, made["id"])
            except HubRefused as error:
                if error.status != 404:
                    raise
        raise HubRefused(404, "not-found", f"Uploads of {path} keep going away.")

    def _sent_parts(self, repository: str, upload_id: str) -> Dict[int, str]:
        namespace, name = repository.split("/")
        sent: Dict[int, str] = {}
        after: Optional[str] = None
        while True:
            page = self.api.list_upload_parts(namespace, name, upload_id, after=after)
            sent.update({one["number"]: one["sha256"] for one in page["items"]})
            after = page.get("next")
            if after is None:
                return sent

    def _pull_file(self, href: str, digest: str, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(target.name + _PART_SUFFIX)
        start = part.stat().st_size if part.exists() else 0
        headers = {"range": f"bytes={start}-"} if start > 0 else {}
        try:
            answer = self._transport.send("GET", href, headers=headers)
        except HubRefused as error:
            # What is there is the whole file already, or of another one.
            if error.status != 416:
                raise
        else:
            with part.open("ab" if answer.status_code == 206 else "wb") as out:
                for chunk in answer.iter_bytes():
                    out.write(chunk)
        if _digest(part) != digest:
            part.unlink()
            raise WrongBytes(f"{target} did not come as the hub says it is: pull it again.")
        os.replace(part, target)


def _if_there(ask: Callable[[], T]) -> Optional[T]:
    """The answer to a request; None if the hub does not have what it asks for."""
    try:
        return ask()
    except HubRefused as error:
        if error.status == 404:
            return None
        raise


def _refuse_other_measuring(path: str, run: Run, eval_set: Optional[str], thresholds: Dict[str, float]) -> None:
    has = run.get("evalSet")
    other: Optional[str] = None
    if eval_set is not None and eval_set != has:
        other = "no eval set" if has is None else f"the eval set {has}"
    for metric, share in thresholds.items():
        bound = run["thresholds"].get(metric)
        if other is None and bound != share:
            other = f"no threshold of {metric}" if bound is None else f"the threshold {metric}={bound}"
    if other is not None:
        advice = "leave eval_set and thresholds away, or change the run with change_run from its next checkpoint on"
        raise HubRefused(409, "conflict", f"The run {path} is there already, with {other}: {advice}.")


def _files_of(path: Path) -> Dict[str, Path]:
    """Paths in the checkpoint; a single file of weights has the same name in each, since deltas refer to it."""
    if not path.exists():
        raise FileNotFoundError(path)
    if path.is_file():
        return {"model.safetensors" if path.suffix == ".safetensors" else path.name: path}
    found = {
        one.relative_to(path).as_posix(): one
        for one in sorted(path.rglob("*"))
        if one.is_file() and not any(part.startswith(".") for part in one.relative_to(path).parts)
    }
    if not found:
        raise FileNotFoundError(f"There is no file in {path}.")
    return found


def _small_files(files: Dict[str, Path]) -> Dict[str, bytes]:
    """The contents of small files that go along with the reservation."""
    small: Dict[str, bytes] = {}
    left = _CONTENTS_BYTES
    for path, file in files.items():
        size = file.stat().st_size
        if size <= min(_CONTENT_BYTES, left):
            small[path] = file.read_bytes()
            left -= size
    return small


def _safe_parts(path: str) -> List[str]:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or "\\" in path or ":" in path or any(one in ("..", ".git") for one in parts):
        raise ValueError(f"The hub names a path that leaves the folder: {path!r}.")
    return list(parts)


def _digest(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_PART_BYTES):
            digest.update(chunk)
    return digest.hexdigest()

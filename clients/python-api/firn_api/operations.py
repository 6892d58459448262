"""A method for each operation of the API."""
# Generated from openapi/firn.json: node --import tsx scripts/write-python-client.ts

from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Union, cast

import httpx

from .schemas import *  # noqa: F403
from .transport import Bytes, Transport, segment


class Operations:
    """Every operation of the API. Refusals are raised as `HubRefused`."""

    def __init__(self, transport: Transport) -> None:
        self._send = transport.send

    def create_repository(self, *, body: RepositoryInput, idempotency_key: Optional[str] = None) -> Repository:
        """Create a repository. The place of runs and eval sets. It is private and empty. Needs the scope write on its name; a namespace comes to be with its first repository."""
        return cast(Repository, self._send("POST", f"/v1/repositories", headers={"idempotency-key": idempotency_key}, body=body, media_types=("application/json",)).json())

    def list_repositories(self, *, limit: Optional[int] = None, after: Optional[str] = None, search: Optional[str] = None, namespace: Optional[str] = None, visibility: Optional[Literal["private", "public"]] = None) -> RepositoryList:
        """List repositories, by name, namespace and visibility. Those that the token may read, ordered by namespace and name; without a token the public ones. `search`, `namespace` and `visibility` leave out the others; with several of them, a repository has to meet all."""
        return cast(RepositoryList, self._send("GET", f"/v1/repositories", query={"limit": limit, "after": after, "search": search, "namespace": namespace, "visibility": visibility}).json())

    def change_repository(self, namespace: str, name: str, *, body: RepositoryChange, if_match: Optional[str] = None) -> Repository:
        """Change who can read a repository, and how pushed weights are kept. `visibility` says who reads it; `hub` says how weights that hub clients push are kept from now on. What is not given stays. Needs the scope admin on it."""
        return cast(Repository, self._send("PATCH", f"/v1/repositories/{segment(namespace)}/{segment(name)}", headers={"if-match": if_match}, body=body, media_types=("application/json",)).json())

    def delete_repository(self, namespace: str, name: str, *, if_match: Optional[str] = None) -> None:
        """Delete a repository with its runs, eval sets and commits. Needs the scope admin on it. What is being compressed is cancelled first; 409 if that does not stop within twenty seconds: then send it again. If-Match is looked at before anything is deleted. The name is free at once. Bytes go after the grace; what runs of other repositories build on is kept, out of sight, until nothing does."""
        self._send("DELETE", f"/v1/repositories/{segment(namespace)}/{segment(name)}", headers={"if-match": if_match})

    def get_repository(self, namespace: str, name: str, *, if_none_match: Optional[str] = None, if_match: Optional[str] = None) -> Repository:
        """Describe a repository. Who can read it, and how weights that hub clients push are kept."""
        return cast(Repository, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}", headers={"if-none-match": if_none_match, "if-match": if_match}).json())

    def create_eval_set(self, namespace: str, name: str, *, body: EvalSetInput, idempotency_key: Optional[str] = None) -> EvalSet:
        """Create an eval set. Says which graph inputs the batches fill and what is measured. Then upload its graph and its batches, and commit it: runs name only eval sets that are ready."""
        return cast(EvalSet, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/eval-sets", headers={"idempotency-key": idempotency_key}, body=body, media_types=("application/json",)).json())

    def list_eval_sets(self, namespace: str, name: str, *, limit: Optional[int] = None, after: Optional[str] = None) -> EvalSetList:
        """List the eval sets of a repository. By name, whatever their state."""
        return cast(EvalSetList, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/eval-sets", query={"limit": limit, "after": after}).json())

    def get_eval_set(self, namespace: str, name: str, eval_set: str, *, if_none_match: Optional[str] = None, if_match: Optional[str] = None) -> EvalSet:
        """Describe an eval set. Its spec, what has arrived of it, and its state: `open` until it is committed, then `ready`, or `failed` with the reason."""
        return cast(EvalSet, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/eval-sets/{segment(eval_set)}", headers={"if-none-match": if_none_match, "if-match": if_match}).json())

    def delete_eval_set(self, namespace: str, name: str, eval_set: str, *, if_match: Optional[str] = None) -> None:
        """Delete an eval set that nothing uses. Refused, saying what uses it, while a run measures its checkpoints with it, or a checkpoint that is queued, being compressed, or failed and can be tried again. `PATCH` of the run gives it another one."""
        self._send("DELETE", f"/v1/repositories/{segment(namespace)}/{segment(name)}/eval-sets/{segment(eval_set)}", headers={"if-match": if_match})

    def put_eval_set_graph(self, namespace: str, name: str, eval_set: str, *, body: Bytes, repr_digest: Optional[str] = None, content_digest: Optional[str] = None, if_match: Optional[str] = None) -> EvalSet:
        """Upload the ONNX graph, with or without its weights. Weights that the checkpoints fill need not be in it. It is checked with the commit; before that it can be sent again, and replaces what was there."""
        return cast(EvalSet, self._send("PUT", f"/v1/repositories/{segment(namespace)}/{segment(name)}/eval-sets/{segment(eval_set)}/graph", headers={"repr-digest": repr_digest, "content-digest": content_digest, "if-match": if_match}, body=body, media_types=("application/octet-stream",)).json())

    def put_eval_set_batches(self, namespace: str, name: str, eval_set: str, *, body: Bytes, repr_digest: Optional[str] = None, content_digest: Optional[str] = None, if_match: Optional[str] = None) -> EvalSet:
        """Upload the inputs and labels as safetensors. One file, whose tensors have the rows of all batches: those that `inputs` of the spec names, and the labels. Before the commit it can be sent again, and replaces what was there."""
        return cast(EvalSet, self._send("PUT", f"/v1/repositories/{segment(namespace)}/{segment(name)}/eval-sets/{segment(eval_set)}/batches", headers={"repr-digest": repr_digest, "content-digest": content_digest, "if-match": if_match}, body=body, media_types=("application/octet-stream",)).json())

    def commit_eval_set(self, namespace: str, name: str, eval_set: str, *, check: Optional[str] = None, idempotency_key: Optional[str] = None, if_match: Optional[str] = None) -> CheckedEvalSet:
        """Check graph, batches and metrics against each other. With `check` a checkpoint of the repository is measured first, and the answer says how everything was read; where that fails the set stays open, to be mended."""
        return cast(CheckedEvalSet, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/eval-sets/{segment(eval_set)}/commit", query={"check": check}, headers={"idempotency-key": idempotency_key, "if-match": if_match}).json())

    def check_eval_set(self, namespace: str, name: str, eval_set: str, *, checkpoint: str, idempotency_key: Optional[str] = None) -> EvalSetReport:
        """Measure a checkpoint on an eval set, open or ready. Says how graph, batches, labels and weights were read, and what looks like a mistake. Nothing changes. It is refused with what a checkpoint of a run would fail with; for a model larger than `FIRN_EVAL_MEMORY_MIB`; and for a while, with Retry-After, while too many checks wait or the scratch disk has no room."""
        return cast(EvalSetReport, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/eval-sets/{segment(eval_set)}/check", query={"checkpoint": checkpoint}, headers={"idempotency-key": idempotency_key}).json())

    def create_run(self, namespace: str, name: str, *, body: RunInput, idempotency_key: Optional[str] = None) -> Run:
        """Create a run, or fork one from a checkpoint. Says how its checkpoints are kept: exact, or lossy inside `thresholds` on an eval set. With `forkFrom` it goes on from a checkpoint of the repository, and inherits what is not given. With `baseModel` its first checkpoint is stored against a checkpoint of any repository that the token may read."""
        return cast(Run, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs", headers={"idempotency-key": idempotency_key}, body=body, media_types=("application/json",)).json())

    def list_runs(self, namespace: str, name: str, *, limit: Optional[int] = None, after: Optional[str] = None) -> RunList:
        """List the runs of a repository. Ordered by name. Each has its options as they are in force, and the counts of its checkpoints by state."""
        return cast(RunList, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs", query={"limit": limit, "after": after}).json())

    def get_run(self, namespace: str, name: str, run: str, *, if_none_match: Optional[str] = None, if_match: Optional[str] = None) -> Run:
        """Describe a run. Its options as they are in force, with those that were not given at their defaults. The counts of its checkpoints are part of the answer, so that the ETag changes with them."""
        return cast(Run, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}", headers={"if-none-match": if_none_match, "if-match": if_match}).json())

    def change_run(self, namespace: str, name: str, run: str, *, body: RunChange, if_match: Optional[str] = None) -> Run:
        """Give a run another eval set or other thresholds, close it, or open it again. From the next checkpoint on: one that is committed keeps what the run had then. Thresholds that are not given stay if the new eval set has all their metrics, else the default holds on its first one. An eval set that no checkpoint of the run could be measured with is refused, with what is in the way. A checkpoint that failed for its eval set is tried again with `POST .../checkpoints/{step}/retry`; those that are ready stay as they are. A closed run refuses new steps with `run-closed`."""
        return cast(Run, self._send("PATCH", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}", headers={"if-match": if_match}, body=body, media_types=("application/json",)).json())

    def delete_run(self, namespace: str, name: str, run: str, *, if_match: Optional[str] = None) -> None:
        """Delete a run with all its checkpoints. Open reservations are given up; a run with a checkpoint that is queued or being compressed is refused. The name is free at once. Checkpoints that other runs build on are kept, out of sight, until nothing does."""
        self._send("DELETE", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}", headers={"if-match": if_match})

    def reserve_checkpoint(self, namespace: str, name: str, run: str, *, body: CheckpointInput, idempotency_key: Optional[str] = None) -> ReservedCheckpoint:
        """Reserve a checkpoint with the list of its files, then upload them and commit it. The checkpoint has its place in the order of the run from now on, so that an open reservation holds up the compression of all later steps of the run until it is committed, cancelled or deleted, or expires without a sign of life. Small files of a folder can come along as `content`; with `commit` a folder of nothing else is one call. The answer lists what is still to be uploaded. If a file or the commit is refused, the reservation stays."""
        return cast(ReservedCheckpoint, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints", headers={"idempotency-key": idempotency_key}, body=body, media_types=("application/json",)).json())

    def list_checkpoints(self, namespace: str, name: str, run: str, *, limit: Optional[int] = None, after: Optional[str] = None, order: Optional[Literal["oldest", "newest"]] = None) -> CheckpointList:
        """List the checkpoints of a run in its order, or the newest first. Whatever their state, in the order in which they were reserved or pushed. With `order=newest` a client finds the end of a long run on the first page."""
        return cast(CheckpointList, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints", query={"limit": limit, "after": after, "order": order}).json())

    def push_checkpoint(self, namespace: str, name: str, run: str, step: int, *, body: Bytes, layer_types: Optional[str] = None, expects: Optional[str] = None, final: Optional[str] = None, repr_digest: Optional[str] = None, content_digest: Optional[str] = None) -> Checkpoint:
        """Upload a checkpoint of one safetensors file in one request. The step gets its place in the order of the run once the whole body has arrived and was found sound; until then nothing of it is there, and a refused or broken upload leaves nothing. A step that failed with these very bytes answers 409 with the reason and the call that tries it again. Of several at once for one step the first that arrives whole wins. An open reservation of this one file is used, and stays when the upload is refused."""
        return cast(Checkpoint, self._send("PUT", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}", query={"layerTypes": layer_types, "expects": expects, "final": final}, headers={"repr-digest": repr_digest, "content-digest": content_digest}, body=body, media_types=("application/octet-stream",)).json())

    def get_checkpoint(self, namespace: str, name: str, run: str, step: Union[int, str], *, if_none_match: Optional[str] = None, if_match: Optional[str] = None) -> CheckpointDetails:
        """Describe a checkpoint: state, result, files and package. The state, and what came of the compression: config, bytes, metrics against their thresholds. Files have links to download them. `latest` is the newest step that is ready; `Content-Location` names it."""
        return cast(CheckpointDetails, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}", headers={"if-none-match": if_none_match, "if-match": if_match}).json())

    def delete_checkpoint(self, namespace: str, name: str, run: str, step: int, *, if_match: Optional[str] = None) -> None:
        """Delete a checkpoint. The step can be uploaded again. Bytes that other checkpoints build on are kept, out of sight."""
        self._send("DELETE", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}", headers={"if-match": if_match})

    def commit_checkpoint(self, namespace: str, name: str, run: str, step: int, *, idempotency_key: Optional[str] = None, if_match: Optional[str] = None) -> Checkpoint:
        """Close a reserved checkpoint and hand it to compression. Checks that all announced files are there and fit each other and the run. From then on the bytes are durable, and the checkpoint waits for its turn. Sent again it answers 200 and does nothing."""
        return cast(Checkpoint, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/commit", headers={"idempotency-key": idempotency_key, "if-match": if_match}).json())

    def list_trials(self, namespace: str, name: str, run: str, step: Union[int, str]) -> TrialList:
        """List the configs tried for a checkpoint. Each with its metrics and whether they were inside the thresholds. Empty for a checkpoint that nothing was searched for."""
        return cast(TrialList, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/trials").json())

    def cancel_checkpoint(self, namespace: str, name: str, run: str, step: int, *, idempotency_key: Optional[str] = None, if_match: Optional[str] = None) -> Checkpoint:
        """Stop work on a checkpoint. Of an open reservation, a checkpoint that waits, or one being compressed. Uploaded bytes stay until it is deleted. One that is ready is refused."""
        return cast(Checkpoint, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/cancel", headers={"idempotency-key": idempotency_key, "if-match": if_match}).json())

    def retry_checkpoint(self, namespace: str, name: str, run: str, step: int, *, body: Optional[RetryInput] = None, idempotency_key: Optional[str] = None, if_match: Optional[str] = None) -> Checkpoint:
        """Try a failed checkpoint again. With the bytes that were uploaded, at its place in the order of the run; nothing is sent again, and later checkpoints stay as they are. It is measured with the eval set and the thresholds that the run has now (`PATCH` of the run gives it others), or with those of the body. What was tried before is forgotten. Refused while it is queued or being compressed, and once it is ready."""
        return cast(Checkpoint, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/retry", headers={"idempotency-key": idempotency_key, "if-match": if_match}, body=body, media_types=("application/json",)).json())

    def estimate_checkpoint(self, namespace: str, name: str, run: str, step: int, *, body: EstimateInput, idempotency_key: Optional[str] = None) -> Estimate:
        """Find out what a ready checkpoint would take at other thresholds. Queues the search, the encoding and the verification that the checkpoint would have if it came now, with the upload that the run still keeps of its newest ready checkpoint; its result says config, bytes and metrics. Nothing is stored and nothing counts as usage; the checkpoint stays as it is. It waits while checkpoints do, and replaces the last estimate of the checkpoint. Refused with what to do if the upload is gone."""
        return cast(Estimate, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/estimate", headers={"idempotency-key": idempotency_key}, body=body, media_types=("application/json",)).json())

    def get_estimate(self, namespace: str, name: str, run: str, step: Union[int, str]) -> Estimate:
        """Describe the last estimate of a checkpoint. Its state, and once it is `done` what the checkpoint would take at its thresholds."""
        return cast(Estimate, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/estimate").json())

    def cancel_estimate(self, namespace: str, name: str, run: str, step: int, *, idempotency_key: Optional[str] = None) -> Estimate:
        """Stop the estimate of a checkpoint. At once if it waits, else soon. One that has ended stays as it is."""
        return cast(Estimate, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/estimate/cancel", headers={"idempotency-key": idempotency_key}).json())

    def follow_checkpoint(self, namespace: str, name: str, run: str, step: Union[int, str], *, last_event_id: Optional[str] = None) -> httpx.Response:
        """Follow a checkpoint as server-sent events. `state` carries a Checkpoint, `trial` a Trial, `phase` `{phase, doneCount?, totalCount?}`. A state is sent again if the checkpoint waits for something else. Ends after a terminal state. The id of an event counts the trials so far: a client that reconnects with Last-Event-ID gets only those it has not seen."""
        return self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/events", headers={"last-event-id": last_event_id})

    def put_file(self, namespace: str, name: str, run: str, step: int, path: str, *, body: Bytes, role: Optional[Literal["model", "sensitivity", "optimizer", "other"]] = None, commit: Optional[Literal["true"]] = None, repr_digest: Optional[str] = None, content_digest: Optional[str] = None) -> FileReceipt:
        """Upload a file of a reserved checkpoint. The whole file in one body. It is checked while it arrives: its length and digest as announced, the header of a safetensors file. A refused body leaves nothing behind. Large files are better sent with a resumable upload."""
        return cast(FileReceipt, self._send("PUT", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/files/{segment(path)}", query={"role": role, "commit": commit}, headers={"repr-digest": repr_digest, "content-digest": content_digest}, body=body, media_types=("application/octet-stream",)).json())

    def get_file(self, namespace: str, name: str, run: str, step: Union[int, str], path: str, *, as_: Optional[Literal["uploaded"]] = None, dtype: Optional[Literal["f32", "f16", "bf16"]] = None, range: Optional[str] = None, if_range: Optional[str] = None, if_match: Optional[str] = None, if_none_match: Optional[str] = None) -> httpx.Response:
        """Download a file, rebuilt or as uploaded. By default what the checkpoint rebuilds, and for a moment 409 while it is compressed; with `as=uploaded` the upload while it is kept. One byte range at a time; only what it needs is decoded."""
        return self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/files/{segment(path)}", query={"as": as_, "dtype": dtype}, headers={"range": range, "if-range": if_range, "if-match": if_match, "if-none-match": if_none_match})

    def head_file(self, namespace: str, name: str, run: str, step: Union[int, str], path: str, *, as_: Optional[Literal["uploaded"]] = None, dtype: Optional[Literal["f32", "f16", "bf16"]] = None, range: Optional[str] = None, if_range: Optional[str] = None, if_match: Optional[str] = None, if_none_match: Optional[str] = None) -> httpx.Response:
        """Size, digest and ETag of a file, from metadata alone. The header fields of the download, without decoding anything."""
        return self._send("HEAD", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/files/{segment(path)}", query={"as": as_, "dtype": dtype}, headers={"range": range, "if-range": if_range, "if-match": if_match, "if-none-match": if_none_match})

    def create_file_upload(self, namespace: str, name: str, run: str, step: int, *, body: Optional[Union[FileUploadInput, Bytes]] = None, path: Optional[str] = None, role: Optional[Literal["model", "sensitivity", "optimizer", "other"]] = None, sha256: Optional[str] = None, tus_resumable: Optional[str] = None, upload_length: Optional[str] = None, upload_metadata: Optional[str] = None, upload_checksum: Optional[str] = None, idempotency_key: Optional[str] = None) -> Upload:
        """Begin a resumable upload of a file of a reserved checkpoint. With `Tus-Resumable` it is an upload of tus 1.0, whose bytes come in order; else the body says how large it is, and it comes in parts, in any order and at once. Location names it. It expires unless bytes come."""
        return cast(Upload, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/uploads", query={"path": path, "role": role, "sha256": sha256}, headers={"tus-resumable": tus_resumable, "upload-length": upload_length, "upload-metadata": upload_metadata, "upload-checksum": upload_checksum, "idempotency-key": idempotency_key}, body=body, media_types=("application/json", "application/offset+octet-stream",)).json())

    def create_eval_set_upload(self, namespace: str, name: str, eval_set: str, *, body: Optional[Union[EvalSetUploadInput, Bytes]] = None, part: Optional[Literal["graph", "batches"]] = None, sha256: Optional[str] = None, tus_resumable: Optional[str] = None, upload_length: Optional[str] = None, upload_metadata: Optional[str] = None, upload_checksum: Optional[str] = None, idempotency_key: Optional[str] = None) -> Upload:
        """Begin a resumable upload of the graph or the batches of an eval set. As that of a file of a checkpoint: of tus 1.0 with `Tus-Resumable`, else in parts. Its last byte puts the graph or the batches in their place."""
        return cast(Upload, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/eval-sets/{segment(eval_set)}/uploads", query={"part": part, "sha256": sha256}, headers={"tus-resumable": tus_resumable, "upload-length": upload_length, "upload-metadata": upload_metadata, "upload-checksum": upload_checksum, "idempotency-key": idempotency_key}, body=body, media_types=("application/json", "application/offset+octet-stream",)).json())

    def get_upload(self, namespace: str, name: str, upload_id: str) -> Upload:
        """Describe an upload. How much of it is durable, and when it expires."""
        return cast(Upload, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/uploads/{segment(upload_id)}").json())

    def patch_upload(self, namespace: str, name: str, upload_id: str, *, body: Bytes, tus_resumable: Optional[str] = None, upload_offset: Optional[str] = None, upload_checksum: Optional[str] = None) -> httpx.Response:
        """Send the next bytes (tus). Bytes at `Upload-Offset`, which must be where the upload is. What was acknowledged is durable, even if the request breaks: ask for the offset with HEAD and go on. The last byte checks the whole."""
        return self._send("PATCH", f"/v1/repositories/{segment(namespace)}/{segment(name)}/uploads/{segment(upload_id)}", headers={"tus-resumable": tus_resumable, "upload-offset": upload_offset, "upload-checksum": upload_checksum}, body=body, media_types=("application/offset+octet-stream",))

    def delete_upload(self, namespace: str, name: str, upload_id: str) -> None:
        """Give an upload up. Its bytes are dropped. The checkpoint or the eval set stays as it is."""
        self._send("DELETE", f"/v1/repositories/{segment(namespace)}/{segment(name)}/uploads/{segment(upload_id)}")

    def head_upload(self, namespace: str, name: str, upload_id: str) -> httpx.Response:
        """Where an upload is (tus). `Upload-Offset` says where to go on after a break."""
        return self._send("HEAD", f"/v1/repositories/{segment(namespace)}/{segment(name)}/uploads/{segment(upload_id)}")

    def put_upload_part(self, namespace: str, name: str, upload_id: str, number: int, *, body: Bytes, repr_digest: Optional[str] = None, content_digest: Optional[str] = None) -> UploadPart:
        """Send a part, in any order, any number of times. Each but the last has `partBytes` bytes. A part that is sent again replaces itself. Several may be on their way at once."""
        return cast(UploadPart, self._send("PUT", f"/v1/repositories/{segment(namespace)}/{segment(name)}/uploads/{segment(upload_id)}/parts/{segment(number)}", headers={"repr-digest": repr_digest, "content-digest": content_digest}, body=body, media_types=("application/octet-stream",)).json())

    def list_upload_parts(self, namespace: str, name: str, upload_id: str, *, limit: Optional[int] = None, after: Optional[str] = None) -> UploadPartList:
        """List the parts that have arrived. What is missing has to be sent before the upload can be completed."""
        return cast(UploadPartList, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/uploads/{segment(upload_id)}/parts", query={"limit": limit, "after": after}).json())

    def complete_upload(self, namespace: str, name: str, upload_id: str, *, idempotency_key: Optional[str] = None) -> Upload:
        """Put the parts together. Checks the whole as one body: length, digest, safetensors header. It then has its place, in the checkpoint or the eval set."""
        return cast(Upload, self._send("POST", f"/v1/repositories/{segment(namespace)}/{segment(name)}/uploads/{segment(upload_id)}/complete", headers={"idempotency-key": idempotency_key}).json())

    def get_tensor(self, namespace: str, name: str, run: str, step: Union[int, str], tensor: str, *, dtype: Optional[Literal["f32", "f16", "bf16"]] = None, range: Optional[str] = None, if_range: Optional[str] = None, if_match: Optional[str] = None, if_none_match: Optional[str] = None) -> httpx.Response:
        """Download the elements of one tensor, little-endian. Its bytes alone, of a safetensors file of a checkpoint that is ready, optionally in another floating-point dtype. Ranges are of these bytes."""
        return self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/tensors/{segment(tensor)}", query={"dtype": dtype}, headers={"range": range, "if-range": if_range, "if-match": if_match, "if-none-match": if_none_match})

    def head_tensor(self, namespace: str, name: str, run: str, step: Union[int, str], tensor: str, *, dtype: Optional[Literal["f32", "f16", "bf16"]] = None, range: Optional[str] = None, if_range: Optional[str] = None, if_match: Optional[str] = None, if_none_match: Optional[str] = None) -> httpx.Response:
        """Size, dtype and shape of one tensor. The header fields of the download, from metadata alone."""
        return self._send("HEAD", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/tensors/{segment(tensor)}", query={"dtype": dtype}, headers={"range": range, "if-range": if_range, "if-match": if_match, "if-none-match": if_none_match})

    def get_checkpoint_package(self, namespace: str, name: str, run: str, step: Union[int, str], *, range: Optional[str] = None, if_range: Optional[str] = None, if_match: Optional[str] = None, if_none_match: Optional[str] = None) -> httpx.Response:
        """Download the compressed form of a checkpoint. For clients that decode by themselves. A delta needs the package of its ancestor, which `Firn-Ancestor-Package` names and `Link` leads to: it may be in the repository of a base model. Who may not read that repository finds no package here, and downloads the files. The bytes of a package may change when old deltas are merged; its ETag then does too."""
        return self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/package", headers={"range": range, "if-range": if_range, "if-match": if_match, "if-none-match": if_none_match})

    def head_checkpoint_package(self, namespace: str, name: str, run: str, step: Union[int, str], *, range: Optional[str] = None, if_range: Optional[str] = None, if_match: Optional[str] = None, if_none_match: Optional[str] = None) -> httpx.Response:
        """Size and id of a package. The header fields of the download: size, id, ancestor."""
        return self._send("HEAD", f"/v1/repositories/{segment(namespace)}/{segment(name)}/runs/{segment(run)}/checkpoints/{segment(step)}/package", headers={"range": range, "if-range": if_range, "if-match": if_match, "if-none-match": if_none_match})

    def get_package(self, namespace: str, name: str, package_id: str, *, range: Optional[str] = None, if_range: Optional[str] = None, if_match: Optional[str] = None, if_none_match: Optional[str] = None) -> httpx.Response:
        """Download a package by its id, such as the ancestor of another. As the package of a checkpoint, by the id that another one names as its ancestor."""
        return self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/packages/{segment(package_id)}", headers={"range": range, "if-range": if_range, "if-match": if_match, "if-none-match": if_none_match})

    def head_package(self, namespace: str, name: str, package_id: str, *, range: Optional[str] = None, if_range: Optional[str] = None, if_match: Optional[str] = None, if_none_match: Optional[str] = None) -> httpx.Response:
        """Size of a package. The header fields of the download: size, id, ancestor."""
        return self._send("HEAD", f"/v1/repositories/{segment(namespace)}/{segment(name)}/packages/{segment(package_id)}", headers={"range": range, "if-range": if_range, "if-match": if_match, "if-none-match": if_none_match})

    def get_pull(self, namespace: str, name: str, revision: str, *, have: Optional[str] = None) -> Pull:
        """List what a client downloads to rebuild a revision. The files of a revision with their digests, and the packages they are rebuilt from. With `have`, the delta between two revisions: what is not `held` is all that a client with the one needs for the other. Of a fine-tune that is stored against its base model the packages are listed to who may read the base too."""
        return cast(Pull, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/revisions/{segment(revision)}/packages", query={"have": have}).json())

    def list_usage(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> NamespaceUsageList:
        """What namespaces take. Of every namespace that the token may read as a whole. Right after each change: what was deleted is no longer logical at once, and pending deletion until it is gone."""
        return cast(NamespaceUsageList, self._send("GET", f"/v1/usage", query={"limit": limit, "after": after}).json())

    def get_repository_usage(self, namespace: str, name: str) -> Usage:
        """What a repository takes. Logical bytes are what was uploaded, stored bytes what lies in the store; the parts of `stored` add up to them."""
        return cast(Usage, self._send("GET", f"/v1/repositories/{segment(namespace)}/{segment(name)}/usage").json())

    def get_quota(self, namespace: str, *, if_none_match: Optional[str] = None, if_match: Optional[str] = None) -> QuotaInput:
        """What a namespace may take. For a token that may read the whole namespace; 404 if it has no quota."""
        return cast(QuotaInput, self._send("GET", f"/v1/namespaces/{segment(namespace)}/quota", headers={"if-none-match": if_none_match, "if-match": if_match}).json())

    def put_quota(self, namespace: str, *, body: QuotaInput, if_match: Optional[str] = None, if_none_match: Optional[Literal["*"]] = None) -> QuotaInput:
        """Limit what a namespace may take. For a token with admin on everything. The namespace need not have a repository yet. What is stored already stays, whatever the limit."""
        return cast(QuotaInput, self._send("PUT", f"/v1/namespaces/{segment(namespace)}/quota", headers={"if-match": if_match, "if-none-match": if_none_match}, body=body, media_types=("application/json",)).json())

    def create_token(self, *, body: TokenInput) -> CreatedToken:
        """Make a token. Only who holds admin on all that it grants may make one. The answer is the only place that shows its text, so it is not kept for an Idempotency-Key either."""
        return cast(CreatedToken, self._send("POST", f"/v1/tokens", body=body, media_types=("application/json",)).json())

    def list_tokens(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> TokenList:
        """List the tokens that one could have made. Revoked and expired ones are among them. A page may have fewer entries than asked for and still not be the last."""
        return cast(TokenList, self._send("GET", f"/v1/tokens", query={"limit": limit, "after": after}).json())

    def get_token(self, token_id: str, *, if_none_match: Optional[str] = None, if_match: Optional[str] = None) -> Token:
        """Describe a token that one could have made, or the one this is sent with. Its grants, and until when it holds. Its text was shown once, when it was made."""
        return cast(Token, self._send("GET", f"/v1/tokens/{segment(token_id)}", headers={"if-none-match": if_none_match, "if-match": if_match}).json())

    def revoke_token(self, token_id: str, *, if_match: Optional[str] = None) -> Token:
        """Revoke a token, or the one this is sent with. It is refused from now on, and stays in the list as revoked."""
        return cast(Token, self._send("DELETE", f"/v1/tokens/{segment(token_id)}", headers={"if-match": if_match}).json())

    def get_whoami(self) -> Whoami:
        """Whose request this is, and what it may do. The token of the request with its grants. `anonymous` without one."""
        return cast(Whoami, self._send("GET", f"/v1/whoami").json())

    def create_webhook(self, *, body: WebhookInput) -> CreatedWebhook:
        """Send an address messages about what happens to checkpoints. A checkpoint is ready, failed, or turned out to be damaged: a JSON message is posted to the URL, signed as the Standard Webhooks specification says, until the receiver answers 2xx: ten attempts in two days. Needs the scope admin on the namespace, or on the repository. The answer is the only place that shows the secret, so it is not kept for an Idempotency-Key either."""
        return cast(CreatedWebhook, self._send("POST", f"/v1/webhooks", body=body, media_types=("application/json",)).json())

    def list_webhooks(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> WebhookList:
        """List webhooks. Those of namespaces and repositories on which the token holds admin."""
        return cast(WebhookList, self._send("GET", f"/v1/webhooks", query={"limit": limit, "after": after}).json())

    def get_webhook(self, webhook_id: str, *, if_none_match: Optional[str] = None, if_match: Optional[str] = None) -> Webhook:
        """Describe a webhook. The events that it gets messages about, and whether it is active. Its secret was shown once, when it was made."""
        return cast(Webhook, self._send("GET", f"/v1/webhooks/{segment(webhook_id)}", headers={"if-none-match": if_none_match, "if-match": if_match}).json())

    def change_webhook(self, webhook_id: str, *, body: WebhookChange, if_match: Optional[str] = None) -> Webhook:
        """Change where a webhook leads, which messages it gets, or whether it is active. What is not given stays. Messages that are not delivered yet go to the new URL."""
        return cast(Webhook, self._send("PATCH", f"/v1/webhooks/{segment(webhook_id)}", headers={"if-match": if_match}, body=body, media_types=("application/json",)).json())

    def delete_webhook(self, webhook_id: str, *, if_match: Optional[str] = None) -> None:
        """Delete a webhook and its messages. Nothing is sent to it any more, but for what is on its way."""
        self._send("DELETE", f"/v1/webhooks/{segment(webhook_id)}", headers={"if-match": if_match})

    def list_webhook_messages(self, webhook_id: str, *, limit: Optional[int] = None, after: Optional[str] = None) -> WebhookMessageList:
        """List what was sent to a webhook, the newest first. With how often each was tried, and what the receiver answered last. Messages are kept for two weeks."""
        return cast(WebhookMessageList, self._send("GET", f"/v1/webhooks/{segment(webhook_id)}/messages", query={"limit": limit, "after": after}).json())

    def ping_webhook(self, webhook_id: str, *, idempotency_key: Optional[str] = None) -> WebhookMessage:
        """Send a message to try a webhook. A message of the type `ping`, also to one that is not active."""
        return cast(WebhookMessage, self._send("POST", f"/v1/webhooks/{segment(webhook_id)}/messages", headers={"idempotency-key": idempotency_key}).json())

    def resend_webhook_message(self, webhook_id: str, message_id: str, *, idempotency_key: Optional[str] = None) -> WebhookMessage:
        """Send a message again. Whatever became of it, with the same `webhook-id` and new attempts."""
        return cast(WebhookMessage, self._send("POST", f"/v1/webhooks/{segment(webhook_id)}/messages/{segment(message_id)}/resend", headers={"idempotency-key": idempotency_key}).json())

    def get_health(self) -> GetHealthAnswer:
        """Whether the process answers. For a liveness probe. It asks neither the catalog nor the store, and looks at no token and no query parameter."""
        return cast(GetHealthAnswer, self._send("GET", f"/healthz").json())

    def get_readiness(self) -> Readiness:
        """Whether the process can do its work: catalog, store, workers. Looked at anew at most once a second. No token and no query parameter is looked at."""
        return cast(Readiness, self._send("GET", f"/readyz").json())

    def get_metrics(self) -> httpx.Response:
        """Prometheus metrics. For a token that may read everything. No query parameter is looked at."""
        return self._send("GET", f"/metrics")

    def get_open_api(self) -> Dict[str, Any]:
        """This document. OpenAPI 3.1, of the version that runs."""
        return cast(Dict[str, Any], self._send("GET", f"/openapi.json").json())

    def get_problem_kind(self, code: str) -> ProblemKind:
        """Explain a problem code. Its cause, what to do about it, and a case of it. `type` of a problem leads here."""
        return cast(ProblemKind, self._send("GET", f"/problems/{segment(code)}").json())

"""Pushes, waits, pulls and resumes with the Python client; prints what a test compares. Arguments: address, folder."""

import json
import sys
from pathlib import Path

import firn_api
from firn_api import hub as module

address, folder = sys.argv[1], Path(sys.argv[2])
module._SMALL_BYTES = 1000
module._PART_BYTES = 65536
paths = []


class Broken(Exception):
    pass


def opened(parts_max=None, body_max=None):
    """A hub whose connection breaks after so many parts, or so many bytes of a file that is pulled."""
    hub = firn_api.Hub(address, token="any")
    send = hub._transport._http.send

    def counted(request, **options):
        if "/parts/" in request.url.path:
            paths.append(request.url.path)
            if parts_max is not None and len(paths) > parts_max:
                raise Broken
        answer = send(request, **options)
        if body_max is not None and request.method == "GET" and "/files/" in request.url.path:
            answer.iter_bytes = lambda: cut(answer)
        return answer

    def cut(answer):
        yield next(type(answer).iter_bytes(answer, body_max))
        raise Broken

    hub._transport._http.send = counted
    return hub


def breaks(work):
    try:
        work()
    except Broken:
        return True
    return False


hub = opened()
hub.api.create_repository(body={"namespace": "me", "name": "tiny"})
hub.api.create_run("me", "tiny", body={"name": "train"})
push = {"repository": "me/tiny", "run": "train", "step": 10, "path": folder / "pushed"}
pull = {"repository": "me/tiny", "run": "train", "step": "latest", "folder": folder / "pulled"}
broke = breaks(lambda: opened(parts_max=2).push(**push))
sent_before = len(paths) - 1
paths.clear()
state = hub.push(**push)["state"]
again = hub.push(**push)["state"]
sent_after = len(paths)
hub.wait("me/tiny", "train", 10, timeout_s=60)
pull_broke = breaks(lambda: opened(body_max=50_000).pull(**pull))
kept = [one.stat().st_size for one in (folder / "pulled").glob("*.firn-part")]
hub.pull(**pull)
try:
    hub.api.get_run("me", "tiny", "none")
except firn_api.HubRefused as error:
    refused = [error.status, error.code]
hub.push("me/made", "first", 1, folder / "pushed")
made = [hub.api.get_repository("me", "made")["visibility"], hub.api.get_run("me", "made", "first")["fidelity"]]
others = []
measured = [("first", {"eval_set": "x"}), ("first", {"thresholds": {"loss": 0.1}}), ("second", {"eval_set": "x"})]
for run, options in measured:
    try:
        hub.push("me/made", run, 2, folder / "pushed", **options)
    except firn_api.HubRefused as error:
        others.append([error.code, str(error)])
(folder / "pushed" / "config.json").write_text("{}")
try:
    hub.push(**push)
except firn_api.HubRefused as error:
    changed = error.code
try:
    firn_api.Hub("http://hub.example", token="secret")
except ValueError:
    plain = "refused"
steps = [one["step"] for one in hub.checkpoints("me/tiny", "train")]
print(json.dumps({
    "broke": broke, "sentBefore": sent_before, "sentAfter": sent_after, "state": state, "again": again,
    "made": made, "others": others,
    "pullBroke": pull_broke, "kept": kept, "refused": refused, "changed": changed, "plain": plain, "steps": steps,
}))

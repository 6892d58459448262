"""Requests to one hub."""

import http.client
import json
import os
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from ..errors import FirnError, HubError, HubRefused, UnsafeAnswer

_TIMEOUT_S = 60.0
_TRIES = 5
# Longest pause before a repeated request, also where the hub asks for more.
_PAUSE_MAX_S = 20.0
_ANSWER_BYTES_MAX = 64 << 20
_PROBLEM_BYTES_MAX = 64 << 10
# Statuses after which the same request may succeed.
_PASSING = (408, 425, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class HubAddress:
    """Where a hub is, without a slash at the end, and the token to send."""

    endpoint: str
    token: str | None


def hub_address(endpoint: str | None, token: str | None) -> HubAddress:
    """
    By default from FIRN_URL (FIRN_ENDPOINT in older scripts) and FIRN_TOKEN, or from HF_ENDPOINT and HF_TOKEN. The
    token of one hub is never sent to another.
    """
    found = endpoint or next(filter(None, map(os.environ.get, ("FIRN_URL", "FIRN_ENDPOINT", "HF_ENDPOINT"))), None)
    if not found:
        raise FirnError("no hub is named: give endpoint=, or set FIRN_URL")
    found = found.rstrip("/")
    parts = urlsplit(found)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise FirnError(f"{found} is not the address of a hub: it starts with http:// or https://")
    if token is None:
        token = os.environ.get("FIRN_TOKEN")
        if token is None and found == (os.environ.get("HF_ENDPOINT") or "").rstrip("/"):
            token = os.environ.get("HF_TOKEN")
    return HubAddress(found, token or None)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to other hosts, such as a bucket's, without the token, and none from https to http."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        before, after = urlsplit(req.full_url), urlsplit(newurl)
        if after.scheme not in ("http", "https") or (before.scheme == "https" and after.scheme == "http"):
            raise UnsafeAnswer("the hub redirects to an address that is less safe than its own")
        if request is not None and (before.scheme, before.netloc) != (after.scheme, after.netloc):
            request.remove_header("Authorization")
        return request


class HubClient:
    """
    Sends GET requests, repeating those that failed in passing. `received_bytes` counts bodies, for callers to read.
    """

    def __init__(self, address: HubAddress) -> None:
        self.endpoint = address.endpoint
        self.received_bytes = 0
        self._headers = {
            "User-Agent": "firn-hub",
            **({"Authorization": f"Bearer {address.token}"} if address.token else {}),
        }
        self._opener = urllib.request.build_opener(_Redirects)

    def pull(self, repository: str, revision: str, have: str | None = None) -> Any:
        """The hub's list of files and packages of a revision, as JSON."""
        namespace, _, name = repository.partition("/")
        if not namespace or not name or "/" in name:
            raise FirnError(f"{repository!r} is not the name of a repository, which is namespace/name")
        query = f"?have={quote(have, safe='')}" if have is not None else ""
        return self.json(
            f"/v1/repositories/{quote(namespace)}/{quote(name)}/revisions/{quote(revision, safe='')}/packages{query}"
        )

    def json(self, path: str) -> Any:
        """The JSON at a path of the hub."""
        for attempt in range(_TRIES):
            try:
                with self.open(path) as answer:
                    body = answer.read(_ANSWER_BYTES_MAX + 1)
                    declared = answer.headers.get("Content-Length")
                if len(body) > _ANSWER_BYTES_MAX:
                    raise UnsafeAnswer("the hub's answer is too long")
                if declared is not None and declared != str(len(body)):
                    raise http.client.IncompleteRead(body)
                self.received_bytes += len(body)
                return json.loads(body)
            except (ValueError, RecursionError) as error:
                raise HubError(
                    f"the hub at {self.endpoint} answers something that is not JSON; is it a Firn?"
                ) from error
            except (OSError, http.client.HTTPException) as error:
                self.pause(attempt, error)
        raise AssertionError

    def open(self, path: str, headers: Mapping[str, str] | None = None) -> Any:
        """
        An answer of status 200 or 206 whose body is still to be read. HubRefused; OSError or HTTPException from the
        connection.
        """
        if not path.startswith("/") or path.startswith("//") or "\\" in path:
            raise UnsafeAnswer("the hub names an address that is not its own")
        for attempt in range(_TRIES):
            request = urllib.request.Request(self.endpoint + path, headers={**self._headers, **(headers or {})})
            try:
                return self._opener.open(request, timeout=_TIMEOUT_S)
            except urllib.error.HTTPError as error:
                refused = _refused(error)
                if error.code not in _PASSING or attempt == _TRIES - 1:
                    raise refused from None
                self.pause(attempt, refused, error.headers.get("Retry-After"))
            except (urllib.error.URLError, http.client.HTTPException, socket.timeout, ConnectionError) as error:
                self.pause(attempt, error)
        raise AssertionError

    def pause(self, attempt: int, why: Exception, asked: str | None = None) -> None:
        """Waits before the next try; HubError after the last."""
        if isinstance(why, HubError) and not isinstance(why, HubRefused):
            raise why
        if attempt >= _TRIES - 1:
            raise HubError(f"the hub at {self.endpoint} cannot be reached: {why}") from why
        seconds = float(asked) if asked and asked.isdigit() else 0.25 * 2**attempt
        time.sleep(min(seconds, _PAUSE_MAX_S))


def _refused(error: urllib.error.HTTPError) -> HubRefused:
    code, sentence = "", f"the hub answered {error.code}"
    try:
        problem = json.loads(error.read(_PROBLEM_BYTES_MAX))
        if isinstance(problem, dict):
            code = str(problem.get("code", ""))
            sentence = str(problem.get("detail") or problem.get("error") or sentence)
    except (ValueError, OSError, http.client.HTTPException):
        pass
    return HubRefused(error.code, code, sentence)

"""Requests to a hub: the token, what is tried again, and refusals."""

from __future__ import annotations

import time
from typing import BinaryIO, Dict, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlsplit

import httpx

Bytes = Union[bytes, BinaryIO]

# Most tries of one request.
_TRIES_MAX = 6
# Wait before the second try, in seconds; it doubles with each.
_FIRST_WAIT_S = 0.25
# Longest wait between two tries, in seconds, also where the hub asks for more.
_WAIT_MAX_S = 30.0
_TIMEOUT_S = 60.0
# Statuses that may be different the next time.
_PASSING = frozenset({408, 423, 429, 500, 502, 503, 504})
_REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})


class HubRefused(Exception):
    """The hub answered with an error; `status` is that of HTTP, `code` the hub's own word for it."""

    def __init__(self, status: int, code: str, sentence: str) -> None:
        super().__init__(f"{sentence} (HTTP {status}{', ' + code if code else ''})")
        self.status = status
        self.code = code


def segment(value: object) -> str:
    """A value as one segment of a path."""
    return quote(str(value), safe="")


class Transport:
    """One hub, and the token that it is asked with. A token is sent over TLS, or to this machine."""

    def __init__(self, url: str, token: Optional[str] = None) -> None:
        host = urlsplit(url).hostname or ""
        if token is not None and not url.startswith("https://") and host not in ("localhost", "127.0.0.1", "::1"):
            raise ValueError(f"A token is sent over https alone; {url} is not.")
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=_TIMEOUT_S)

    def close(self) -> None:
        """Closes its connections."""
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, object]] = None,
        headers: Optional[Mapping[str, object]] = None,
        body: Union[Bytes, Mapping[str, object], None] = None,
        media_types: Sequence[str] = (),
    ) -> httpx.Response:
        """
        An answer in 2xx or 304, with its body not yet read. What may pass is tried again, if repeating the request does
        no harm. Raises `HubRefused`, or what httpx raises where there is no answer.
        """
        given = _texts(headers)
        may_repeat = method in _REPEATABLE or "idempotency-key" in given
        for tries in range(1, _TRIES_MAX + 1):
            last = tries == _TRIES_MAX or not may_repeat
            try:
                answer = self._once(method, path, query, given, body, media_types)
            except httpx.TransportError:
                if last:
                    raise
                wait_s = 0.0
            else:
                if answer.status_code < 400 or answer.status_code == 304:
                    return answer
                if last or answer.status_code not in _PASSING:
                    raise _refusal(answer)
                wait_s = _retry_after(answer)
            time.sleep(min(_WAIT_MAX_S, max(wait_s, _FIRST_WAIT_S * 2 ** (tries - 1))))
        raise AssertionError("the last try returns or raises")

    def _once(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, object]],
        headers: Dict[str, str],
        body: Union[Bytes, Mapping[str, object], None],
        media_types: Sequence[str],
    ) -> httpx.Response:
        sent = {**headers}
        content: Optional[Bytes] = None
        json = None
        if isinstance(body, (dict, Mapping)):
            json = dict(body)
        elif body is not None:
            content = body
            if not isinstance(body, bytes):
                body.seek(0)
            sent["content-type"] = next(one for one in media_types if one != "application/json")
        request = self._http.build_request(method, path, params=_texts(query), headers=sent, content=content, json=json)
        answer = self._http.send(request, stream=True)
        if "json" in answer.headers.get("content-type", "") or answer.status_code >= 400:
            answer.read()
            answer.close()
        return answer


def _texts(values: Optional[Mapping[str, object]]) -> Dict[str, str]:
    def text(value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return {name: text(value) for name, value in (values or {}).items() if value is not None}


def _refusal(answer: httpx.Response) -> HubRefused:
    try:
        problem = answer.json()
        return HubRefused(answer.status_code, str(problem["code"]), str(problem["detail"]))
    except (ValueError, KeyError, TypeError):
        return HubRefused(answer.status_code, "", "The hub refused the request")


def _retry_after(answer: httpx.Response) -> float:
    try:
        return float(answer.headers.get("retry-after", "0"))
    except ValueError:
        return 0.0

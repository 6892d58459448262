"""A hub of a few lines, which can be told to answer wrongly."""

import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[3] / "test" / "fixtures"
REVISION = "a" * 40


class FakeHub:
    """
    Serves `manifest` for every revision and `bodies` by path. `cut_after`: bytes after which a body breaks off, once.
    `pause_s`: between two pieces of a body. `extra`: what follows a body.
    """

    def __init__(self) -> None:
        self.manifest: Any = {}
        self.bodies: dict[str, bytes] = {}
        self.cut_after: dict[str, int] = {}
        self.extra: dict[str, bytes] = {}
        self.pause_s = 0.0
        self.redirects: dict[str, str] = {}
        self.requests: list[tuple[str, str | None]] = []
        self.tokens: list[str | None] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """Clients are killed on purpose."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def add_file(self, path: str, data: bytes, **fields: Any) -> dict[str, Any]:
        href = f"/files/{len(self.bodies)}"
        self.bodies[href] = data
        return {
            "path": path,
            "sizeBytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "href": href,
            **fields,
        }

    def add_package(self, data: bytes, **fields: Any) -> dict[str, Any]:
        package_id = data[8:24].hex()
        self.bodies[f"/packages/{package_id}"] = data
        href = f"/packages/{package_id}"
        return {
            "id": package_id,
            "holds": [package_id],
            "sizeBytes": len(data),
            "etag": f'"{package_id}"',
            "href": href,
            "held": False,
            **fields,
        }

    def serve(self, files: list[Any], packages: list[Any]) -> None:
        self.manifest = {"revision": REVISION, "files": files, "packages": packages}

    def received(self, prefix: str) -> list[str]:
        return [path for path, _ in self.requests if path.startswith(prefix)]

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = handler.path
        self.requests.append((path, handler.headers.get("Range")))
        self.tokens.append(handler.headers.get("Authorization"))
        body = json.dumps(self.manifest).encode() if "/revisions/" in path else self.bodies.get(path)
        if path in self.redirects:
            return self._send(handler, 302, b"", {"Location": self.redirects[path]})
        if body is None:
            return self._send(
                handler, 404, json.dumps({"code": "not-found", "detail": "There is no such package."}).encode(), {}
            )
        asked = handler.headers.get("Range")
        if asked and "/revisions/" not in path:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            return self._send(
                handler, 206, body[start:], {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}
            )
        return self._send(handler, 200, body + self.extra.get(path, b""), {})

    def _send(self, handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str]) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        if handler.path not in self.extra:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        cut = self.cut_after.pop(handler.path, None)
        sent = body if cut is None else body[:cut]
        if self.pause_s and "/revisions/" not in handler.path:
            # In pieces, so that a client can be killed between any two.
            for at in range(0, len(sent), 2000):
                handler.wfile.write(sent[at : at + 2000])
                time.sleep(self.pause_s)
        else:
            handler.wfile.write(sent)
        if cut is not None:
            handler.close_connection = True


def lossy_chain(count: int) -> tuple[list[bytes], dict[str, str]]:
    """Packages of a run in the fixtures, base first, and the digests of what the last one holds."""
    expected = json.loads((FIXTURES / "format-v7" / "expected.json").read_text())
    data = [(FIXTURES / "format-v7" / f"buckets-{i}.firn").read_bytes() for i in range(count)]
    return data, expected[count - 1]["digests"]


def residual_chain(count: int) -> tuple[list[bytes], dict[str, str]]:
    """The same of a run whose packages leave states."""
    data = [(FIXTURES / "format-v3" / f"run-{i}.firn").read_bytes() for i in range(count)]
    return data, digests_of("format-v3")[count - 1]


def digests_of(version: str) -> list[dict[str, str]]:
    """By checkpoint of a run in the fixtures: digests by path."""
    return [checkpoint["digests"] for checkpoint in json.loads((FIXTURES / version / "expected.json").read_text())]

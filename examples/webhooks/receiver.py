"""Receives the messages of a webhook and prints them: WEBHOOK_SECRET=whsec_... python3 receiver.py [PORT]

Needs nothing but Python 3.9. How messages are signed: https://www.standardwebhooks.com
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))
if len(KEY) < 24:
    sys.exit("WEBHOOK_SECRET must be the secret of the webhook: whsec_...")
# A message older than this, in seconds, may be one that somebody recorded and sends again.
AGE_MAX = 300
# Longest message, in bytes.
BYTES_MAX = 1024 * 1024


def is_genuine(headers, body):
    """Whether a message was signed with the secret, and lately."""
    stamp = headers.get("webhook-timestamp", "")
    if not stamp.isascii() or not stamp.isdigit() or abs(time.time() - int(stamp)) > AGE_MAX:
        return False
    signed = f"{headers.get('webhook-id', '')}.{stamp}.".encode() + body
    expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    # compare_digest takes ASCII text alone.
    signatures = headers.get("webhook-signature", "").encode("ascii", "replace").decode().split(" ")
    return any(hmac.compare_digest(signature, f"v1,{expected}") for signature in signatures)


# A message can come twice, with the same id.
seen = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isascii() or not length.isdigit() or int(length) > BYTES_MAX:
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body):
            return self.answer(401)
        # Answer first: whoever sends waits ten seconds at most.
        self.answer(204)
        message_id = self.headers["webhook-id"]
        if message_id not in seen:
            seen.add(message_id)
            message = json.loads(body)
            print(message["type"], json.dumps(message["data"]), flush=True)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 9000), Receiver)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()

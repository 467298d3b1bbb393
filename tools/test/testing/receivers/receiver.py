"""A receiver of webhooks that conforms, written without the library.

Usage: WEBHOOK_SECRET=... python3 receiver.py, which prints its port.
"""

import hashlib
import hmac
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
lock = threading.Lock()
seen = set()


def is_valid(headers, body):
    values = [headers.get_all(name) or [] for name in ("X-Timestamp", "X-Nonce", "X-Signature")]
    if any(len(found) != 1 for found in values):
        return False
    timestamp, nonce, signature = [found[0] for found in values]
    if not re.fullmatch("[0-9]{1,4300}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    if not re.fullmatch("[!-~]{1,128}", nonce) or not re.fullmatch("[0-9a-f]{64}", signature):
        return False
    message = f"{timestamp}:{nonce}:".encode() + body
    if not hmac.compare_digest(signature, hmac.new(SECRET, message, hashlib.sha256).hexdigest()):
        return False
    with lock:
        if nonce in seen or "signature " + signature in seen:
            return False
        seen.update((nonce, "signature " + signature))
    return True


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(204 if is_valid(self.headers, body) else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 100


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
# The process ends with the test that started it.
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()

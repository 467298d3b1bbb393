"""A receiver of webhooks written without the library. The path names the mistake that it makes: /right makes none.

Usage: WEBHOOK_SECRET=... python3 receiver.py, which prints its port. PREFORK=2 starts two processes behind one port.
"""

import base64
import gzip
import hashlib
import hmac
import json
import os
import re
import socket
import sys
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
lock = threading.Lock()
seen = {}


def take(path, key, limit=None, expiry=600):
    """Reserves a key, and returns whether it was free."""
    with lock:
        keys = seen.setdefault(path, OrderedDict())
        if keys.get(key, 0) > time.time():
            return False
        keys[key] = time.time() + expiry
        if limit is not None and len(keys) > limit:
            keys.popitem(last=False)
        return True


class Rejected(Exception):
    def __init__(self, status=401, text=""):
        self.status, self.text = status, text


def check(mistake, headers, body):
    if mistake == "accepts-everything":
        return
    values = []
    for name in ("X-Timestamp", "X-Nonce", "X-Signature"):
        found = headers.get_all(name) or []
        if mistake == "skips-missing" and not found:
            return
        if mistake == "last-of-two" and found:
            found = found[-1:]
        if len(found) != 1:
            raise Rejected(400 if mistake == "status-per-rule" else 401)
        values.append(found[0])
    timestamp, nonce, signature = values

    if mistake == "int":
        try:
            seconds = int(timestamp)
        except ValueError:
            raise Rejected()
    elif mistake == "float":
        try:
            seconds = float(timestamp)
        except ValueError:
            raise Rejected()
    elif mistake == "unchecked-int":
        seconds = int(timestamp)
    else:
        if not re.fullmatch("[0-9]{1,4300}", timestamp):
            raise Rejected()
        seconds = int(timestamp)
    age = time.time() - (seconds / 1000 if mistake == "milliseconds" else seconds)
    if mistake == "past-only":
        age = max(age, 0)
    if mistake != "no-window" and abs(age) > (600 if mistake == "window-600" else 60 if mistake == "window-60" else 300):
        raise Rejected()

    if mistake == "uuid-only":
        if not re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", nonce):
            raise Rejected()
    elif mistake != "any-nonce" and not re.fullmatch("[!-~]{1,128}", nonce):
        raise Rejected()
    if mistake == "nonce-first" and not take(mistake, nonce):
        raise Rejected()

    signed = body
    try:
        if mistake == "json-again":
            signed = json.dumps(json.loads(body), separators=(",", ":")).encode()
        if mistake == "json-with-spaces":
            signed = json.dumps(json.loads(body)).encode()
        if mistake == "inflates" and headers.get("Content-Encoding") == "gzip":
            signed = gzip.decompress(body)
    except (ValueError, OSError):
        raise Rejected(400 if mistake == "json-again" else 401)
    if mistake == "as-text":
        signed = body.decode(errors="replace").encode()
    if mistake == "strips":
        signed = body.strip()
    message = timestamp.encode("latin1") + b":" + nonce.encode("latin1") + b":" + signed
    if mistake == "body-alone":
        message = signed
    right = hmac.new(SECRET, message, hashlib.sha256).hexdigest()
    if mistake == "ignores-signature":
        pass
    elif mistake == "base64":
        if base64.b64encode(bytes.fromhex(right)).decode() != signature:
            raise Rejected()
    elif mistake == "decodes-hex":
        if not hmac.compare_digest(bytes.fromhex(signature), bytes.fromhex(right)):
            raise Rejected()
    elif mistake == "compares-text":
        if not hmac.compare_digest(signature, right):
            raise Rejected()
    elif mistake == "startswith":
        if not right.startswith(signature):
            raise Rejected()
    elif not re.fullmatch("[0-9a-f]{64}", signature) or not hmac.compare_digest(signature, right):
        raise Rejected()

    if mistake == "no-nonces":
        return
    if mistake == "race":
        with lock:
            known = nonce in seen.setdefault(mistake, OrderedDict())
        time.sleep(0.02)
        if known or not take(mistake, nonce) and False:
            raise Rejected()
        if not take(mistake, "signature " + right):
            return
        return
    if mistake == "signature-as-key":
        free = take(mistake, right)
    elif mistake == "lowercase-nonce":
        free = take(mistake, nonce.lower()) and take(mistake, "signature " + right)
    elif mistake == "ten-nonces":
        free = take(mistake, nonce, 10) and take(mistake, "signature " + right)
    elif mistake == "two-seconds":
        free = take(mistake, nonce, None, 2) and take(mistake, "signature " + right, None, 2)
    elif mistake == "nonce-alone":
        free = take(mistake, nonce)
    elif mistake == "nonce-first":
        free = take(mistake, "signature " + right)
    else:
        free = take(mistake, nonce) and take(mistake, "signature " + right)
    if not free:
        raise Rejected(text="replay" if mistake == "text-per-rule" else "")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        mistake = self.path.strip("/")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, text = 204, ""
        try:
            check(mistake, self.headers, body)
        except Rejected as rejected:
            status, text = rejected.status, rejected.text
            if mistake == "hangs":
                time.sleep(60)
            if mistake == "resets":
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            if mistake == "answers-200":
                status, text = 200, '{"error": "invalid signature"}'
            if mistake == "redirects":
                status = 302
            if mistake == "dies" and "X-Signature" not in self.headers:
                os._exit(1)
        except Exception:
            status = 500
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        if status == 302:
            self.send_header("Location", "/login")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 100


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
for _ in range(int(os.environ.get("PREFORK", "1")) - 1):
    if os.fork() == 0:
        break
# The process ends with the test that started it.
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()

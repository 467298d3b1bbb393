import hashlib, hmac, http.server, os

class Check(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        timestamp, nonce, signature = (self.headers.get(f"X-{name}", "") for name in ("Timestamp", "Nonce", "Signature"))
        message = f"{timestamp}:{nonce}:".encode() + body
        key = os.environb[b"WEBHOOK_SECRET"]
        print("key:", len(key), "bytes")
        print("timestamp:", timestamp, f"({len(timestamp)} characters)")
        print("body:", len(body), "bytes, SHA-256", hashlib.sha256(body).hexdigest())
        print("message:", message.hex())
        print("your signature: ", signature)
        print("right signature:", hmac.new(key, message, hashlib.sha256).hexdigest(), flush=True)
        self.send_response(204)
        self.end_headers()

http.server.HTTPServer(("127.0.0.1", 8000), Check).serve_forever()

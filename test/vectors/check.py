"""Checks docs/vectors.json with the rules of the specification, written in Python without the library."""

import base64
import hashlib
import hmac
import json
import pathlib
import re

vectors = json.loads((pathlib.Path(__file__).parents[2] / "docs" / "vectors.json").read_text())["vectors"]
WINDOW = 300_000
NONCE = re.compile(r"[!-~]{1,128}")


def can_be_split_differently(nonce, body):
    """Whether another ":" of nonce and body also ends a valid nonce."""
    text = nonce + ":" + body.decode("latin1")
    return any(
        NONCE.fullmatch(text[:end]) and end != len(nonce) for end in range(1, len(text)) if text[end] == ":"
    )


def result_of(request, secrets, reserved):
    values = {}
    for name, value in request["headers"]:
        name = name.lower()
        values[name] = values[name] + ", " + value if name in values else value
    for name in ("x-timestamp", "x-nonce", "x-signature"):
        if name not in values:
            return {"ok": False, "reason": "missing_header", "header": name}
    timestamp, nonce, signature = values["x-timestamp"], values["x-nonce"], values["x-signature"]
    now = request["now"]

    def rejected(reason):
        return {"ok": False, "reason": reason}

    if not re.fullmatch("[0-9]+", timestamp):
        return rejected("invalid_timestamp")
    if abs(now - int(timestamp) * 1000) > WINDOW:
        return rejected("timestamp_outside_window")
    if not NONCE.fullmatch(nonce):
        return rejected("invalid_nonce")
    body = base64.b64decode(request["bodyBase64"])
    message = f"{timestamp}:{nonce}:".encode("ascii") + body
    signatures = [hmac.new(secret.encode("utf-8"), message, hashlib.sha256).hexdigest() for secret in secrets]
    if signature not in signatures:
        return rejected("signature_mismatch")

    keys = [nonce, "signature " + signature] if can_be_split_differently(nonce, body) else [nonce]
    keys = [(request["webhookId"], key) for key in keys]
    if any(reserved.get(key, -1) >= now for key in keys):
        return rejected("replayed_nonce")
    reserved.update((key, now + 600_000) for key in keys)
    return {"ok": True, "secretIndex": signatures.index(signature)}


for vector in vectors:
    reserved = {}
    for index, request in enumerate(vector["requests"]):
        result = result_of(request, vector["secrets"], reserved)
        expected = request["expected"]
        assert expected.items() <= result.items(), f"{vector['description']}, request {index + 1}: {result}"
print(len(vectors))

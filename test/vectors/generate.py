"""Writes python.json: signed requests made by Python's hmac, for the library to verify."""

import hashlib
import hmac
import json
import pathlib
import random

SECRETS = {
    "ASCII": "the signing secret of webhook 42",
    "one character": "s",
    "German": "schl\u00fcssel",
    "Japanese": "\u7f72\u540d\u306e\u79d8\u5bc6",
    "emoji": "\U0001f511\U0001f98a",
    "decomposed": "e\u0301",
    "NUL inside": "a\0b",
    "a trailing newline": "secret\n",
    "exactly one block": "b" * 64,
    "longer than a block": "\u00e9" * 100,
}

BODIES = {
    "empty": b"",
    "JSON": b'{"event":"invoice.paid","amount":12.50}',
    "a newline behind": b'{"event":"invoice.paid"}\r\n',
    "every byte": bytes(range(256)),
    "invalid UTF-8": b"\xc3\x28\xff\xfe\xed\xa0\x80",
    "U+FFFD in UTF-8": b"\xef\xbf\xbd",
    "UTF-16": "\ufeffwebhook".encode("utf-16-le"),
    "colons": b":::",
    "random": random.Random(20231114).randbytes(1000),
}

HEADERS = {
    "UUID": ("1700000000", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"),
    "every visible character": ("1700000000", "".join(map(chr, range(0x21, 0x7F)))),
    "leading zeros": ("0001700000000", "n"),
    "128 characters": ("1700000300", "~" * 128),
}


def signature(secret: str, timestamp: str, nonce: str, body: bytes) -> str:
    message = timestamp.encode("ascii") + b":" + nonce.encode("ascii") + b":" + body
    return hmac.new(secret.encode("utf-8"), message, hashlib.sha256).hexdigest()


vectors = [
    {
        "name": f"secret: {secret_name}; body: {body_name}; headers: {headers_name}",
        "secret": secret,
        "timestamp": timestamp,
        "nonce": nonce,
        "bodyHex": body.hex(),
        "signature": signature(secret, timestamp, nonce, body),
    }
    for secret_name, secret in SECRETS.items()
    for body_name, body in BODIES.items()
    for headers_name, (timestamp, nonce) in HEADERS.items()
    # Every body with every secret under one set of headers, and with every set of headers under one secret.
    if secret_name == "ASCII" or headers_name == "UUID"
]

if __name__ == "__main__":
    output = pathlib.Path(__file__).with_name("python.json")
    output.write_text(json.dumps(vectors, indent=2) + "\n", encoding="ascii")

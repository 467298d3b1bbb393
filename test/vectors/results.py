"""Writes docs/vectors.json: requests that Python's hmac signed, and the result of each, written by hand."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import pathlib

from generate import signature

DESCRIPTION = (
    "Requests, and the result that a receiver of these webhooks must return for each. Start each vector with an empty"
    " nonce store. Check its requests in this order, each at the server time `now`, in milliseconds since the Unix epoch."
    " `secrets` are the secrets that the receiver accepts, as text. `headers` are pairs of name and value, in the order of"
    " arrival. Each character of a value is one byte (Latin-1). `bodyBase64` is the raw body. `bodyText` is the raw body"
    " as text, if it is printable. `expected` is the result: `ok`, or the `reason`, which is the first broken rule."
    " `header` is the missing header. `secretIndex` says which secret matched, if there are several. A sender must compute"
    " the X-Signature of each request that is `ok` from the secret, X-Timestamp, X-Nonce and the body."
)

NOW = 1_700_000_000_000
TIMESTAMP = "1700000000"
NONCE = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
SECRET = "the signing secret of webhook 42"
BODY = b'{"id":"evt_1","event":"invoice.paid","amount":12.50}'
OK = {"ok": True}
SECOND = 1000


def rejected(reason: str, **more: str) -> dict:
    return {"ok": False, "reason": reason, **more}


REPLAYED = rejected("replayed_nonce")


def text_of(body: bytes) -> dict:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return {}
    return {"bodyText": text} if text.isprintable() else {}


def request(
    expected: dict,
    *,
    timestamp: str = TIMESTAMP,
    nonce: str = NONCE,
    body: bytes = BODY,
    secret: str = SECRET,
    now: int = NOW,
    webhook: str = "42",
    signed: str | None = None,
    headers: list | None = None,
) -> dict:
    """Returns a genuine request, with the given parts instead of its own. `headers` replaces all three."""
    if headers is None:
        made = signed if signed is not None else signature(secret, timestamp, nonce, body)
        headers = [["X-Timestamp", timestamp], ["X-Nonce", nonce], ["X-Signature", made]]
    raw = {"bodyBase64": base64.b64encode(body).decode("ascii"), **text_of(body)}
    return {"webhookId": webhook, "now": now, "headers": headers, **raw, "expected": expected}


vectors = []


def vector(description: str, *requests: dict, secrets: tuple = (SECRET,)) -> None:
    vectors.append({"description": description, "secrets": list(secrets), "requests": list(requests)})


GENUINE = signature(SECRET, TIMESTAMP, NONCE, BODY)
THREE = {"X-Timestamp": TIMESTAMP, "X-Nonce": NONCE, "X-Signature": GENUINE}


def pairs(**replaced: str | None) -> list:
    """The three genuine headers; X_Nonce=None leaves one out."""
    named = {**THREE, **{name.replace("_", "-"): value for name, value in replaced.items()}}
    return [[name, value] for name, value in named.items() if value is not None]


# Genuine requests.

vector("a genuine request", request(OK))

for description, body in {
    "an empty body": b"",
    "a body of one NUL": b"\0",
    "a body of every byte": bytes(range(256)),
    "a body that is not UTF-8": b"\xc3\x28\xff\xfe\xed\xa0\x80",
    "a body with text outside ASCII": '{"name":"Zo\u00eb \U0001f98a"}'.encode("utf-8"),
    "a body in UTF-16 with a byte order mark": "\ufeffwebhook".encode("utf-16-le"),
    "a body that begins with the byte order mark of UTF-8": b'\xef\xbb\xbf{"id":"evt_1"}',
    "a body that ends in CRLF": b'{"id":"evt_1"}\r\n',
    "a body of white space only": b" \t\r\n",
    "a body of colons": b":::",
    "a body with spaces, escapes and a float that a JSON library would write differently": (
        b'{ "url": "https:\\/\\/example.com\\/\\u00e9", "amount": 1.0, "big": 12345678901234567890 }'
    ),
    "a body with one name twice": b'{"a":1,"a":2}',
    "a body of 5000 bytes": bytes((index * 7 + index // 256) % 256 for index in range(5000)),
}.items():
    vector(description, request(OK, body=body))

for description, secret in {
    "a secret of one character": "s",
    "a secret outside ASCII: its UTF-8 bytes are the key": "schl\u00fcssel",
    "a secret outside the Basic Multilingual Plane": "\U0001f511\U0001f98a",
    "a secret with a combining accent: it is not normalized": "e\u0301",
    "a secret with spaces around it: they are not trimmed": " secret ",
    "a secret that ends in a newline: it is not trimmed": "secret\n",
    "a secret with a NUL inside": "a\0b",
    "a secret that looks like hex: it is text": "00112233445566778899aabbccddeeff",
    "a secret that looks like base64 with a prefix: it is text": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "a secret of 64 bytes, one block of SHA-256": "b" * 64,
    "a secret of 65 bytes, longer than a block": "b" * 65,
    "a secret of 200 bytes, in 100 characters": "\u00e9" * 100,
}.items():
    vector(description, request(OK, secret=secret), secrets=(secret,))

for description, nonce in {
    "a nonce of one character": "n",
    "a nonce of 127 characters": "n" * 127,
    "a nonce of 128 characters": "n" * 128,
    "a nonce of every visible ASCII character": "".join(map(chr, range(0x21, 0x7F))),
    "a nonce of 0x21, the first visible character": "!",
    "a nonce of 0x7E, the last visible character": "~",
    "a nonce of a colon": ":",
    "a nonce with colons": "a:b:c",
    "a nonce in quotes, which are part of it": '"nonce"',
    "a nonce with a comma": "a,b",
}.items():
    vector(description, request(OK, nonce=nonce))

vector("names of headers in lowercase", request(OK, headers=[[name.lower(), value] for name, value in THREE.items()]))
vector("names of headers in uppercase", request(OK, headers=[[name.upper(), value] for name, value in THREE.items()]))
vector("headers in another order, among others", request(OK, headers=[["Host", "example.com"], *pairs()[::-1]]))

# missing_header

for header in THREE:
    left = [[name, value] for name, value in THREE.items() if name != header]
    vector(f"no {header}", request(rejected("missing_header", header=header.lower()), headers=left))
vector("no header at all", request(rejected("missing_header", header="x-timestamp"), headers=[]))
vector(
    "a missing header is named before a broken one: X-Signature is absent, and X-Timestamp has no digits",
    request(rejected("missing_header", header="x-signature"), headers=pairs(X_Timestamp="now", X_Signature=None)),
)
vector(
    "a header under another name",
    request(rejected("missing_header", header="x-signature"), headers=[*pairs(X_Signature=None), ["Signature", GENUINE]]),
)

# invalid_timestamp: each value is signed unchanged, so nothing else is wrong.


def verbatim(timestamp: str, nonce: str = NONCE) -> str:
    """Returns a signature over header values of any bytes. Each character is one byte."""
    message = f"{timestamp}:{nonce}:".encode("latin-1") + BODY
    return hmac.new(SECRET.encode("utf-8"), message, hashlib.sha256).hexdigest()


for description, timestamp in {
    "an empty timestamp": "",
    "a timestamp with a plus sign": "+1700000000",
    "a timestamp with a minus sign": "-1700000000",
    "a timestamp with a space before it": " 1700000000",
    "a timestamp with a space after it": "1700000000 ",
    "a timestamp with a space inside": "1700 000000",
    "a timestamp with a dot": "1700000000.0",
    "a timestamp with a dot after it": "1700000000.",
    "a timestamp with a comma": "1,700,000,000",
    "a timestamp with underscores": "1_700_000_000",
    "a timestamp with an exponent": "17e8",
    "a timestamp in hex": "0x6553f100",
    "a timestamp in ISO 8601": "2023-11-14T22:13:20Z",
    "a timestamp as an HTTP date": "Tue, 14 Nov 2023 22:13:20 GMT",
    "a timestamp in quotes": '"1700000000"',
    "a timestamp with a line feed after it": "1700000000\n",
    "a timestamp with a NUL after it": "1700000000\0",
    "a timestamp with a superscript digit, 0xB2 in Latin-1": "170000000\xb2",
    "the timestamp NaN": "NaN",
}.items():
    made = verbatim(timestamp)
    vector(description, request(rejected("invalid_timestamp"), timestamp=timestamp, signed=made))
vector(
    "a timestamp that arrives twice, the same each time",
    request(rejected("invalid_timestamp"), headers=[["X-Timestamp", TIMESTAMP], *pairs()]),
)

# timestamp_outside_window

OUTSIDE = rejected("timestamp_outside_window")
for description, offset, expected in (
    ("received 299.999 s after its timestamp", 299_999, OK),
    ("received 300 s after its timestamp", 300_000, OK),
    ("received 300.001 s after its timestamp", 300_001, OUTSIDE),
    ("received 300.999 s after its timestamp, which in whole seconds is 300", 300_999, OUTSIDE),
    ("received 301 s after its timestamp", 301_000, OUTSIDE),
    ("received 299.999 s before its timestamp", -299_999, OK),
    ("received 300 s before its timestamp", -300_000, OK),
    ("received 300.001 s before its timestamp", -300_001, OUTSIDE),
    ("received 301 s before its timestamp", -301_000, OUTSIDE),
    ("received an hour after its timestamp, as from another time zone", 3_600_000, OUTSIDE),
):
    vector(description, request(expected, now=NOW + offset))

for description, timestamp, expected in (
    ("leading zeros, which are signed unchanged", "0001700000000", OK),
    ("400 leading zeros", "0" * 400 + TIMESTAMP, OK),
    ("a timestamp in milliseconds", str(NOW), OUTSIDE),
    ("a timestamp of 0", "0", OUTSIDE),
    ("a timestamp of 400 nines", "9" * 400, OUTSIDE),
    ("a timestamp 2^32 s too late, which an integer of 32 bits cannot show", str(1_700_000_000 + 2**32), OUTSIDE),
    ("a timestamp 2^64 s too late, which an integer of 64 bits cannot show", str(1_700_000_000 + 2**64), OUTSIDE),
    ("a timestamp 2^61 s too late, whose milliseconds do not fit into 64 bits", str(1_700_000_000 + 2**61), OUTSIDE),
):
    vector(description, request(expected, timestamp=timestamp))
vector(
    "leading zeros that were not signed",
    request(rejected("signature_mismatch"), timestamp="0001700000000", signed=GENUINE),
)
vector("a timestamp of 0, 300 s after the epoch", request(OK, timestamp="0", now=300_000))

# invalid_nonce: each value is signed unchanged, so nothing else is wrong.

for description, nonce in {
    "an empty nonce": "",
    "a nonce of 129 characters": "n" * 129,
    "a nonce of 1000 characters": "n" * 1000,
    "a nonce of a space, 0x20": " ",
    "a nonce with a space inside": "a b",
    "a nonce with a space before it": " a",
    "a nonce with a space after it": "a ",
    "a nonce with a tab": "a\tb",
    "a nonce with a line feed after it": "a\n",
    "a nonce with a NUL": "a\0",
    "a nonce with 0x1F": "a\x1f",
    "a nonce with 0x7F": "a\x7f",
    "a nonce with 0x80": "a\x80",
    "a nonce with the byte of a Latin-1 letter": "\xe9",
    "a nonce with the bytes of a UTF-8 letter": "\xc3\xa9",
    "a nonce with a no-break space, 0xA0": "a\xa0b",
}.items():
    made = verbatim(TIMESTAMP, nonce)
    vector(description, request(rejected("invalid_nonce"), nonce=nonce, signed=made))
vector(
    "a nonce that arrives twice, the same each time",
    request(rejected("invalid_nonce"), headers=[["X-Nonce", NONCE], *pairs()]),
)
vector(
    "a nonce that is split into two headers, and signed as one",
    request(
        rejected("invalid_nonce"),
        headers=[["X-Nonce", "a"], *pairs(X_Nonce="b", X_Signature=verbatim(TIMESTAMP, "a, b"))],
    ),
)

# signature_mismatch

MISMATCH = rejected("signature_mismatch")
digest = bytes.fromhex(GENUINE)
for description, made in {
    "an empty signature": "",
    "a signature in uppercase hex": GENUINE.upper(),
    "a signature with one uppercase digit": GENUINE.replace("f", "F", 1),
    "a signature with a sha256= prefix": f"sha256={GENUINE}",
    "a signature with a v1= prefix": f"v1={GENUINE}",
    "a signature in quotes": f'"{GENUINE}"',
    "a signature in base64": base64.b64encode(digest).decode("ascii"),
    "a signature in base64url": base64.urlsafe_b64encode(digest).decode("ascii").rstrip("="),
    "a signature of 63 digits, without the first": GENUINE[1:],
    "a signature of 63 digits, without the last": GENUINE[:-1],
    "a signature of 32 digits, truncated": GENUINE[:32],
    "a signature of 65 digits": f"{GENUINE}0",
    "a signature of 66 digits": f"{GENUINE}00",
    "a signature with a space before it": f" {GENUINE}",
    "a signature with a line feed after it": f"{GENUINE}\n",
    "a signature with colons, like a fingerprint": ":".join(GENUINE[at : at + 2] for at in range(0, 64, 2)),
    "a signature with another first digit": ("0" if GENUINE[0] != "0" else "1") + GENUINE[1:],
    "a signature with another last digit": GENUINE[:-1] + ("0" if GENUINE[-1] != "0" else "1"),
    "a signature of zeros": "0" * 64,
    "a signature with a letter that is not a hex digit": f"g{GENUINE[1:]}",
    "the signature none": "none",
}.items():
    vector(description, request(MISMATCH, signed=made))
vector(
    "a signature that arrives twice, the same each time",
    request(MISMATCH, headers=[*pairs(), ["X-Signature", GENUINE]]),
)


def hmac_hex(message: bytes, key: bytes = SECRET.encode("utf-8"), algorithm: str = "sha256") -> str:
    return hmac.new(key, message, algorithm).hexdigest()


PREFIX = f"{TIMESTAMP}:{NONCE}:".encode("ascii")
KEY = SECRET.encode("utf-8")
for description, made in {
    "signed over another timestamp": signature(SECRET, "1700000001", NONCE, BODY),
    "signed over another nonce": signature(SECRET, TIMESTAMP, "another", BODY),
    "signed over the nonce in uppercase": signature(SECRET, TIMESTAMP, NONCE.upper(), BODY),
    "signed over the body with a newline after it": signature(SECRET, TIMESTAMP, NONCE, BODY + b"\n"),
    "signed over an empty body": signature(SECRET, TIMESTAMP, NONCE, b""),
    "signed over the JSON of another library": (
        signature(SECRET, TIMESTAMP, NONCE, b'{"id": "evt_1", "event": "invoice.paid", "amount": 12.5}')
    ),
    "signed over the body in UTF-16": signature(SECRET, TIMESTAMP, NONCE, BODY.decode("ascii").encode("utf-16-le")),
    "signed over the body's SHA-256": hmac_hex(PREFIX + hashlib.sha256(BODY).hexdigest().encode("ascii")),
    "signed over the body only": hmac_hex(BODY),
    "signed with dots instead of colons": hmac_hex(f"{TIMESTAMP}.{NONCE}.".encode("ascii") + BODY),
    "signed without colons": hmac_hex(f"{TIMESTAMP}{NONCE}".encode("ascii") + BODY),
    "signed without the nonce": hmac_hex(f"{TIMESTAMP}:".encode("ascii") + BODY),
    "signed with nonce and timestamp swapped": hmac_hex(f"{NONCE}:{TIMESTAMP}:".encode("ascii") + BODY),
    "signed with another secret": signature("another secret", TIMESTAMP, NONCE, BODY),
    "signed with the secret and a newline behind": signature(f"{SECRET}\n", TIMESTAMP, NONCE, BODY),
    "signed with the secret in uppercase": signature(SECRET.upper(), TIMESTAMP, NONCE, BODY),
    "signed with secret and message swapped": hmac_hex(KEY, PREFIX + BODY),
    "signed with SHA-1": hmac_hex(PREFIX + BODY, algorithm="sha1"),
    "signed with SHA-512": hmac_hex(PREFIX + BODY, algorithm="sha512"),
    "signed with SHA-512, truncated to 64 digits": hmac_hex(PREFIX + BODY, algorithm="sha512")[:64],
    "SHA-256 of the message, without a secret": hashlib.sha256(PREFIX + BODY).hexdigest(),
    "SHA-256 of secret and message, which is not an HMAC": hashlib.sha256(KEY + PREFIX + BODY).hexdigest(),
}.items():
    vector(description, request(MISMATCH, signed=made))

vector(
    "a secret that is hex, used as its bytes",
    request(MISMATCH, signed=hmac_hex(PREFIX + BODY, bytes.fromhex("00112233445566778899aabbccddeeff"))),
    secrets=("00112233445566778899aabbccddeeff",),
)
vector(
    "a secret outside ASCII, encoded as Latin-1",
    request(MISMATCH, signed=hmac_hex(PREFIX + BODY, "schl\u00fcssel".encode("latin-1"))),
    secrets=("schl\u00fcssel",),
)
vector(
    "a secret in another Unicode normal form",
    request(MISMATCH, secret="\u00e9"),
    secrets=("e\u0301",),
)
vector(
    "an invalid byte, instead of the signed UTF-8 of U+FFFD",
    request(MISMATCH, body=b"\xff", signed=signature(SECRET, TIMESTAMP, NONCE, b"\xef\xbf\xbd")),
)
vector(
    "a body that was pretty-printed on the way",
    request(MISMATCH, body=b'{\n  "a": 1\n}', signed=signature(SECRET, TIMESTAMP, NONCE, b'{"a":1}')),
)

# The order of the rules: everything from the named one on is broken.

for reason, parts in {
    "invalid_timestamp": {"timestamp": "x", "nonce": "", "signed": ""},
    "timestamp_outside_window": {"timestamp": "0", "nonce": "", "signed": ""},
    "invalid_nonce": {"nonce": "", "signed": ""},
}.items():
    vector(f"{reason} is named before the rules after it", request(rejected(reason), **parts))
vector(
    "signature_mismatch is named before replayed_nonce",
    request(OK),
    request(MISMATCH, signed="0" * 64),
)

# replayed_nonce: sequences.

vector("the same request twice", request(OK), request(REPLAYED))
vector("the same request three times", request(OK), request(REPLAYED), request(REPLAYED))
vector(
    "a replay with the names of its headers in another case",
    request(OK),
    request(REPLAYED, headers=[[name.lower(), value] for name, value in THREE.items()]),
)
vector(
    "another timestamp and body with a taken nonce",
    request(OK),
    request(REPLAYED, timestamp="1700000001", body=b'{"id":"evt_2"}', now=NOW + SECOND),
)
vector("two nonces that differ only in case", request(OK, nonce="nonce"), request(OK, nonce="Nonce"))
vector("a nonce that begins with a taken nonce", request(OK, nonce="nonce"), request(OK, nonce="nonce2"))
vector("one nonce on two webhooks", request(OK, webhook="42"), request(OK, webhook="43"))
vector(
    "one nonce on two webhooks, and then on the first again",
    request(OK, webhook="42"),
    request(OK, webhook="43"),
    request(REPLAYED, webhook="42"),
)
vector(
    "two webhooks whose IDs differ only in case",
    request(OK, webhook="abc"),
    request(OK, webhook="ABC"),
)
vector(
    "two pairs of webhook and nonce that are equal when joined",
    request(OK, webhook="a", nonce="b:c"),
    request(OK, webhook="a:b", nonce="c"),
)
vector(
    "a request with a timestamp 300 s ahead, replayed at the end of its window, 600 s later",
    request(OK, now=NOW - 300 * SECOND),
    request(REPLAYED, now=NOW + 300 * SECOND),
    request(OUTSIDE, now=NOW + 300 * SECOND + 1),
)
vector(
    "a nonce is still taken 600 s later, also for another message",
    request(OK),
    request(REPLAYED, timestamp="1700000600", now=NOW + 600 * SECOND),
)
vector(
    "a nonce is free again after 601 s",
    request(OK),
    request(OK, timestamp="1700000601", now=NOW + 601 * SECOND),
)
vector(
    "a replay does not prolong the reservation of a nonce",
    request(OK),
    request(REPLAYED, timestamp="1700000599", now=NOW + 599 * SECOND),
    request(OK, timestamp="1700000601", now=NOW + 601 * SECOND),
)
for reason, parts in {
    "signature_mismatch": {"signed": "0" * 64},
    "timestamp_outside_window": {"timestamp": "1699999699"},
    "invalid_timestamp": {"timestamp": "x"},
}.items():
    vector(f"a request rejected for {reason} reserves no nonce", request(rejected(reason), **parts), request(OK))

# One signed message, split between nonce and body in more than one way, is accepted once.

WHOLE = {"nonce": "abc", "body": b'{"a":1}'}
RESPLIT = {"nonce": 'abc:{"a"', "body": b"1}"}
vector("a re-split that arrives alone", request(OK, **RESPLIT))
vector("a message, then its re-split", request(OK, **WHOLE), request(REPLAYED, **RESPLIT))
vector("a re-split, then its message", request(OK, **RESPLIT), request(REPLAYED, **WHOLE))
vector(
    "a message in four splits",
    request(OK, nonce="a", body=b"b:c:d"),
    request(REPLAYED, nonce="a:b", body=b"c:d"),
    request(REPLAYED, nonce="a:b:c", body=b"d"),
    request(REPLAYED, nonce="a", body=b"b:c:d"),
)
vector(
    "a message and its re-split, whose body is empty",
    request(OK, nonce="a", body=b"b:"),
    request(REPLAYED, nonce="a:b", body=b""),
)
vector(
    "a message and its re-split, whose nonce has 128 characters",
    request(OK, nonce="a", body=b"b" * 126 + b":rest"),
    request(REPLAYED, nonce="a:" + "b" * 126, body=b"rest"),
)
vector(
    "a split with a nonce of 129 characters is not valid",
    request(OK, nonce="a", body=b"b" * 127 + b":rest"),
    request(rejected("invalid_nonce"), nonce="a:" + "b" * 127, body=b"rest"),
)
vector(
    "a split with a space in the nonce is not valid",
    request(OK, nonce="a", body=b"b c:rest"),
    request(rejected("invalid_nonce"), nonce="a:b c", body=b"rest"),
)
vector(
    "a split with an empty nonce is not valid",
    request(OK, nonce=":a", body=b"rest"),
    request(rejected("invalid_nonce"), nonce="", body=b"a:rest"),
)
vector(
    "a message and its re-split on two webhooks",
    request(OK, webhook="42", **WHOLE),
    request(OK, webhook="43", **RESPLIT),
    request(REPLAYED, webhook="42", **RESPLIT),
)
vector(
    "a message and its re-split, at the two ends of the window",
    request(OK, now=NOW - 300 * SECOND, **WHOLE),
    request(REPLAYED, now=NOW + 300 * SECOND, **RESPLIT),
)
vector(
    "two different messages with colons",
    request(OK, nonce="a:b", body=b"c"),
    request(OK, nonce="a:c", body=b"c"),
)
vector(
    "a request rejected for its nonce can be sent again when the nonce is free",
    request(OK, nonce="a:b", body=b"first"),
    request(REPLAYED, nonce="a:b", body=b"second", timestamp="1700000500", now=NOW + 400 * SECOND),
    request(OK, nonce="a:b", body=b"second", timestamp="1700000500", now=NOW + 601 * SECOND),
)

# Several secrets, while one is rotated.

BOTH = ("the new secret", "the old secret")
vector("signed with the first of two secrets", request({**OK, "secretIndex": 0}, secret=BOTH[0]), secrets=BOTH)
vector("signed with the second of two secrets", request({**OK, "secretIndex": 1}, secret=BOTH[1]), secrets=BOTH)
vector("signed with neither of two secrets", request(MISMATCH), secrets=BOTH)
vector(
    "one nonce under two secrets",
    request({**OK, "secretIndex": 0}, secret=BOTH[0]),
    request(REPLAYED, secret=BOTH[1]),
    secrets=BOTH,
)
vector(
    "two secrets, one of which begins with the other",
    request({**OK, "secretIndex": 1}, secret="secret"),
    secrets=("secret 2", "secret"),
)


def written(value: object, indent: str = "") -> str:
    """JSON with what fits into a line on one line."""
    line = json.dumps(value)
    if not isinstance(value, (dict, list)) or len(indent) + len(line) <= 120:
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        rows = [f"{json.dumps(name)}: {written(item, deeper)}" for name, item in value.items()]
    else:
        rows = [written(item, deeper) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(deeper + row for row in rows) + "\n" + indent + closing


output = pathlib.Path(__file__).parents[2] / "docs" / "vectors.json"
output.write_text(written({"description": DESCRIPTION, "vectors": vectors}) + "\n", encoding="ascii")

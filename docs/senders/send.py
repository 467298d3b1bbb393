# # Send from Python
#
# Save this as `send.py`. It needs only Python 3.6.
#
# - With `requests`, pass `data=body` and `allow_redirects=False`. `json=event` would serialize it again.

# python3 send.py URL FILE, with the secret in WEBHOOK_SECRET.
import hashlib
import hmac
import http.client
import os
import pathlib
import random
import sys
import time
import urllib.parse
import uuid

if len(sys.argv) != 3 or not os.environ.get("WEBHOOK_SECRET"):
    sys.exit("usage: python3 send.py URL FILE, with WEBHOOK_SECRET set")
url = urllib.parse.urlsplit(sys.argv[1])
target = urllib.parse.urlunsplit(("", "", url.path or "/", url.query, ""))
connect = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
body = pathlib.Path(sys.argv[2]).read_bytes()
secret = os.fsencode(os.environ["WEBHOOK_SECRET"])  # its bytes, in any locale


def signed_headers():
    timestamp = str(int(time.time()))
    nonce = str(uuid.uuid4())
    message = f"{timestamp}:{nonce}:".encode() + body
    signature = hmac.new(secret, message, hashlib.sha256).hexdigest()
    return {"X-Timestamp": timestamp, "X-Nonce": nonce, "X-Signature": signature}


for wait in 0, 1, 2, 4:
    time.sleep(wait * random.uniform(1, 1.5))  # up to 50 % longer, so that senders do not retry together
    headers = {"Content-Type": "application/json", **signed_headers()}  # new for each attempt
    connection = connect(url.netloc, timeout=10)
    try:
        connection.request("POST", target, body, headers)
        status = connection.getresponse().status
        print("response", status, file=sys.stderr)
        if status != 429 and status < 500:
            sys.exit(0 if 200 <= status < 300 else 1)
    except (OSError, http.client.HTTPException) as error:
        print("no response:", error, file=sys.stderr)
    finally:
        connection.close()
sys.exit(1)

# # Send from Python
#
# With `requests`:

import hashlib
import hmac
import json
import time
import uuid

import requests


def send_webhook(url, event, secret):
    """Sends an event once, and returns the status of the answer."""
    body = json.dumps(event).encode()  # serialized once: these bytes are signed, and these bytes are sent
    timestamp = str(int(time.time()))
    nonce = str(uuid.uuid4())
    message = f"{timestamp}:{nonce}:".encode() + body
    headers = {
        "Content-Type": "application/json",
        "X-Timestamp": timestamp,
        "X-Nonce": nonce,
        "X-Signature": hmac.new(secret.encode(), message, hashlib.sha256).hexdigest(),
    }
    # With json=event instead of data=body, requests would serialize again.
    return requests.post(url, data=body, headers=headers, timeout=10, allow_redirects=False).status_code

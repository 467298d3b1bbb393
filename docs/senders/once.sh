# # Send from a shell
#
# One attempt, in a few lines:
#
# - Use `--data-binary`, because `curl -d` removes line breaks. Do not use `curl --retry`, because it sends the old headers again.

export WEBHOOK_SECRET # Arguments can be read by every user of the machine. The environment cannot.
TIMESTAMP=$(date +%s)
NONCE=$(openssl rand -hex 16)
SIGNATURE=$(python3 -c '
import hmac, os, sys
message = f"{sys.argv[1]}:{sys.argv[2]}:".encode() + open("body.json", "rb").read()
print(hmac.new(os.environb[b"WEBHOOK_SECRET"], message, "sha256").hexdigest())' "$TIMESTAMP" "$NONCE") &&
  curl -i "$URL" --data-binary @body.json -H 'Content-Type: application/json' \
    -H "X-Timestamp: $TIMESTAMP" -H "X-Nonce: $NONCE" -H "X-Signature: $SIGNATURE"

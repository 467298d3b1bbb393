#!/bin/sh
# sh send.sh URL FILE, with the secret in WEBHOOK_SECRET. Any POSIX shell, curl and openssl.
set -eu
: "${WEBHOOK_SECRET:?is not set}"
url=$1 file=$2
cat "$file" >/dev/null # or stop here: curl would send an empty body

for wait in 0 1 2 4; do
  sleep "$wait"
  timestamp=$(date +%s) # new for each attempt, like the nonce and the signature
  nonce=$(openssl rand -hex 16)
  signature=$(printf '%s:%s:' "$timestamp" "$nonce" | cat - "$file" |
    openssl dgst -sha256 -mac HMAC -macopt "key:$WEBHOOK_SECRET" -r | cut -d ' ' -f 1)
  status=$(curl -sS -o /dev/null -w '%{http_code}' --max-time 10 "$url" --data-binary "@$file" \
    -H 'Content-Type: application/json' \
    -H "X-Timestamp: $timestamp" -H "X-Nonce: $nonce" -H "X-Signature: $signature") || status=000
  echo "answer $status" >&2 # 000 is none
  case $status in
    2??) exit 0 ;;
    000 | 5??) ;;
    *) exit 1 ;;
  esac
done
exit 1

#!/bin/sh
# # Send from a shell
#
# Save this as `send.sh`. It needs a POSIX shell, curl and openssl.
#
# - `curl -d` removes line breaks, so use `--data-binary`. `curl --retry` sends the old headers again.

# sh send.sh URL FILE, with the secret in WEBHOOK_SECRET.
set -eu
: "${WEBHOOK_SECRET:?is not set}"
url=$1 file=$2
cat "$file" >/dev/null # stops here if the file cannot be read, because curl would send an empty body

# The HMAC-SHA256 of standard input, from two plain hashes (RFC 2104). `openssl dgst -hmac` would get the secret as an
# argument, which every user of the machine can read.
hmac() {
  inner='' outer=''
  set -- $(printf %s "$WEBHOOK_SECRET" | od -A n -v -t u1)
  [ $# -le 64 ] || set -- $(printf %s "$WEBHOOK_SECRET" | openssl dgst -sha256 -binary | od -A n -v -t u1)
  while [ $# -lt 64 ]; do set -- "$@" 0; done
  for byte; do
    i=$((byte ^ 54)) o=$((byte ^ 92))
    inner="$inner\\$((i / 64))$((i / 8 % 8))$((i % 8))" outer="$outer\\$((o / 64))$((o / 8 % 8))$((o % 8))"
  done
  { printf "$inner"; cat; } | openssl dgst -sha256 -binary | { printf "$outer"; cat; } | openssl dgst -sha256 -r | cut -c 1-64
}

for wait in 0 1 2 4; do
  random=$(od -A n -N 1 -t u1 /dev/urandom)
  sleep "$((wait + random % (wait / 2 + 1)))" # up to 50 % longer, so that senders do not retry together
  timestamp=$(date +%s) # new for each attempt, like the nonce and the signature
  nonce=$(openssl rand -hex 16)
  signature=$(printf '%s:%s:' "$timestamp" "$nonce" | cat - "$file" | hmac)
  status=$(curl -sS -o /dev/null -w '%{http_code}' --max-time 10 "$url" --data-binary "@$file" \
    -H 'Content-Type: application/json' \
    -H "X-Timestamp: $timestamp" -H "X-Nonce: $nonce" -H "X-Signature: $signature") || status=000
  echo "response $status" >&2 # 000 means no response
  case $status in
    2??) exit 0 ;;
    000 | 429 | 5??) ;;
    *) exit 1 ;;
  esac
done
exit 1

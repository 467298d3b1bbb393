#!/usr/bin/env bash
# Broken requests as senders in a shell make them, one JSON object a line.
set -euo pipefail

SECRET='s3cr3t-of-shell'
TIMESTAMP=1700000000
NONCE=abc-123
BODY='{"event":"invoice.paid","n":1}'
MESSAGE="$TIMESTAMP:$NONCE:$BODY"

request() {
  printf '{"name":"shell: %s","codes":["%s"],"now":1700000002000,"secret":"%s","headers":{"X-Timestamp":"%s","X-Nonce":"%s","X-Signature":"%s"},"body":"%s"}\n' \
    "$1" "$2" "${4:-$SECRET}" "$TIMESTAMP" "$NONCE" "$3" "$(printf %s "$BODY" | base64 -w 0)"
}

hmac() {
  openssl dgst -sha256 -hmac "${1:-$SECRET}" -r | cut -d ' ' -f 1
}

request 'echo' body_newline "$(echo "$MESSAGE" | hmac)"
request 'echo that knows no -n' message_layout "$(printf %s "-n $MESSAGE" | hmac)"
request 'echo that knows no escapes' message_layout "$(printf %s "$TIMESTAMP\\n$NONCE\\n$BODY" | hmac)"
request 'quotes lost' body_changed "$(printf %s "$TIMESTAMP:$NONCE:{event:invoice.paid,n:1}" | hmac)"
request 'jq' body_json "$(printf '%s:%s:{\n  "event": "invoice.paid",\n  "n": 1\n}' "$TIMESTAMP" "$NONCE" | hmac)"
request 'date +%s%N' message_timestamp "$(printf %s "${TIMESTAMP}000000000:$NONCE:$BODY" | hmac)"
# shellcheck disable=SC2016
request 'variable in single quotes' secret_placeholder "$(printf %s "$MESSAGE" | hmac '$WEBHOOK_SECRET')"
KEY=00112233445566778899aabbccddeeff
request 'hexkey' secret_encoding "$(printf %s "$MESSAGE" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -r | cut -d ' ' -f 1)" "$KEY"
request 'all that openssl prints' signature_format "$(printf %s "$MESSAGE" | openssl dgst -sha256 -hmac "$SECRET")"
request 'all that openssl -r prints' signature_format "$(printf %s "$MESSAGE" | openssl dgst -sha256 -hmac "$SECRET" -r)"
request 'sha256sum' signature_algorithm "$(printf %s "$MESSAGE" | sha256sum | cut -d ' ' -f 1)"
request 'base64 of the hex and its newline' signature_format "$(printf %s "$MESSAGE" | hmac | base64 -w 0)"
request 'base64' signature_format "$(printf %s "$MESSAGE" | openssl dgst -sha256 -hmac "$SECRET" -binary | base64)"
request 'od' signature_format "$(printf %s "$MESSAGE" | openssl dgst -sha256 -hmac "$SECRET" -binary | od -A n -t x1 | tr -d '\n')"
# The shell of `#!/bin/sh` on Debian and Ubuntu is dash, whose echo expands escapes.
BODY='{"text":"a\nb","quote":"\"","path":"c:\\new"}'
MESSAGE="$TIMESTAMP:$NONCE:$BODY"
request 'echo of dash' body_newline "$(dash -c 'echo "$1"' sh "$MESSAGE" | hmac)"
request 'printf %b' body_newline "$(dash -c 'printf %b "$1"' sh "$MESSAGE" | hmac)"

# Newer mistakes.
BODY='{"event":"invoice.paid","n":1}'
MESSAGE="$TIMESTAMP:$NONCE:$BODY"
# shellcheck disable=SC2016
request 'single quotes' message_layout "$(printf %s '$TIMESTAMP:$NONCE:$BODY' | hmac)"
# shellcheck disable=SC2016
request 'single quotes and braces' message_layout "$(printf %s '${TIMESTAMP}:${NONCE}:${BODY}' | hmac)"
request 'date +%s%3N signed' message_timestamp "$(printf %s "${TIMESTAMP}042:$NONCE:$BODY" | hmac)"
request 'the last character of the secret lost' secret_changed "$(printf %s "$MESSAGE" | hmac "${SECRET%?}")"
request 'the first character of the secret lost' secret_changed "$(printf %s "$MESSAGE" | hmac "${SECRET#?}")"
request 'jq -S and a newline' body_newline\",\"body_json "$(printf %s "$TIMESTAMP:$NONCE:$BODY" | sed 's/$/\r/' | hmac)"
request 'the secret in the body' signature_mismatch\",\"message_layout\",\"signature_algorithm "$(printf %s "$MESSAGE:$SECRET" | sha256sum | cut -d ' ' -f 1)"
request 'sha256sum of secret, colon and message' signature_algorithm "$(printf %s "$SECRET:$MESSAGE" | sha256sum | cut -d ' ' -f 1)"
request 'the message quoted' message_layout\",\"signature_mismatch "$(printf %s "\"$MESSAGE\"" | hmac)"

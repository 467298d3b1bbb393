#!/usr/bin/env bash
# Writes openssl.json: signed requests made by openssl's command line, for the library to verify.
set -euo pipefail
cd "$(dirname "$0")"

hex() { od -An -v -tx1 | tr -d ' \n'; }
bytes() { printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"; }

# A row: the secret as hex of its UTF-8, timestamp, nonce, and the body as hex.
separator=''
vector() {
  local secret=$1 timestamp=$2 nonce=$3 body=$4 signature
  signature=$({ printf '%s:%s:' "$timestamp" "$nonce"; bytes "$body"; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$secret" -binary | hex)
  printf '%s\n  {\n    "secretHex": "%s",\n    "timestamp": "%s",\n    "nonce": "%s",\n    "bodyHex": "%s",\n    "signature": "%s"\n  }' \
    "$separator" "$secret" "$timestamp" "$nonce" "$body" "$signature"
  separator=','
}

all_bytes=$(for byte in {0..255}; do printf '%02x' "$byte"; done)
ascii=$(printf 'the signing secret of webhook 42' | hex)
accents=$(printf 'cl\303\251 secr\303\250te' | hex)
emoji=$(printf '\360\237\224\221' | hex)

{
  printf '['
  for secret in "$ascii" "$accents" "$emoji"; do
    vector "$secret" 1700000000 6f9619ff-8b86-4d01-b42d-00cf4fc964ff ''
    vector "$secret" 1700000000 6f9619ff-8b86-4d01-b42d-00cf4fc964ff "$(printf '{"event":"invoice.paid"}' | hex)"
    vector "$secret" 1699999700 'a:b' "$all_bytes"
    vector "$secret" 1700000300 '!~' c328fffeeda080
    vector "$secret" 1700000000 n efbfbd
    vector "$secret" 1700000000 n 00
  done
  printf '\n]\n'
} >openssl.json

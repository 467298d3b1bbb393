#!/bin/sh
# Fails if Python or openssl makes other vectors today than those that are committed.
set -eu
cd "$(dirname "$0")"
python3 generate.py
python3 results.py
./generate.sh
git diff --exit-code --stat -- . ../../docs/vectors.json

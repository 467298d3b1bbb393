#!/usr/bin/env bash
# Makes test/tools/diagnose/captured-*.json anew. It needs Python, Ruby, PHP, Go, Java 17, Perl, Node and openssl.
set -euo pipefail
cd "$(dirname "$0")"

python3 python.py >../captured-python.json
{ ruby ruby.rb && php php.php && go run go.go && java -Dfile.encoding=UTF-8 Java.java && bash shell.sh && perl perl.pl && node node.mjs; } |
  python3 -c 'import json, sys; print(json.dumps([json.loads(line) for line in sys.stdin], indent=1, ensure_ascii=False))' >../captured-others.json

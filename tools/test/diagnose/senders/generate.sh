#!/usr/bin/env bash
# Writes captured-python.jsonl and captured-others.jsonl in tools/test/diagnose. It needs Python, Ruby, PHP, Go, Java 17, Perl, Node and openssl.
set -euo pipefail
cd "$(dirname "$0")"

python3 python.py >../captured-python.jsonl
{ ruby ruby.rb && php php.php && go run go.go && java -Dfile.encoding=UTF-8 Java.java && bash shell.sh && perl perl.pl && node node.mjs; } |
  python3 -c 'import json, sys; [print(json.dumps(json.loads(line), ensure_ascii=False)) for line in sys.stdin]' >../captured-others.jsonl

/**
 * The parts of `src/` that are mutated together, and the tests that run against each of their mutants. Slow tests and tests that
 * start processes are left out. A run fails below the score, in percent.
 *
 * @type {Record<string, { mutate: string[], testFiles: string[], score: number }>}
 */
export const PARTS = {
  core: {
    mutate: [
      'src/{clock,request,sign,verify,verify-or-throw}.ts',
      'src/rules/{body,headers,nonce,signature,signature-format,timestamp}.ts',
      'src/stores/{keys,nonce-store}.ts',
    ],
    testFiles: [
      'test/{clocks,errors,security,sign,verify,verify-or-throw}.test.ts',
      'test/rules/{body,constant-time,headers,signature}.test.ts',
      'test/stores/keys.test.ts',
    ],
    score: 99,
  },
  'read-body': {
    mutate: ['src/{read-body,status-of}.ts'],
    testFiles: ['test/{read-body,status-of}.test.ts'],
    score: 96,
  },
  messages: {
    // Without the table of frameworks. It is created once, so Stryker does not see which tests use it.
    mutate: [
      'src/{errors,result}.ts',
      'src/rules/body-hint.ts:30-88',
      'src/rules/rejection-hint.ts',
      'src/stores/with-timeout.ts',
    ],
    testFiles: [
      'test/{errors,sign,verify,verify-or-throw}.test.ts',
      'test/rules/{body-hint,rejection-hint}.test.ts',
      'test/stores/with-timeout.test.ts',
    ],
    score: 99,
  },
  memory: {
    mutate: ['src/stores/{memory,fingerprint}.ts'],
    testFiles: ['test/stores/{memory,fingerprint}.test.ts', 'test/property/memory-nonce-store.test.ts'],
    score: 99,
  },
  stores: {
    mutate: ['src/stores/{redis-nonce-store,sqlite,dynamodb,mysql-nonce-store,options,postgres-nonce-store}.ts'],
    testFiles: ['test/stores/{redis,sqlite,dynamodb,mysql,postgres}.test.ts'],
    score: 86,
  },
  testing: { mutate: ['src/testing/*.ts'], testFiles: ['test/testing/*.test.ts'], score: 92 },
  cli: {
    mutate: ['src/cli/**/*.ts', '!src/cli/{main,run}.ts', '!src/cli/output/*.ts', '!src/cli/commands/workbench.ts'],
    testFiles: ['test/cli/{diagnose,listen,output,run,secret-source,send,sign,verify}.test.ts'],
    score: 95,
  },
  capture: {
    mutate: ['src/capture/*.ts'],
    testFiles: ['test/capture/*.test.ts', 'test/cli/{diagnose,verify}.test.ts'],
    score: 90,
  },
  json: {
    mutate: ['src/diagnose/json/*.ts'],
    testFiles: ['test/diagnose/json/*.test.ts', 'test/diagnose/hypotheses.test.ts'],
    score: 96,
  },
  hypotheses: {
    mutate: ['src/diagnose/hypotheses/*.ts', 'src/diagnose/bytes.ts'],
    testFiles: ['test/diagnose/{bytes,hypotheses}.test.ts', 'test/diagnose/hypotheses/*.test.ts'],
    score: 96,
  },
  search: {
    mutate: ['src/diagnose/{engine,explain,finding,node-primitives,search,ways-of-signing}.ts'],
    testFiles: [
      'test/diagnose/{captured,checks,engine,explain,genuine,search,sides}.test.ts',
      'test/diagnose/checks/wording.test.ts',
    ],
    score: 88,
  },
  checks: {
    mutate: ['src/diagnose/checks/*.ts'],
    testFiles: ['test/diagnose/{checks,guessable,sides}.test.ts', 'test/diagnose/checks/*.test.ts'],
    score: 93,
  },
}

const SLOW = 'test/stores/memory-size.test.ts fails. It is too slow to run here.'

/**
 * Mutants that change no result, with the reason. `line` is the line in which the mutant is, and `code` is what it replaces.
 *
 * @type {{ file: string, line: string, code: string, replacement: string, why: string }[]}
 */
export const EQUIVALENT = [
  {
    file: 'src/rules/body.ts',
    line: "return Buffer.from(body, 'utf8')",
    code: "'utf8'",
    replacement: '""',
    why: 'It is the default.',
  },
  {
    file: 'src/rules/headers.ts',
    line: "const values: Values = { 'x-timestamp': undefined, 'x-nonce': undefined, 'x-signature': undefined }",
    code: "{ 'x-timestamp': undefined, 'x-nonce': undefined, 'x-signature': undefined }",
    replacement: '{}',
    why: 'A property that is absent is undefined too.',
  },
  {
    file: 'src/rules/headers.ts',
    line: 'if (name.length === 7 || name.length === 11) add(values, name, record[name])',
    code: 'name.length === 7 || name.length === 11',
    replacement: 'true',
    why: 'It saves time only.',
  },
  ...[
    ['rest.length >= CHUNK_BYTES', 'An empty chunk changes no hash.'],
    ['false', 'test/rules/largest-body.test.ts fails. It is too slow to run here.'],
  ].map(([replacement = '', why = '']) => ({
    file: 'src/rules/signature.ts',
    line: 'for (; rest.length > CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES)) hmac.update(rest.subarray(0, CHUNK_BYTES))',
    code: 'rest.length > CHUNK_BYTES',
    replacement,
    why,
  })),
  {
    file: 'src/rules/signature.ts',
    line: 'if (secret !== lastSecret) {',
    code: 'secret !== lastSecret',
    replacement: 'true',
    why: 'It saves time only.',
  },
  {
    file: 'src/rules/signature.ts',
    line: "lastKey ??= createSecretKey(secret, 'utf8')",
    code: "'utf8'",
    replacement: '""',
    why: 'It is the default.',
  },
  {
    file: 'src/stores/nonce-store.ts',
    line: "reserved = typeof answer === 'boolean' ? answer : await answer",
    code: "typeof answer === 'boolean'",
    replacement: 'false',
    why: 'It saves time only.',
  },
  {
    file: 'src/stores/nonce-store.ts',
    line: "reserved = typeof answer === 'boolean' ? answer : await answer",
    code: "'boolean'",
    replacement: '""',
    why: 'It saves time only.',
  },
  {
    file: 'src/errors.ts',
    line: "this.header = rejected.reason === 'missing_header' ? rejected.header : undefined",
    code: "rejected.reason === 'missing_header'",
    replacement: 'true',
    why: 'Only this reason has a header.',
  },
  {
    file: 'src/result.ts',
    line: "const side = drift < 0 ? 'behind' : 'ahead'",
    code: 'drift < 0',
    replacement: 'drift <= 0',
    why: 'A drift of 0 is in the window, so nothing describes it.',
  },
  ...[
    [
      'const segments = this.#segments.length - this.#freeNumbers.length',
      'this.#segments.length - this.#freeNumbers.length',
      'this.#segments.length + this.#freeNumbers.length',
      SLOW,
    ],
    [
      "if ((this.#isFull && this.#whenFull === 'throw') || segments > MAX_SEGMENTS) {",
      'segments > MAX_SEGMENTS',
      'false',
      SLOW,
    ],
    [
      "if ((this.#isFull && this.#whenFull === 'throw') || segments > MAX_SEGMENTS) {",
      'segments > MAX_SEGMENTS',
      'segments >= MAX_SEGMENTS',
      SLOW,
    ],
    [
      '#release({ number }: Segment): void {',
      '{\n    this.#segments[number] = undefined\n    this.#freeNumbers.push(number)\n  }',
      '{}',
      SLOW,
    ],
    ['table.count--', 'table.count--', 'table.count++', SLOW],
    [
      'else if (count * 16 < length && length > MIN_TABLE_WORDS) length /= 2',
      'count * 16 < length && length > MIN_TABLE_WORDS',
      'false',
      SLOW,
    ],
    ['if (length < 4096) return new Int32Array(length)', 'length < 4096', 'true', SLOW],
    ['if (length < 4096) return new Int32Array(length)', 'length < 4096', 'length >= 4096', SLOW],
    [
      'else if (count * 16 < length && length > MIN_TABLE_WORDS) length /= 2',
      'count * 16 < length',
      'count * 16 <= length',
      'A table is halved a record sooner.',
    ],
    [
      'else if (count * 16 < length && length > MIN_TABLE_WORDS) length /= 2',
      'length > MIN_TABLE_WORDS',
      'length >= MIN_TABLE_WORDS',
      'An empty table is halved once more.',
    ],
    [
      'if (count * 8 >= length * 3) length *= 2',
      'count * 8 >= length * 3',
      'count * 8 > length * 3',
      'A table is doubled a record later.',
    ],
    [
      'if (length < 4096) return new Int32Array(length)',
      'length < 4096',
      'false',
      'Memory returns to the system in another way.',
    ],
    [
      'if (length < 4096) return new Int32Array(length)',
      'length < 4096',
      'length <= 4096',
      'Memory returns to the system in another way.',
    ],
    [
      'return new Int32Array(new ArrayBuffer(length * 4, { maxByteLength: length * 4 }), 0, length)',
      '{ maxByteLength: length * 4 }',
      '{}',
      'Memory returns to the system in another way.',
    ],
    ['if (this.#isFull) {', 'this.#isFull', 'true', 'It saves time only.'],
    [
      'for (let count = 0; count < REMOVALS || this.#isFull; count++) {',
      'count < REMOVALS',
      'count <= REMOVALS',
      'It removes more expired records at a time.',
    ],
    [
      'for (let word = 0; word < 4; word++) words[place + word] = FINGERPRINT[word] as number',
      'word < 4',
      'word <= 4',
      'The expiry is written there next.',
    ],
    [
      'const number = (words[place] as number) & (TABLES - 1)',
      'TABLES - 1',
      'TABLES + 1',
      'Fewer tables hold the same records.',
    ],
    ['if (old[place] === 0) continue', 'old[place] === 0', 'false', 'An empty place is copied as an empty place.'],
    [
      'for (let place = 0; place < old.length; place += 2) {',
      'place < old.length',
      'place <= old.length',
      'There is no address after the end.',
    ],
  ].map(([line = '', code = '', replacement = '', why = '']) => ({
    file: 'src/stores/memory.ts',
    line,
    code,
    replacement,
    why,
  })),
  ...['true', 'place <= length'].map((replacement) => ({
    file: 'src/stores/fingerprint.ts',
    line: 'const code = place < length ? text.charCodeAt(place) : 0',
    code: 'place < length',
    replacement,
    why: 'There is no character after the end, which counts as 0 too.',
  })),
]

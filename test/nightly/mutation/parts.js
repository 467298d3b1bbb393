/**
 * The parts of `src/` that are mutated together, and the tests that run against each of their mutants. Slow tests and tests that
 * start processes are left out. A run fails below the score, in percent.
 *
 * @type {Record<string, { mutate: string[], testFiles: string[], score: number }>}
 */
export const PARTS = {
  core: {
    mutate: [
      'src/{checks,clock,request,scheme,sign,verify}.ts',
      'src/rules/{body,formats,headers,hmac,nonce,signature,timestamp}.ts',
      'src/stores/{keys,nonce-store}.ts',
    ],
    testFiles: [
      'test/{clocks,errors,security,sign,verify}.test.ts',
      'test/rules/{body,constant-time,headers,signature,wording}.test.ts',
      'test/stores/keys.test.ts',
      'test/hints/nonce-store.test.ts',
    ],
    score: 97,
  },
  receive: {
    mutate: ['src/{read-body,receive,refuse}.ts'],
    testFiles: ['test/{read-body,receive,refuse}.test.ts'],
    score: 96,
  },
  handle: {
    mutate: ['src/{handle,publish-result}.ts'],
    testFiles: ['test/{handle,publish-result}.test.ts'],
    score: 95,
  },
  'standard-webhooks': {
    mutate: ['src/standard-webhooks/*.ts'],
    testFiles: ['test/standard-webhooks/{message,receive,secret,verify}.test.ts'],
    score: 95,
  },
  messages: {
    mutate: [
      'src/{arguments,errors,result}.ts',
      'src/hints/{headers,nonce-store,raw-body}.ts',
      'src/hints/rejection.ts',
      'src/stores/with-timeout.ts',
    ],
    testFiles: [
      'test/{errors,sign,verify}.test.ts',
      'test/hints/*.test.ts',
      'test/rules/wording.test.ts',
      'test/stores/{with-timeout,wording}.test.ts',
    ],
    score: 99,
  },
  memory: {
    mutate: ['src/stores/memory/*.ts'],
    testFiles: [
      'test/stores/memory/{store,tables,fingerprint}.test.ts',
      'test/stores/wording.test.ts',
      'test/property/memory-nonce-store.test.ts',
    ],
    score: 99,
  },
  stores: {
    mutate: ['src/stores/{redis,postgres,mysql}/store.ts', 'src/stores/{sqlite,dynamodb,options}.ts'],
    testFiles: [
      'test/stores/{redis,postgres,mysql}/store.test.ts',
      'test/stores/{sqlite,dynamodb,retry-undone,wording}.test.ts',
    ],
    score: 86,
  },
  admission: {
    mutate: ['src/stores/connect/admission.ts', 'src/stores/reservations.ts'],
    testFiles: ['test/stores/connect/admission.test.ts', 'test/stores/reservations.test.ts'],
    score: 80,
  },
  transactions: {
    mutate: ['src/stores/sql-transaction-store.ts', 'src/stores/{postgres,mysql}/transaction-store.ts'],
    testFiles: ['test/integration/transactions.test.ts'],
    score: 85,
  },
  testing: { mutate: ['src/testing/*.ts'], testFiles: ['test/testing/*.test.ts'], score: 92 },
  cli: {
    mutate: [
      'tools/src/{capture,cli}/**/*.ts',
      '!tools/src/cli/{main,run}.ts',
      '!tools/src/cli/output/*.ts',
      '!tools/src/cli/{commands/workbench,workbench-page}.ts',
    ],
    testFiles: [
      'tools/test/capture/*.test.ts',
      'tools/test/cli/listen/*.test.ts',
      'tools/test/cli/{diagnose,listen,output,run,secret-source,send,sign,verify}.test.ts',
    ],
    score: 95,
  },
  json: {
    mutate: ['tools/src/diagnose/json/*.ts'],
    testFiles: ['tools/test/diagnose/json/*.test.ts', 'tools/test/diagnose/hypotheses.test.ts'],
    score: 96,
  },
  hypotheses: {
    mutate: ['tools/src/diagnose/hypotheses/*.ts', 'tools/src/bytes.ts'],
    testFiles: [
      'tools/test/bytes.test.ts',
      'tools/test/diagnose/hypotheses.test.ts',
      'tools/test/diagnose/hypotheses/*.test.ts',
    ],
    score: 96,
  },
  search: {
    mutate: [
      'tools/src/diagnose/{dimensions,distinct-values,engine,explain,finding,search,signing-variants}.ts',
      'tools/src/node-primitives.ts',
    ],
    testFiles: [
      'tools/test/diagnose/{captured,checks,engine,explain,valid-signature,search,sides}.test.ts',
      'tools/test/diagnose/wording.test.ts',
    ],
    score: 88,
  },
  checks: {
    mutate: [
      'tools/src/diagnose/checks/*.ts',
      'tools/src/diagnose/{instant,mask-secrets,misnamed-headers,signature-form}.ts',
      'tools/src/secret-strength.ts',
    ],
    testFiles: [
      'tools/test/diagnose/{checks,instant,misnamed-headers,sides,signature-form}.test.ts',
      'tools/test/secret-strength.test.ts',
    ],
    score: 93,
  },
}

const SLOW = 'test/nightly/memory/size.test.ts fails. It is too slow to run here.'

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
    line: 'const values: Values = { timestamp: undefined, nonce: undefined, signature: undefined }',
    code: '{ timestamp: undefined, nonce: undefined, signature: undefined }',
    replacement: '{}',
    why: 'A property that is absent is undefined too.',
  },
  {
    file: 'src/rules/headers.ts',
    line: 'if ((name.length === 7 || name.length === 11) && Object.hasOwn(record, name)) add(values, name, record[name])',
    code: 'name.length === 7 || name.length === 11',
    replacement: 'true',
    why: 'It saves time only.',
  },
  {
    file: 'src/rules/formats.ts',
    line: "const [text = '', ...others] = new Set(values.map((value) => value.trim()))",
    code: "''",
    replacement: '"Stryker was here!"',
    why: 'Neither text is digits.',
  },
  {
    file: 'src/rules/headers.ts',
    line: "return parseContentLength([findHeader(headers, 'content-length') ?? ''])",
    code: "''",
    replacement: '"Stryker was here!"',
    why: 'Neither text is digits.',
  },
  {
    file: 'src/rules/headers.ts',
    line: '} catch {',
    code: '{\n    return undefined\n  }',
    replacement: '{}',
    why: 'A function without a return returns undefined.',
  },
  {
    file: 'src/rules/headers.ts',
    line: 'const isWanted = (name: string) => name.length === wanted.length && name.toLowerCase() === wanted',
    code: 'name.length === wanted.length',
    replacement: 'true',
    why: 'It saves time only.',
  },
  {
    file: 'src/rules/headers.ts',
    line: 'if (Symbol.iterator in headers) return [...headers].find(([name]) => isWanted(name))?.[1]',
    code: '[...headers].find(([name]) => isWanted(name))?.[1]',
    replacement: '[...headers].find(([name]) => isWanted(name))[1]',
    why: 'The caller catches the error, and returns undefined too.',
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
      'if ((!canEvict && !this.#hasRoomFor(keys.length)) || this.#segmentCount === MAX_SEGMENTS) {',
      'this.#segmentCount === MAX_SEGMENTS',
      'false',
      SLOW,
    ],
  ].map(([line = '', code = '', replacement = '', why = '']) => ({
    file: 'src/stores/memory/store.ts',
    line,
    code,
    replacement,
    why,
  })),
]

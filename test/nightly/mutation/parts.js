/**
 * The parts of `src/` that are mutated together, and the tests that run against each of their mutants. Slow tests and tests that
 * start processes are left out. A run fails below the score, in percent. No score is 100, because some mutants change no result. Only
 * the parts that decide who gets in have a score. In the others, a survivor shows where to look, and needs no test of its own.
 *
 * Only the part memory, which has no tables, has test/hints/warnings.test.ts: each of its tests loads the modules again, so a table that
 * is made once would count as code of these tests alone.
 *
 * @type {Record<string, { mutate: string[], testFiles: string[], score?: number }>}
 */
export const PARTS = {
  core: {
    mutate: [
      'src/{checks,clock,request,scheme,sign,verify}.ts',
      'src/rules/{body,formats,headers,hmac,nonce,signature,timestamp}.ts',
    ],
    testFiles: [
      'test/{clocks,errors,find-webhook,security,sign,verify}.test.ts',
      'test/property/at-most-once.test.ts',
      'test/rules/{body,constant-time,headers,signature,wording}.test.ts',
      'test/vectors/vectors.test.ts',
    ],
    score: 95,
  },
  receive: {
    mutate: ['src/{read-body,receive,refuse}.ts'],
    testFiles: ['test/{find-webhook,handle,read-body,receive,refuse}.test.ts'],
    score: 96,
  },
  handle: {
    mutate: ['src/{handle,publish-result}.ts', 'src/stores/nonce-store.ts'],
    testFiles: ['test/{handle,handle-events,publish-result,security,verify}.test.ts', 'test/hints/nonce-store.test.ts'],
    score: 95,
  },
  'standard-webhooks': {
    mutate: ['src/standard-webhooks/*.ts'],
    testFiles: ['test/standard-webhooks/{ed25519,message,receive,secret,verify}.test.ts'],
    score: 97,
  },
  messages: {
    mutate: [
      'src/{arguments,errors,result,within}.ts',
      'src/hints/{headers,nonce-store,raw-body}.ts',
      'src/hints/rejection.ts',
      'src/stores/with-timeout.ts',
    ],
    testFiles: [
      'test/{errors,handle,publish-result,receive,refuse,sign,verify}.test.ts',
      'test/hints/{nonce-store,outage,raw-body,rejection}.test.ts',
      'test/rules/wording.test.ts',
      'test/stores/{network-stores,reservations,with-timeout}.test.ts',
    ],
  },
  memory: {
    mutate: ['src/stores/memory.ts'],
    testFiles: [
      'test/stores/{arguments,memory,reservations}.test.ts',
      'test/handle-events.test.ts',
      'test/property/memory-nonce-store.test.ts',
      'test/hints/warnings.test.ts',
    ],
    score: 97,
  },
  stores: {
    mutate: [
      'src/stores/{redis,postgres,mysql}/store.ts',
      'src/stores/{dynamodb,keys,options,retry-undone,sql-store,sqlite,sweeper}.ts',
    ],
    testFiles: [
      'test/stores/{redis,postgres,mysql}/store.test.ts',
      'test/stores/{arguments,check,delete-expired,dynamodb,keys,network-stores,retry-undone,sqlite,sweeper}.test.ts',
    ],
    score: 88,
  },
  admission: {
    mutate: ['src/stores/{admission,check,credentials,failure,reservations}.ts'],
    testFiles: [
      'test/stores/{admission,check,credentials,delete-expired,failure,network-stores,reservations}.test.ts',
      'test/hints/outage.test.ts',
    ],
    score: 92,
  },
  transactions: {
    mutate: ['src/transactions/*.ts'],
    testFiles: [
      'test/{handle,handle-events}.test.ts',
      'test/stores/network-stores.test.ts',
      'test/transactions/*.test.ts',
    ],
    score: 94,
  },
  testing: { mutate: ['tools/src/testing/*.ts'], testFiles: ['tools/test/testing/*.test.ts'], score: 92 },
  capture: { mutate: ['tools/src/capture/*.ts'], testFiles: ['tools/test/capture/*.test.ts'] },
  cli: {
    mutate: [
      'tools/src/cli/**/*.ts',
      '!tools/src/cli/{main,run}.ts',
      '!tools/src/cli/output/*.ts',
      '!tools/src/cli/{commands/workbench,workbench-page}.ts',
    ],
    testFiles: [
      'tools/test/cli/{check,listen}/*.test.ts',
      'tools/test/cli/{check,diagnose,http-client,listen,output,read-input,run,secret-source,send,sign,standard-webhooks}.test.ts',
    ],
  },
  json: {
    mutate: ['tools/src/diagnose/json/*.ts'],
    testFiles: ['tools/test/diagnose/{json,hypotheses}/*.test.ts'],
  },
  hypotheses: {
    mutate: ['tools/src/diagnose/hypotheses/*.ts', 'tools/src/bytes.ts'],
    testFiles: [
      'tools/test/bytes.test.ts',
      'tools/test/diagnose/{captured,encodings,kinds}.test.ts',
      'tools/test/diagnose/hypotheses/*.test.ts',
    ],
  },
  search: {
    mutate: [
      'tools/src/diagnose/{dimensions,distinct-values,engine,explain,search,signing-variants}.ts',
      'tools/src/node-primitives.ts',
    ],
    testFiles: [
      'tools/test/diagnose/{captured,checks,engine,explain,kinds,language,search,standard-webhooks,wording}.test.ts',
    ],
  },
  checks: {
    mutate: [
      'tools/src/diagnose/checks/*.ts',
      'tools/src/diagnose/{instant,mask-secrets,misnamed-headers,signature-form}.ts',
      'tools/src/secret-strength.ts',
    ],
    testFiles: [
      'tools/test/diagnose/checks/*.test.ts',
      'tools/test/diagnose/{captured,checks,instant,kinds,masking,misnamed-headers,signature-form,wording}.test.ts',
      'tools/test/secret-strength.test.ts',
    ],
  },
}

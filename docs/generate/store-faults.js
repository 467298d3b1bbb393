import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { clientOf, mayBeSlow, RECOVERS_WITHIN } from './faults.js'

// Stores the results of the fault tests in docs/faults.json:
// FAULT_REPORTS=reports.jsonl npm run test:nightly faults && node docs/generate/store-faults.js reports.jsonl

const TARGET = new URL('../faults.json', import.meta.url)

const [file = ''] = process.argv.slice(2)
const reports = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

/** The last report of each client in each fault, because a fault can be measured again. */
const last = new Map(reports.map((report) => [[report.store, report.fault, report.kind].join(), report]))

/** @type {Map<string, import('./faults.js').Result>} */
const results = new Map()
for (const { store, fault, kind, healedAfter, acceptedTwice } of last.values()) {
  if (store === 'Redis, other files') continue
  if (store !== 'Without options' && healedAfter >= RECOVERS_WITHIN && !mayBeSlow(store, clientOf(kind), fault)) {
    throw new Error(`${kind}, ${store}, recovered too late: ${fault}. Add the reason to faults.js, or measure again.`)
  }
  const key = `${store}: ${fault}`
  const { recovery, isAcceptedTwice } = results.get(key) ?? { recovery: {}, isAcceptedTwice: false }
  results.set(key, {
    store,
    fault,
    recovery: { ...recovery, [clientOf(kind)]: Math.round(healedAfter) },
    isAcceptedTwice: isAcceptedTwice || acceptedTwice > 0,
  })
}

/**
 * Returns the first version number that a program prints.
 *
 * @param {string} program
 */
function versionOf(program) {
  const printed = execFileSync(program, ['--version'], { encoding: 'utf8' })
  return /\d+\.\d+(\.\d+)?/.exec(printed)?.[0] ?? ''
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const versions = {
  'inbound-webhook-auth': version,
  Node: process.versions.node,
  Redis: versionOf('redis-server'),
  PostgreSQL: versionOf('psql'),
  MariaDB: versionOf('mariadbd'),
}
const date = new Date().toISOString().slice(0, 10)
const stored = JSON.parse(readFileSync(TARGET, 'utf8'))
// A run of some of the tests keeps the results of the others.
for (const result of [...stored.results, ...stored.withoutOptions]) {
  const key = `${result.store}: ${result.fault}`
  const measured = results.get(key)
  results.set(key, measured ? { ...measured, recovery: { ...result.recovery, ...measured.recovery } } : result)
}
// The order of the tests must not change the order of the results.
const sorted = [...results.values()].sort(
  (one, other) => one.fault.localeCompare(other.fault) || one.store.localeCompare(other.store),
)
const isPlain = (/** @type {import('./faults.js').Result} */ { store }) => store === 'Without options'
const measured = {
  date,
  versions,
  results: sorted.filter((result) => !isPlain(result)),
  withoutOptions: sorted.filter(isPlain),
}
writeFileSync(TARGET, `${JSON.stringify(measured, undefined, 2)}\n`)

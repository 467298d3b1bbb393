import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

// Stores the results of the fault tests in docs/faults.json:
// FAULT_REPORTS=reports.jsonl npm run test:nightly faults && node docs/generate/store-faults.js reports.jsonl

const TARGET = new URL('../faults.json', import.meta.url)

const [file = ''] = process.argv.slice(2)
const reports = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

/** The last report of each client in each fault, because one fault can be measured again alone. */
const last = new Map(reports.map((report) => [[report.store, report.fault, report.kind].join(), report]))

/** @type {Map<string, import('./faults.js').Result>} */
const results = new Map()
/** @type {Map<string, import('./faults.js').PlainResult>} */
const plain = new Map()
for (const { store, fault, kind, slowest, healedAfter, acceptedTwice } of last.values()) {
  if (store === 'Plain clients') {
    const client = kind.replace('plain ', '')
    const result = plain.get(`${fault} ${client}`) ?? { fault, client, plain: 0, connected: 0 }
    result[kind === client ? 'connected' : 'plain'] = healedAfter
    plain.set(`${fault} ${client}`, result)
    continue
  }
  const key = `${store}: ${fault}`
  const worst = results.get(key)
  results.set(key, {
    store,
    fault,
    answersWithin: Math.max(worst?.answersWithin ?? 0, Math.round(slowest)),
    healsWithin: Math.max(worst?.healsWithin ?? 0, Math.round(healedAfter)),
    isAcceptedTwice: (worst?.isAcceptedTwice ?? false) || acceptedTwice > 0,
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
const sorted = [...results.values()].sort((one, other) => (one.fault < other.fault ? -1 : 1))
const plainResults = [...plain.values()].sort((one, other) => (one.fault < other.fault ? -1 : 1))
// A run of some of the tests keeps the results of the others.
const stored = JSON.parse(readFileSync(TARGET, 'utf8'))
const measured = {
  date,
  versions,
  results: sorted.length > 0 ? sorted : stored.results,
  plainResults: plainResults.length > 0 ? plainResults : stored.plainResults,
}
writeFileSync(TARGET, `${JSON.stringify(measured, undefined, 2)}\n`)

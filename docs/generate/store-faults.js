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

/** The last report of each client in each fault, because a test that is late is tried again. */
const last = new Map(reports.map((report) => [[report.store, report.fault, report.kind].join(), report]))

/** @type {Map<string, import('./faults.js').Result>} */
const results = new Map()
for (const { store, fault, slowest, healedAfter, acceptedTwice } of last.values()) {
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
writeFileSync(TARGET, `${JSON.stringify({ date, versions, results: sorted }, undefined, 2)}\n`)

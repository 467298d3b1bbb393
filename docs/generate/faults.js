// The tables of docs/operate/failures.md, from the results of the fault tests in docs/faults.json.

/**
 * The worst result of all clients in one fault.
 *
 * @typedef {object} Result
 * @property {string} store
 * @property {string} fault
 * @property {number} answersWithin - the longest time that `verify` took, in milliseconds.
 * @property {number} healsWithin - from the end of the fault to the last error, in milliseconds.
 * @property {boolean} isAcceptedTwice - whether a request was accepted again.
 */

/**
 * How long a client takes to recover from a fault: without and with its connect function.
 *
 * @typedef {object} PlainResult
 * @property {string} fault
 * @property {string} client
 * @property {number} plain - milliseconds from the end of the fault to the last error.
 * @property {number} connected - the same with the connect function.
 */

/** What the store loses in each fault in which a store loses reservations. */
const LOST = {
  'the server is killed and restarted, without persistence': 'all reservations',
  'the server is killed and restarted, with the default settings': 'all reservations since the last snapshot',
  'the server may evict keys': 'the evicted reservations',
  "the server's clock steps forward by 601 s": 'all reservations',
  "the server's clock steps back by an hour, and is corrected later": 'all reservations of that hour',
  'a replica without the newest data takes over': 'what the replica does not have',
  'a replica without the newest data takes over, with `min-replicas-to-write 1`':
    'at most those of `min-replicas-max-lag`',
  'a master is killed, and its replica takes over': 'what the replica does not have',
  'a master is killed and restarted, without persistence': 'all reservations of this master',
  'the master is killed': 'what the replica does not have',
  'the master hangs': 'what the replica does not have',
  'the first sentinel and the master hang': 'what the replica does not have',
  'a planned failover': 'the reservations of about 1 s',
  'a planned failover, with `min-replicas-to-write 1`': 'the reservations in flight',
  'the table is dropped and created again': 'all reservations',
}

/**
 * Returns the table of a store.
 *
 * @param {string} store
 * @param {{ results: readonly Result[] }} measured
 */
export function faultsPart(store, { results }) {
  const rows = results.filter((result) => result.store === store)
  if (rows.length === 0) throw new Error(`docs/faults.json has no results of ${store}.`)
  const lines = rows.map(({ fault, answersWithin, healsWithin, isAcceptedTwice }) => {
    const effect = isAcceptedTwice ? `requests with a lost nonce | ${lostIn(fault)}` : 'none | none'
    return `| ${fault} | ${seconds(answersWithin)} | ${seconds(healsWithin)} | ${effect} |`
  })
  return ['| fault | response time | recovery time | accepted twice | lost |', '|---|---|---|---|---|', ...lines].join(
    '\n',
  )
}

/** How long the tests of plain clients measure after a fault, in milliseconds. */
const MEASURED = 10_000

/**
 * Returns a table per fault, with the recovery time of each client: with and without its connect function.
 *
 * @param {{ plainResults: readonly PlainResult[] }} measured
 */
export function plainPart({ plainResults }) {
  const recovery = (/** @type {number} */ milliseconds) =>
    milliseconds < MEASURED - 500 ? seconds(milliseconds) : '**not within 10 s**'
  const faults = new Set(plainResults.map(({ fault }) => fault))
  const tables = [...faults].map((fault) => {
    const lines = plainResults
      .filter((result) => result.fault === fault)
      .map(({ client, plain, connected }) => `| ${client} | ${recovery(plain)} | ${recovery(connected)} |`)
    return [`If ${fault}:\n`, '| client | plain client | connect function |', '|---|---|---|', ...lines].join('\n')
  })
  return tables.join('\n\n')
}

/**
 * Returns when the results were measured, and with what.
 *
 * @param {{ date: string, versions: Record<string, string> }} measured
 */
export function faultsSource({ date, versions }) {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `Measured on ${date} with ${list.slice(0, -1).join(', ')} and ${list.at(-1)}.`
}

/** @param {string} fault */
function lostIn(fault) {
  const lost = Object.entries(LOST).find(([name]) => name === fault)?.[1]
  if (lost === undefined) throw new Error(`docs/generate/faults.js does not say what is lost: ${fault}.`)
  return lost
}

/**
 * Returns a time in seconds, rounded up, because a table says "within".
 *
 * @param {number} milliseconds
 */
function seconds(milliseconds) {
  return `${(Math.max(1, Math.ceil(milliseconds / 100)) / 10).toFixed(1)} s`
}

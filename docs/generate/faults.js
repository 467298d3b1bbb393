// The tables of docs/operate/failures.md, from the results of the fault tests in docs/faults.json.

/**
 * The results of all clients in one fault.
 *
 * @typedef {object} Result
 * @property {string} store
 * @property {string} fault
 * @property {Record<string, number>} recovery - for each client, the milliseconds from the end of the fault to the last error.
 * @property {boolean} isAcceptedTwice - whether a request was accepted again.
 */

/** The promise of the guide, in milliseconds. */
export const RECOVERS_WITHIN = 3000
export const NOT_RECOVERED = '**not within 3 s**'

/** How long the tests of clients without options measure after a fault, in milliseconds. */
const MEASURED = 10_000

/** The order of the columns. */
const CLIENTS = ['ioredis', 'redis', 'pg', 'postgres.js', 'mysql2', 'mariadb', 'AWS SDK', 'sqlite'].flatMap(
  (client) => [client, `${client}, shared`],
)

/**
 * Returns the name of a client in the tables, for a file of docs/stores.
 *
 * @param {string} file
 */
export function clientOf(file) {
  const client = file
    .replace(/^dynamodb.*/, 'AWS SDK')
    .replace(/(-cluster|-sentinel)?(-shared)?\.ts$/, '')
    .replace('-js', '.js')
  return file.includes('-shared') ? `${client}, shared` : client
}

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
  const clients = CLIENTS.filter((client) => rows.some(({ recovery }) => client in recovery))
  const lines = rows.map(({ fault, recovery, isAcceptedTwice }) => {
    const times = clients.map((client) => recoveryTime(recovery[client]))
    return `| ${[fault, ...times, isAcceptedTwice ? lostIn(fault) : 'nothing'].join(' | ')} |`
  })
  return [`| ${['fault', ...clients, 'lost'].join(' | ')} |`, `${'|---'.repeat(clients.length + 2)}|`, ...lines].join(
    '\n',
  )
}

/** @param {number | undefined} milliseconds - `undefined` for a fault that was not tested, because the guide excludes the client. */
function recoveryTime(milliseconds) {
  if (milliseconds === undefined) return '–'
  return milliseconds < RECOVERS_WITHIN ? seconds(milliseconds) : NOT_RECOVERED
}

/**
 * Returns a table with the recovery time of each client without options.
 *
 * @param {{ withoutOptions: readonly Result[] }} measured
 */
export function withoutOptionsPart({ withoutOptions }) {
  const recovery = (/** @type {number} */ milliseconds) =>
    milliseconds < MEASURED - 500 ? seconds(milliseconds) : '**not within 10 s**'
  const faults = withoutOptions.map(({ fault }) => fault)
  const clients = CLIENTS.filter((client) => client in (withoutOptions[0]?.recovery ?? {}))
  const lines = clients.map((client) => {
    const times = withoutOptions.map((result) => recovery(Number(result.recovery[client])))
    return `| ${[client, ...times].join(' | ')} |`
  })
  return [`| ${['client', ...faults].join(' | ')} |`, `${'|---'.repeat(faults.length + 1)}|`, ...lines].join('\n')
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

// The picture and the tables of docs/operate/failures.md, from the results of the fault tests in docs/faults.json.

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

/** The picture has the faults after which a client needs longer than this, in milliseconds. */
const RECOVERS_SOON = 1000

/** How long the tests of clients without options measure after a fault, in milliseconds. */
const MEASURED = 10_000

/** The columns of the picture: each client of each store. */
const COLUMNS = [
  { name: 'ioredis', store: 'Redis', client: 'ioredis' },
  { name: 'redis', store: 'Redis', client: 'redis' },
  { name: 'ioredis (Cluster)', store: 'Redis Cluster', client: 'ioredis' },
  { name: 'redis (Cluster)', store: 'Redis Cluster', client: 'redis' },
  { name: 'ioredis (Sentinel)', store: 'Redis Sentinel', client: 'ioredis' },
  { name: 'redis (Sentinel)', store: 'Redis Sentinel', client: 'redis' },
  { name: 'pg', store: 'PostgreSQL', client: 'pg' },
  { name: 'pg (shared)', store: 'PostgreSQL', client: 'pg, shared' },
  { name: 'postgres.js', store: 'PostgreSQL', client: 'postgres.js' },
  { name: 'pg (PgBouncer)', store: 'PgBouncer', client: 'pg, shared' },
  { name: 'mysql2', store: 'MySQL, MariaDB', client: 'mysql2' },
  { name: 'mysql2 (shared)', store: 'MySQL, MariaDB', client: 'mysql2, shared' },
  { name: 'mariadb', store: 'MySQL, MariaDB', client: 'mariadb' },
  { name: 'AWS SDK', store: 'DynamoDB', client: 'AWS SDK' },
  { name: 'AWS SDK (shared)', store: 'DynamoDB', client: 'AWS SDK, shared' },
  { name: 'SQLite', store: 'SQLite', client: 'sqlite' },
]

/** The measures of the picture, whose text has 14 px. */
const LABEL_WIDTH = 200
const LABEL_CHARACTERS = 26
const HEAD_HEIGHT = 132
const LINE_HEIGHT = 17
const CELL_WIDTH = 17
const GAP = 8

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

/**
 * What the cells of the picture mean: an example of a time in milliseconds, and a text.
 *
 * @type {readonly (readonly [milliseconds: number | undefined, text: string])[]}
 */
const LEGEND = [
  [1, 'recovers within 1 s'],
  [2000, 'recovers within 2 or 3 s'],
  [RECOVERS_WITHIN, 'needs longer than 3 s'],
  [undefined, 'no number: not tested'],
]

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
 * Clients that need longer than {@link RECOVERS_WITHIN}, by the names of {@link COLUMNS}. The fault tests let no other client take longer.
 */
const SLOW_CLIENTS = [
  {
    fault: 'a firewall drops all open connections',
    clients: ['redis (Cluster)'],
    reason: 'Each command restarts `socketTimeout`, and commands continue as soon as one master responds again.',
  },
  {
    fault: 'a firewall drops all packets for 10 s',
    clients: ['pg (shared)'],
    reason: '`query_timeout` does not limit how long the pool waits for a new connection.',
  },
  {
    fault: 'connections close, and new connections get no response for 10 s',
    clients: ['pg (shared)'],
    reason: '`query_timeout` does not limit how long the pool waits for a new connection.',
  },
  {
    fault: 'connections close, and new connections get only the handshake for 10 s',
    clients: ['mysql2 (shared)'],
    reason: 'The pool keeps a connection whose query had a time-out.',
  },
  {
    fault: 'a firewall drops open connections one by one, at 200 requests per second',
    clients: ['postgres.js'],
    reason: 'The client has no time-out for a query, so the pool keeps a dropped connection.',
  },
  {
    fault: 'another server takes over, and the old server becomes read-only',
    clients: ['redis', 'postgres.js', 'mariadb'],
    reason: 'The client keeps its connections to the old server.',
  },
]

/**
 * Returns whether a client may need longer than {@link RECOVERS_WITHIN} after a fault.
 *
 * @param {string} store
 * @param {string} client
 * @param {string} fault
 */
export function mayBeSlow(store, client, fault) {
  const { name } = COLUMNS.find((column) => column.store === store && column.client === client) ?? {}
  return SLOW_CLIENTS.some((slow) => slow.fault === fault && slow.clients.some((slowClient) => slowClient === name))
}

/**
 * Returns the recovery time in each column after a fault, or `undefined` where it was not measured.
 *
 * @param {readonly Result[]} results
 * @param {string} fault
 */
function timesAfter(results, fault) {
  const own = results.filter((result) => result.fault === fault)
  return COLUMNS.map(({ store, client }) => own.find((result) => result.store === store)?.recovery[client])
}

/** @param {Result} result */
function isSlow({ recovery }) {
  return Object.values(recovery).some((milliseconds) => milliseconds > RECOVERS_SOON)
}

/**
 * Returns the recovery times as a picture: a row per fault, a column per client, and seconds in the cells. The worst fault is first.
 *
 * @param {{ results: readonly Result[] }} measured
 * @param {string} style - the colours of all diagrams, as a `style` element.
 */
export function faultsPicture({ results }, style) {
  const countAbove = (/** @type {typeof rows[number]} */ { times }, /** @type {number} */ limit) =>
    times.filter((milliseconds) => milliseconds !== undefined && milliseconds >= limit).length
  const rows = [...new Set(results.filter(isSlow).map(({ fault }) => fault))].map((fault) => ({
    lines: wrap(fault),
    times: timesAfter(results, fault),
  }))
  rows.sort(
    (one, other) =>
      countAbove(other, RECOVERS_WITHIN) - countAbove(one, RECOVERS_WITHIN) ||
      countAbove(other, RECOVERS_SOON) - countAbove(one, RECOVERS_SOON),
  )
  const columns = COLUMNS.map(({ name }, index) => ({ name, index })).filter(({ index }) =>
    rows.some(({ times }) => times[index] !== undefined),
  )
  const names = columns.map(({ name }, position) => {
    const x = leftOf(position) + 13
    return `<text x="${x}" y="${HEAD_HEIGHT}" transform="rotate(-90 ${x} ${HEAD_HEIGHT})">${name}</text>`
  })
  let top = HEAD_HEIGHT + GAP
  const drawn = rows.flatMap(({ lines, times }) => {
    const y = top
    const height = lines.length * LINE_HEIGHT + 2
    top += height + GAP
    return [
      ...lines.map((line, index) => `<text x="0" y="${y + 14 + index * LINE_HEIGHT}">${line}</text>`),
      ...columns.flatMap(({ index }, position) => drawCell(leftOf(position), y, height, times[index])),
    ]
  })
  const width = leftOf(columns.length) + 8
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${Math.round(width * 1.2)}" height="${Math.round(top * 1.2)}" class="diagram" role="img" aria-labelledby="failures-title failures-desc">`,
    '<title id="failures-title">How many seconds each client needs to recover from each fault</title>',
    `<desc id="failures-desc">Each client recovers within 3 s, except in these cases. ${notRecovered(results).join('. ')}.</desc>`,
    style,
    ...LEGEND.flatMap(([milliseconds, text], index) => {
      const y = 8 + index * 28
      return [
        ...drawCell(0, y, 20, milliseconds),
        `<text x="${milliseconds === undefined ? 0 : CELL_WIDTH + 8}" y="${y + 15}">${text}</text>`,
      ]
    }),
    ...names,
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}

/** @param {number} position - of a column. */
function leftOf(position) {
  return LABEL_WIDTH + position * CELL_WIDTH
}

/**
 * Returns the lines of a label.
 *
 * @param {string} text
 */
function wrap(text) {
  return [...text.matchAll(new RegExp(`(.{1,${LABEL_CHARACTERS}})(?: |$)`, 'g'))].map(([, line]) => line)
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} height
 * @param {number | undefined} milliseconds
 */
function drawCell(x, y, height, milliseconds) {
  if (milliseconds === undefined) return []
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000))
  const colour = milliseconds >= RECOVERS_WITHIN ? 'bad' : seconds > 1 ? 'body' : 'good'
  return [
    `<rect class="${colour}" x="${x}" y="${y}" width="${CELL_WIDTH}" height="${height}"/>`,
    `<text x="${x + CELL_WIDTH / 2}" y="${y + height / 2 + 5}" text-anchor="middle">${colour === 'bad' ? '✗' : seconds}</text>`,
  ]
}

/** @param {readonly Result[]} results */
function notRecovered(results) {
  return [...new Set(results.map(({ fault }) => fault))].flatMap((fault) => {
    const times = timesAfter(results, fault)
    const names = COLUMNS.filter((_, index) => (times[index] ?? 0) >= RECOVERS_WITHIN).map(({ name }) => name)
    return names.length === 0 ? [] : [`${fault}: ${names.join(', ')}`]
  })
}

/** Returns a table of the clients that do not recover in time, with the reason. */
export function notRecoveredPart() {
  return table(
    ['fault', 'not within 3 s', 'reason'],
    SLOW_CLIENTS.map(({ fault, clients, reason }) => [fault, clients.join(', '), reason]),
  )
}

/**
 * Returns from how many other faults each client recovers soon.
 *
 * @param {{ results: readonly Result[] }} measured
 */
export function recoveredPart({ results }) {
  const slow = results.filter(isSlow).map(({ fault }) => fault)
  const others = new Set(results.map(({ fault }) => fault).filter((fault) => !slow.includes(fault)))
  const examples = 'a server that is killed, hangs, or becomes read-only, a full disk, and a clock that steps'
  return `From ${others.size} other faults, every client recovers within 1 s. Examples are ${examples}.`
}

/**
 * Returns a table of the reservations that a store loses.
 *
 * @param {{ results: readonly Result[] }} measured
 */
export function lostPart({ results }) {
  const losses = results.filter(({ isAcceptedTwice }) => isAcceptedTwice)
  const rows = [...new Set(losses.map(({ fault }) => fault))].map((fault) => {
    const stores = losses.filter((loss) => loss.fault === fault).map(({ store }) => store)
    return [fault, stores.join(', '), lostIn(fault)]
  })
  return table(['fault', 'store', 'lost'], rows)
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
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
  const clients = Object.keys(withoutOptions[0]?.recovery ?? {}).sort()
  const rows = clients.map((client) => [
    client,
    ...withoutOptions.map((result) => recovery(Number(result.recovery[client]))),
  ])
  return table(['client', ...faults], rows)
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

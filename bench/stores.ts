// `npm run bench:stores` prints the speed of each store through one client, and the bytes per live nonce. Client and server run on one
// machine.
import { randomUUID } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { handle, MemoryNonceStore, type NonceStore, sign, verify } from '../src/index.js'
import { DynamoDBNonceStore } from '../src/stores/dynamodb.js'
import { SqliteNonceStore } from '../src/stores/sqlite.js'
import { requirePackage } from '../test/nightly/packages/packages.js'
import { configOf, DynaliteServer } from '../test/nightly/stores/dynalite-server.js'
import { sqliteOpener } from '../test/nightly/stores/sqlite-database.js'
import { MariaDbServer } from '../test/support/mariadb-server.js'
import { PostgresServer, RedisServer, temporaryFolder } from '../test/support/servers.js'
import { connect } from '../test/support/stores/source.js'

const ROUNDS = 5
const ROUND_MILLISECONDS = 250
const IN_FLIGHT = 16
/** The live nonces, whose bytes are counted. */
const LIVE = 100_000

interface Contestant {
  nonceStore: NonceStore
  /** Returns the bytes of all live nonces, as the engine reports them. */
  bytes?: () => number | Promise<number>
  close?: () => unknown
}

function sqlite(): Contestant {
  const open = sqliteOpener()
  if (open === undefined) throw new Error('Neither better-sqlite3 nor node:sqlite is installed.')
  const folder = temporaryFolder()
  const path = join(folder, 'nonces.db')
  const database = open(path)
  return {
    nonceStore: new SqliteNonceStore(database),
    bytes() {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      return statSync(path).size
    },
    close() {
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const redis = (setUp: typeof connect.redis) => async (): Promise<Contestant> => {
  const server = await RedisServer.start()
  const nonceStore = await setUp(server.url)
  return {
    nonceStore,
    bytes: () => Number(/^used_memory:(\d+)/m.exec(server.cli('INFO', 'memory'))?.[1]),
    close: () => nonceStore.close().then(() => server.stop()),
  }
}

const postgres = (setUp: typeof connect.pg) => async (): Promise<Contestant> => {
  const server = await PostgresServer.start('shared_buffers=512MB')
  const nonceStore = await setUp(server.url)
  return {
    nonceStore,
    bytes: async () => Number(await server.sql("SELECT pg_total_relation_size('webhook_nonces')")),
    close: () => nonceStore.close().then(() => server.stop()),
  }
}

const mysql = (setUp: typeof connect.mysql2) => async (): Promise<Contestant> => {
  const server = await MariaDbServer.start()
  const nonceStore = await setUp(server.url)
  return {
    nonceStore,
    async bytes() {
      await server.sql('ANALYZE TABLE hooks.webhook_nonces')
      const bytes = 'SELECT DATA_LENGTH + INDEX_LENGTH FROM information_schema.TABLES'
      return Number(await server.sql(`${bytes} WHERE TABLE_NAME = 'webhook_nonces'`))
    },
    close: () => nonceStore.close().then(() => server.stop()),
  }
}

async function dynamodb(): Promise<Contestant> {
  const server = await DynaliteServer.start()
  const { DynamoDBClient, PutItemCommand } = requirePackage('@aws-sdk/client-dynamodb')
  const client = new DynamoDBClient(configOf(server.port))
  const putItem = (input: object) => client.send(new PutItemCommand(input))
  return { nonceStore: new DynamoDBNonceStore({ putItem, timeout: 60_000 }), close: () => server.stop() }
}

const CONTESTANTS: Record<string, () => Contestant | Promise<Contestant>> = {
  '`MemoryNonceStore`': () => ({ nonceStore: new MemoryNonceStore({ maxEntries: 2 ** 24 }) }),
  '`SqliteNonceStore`': sqlite,
  '`RedisNonceStore`, redis': redis(connect.redis),
  '`RedisNonceStore`, ioredis': redis(connect.ioredis),
  '`PostgresNonceStore`, pg': postgres(connect.pg),
  '`PostgresNonceStore`, postgres.js': postgres(connect['postgres.js']),
  '`MySqlNonceStore`, mysql2': mysql(connect.mysql2),
  '`MySqlNonceStore`, mariadb': mysql(connect.mariadb),
  '`DynamoDBNonceStore`, dynalite': dynamodb,
}

/** Repeats a call, with {@link IN_FLIGHT} calls at a time, while `isGoingOn` says so. Returns the milliseconds of each call. */
async function repeat(call: () => unknown, isGoingOn: () => boolean): Promise<number[]> {
  const latencies: number[] = []
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (isGoingOn()) {
        const start = performance.now()
        await call()
        latencies.push(performance.now() - start)
      }
    }),
  )
  return latencies
}

/** Measures a call in rounds, after one that warms up. */
async function measure(call: () => unknown) {
  const latencies: number[] = []
  const perSecond: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const start = performance.now()
    const times = await repeat(call, () => performance.now() - start < ROUND_MILLISECONDS)
    if (round === 0) continue
    latencies.push(...times)
    perSecond.push((times.length / (performance.now() - start)) * 1000)
  }
  return { perSecond: quantile(perSecond, 0.5), p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(share * values.length)] ?? Number.NaN
}

function show(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en').replaceAll(',', '\u00a0') : value.toPrecision(2)
}

const SECRET = 'the secret of the benchmark'
/** A message with this body needs two keys. */
const BODY = '{"event":"invoice.paid"}'

/** Returns a call that verifies the next of many requests, which are signed before the measurement. */
function verifyWith(nonceStore: NonceStore, count: number): () => unknown {
  const requests = Array.from({ length: count }, () => ({ webhookId: '42', headers: sign(BODY, SECRET), body: BODY }))
  return () => {
    const request = requests.pop()
    if (request === undefined) throw new Error('The requests did not last.')
    return verify(request, SECRET, nonceStore)
  }
}

const idOf = ({ body }: { body: Buffer }): string => JSON.parse(body.toString()).id

/** Measures `handle`. Returns the calls per second, and the processor time of this process per call in microseconds. */
async function measureHandle(nonceStore: NonceStore, ids: readonly string[], options: { eventId?: typeof idOf } = {}) {
  const requests = ids.map((id) => {
    const body = JSON.stringify({ id })
    return { headers: sign(body, SECRET), body: Buffer.from(body) }
  })
  const start = performance.now()
  const before = process.cpuUsage()
  const times = await repeat(
    () => handle({ webhookId: '42', request: Object(requests.pop()), ...options }, SECRET, nonceStore, () => {}),
    () => requests.length > 0,
  )
  const { user, system } = process.cpuUsage(before)
  const perSecond = (times.length / (performance.now() - start)) * 1000
  return [show(perSecond), show((user + system) / times.length)]
}

/** Returns the rates and costs of `handle`: without `eventId`, for new events, and for repeats of these events. */
async function describeHandle(nonceStore: NonceStore, count: number): Promise<string[]> {
  const newIds = (length: number) => Array.from({ length }, () => randomUUID())
  const [warmUp, ids] = [newIds(count / 4), newIds(count)]
  await measureHandle(nonceStore, warmUp)
  await measureHandle(nonceStore, warmUp, { eventId: idOf })
  return [
    ...(await measureHandle(nonceStore, ids)),
    ...(await measureHandle(nonceStore, ids, { eventId: idOf })),
    ...(await measureHandle(nonceStore, ids, { eventId: idOf })),
  ]
}

const [only = '', part] = process.argv.slice(2)
console.log(`Node ${process.version}, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}\n`)
const chosen = Object.entries(CONTESTANTS).filter(([name]) => name.includes(only))
if (part !== 'handle') {
  console.log(`| store | reservations per second | p50 ms | p99 ms | \`verify\` per second | bytes per nonce |
|---|---|---|---|---|---|`)
  for (const [name, start] of chosen) {
    const { nonceStore, bytes, close } = await start()
    const reserve = () => nonceStore.reserve('42', randomUUID(), 600)
    const before = (await bytes?.()) ?? 0
    let left = LIVE
    if (bytes !== undefined) await repeat(reserve, () => left-- > 0)
    const perNonce = bytes && show(((await bytes()) - before) / LIVE)
    const { perSecond, p50, p99 } = await measure(reserve)
    const { perSecond: verified } = await measure(verifyWith(nonceStore, close === undefined ? 800_000 : 150_000))
    console.log(`| ${[name, show(perSecond), show(p50), show(p99), show(verified), perNonce ?? ''].join(' | ')} |`)
    await close?.()
  }
}

console.log(`
| store | \`handle\` per second | µs | new events per second | µs | repeated events per second | µs |
|---|---|---|---|---|---|---|`)
for (const [name, start] of chosen) {
  const { nonceStore, close } = await start()
  console.log(`| ${[name, ...(await describeHandle(nonceStore, close === undefined ? 20_000 : 3000))].join(' | ')} |`)
  await close?.()
}
process.exit()

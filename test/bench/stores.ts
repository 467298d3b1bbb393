// Prints how fast each store is beside the bare command through the same client, how much a live nonce takes, and how both
// grow. Everything on one machine, in one run; the ratios are the figures to compare.
import { randomUUID } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { connect as connectIoredis } from '../../docs/stores/ioredis.js'
import { connect as connectPg } from '../../docs/stores/pg.js'
import { connect as connectPostgresJs } from '../../docs/stores/postgres-js.js'
import { connect as connectRedis } from '../../docs/stores/redis.js'
import { MemoryNonceStore, type NonceStore } from '../../src/index.js'
import { SqliteNonceStore } from '../../src/stores/sqlite.js'
import { PostgresServer, postgresIsInstalled, RedisServer, temporaryFolder } from '../support/servers.js'
import { sqliteOpener } from '../support/stores/sqlite-database.js'

const ROUNDS = 7
const ROUND_MILLISECONDS = 250
const IN_FLIGHT = [1, 16, 256]
const SIZES = [1_000, 10_000, 100_000, 1_000_000]

interface Contestant {
  name: string
  nonceStore: NonceStore
  /** The same work without the store: the bare command, its key and token ready made. */
  bare?: () => unknown
  /** What all live nonces take, in bytes, by the engine's own account. */
  bytes(): number | Promise<number>
  /** Adds so many live nonces, the fastest way there is. */
  fill(count: number): unknown
  close(): unknown
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function memory(): Contestant {
  const nonceStore = new MemoryNonceStore({ maxEntries: 2 ** 23 })
  return {
    name: 'MemoryNonceStore',
    nonceStore,
    bytes() {
      collectGarbage()
      return process.memoryUsage().heapUsed
    },
    fill(count) {
      // A string of one piece, as a header's value is.
      for (let index = 0; index < count; index++)
        nonceStore.reserve('42', Buffer.from(randomUUID()).toString('latin1'), 600)
    },
    close() {},
  }
}

function sqlite(): Contestant | undefined {
  const open = sqliteOpener()
  if (open === undefined) return undefined
  const folder = temporaryFolder()
  const path = join(folder, 'nonces.db')
  const database = open(path)
  const nonceStore = new SqliteNonceStore(database)
  const statement = database.prepare(
    'INSERT INTO webhook_nonces (key, expires_at) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at < ?',
  )
  return {
    name: 'SqliteNonceStore',
    nonceStore,
    bare: () => statement.run(Buffer.from(randomUUID()), Date.now() + 600_000, Date.now()),
    bytes() {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      return statSync(path).size
    },
    fill(count) {
      database.exec('BEGIN')
      for (let index = 0; index < count; index++) nonceStore.reserve('42', randomUUID(), 600)
      database.exec('COMMIT')
    },
    close() {
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function redis(name: string, connect: typeof connectRedis | typeof connectIoredis): Promise<Contestant> {
  const server = await RedisServer.start()
  const { client, nonceStore, close } = await connect(server.url)
  const bare = () => {
    const command = [
      'SET',
      `webhook-nonce:${randomUUID()}`,
      'a token of 22 letters.',
      'NX',
      'GET',
      'PX',
      '600001',
    ] as const
    return 'call' in client ? client.call(...command) : client.sendCommand([...command])
  }
  const used = () => Number(/^used_memory:(\d+)/m.exec(server.cli('INFO', 'memory'))?.[1])
  return {
    name: `RedisNonceStore, ${name}`,
    nonceStore,
    bare,
    bytes: used,
    fill: (count) => inBatches(count, 1000, () => nonceStore.reserve('42', randomUUID(), 600)),
    async close() {
      await close()
      await server.stop()
    },
  }
}

async function postgres(name: string, connect: typeof connectPg | typeof connectPostgresJs): Promise<Contestant> {
  const server = await PostgresServer.start('shared_buffers=512MB')
  const { client, nonceStore, close } = await connect(server.url)
  const query = (text: string, values: (string | number)[] = []): Promise<unknown> =>
    'unsafe' in client ? client.unsafe(text, values) : client.query(text, values)
  const text = `
    INSERT INTO webhook_nonces AS nonce (key, expires_at) VALUES (decode($1, 'hex'), clock_timestamp() + $2::float8 * interval '1 millisecond')
    ON CONFLICT (key) DO UPDATE SET expires_at = clock_timestamp() + $2::float8 * interval '1 millisecond'
    WHERE nonce.expires_at < clock_timestamp() RETURNING true AS reserved`
  const single = (result: unknown): unknown => (Array.isArray(result) ? result[0] : Object(result).rows[0])
  return {
    name: `PostgresNonceStore, ${name}`,
    nonceStore,
    bare: () => query(text, [`${randomUUID()}${randomUUID()}`.replaceAll('-', ''), 600_001]),
    async bytes() {
      return Number(
        Object(single(await query("SELECT pg_total_relation_size('webhook_nonces')::float8 AS bytes"))).bytes,
      )
    },
    async fill(count) {
      for (let left = count; left > 0; left -= 20_000) {
        await query(
          `INSERT INTO webhook_nonces SELECT sha256(convert_to(gen_random_uuid()::text, 'UTF8')), clock_timestamp() + interval '600 s' FROM generate_series(1, $1::int4)`,
          [Math.min(left, 20_000)],
        )
      }
    },
    async close() {
      await close()
      server.stop()
    },
  }
}

async function inBatches(count: number, size: number, act: () => unknown): Promise<void> {
  for (let done = 0; done < count; done += size)
    await Promise.all(Array.from({ length: Math.min(size, count - done) }, act))
}

interface Round {
  perSecond: number
  latencies: number[]
}

async function round(act: () => unknown, inFlight: number): Promise<Round> {
  const latencies: number[] = []
  const start = performance.now()
  const end = start + ROUND_MILLISECONDS
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let now = performance.now(); now < end; ) {
        await act()
        const after = performance.now()
        latencies.push(after - now)
        now = after
      }
    }),
  )
  return { perSecond: (latencies.length / (performance.now() - start)) * 1000, latencies }
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

const median = (values: number[]) => quantile(values, 0.5)
const show = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2))

async function measure({ nonceStore, bare }: Contestant, inFlight: number) {
  const reserve = () => nonceStore.reserve('42', randomUUID(), 600)
  const [stores, bares]: [Round[], Round[]] = [[], []]
  for (let index = 0; index <= ROUNDS; index++) {
    const [one, other] = [await round(reserve, inFlight), bare && (await round(bare, inFlight))]
    // The first round warms up.
    if (index === 0) continue
    stores.push(one)
    if (other) bares.push(other)
  }
  const latencies = stores.flatMap((one) => one.latencies)
  return {
    perSecond: median(stores.map(({ perSecond }) => perSecond)),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    ratio: bare && median(stores.map(({ perSecond }, index) => perSecond / (bares[index]?.perSecond ?? Number.NaN))),
  }
}

const starts = [
  async () => memory(),
  async () => sqlite(),
  async () => redis('redis', connectRedis),
  async () => redis('ioredis', connectIoredis),
  ...(postgresIsInstalled() ? [() => postgres('pg', connectPg), () => postgres('postgres.js', connectPostgresJs)] : []),
]

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}\n`,
)
console.log(
  '| store | live nonces | in flight | reservations a second | p50 ms | p99 ms | of the bare command | bytes a nonce |',
)
console.log('|---|---|---|---|---|---|---|---|')
for (const start of starts) {
  const contestant = await start()
  if (contestant === undefined) continue
  let live = 0
  for (const size of SIZES) {
    const before = await contestant.bytes()
    await contestant.fill(size - live)
    const bytes = ((await contestant.bytes()) - before) / (size - live)
    live = size
    for (const inFlight of size === SIZES[0] ? IN_FLIGHT : [16]) {
      const { perSecond, p50, p99, ratio } = await measure(contestant, inFlight)
      const cells = [
        contestant.name,
        size.toLocaleString('en'),
        inFlight,
        show(perSecond),
        show(p50),
        show(p99),
        ratio?.toFixed(2) ?? '',
        Math.round(bytes),
      ]
      console.log(`| ${cells.join(' | ')} |`)
    }
  }
  await contestant.close()
}
process.exit()

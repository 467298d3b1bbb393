// Compares each store with the bare database command through the same client. It prints the speed and the bytes per
// live nonce. Everything runs on one machine, so compare the ratios.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Redis } from 'ioredis'
import mariadb from 'mariadb'
import mysql2 from 'mysql2/promise'
import pg from 'pg'
import postgresJs from 'postgres'
import { createClient } from 'redis'
import { MemoryNonceStore, type NonceStore, sign, verify } from '../../src/index.js'
import { DynamoDBNonceStore } from '../../src/stores/dynamodb.js'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { RedisNonceStore } from '../../src/stores/redis/index.js'
import { SqliteNonceStore } from '../../src/stores/sqlite.js'
import { requirePackage } from '../nightly/packages/packages.js'
import { MariaDbServer, mariadbIsInstalled } from '../support/mariadb-server.js'
import {
  eventually,
  freePort,
  PostgresServer,
  postgresIsInstalled,
  RedisServer,
  temporaryFolder,
} from '../support/servers.js'
import { connect as setUps } from '../support/stores/source.js'
import { sqliteOpener } from '../support/stores/sqlite-database.js'
import { grouped } from './grouped.js'

/** The input of a PutItem. */
type PutItemInput = Parameters<ConstructorParameters<typeof DynamoDBNonceStore>[0]['putItem']>[0]

const ROUNDS = 5
const ROUND_MILLISECONDS = 250
const IN_FLIGHT = 16
/** The live nonces, whose bytes are counted. */
const LIVE = 100_000

interface Contestant {
  name: string
  nonceStore: NonceStore
  /** Sends the store's command for this number of keys through the bare client. Keys and token are made before. */
  bare?: (keys: number) => unknown
  /** Returns the bytes of all live nonces, as the engine reports them. */
  bytes(): number | Promise<number>
  /** Adds this number of live nonces, in the fastest way. */
  fill(count: number): unknown
  /** How many live nonces there are. By default {@link LIVE}. */
  live?: number
  close(): unknown
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function memory(): Contestant {
  const nonceStore = new MemoryNonceStore({ maxEntries: 2 ** 25 })
  return {
    name: 'MemoryNonceStore',
    nonceStore,
    bytes() {
      collectGarbage()
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    },
    fill(count) {
      // A flat string, like the value of a header.
      for (let index = 0; index < count; index++)
        nonceStore.reserve('42', Buffer.from(randomUUID()).toString('latin1'), 600)
    },
    close() {},
  }
}

let lastKey = 0

/** Returns bytes that look like a hash, at almost no cost. They are not sorted, because a sorted index would be too fast. */
function nextHash(): Buffer {
  const hash = Buffer.alloc(32)
  hash.writeUInt32BE(Math.imul(++lastKey, 0x9e3779b1) >>> 0)
  hash.writeUInt32BE(lastKey, 28)
  return hash
}

function sqlite(): Contestant | undefined {
  const open = sqliteOpener()
  if (open === undefined) return undefined
  const folder = temporaryFolder()
  const path = join(folder, 'nonces.db')
  const database = open(path)
  const nonceStore = new SqliteNonceStore(database)
  const texts: string[] = []
  const recorder = new SqliteNonceStore({
    exec() {},
    prepare(text) {
      texts.push(text)
      return { all: () => [{ name: 'main', file: '' }], run: () => ({ changes: 0 }) }
    },
  })
  recorder.reserveAll('42', ['nonce', 'signature'], 600)
  const statements = texts.filter((text) => text.includes('INSERT INTO')).map((text) => database.prepare(text))
  return {
    name: 'SqliteNonceStore',
    nonceStore,
    bare(count) {
      const keys = Array.from({ length: count }, nextHash)
      return statements[count - 1].run(...keys, Date.now() + 600_000, Buffer.alloc(0), Date.now())
    },
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

type SendCommand = (args: string[]) => Promise<unknown>

async function redis(
  name: string,
  setUp: typeof setUps.redis,
  connect: (url: string) => Promise<{ send: SendCommand; close(): unknown }>,
): Promise<Contestant> {
  const server = await RedisServer.start()
  const nonceStore = await setUp(server.url)
  const plain = await connect(server.url)
  // The connected store refuses a thousand reservations at once.
  const filling = new RedisNonceStore({ sendCommand: plain.send, timeout: 60_000 })
  const commands: string[][] = []
  const recorder = new RedisNonceStore({
    async sendCommand(args) {
      commands.push(args)
      return `reserved ${args.at(-2)}`
    },
  })
  await recorder.reserve('42', 'nonce', 600)
  await recorder.reserveAll('42', ['another', 'signature'], 600)
  return {
    name: `RedisNonceStore, ${name}`,
    nonceStore,
    bare(count) {
      const command = [...(commands[count - 1] ?? [])]
      for (let index = 3; index < 3 + count; index++)
        command[index] = `webhook-nonce:{00000000}${nextHash().toString('hex')}`
      return plain.send(command)
    },
    bytes: () => Number(/^used_memory:(\d+)/m.exec(server.cli('INFO', 'memory'))?.[1]),
    fill: (count) => inBatches(count, 1000, () => filling.reserve('42', randomUUID(), 600)),
    async close() {
      await nonceStore.close()
      await plain.close()
      await server.stop()
    },
  }
}

async function plainRedis(url: string) {
  const client = createClient({ url })
  await client.connect()
  return { send: (args: string[]) => client.sendCommand(args), close: () => client.destroy() }
}

async function plainIoredis(url: string) {
  const client = new Redis(url)
  return {
    send: ([command = '', ...args]: string[]) => client.call(command, ...args),
    close: () => client.disconnect(),
  }
}

type Query = (text: string, values: (string | number)[]) => Promise<unknown>

async function postgres(
  name: string,
  setUp: typeof setUps.pg,
  connect: (url: string) => { query: Query; close(): unknown },
): Promise<Contestant> {
  const server = await PostgresServer.start('shared_buffers=512MB')
  const nonceStore = await setUp(server.url)
  const plain = connect(server.url)
  const texts: string[] = []
  const recorder = new PostgresNonceStore({
    async query(text) {
      texts.push(text)
      return []
    },
  })
  await recorder.reserve('42', 'nonce', 600)
  await recorder.reserveAll('42', ['another', 'signature'], 600)
  return {
    name: `PostgresNonceStore, ${name}`,
    nonceStore,
    bare(count) {
      const keys = Array.from({ length: count }, () => nextHash().toString('hex'))
      return plain.query(texts[count - 1] ?? '', [600_001, '', ...keys])
    },
    bytes: async () => Number(await server.sql("SELECT pg_total_relation_size('webhook_nonces')")),
    async fill(count) {
      for (let left = count; left > 0; left -= 20_000) {
        await server.sql(
          `INSERT INTO webhook_nonces (key, expires_at, reserved_by) SELECT sha256(convert_to(gen_random_uuid()::text, 'UTF8')), clock_timestamp() + interval '600 s', '' FROM generate_series(1, ${Math.min(left, 20_000)})`,
        )
      }
    },
    async close() {
      await nonceStore.close()
      await plain.close()
      await server.stop()
    },
  }
}

function plainPg(connectionString: string) {
  const pool = new pg.Pool({ connectionString })
  const query: Query = (text, values) => pool.query({ name: String(text.length), text, values })
  return { query, close: () => pool.end() }
}

function plainPostgresJs(connectionString: string) {
  const sql = postgresJs(connectionString)
  const query: Query = (text, values) => sql.unsafe(text, values, { prepare: true })
  return { query, close: () => sql.end() }
}

async function mysql(
  name: string,
  setUp: typeof setUps.mysql2,
  connect: (url: string) => { query(sql: string, values: (string | number)[]): unknown; end(): unknown },
): Promise<Contestant> {
  const server = await MariaDbServer.start()
  const nonceStore = await setUp(server.url)
  const plain = connect(server.url)
  const statements: string[] = []
  const recorder = new MySqlNonceStore({
    async query(sql, values) {
      statements.push(sql)
      return { affectedRows: values.length / 3 }
    },
  })
  await recorder.reserve('42', 'nonce', 600)
  await recorder.reserveAll('42', ['another', 'signature'], 600)
  return {
    name: `MySqlNonceStore, ${name}`,
    nonceStore,
    bare: (count) =>
      plain.query(
        statements[count - 1] ?? '',
        Array.from({ length: count }, () => [nextHash().toString('hex'), 600_001_000, '']).flat(),
      ),
    async bytes() {
      await server.sql('ANALYZE TABLE hooks.webhook_nonces')
      const bytes = 'SELECT DATA_LENGTH + INDEX_LENGTH FROM information_schema.TABLES'
      return Number(await server.sql(`${bytes} WHERE TABLE_NAME = 'webhook_nonces'`))
    },
    async fill(count) {
      const rows = `SELECT UNHEX(SHA2(UUID(), 256)), UTC_TIMESTAMP(6) + INTERVAL 600 SECOND, '' FROM hooks.seq_1_to_${count}`
      if (count > 0) await server.sql(`INSERT INTO hooks.webhook_nonces (key_hash, expires_at, reserved_by) ${rows}`)
    },
    async close() {
      await nonceStore.close()
      await plain.end()
      await server.stop()
    },
  }
}

async function dynamodb(): Promise<Contestant> {
  const port = await freePort()
  const { CreateTableCommand, DynamoDBClient, PutItemCommand, waitUntilTableExists } =
    requirePackage('@aws-sdk/client-dynamodb')
  const script = requirePackage.resolve('dynalite/cli.js')
  const server = spawn(process.execPath, [
    script,
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    '--createTableMs',
    '1',
  ])
  const credentials = { accessKeyId: 'an id', secretAccessKey: 'a key' }
  const config = { endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1', credentials }
  const client = new DynamoDBClient(config)
  const putItem = (input: object) => client.send(new PutItemCommand(input))
  const nonceStore = new DynamoDBNonceStore({ putItem, timeout: 60_000 })
  const table = {
    TableName: 'webhook_nonces',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'key_hash', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'key_hash', KeyType: 'HASH' }],
  }
  await eventually(() => client.send(new CreateTableCommand(table)))
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: 'webhook_nonces' })
  const inputs: PutItemInput[] = []
  const recorder = new DynamoDBNonceStore({
    async putItem(input) {
      inputs.push(input)
      return { ConsumedCapacity: {} }
    },
  })
  await recorder.reserve('42', 'nonce', 600)
  const [input] = inputs
  return {
    name: 'DynamoDBNonceStore, dynalite',
    nonceStore,
    live: 1_000,
    async bare(count) {
      for (let index = 0; index < count; index++) {
        const Item = { ...input?.Item, key_hash: { S: nextHash().toString('hex') } }
        await putItem({ ...input, Item })
      }
    },
    bytes: () => Number.NaN,
    fill: (count) => inBatches(count, 100, () => nonceStore.reserve('42', randomUUID(), 600)),
    close() {
      client.destroy()
      server.kill()
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

async function round(act: () => unknown): Promise<Round> {
  const latencies: number[] = []
  const start = performance.now()
  const end = start + ROUND_MILLISECONDS
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
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
const show = (value: number) => (value >= 100 ? grouped(Math.round(value)) : value.toPrecision(2))

const SECRET = 'the secret of the benchmark'
const BODY = '{"event":"invoice.paid"}'

/** Returns signed requests with JSON bodies. Each needs two keys. They are made before the measurement starts. */
function signedRequests(count: number) {
  return Array.from({ length: count }, () => ({ webhookId: '42', headers: sign(BODY, SECRET), body: BODY }))
}

async function measure({ nonceStore, bare }: Contestant) {
  let requests = signedRequests(0)
  let used = 0
  const acts: (() => unknown)[] = [
    () => nonceStore.reserve('42', randomUUID(), 600),
    () => bare?.(1),
    () => verify(requests[used++ % requests.length] as (typeof requests)[0], SECRET, nonceStore),
    () => bare?.(2),
  ]
  const series: Round[][] = acts.map(() => [])
  for (let index = 0; index <= ROUNDS; index++) {
    for (const [number, act] of acts.entries()) {
      if (bare === undefined && number % 2 === 1) continue
      if (number === 2) {
        // A store in memory needs no round trip, so it uses up more.
        requests = signedRequests(bare === undefined ? 200_000 : 50_000)
        used = 0
      }
      const result = await round(act)
      if (number === 2 && used > requests.length) throw new Error('the requests did not last')
      // The first round warms up.
      if (index > 0) series[number]?.push(result)
    }
  }
  const [reserves = [], bares = [], verifies = [], bareTwos = []] = series
  const ratio = (rounds: Round[], others: Round[]) =>
    bare && median(rounds.map(({ perSecond }, index) => perSecond / (others[index]?.perSecond ?? Number.NaN)))
  const latencies = reserves.flatMap((one) => one.latencies)
  return {
    perSecond: median(reserves.map(({ perSecond }) => perSecond)),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    ratio: ratio(reserves, bares),
    verifies: median(verifies.map(({ perSecond }) => perSecond)),
    verifyRatio: ratio(verifies, bareTwos),
  }
}

const [only = ''] = process.argv.slice(2)
const starts = [
  async () => memory(),
  async () => sqlite(),
  async () => redis('redis', setUps.redis, plainRedis),
  async () => redis('ioredis', setUps.ioredis, plainIoredis),
  ...(postgresIsInstalled()
    ? [() => postgres('pg', setUps.pg, plainPg), () => postgres('postgres.js', setUps['postgres.js'], plainPostgresJs)]
    : []),
  ...(mariadbIsInstalled()
    ? [
        () => mysql('mysql2', setUps.mysql2, (uri) => mysql2.createPool({ uri })),
        () => mysql('mariadb', setUps.mariadb, (uri) => mariadb.createPool(uri)),
      ]
    : []),
  () => dynamodb(),
]

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}\n`,
)
console.log(
  '| store | reservations per second | p50 ms | p99 ms | ratio to the command alone | verify per second | ratio to the commands alone | bytes per nonce |',
)
console.log('|---|---|---|---|---|---|---|---|')
for (const start of starts) {
  const contestant = await start()
  if (contestant === undefined) continue
  if (!contestant.name.includes(only)) {
    await contestant.close()
    continue
  }
  const { live = LIVE } = contestant
  const before = await contestant.bytes()
  await contestant.fill(live)
  const bytes = ((await contestant.bytes()) - before) / live
  const { perSecond, p50, p99, ratio, verifies, verifyRatio } = await measure(contestant)
  const cells = [
    contestant.name,
    show(perSecond),
    show(p50),
    show(p99),
    ratio?.toFixed(2) ?? '',
    show(verifies),
    verifyRatio?.toFixed(2) ?? '',
    Number.isNaN(bytes) ? '' : Math.round(bytes),
  ]
  console.log(`| ${cells.join(' | ')} |`)
  await contestant.close()
}
process.exit()

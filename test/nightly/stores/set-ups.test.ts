import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import {
  PostgresServer,
  postgresIsInstalled,
  RedisServer,
  startRedisCluster,
  startRedisSentinel,
} from '../../support/servers.js'
import { STRICT } from '../../support/strict.js'
import { BUILD, hasPackage } from '../packages/packages.js'

// The lines of the guides, as a reader runs them: in a process of their own that ends by itself.

const STORES = join(ROOT, 'docs/stores')
const FILES = readdirSync(STORES).filter((file) => file.endsWith('.ts'))
const textOf = (file: string) => readFileSync(join(STORES, file), 'utf8')

const folder = join(BUILD, randomUUID())
mkdirSync(join(folder, 'node_modules'), { recursive: true })
symlinkSync(ROOT, join(folder, 'node_modules/inbound-webhook-auth'))
afterAll(() => rmSync(folder, { recursive: true }))

it.each(FILES)('docs/stores/%s has at most six lines', (file) => {
  const lines = textOf(file)
    .split('\n')
    .filter((line) => line !== '')
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.length).toBeLessThanOrEqual(6)
})

const OLDER = { redis: 'redis-5', ioredis: 'ioredis-5' }

describe.runIf(isInstalled('older clients', Object.values(OLDER).every(hasPackage)))('version 5 of the clients', () => {
  it('fits the types, under strict TypeScript', async () => {
    const clients = Object.entries(OLDER).map(([name, older]) => [name, [`../../node_modules/${older}`]])
    const paths = Object.fromEntries(clients)
    const files = FILES.filter((file) => /redis/.test(file))
    for (const file of files) writeFileSync(join(folder, file.replace('.ts', '.mts')), textOf(file))
    for (const exactOptionalPropertyTypes of [true, false]) {
      const compilerOptions = { ...STRICT, exactOptionalPropertyTypes, module: 'nodenext', types: ['node'], paths }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }))
      const tsc = promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')], {
        cwd: folder,
      })
      expect((await tsc.catch((error: { stdout: string }) => error)).stdout).toBe('')
    }
  })
})

/** Waits for a line before it closes the store, so that the test can stop the server. */
const MAIN = `
import { once } from 'node:events'
try {
  const { nonceStore } = await import(process.argv[2])
  console.log(await nonceStore.reserve('42', 'nonce', 600), await nonceStore.reserve('42', 'nonce', 600))
  await once(process.stdin, 'data')
  process.stdin.destroy()
  const reserving = nonceStore.reserve('42', 'another', 600).catch((error) => error.message)
  await nonceStore.close()
  console.log(typeof (await reserving))
} catch (error) {
  console.log(error.code, error.message)
  process.stdin.destroy()
}`

// The file is written once, because a process that starts during a second write would read an empty file.
writeFileSync(join(folder, 'main.mjs'), MAIN)

/** Starts a process with a file of the guide and another address in it. */
function start(
  file: string,
  addresses: readonly [example: string, address: string][],
  clients: Record<string, string>,
) {
  let source = textOf(file)
  for (const [example, address] of addresses) {
    expect(source).toContain(example)
    source = source.replace(example, address)
  }
  for (const [name, other] of Object.entries(clients)) source = source.replace(`from '${name}'`, `from '${other}'`)
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
  const name = join(folder, `${randomUUID()}.mjs`)
  writeFileSync(name, ts.transpileModule(source, { compilerOptions }).outputText)
  const child = spawn(process.execPath, [join(folder, 'main.mjs'), name], { stdio: ['pipe', 'pipe', 'inherit'] })
  const output = { text: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.text += text
  })
  return { child, output }
}

/** Starts such a process, and waits until it is connected. */
async function startConnected(...given: Parameters<typeof start>): Promise<ReturnType<typeof start>> {
  const started = start(...given)
  await once(started.child.stdout, 'data')
  return started
}

/**
 * How long a process may take to end by itself, in milliseconds. A store gives up after 2 s, and a pool that nobody ended keeps its
 * process for 10 s or more. The rest is for a machine under load.
 */
const END_LIMIT = 9000

/** Waits until a process has ended by itself. Returns how long that took, in milliseconds. */
async function ended(child: ReturnType<typeof spawn>): Promise<number> {
  const begin = performance.now()
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000)
  // Its last words may come after the event `exit`.
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  expect({ code, signal }).toEqual({ code: 0, signal: null })
  return performance.now() - begin
}

interface Servers {
  addresses: [example: string, address: string][]
  signal(signal: NodeJS.Signals): unknown
  kill(): unknown
  stop(): unknown
}

function group(addresses: Servers['addresses'], servers: (RedisServer | PostgresServer | MariaDbServer)[]): Servers {
  const all = (act: (server: (typeof servers)[number]) => unknown) => Promise.all(servers.map(act))
  return {
    addresses,
    // A server that was killed takes no signal.
    signal: (signal) => all(async (server) => server.signal(signal)).catch(() => {}),
    kill: () => all((server) => server.kill()),
    stop: () => all((server) => server.stop().catch(() => {})),
  }
}

async function oneRedis() {
  const server = await RedisServer.start()
  return group([['redis://cache.example.com:6379', server.url]], [server])
}

async function clusterOfRedis() {
  const nodes = await startRedisCluster()
  const urls = nodes.map(({ url }) => url)
  return group(
    [
      ['redis://node-1.example.com:6379', urls[0] ?? ''],
      ['redis://node-2.example.com:6379', urls[1] ?? ''],
    ],
    nodes,
  )
}

async function sentinelsOfRedis() {
  const { master, replica, sentinels } = await startRedisSentinel()
  const port = String(sentinels[0]?.port)
  return group(
    [
      ['sentinel-1.example.com', '127.0.0.1'],
      ['26379', port],
    ],
    [...sentinels, master, replica],
  )
}

async function onePostgres() {
  const server = await PostgresServer.start()
  return group([['postgres://hooks@db.example.com/hooks', server.url]], [server])
}

async function oneMariaDb() {
  const server = await MariaDbServer.start()
  return { server, url: server.url.replace('mariadb', 'mysql') }
}

async function mariaDbByUrl() {
  const { server, url } = await oneMariaDb()
  return group([['mysql://hooks@db.example.com/hooks', url]], [server])
}

async function mariaDbByParts() {
  const { server } = await oneMariaDb()
  const parts = `host: '127.0.0.1', port: ${server.port}, user: 'test'`
  return group([["host: 'db.example.com', user: 'hooks'", parts]], [server])
}

const redisIsInstalled = isInstalled('redis-server')
const RUNS: [file: string, start: () => Promise<Servers>, installed: boolean][] = [
  ['redis.ts', oneRedis, redisIsInstalled],
  ['ioredis.ts', oneRedis, redisIsInstalled],
  ['redis-cluster.ts', clusterOfRedis, redisIsInstalled],
  ['ioredis-cluster.ts', clusterOfRedis, redisIsInstalled],
  ['redis-sentinel.ts', sentinelsOfRedis, redisIsInstalled],
  ['ioredis-sentinel.ts', sentinelsOfRedis, redisIsInstalled],
  ['pg.ts', onePostgres, isInstalled('postgresql', postgresIsInstalled())],
  ['postgres-js.ts', onePostgres, isInstalled('postgresql', postgresIsInstalled())],
  ['mysql2.ts', mariaDbByUrl, isInstalled('mariadb', mariadbIsInstalled())],
  ['mariadb.ts', mariaDbByParts, isInstalled('mariadb', mariadbIsInstalled())],
]

it('runs every set-up', () => {
  expect(RUNS.map(([file]) => file).sort()).toEqual(FILES.toSorted())
})

// A process that hangs only now and then is a mistake too, so no failed test is repeated.
describe.concurrent.each(RUNS.filter(([, , installed]) => installed))('docs/stores/%s', (file, startServers) => {
  let servers: Servers
  beforeAll(async () => {
    servers = await startServers()
  })
  // Also after a failed test, whose servers may be stopped.
  afterEach(() => servers.signal('SIGCONT'))
  afterAll(() => servers.stop())

  const versions: Record<string, string>[] = /redis/.test(file) && hasPackage('redis-5') ? [{}, OLDER] : [{}]

  it.sequential.each(versions)('reserves, and its process ends after close() %o', async (clients) => {
    const { child, output } = await startConnected(file, servers.addresses, clients)
    child.stdin.write('close\n')
    expect(await ended(child)).toBeLessThan(END_LIMIT)
    expect(output.text).toMatch(/^(true|false) false\n(boolean|string)\n$/)
  })

  it.sequential.each(versions)('ends its process after close() while the server hangs %o', async (clients) => {
    const { child, output } = await startConnected(file, servers.addresses, clients)
    await servers.signal('SIGSTOP')
    child.stdin.write('close\n')
    expect(await ended(child)).toBeLessThan(END_LIMIT)
    expect(output.text).toMatch(/^(true|false) false\nstring\n$/)
  })

  it.sequential.each(versions)(
    'ends its process if it cannot connect, because the server hangs or is down %o',
    async (clients) => {
      await servers.signal('SIGSTOP')
      const hanging = start(file, servers.addresses, clients)
      expect(await ended(hanging.child)).toBeLessThan(END_LIMIT)
      expect(hanging.output.text).toMatch(/^ERR_NONCE_STORE The /)
      await servers.signal('SIGCONT')
      await servers.kill()
      const down = start(file, servers.addresses, clients)
      expect(await ended(down.child)).toBeLessThan(END_LIMIT)
      // ioredis does not say why a node of a cluster, or a sentinel, cannot be reached.
      expect(down.output.text).toMatch(
        /^ERR_NONCE_STORE (No server listens at the address|The server cannot be reached)/,
      )
      if (clients !== versions.at(-1)) {
        await servers.stop()
        servers = await startServers()
      }
    },
  )
})

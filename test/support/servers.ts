import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { prepared } from './prepared.js'

// Real servers, each on a free loopback port with its own folder of data. The test starts and stops them.

const run = promisify(execFile)

/** A host name that nobody has: its first label is too long, so that no name server is asked. */
export const UNKNOWN_HOST = `${'a'.repeat(64)}.invalid`

/** The ports for servers, in ranges. The system gives clients only higher ports. */
const FIRST_PORT = 12_000
const RANGE_PORTS = 100
const RANGES = 100

let range: Promise<number> | undefined
let lastPort = 0

/**
 * Returns a free TCP port of the loopback interface, whose port 10 000 above is free too: a node of a Redis cluster listens there as well.
 *
 * Nobody takes the port before the server does, because each thread has a range of its own, also if several runs share a machine.
 */
export async function freePort(): Promise<number> {
  range ??= claimRange()
  const first = await range
  for (;;) {
    // The first port of the range is the claim.
    lastPort = (lastPort % (RANGE_PORTS - 1)) + 1
    const port = first + lastPort
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port
  }
}

/** Listens on the first port of a range as long as this thread runs, so that no other thread or run uses the range. Returns the port. */
async function claimRange(): Promise<number> {
  for (let index = randomInt(RANGES); ; index = (index + 1) % RANGES) {
    const port = FIRST_PORT + index * RANGE_PORTS
    const claim = await listen(port)
    if (claim === undefined) continue
    claim.unref()
    return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port)
  if (server === undefined) return false
  server.close()
  await once(server, 'close')
  return true
}

/** Returns a server that listens on a port, or `undefined` if the port is taken. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}

/** How long a test waits for a server on a machine under load, in milliseconds. The guide's clients wait for 1 s by default. */
export const LONG_TIMEOUT = 60_000

/** Repeats `attempt` until it does not throw. After {@link LONG_TIMEOUT}, throws an error with the last one as its cause. */
export async function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  for (const deadline = Date.now() + LONG_TIMEOUT; ; await sleep(25)) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadline) throw new Error(describe(error), { cause: error })
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'nonce-store-'))
}

/** A server in one process of its own, with its data in a temporary folder. */
export abstract class LocalServer {
  /** Environment variables of the server, from its next start. */
  env: NodeJS.ProcessEnv = {}
  #process: ChildProcess | undefined

  protected constructor(
    readonly port: number,
    readonly folder = temporaryFolder(),
  ) {}

  get pid(): number | undefined {
    return this.#process?.pid
  }

  protected launch(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
    this.#process = spawn(program, args, { stdio: 'ignore', env: { ...env, ...this.env } })
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  async kill(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Waits until a port of the server takes connections. */
  protected async untilItListens(): Promise<void> {
    await eventually(async () => {
      const socket = connect(this.port, '127.0.0.1')
      await once(socket, 'connect').finally(() => socket.destroy())
    })
  }
}

export class RedisServer extends LocalServer {
  #isSentinel = false

  private constructor(
    port: number,
    readonly options: readonly string[],
  ) {
    super(port)
  }

  /** @param options - options of its command line, such as `--appendonly yes`. */
  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options)
    await server.restart()
    return server
  }

  /** Creates a sentinel. It rewrites the file of its settings. */
  static sentinel(port: number): RedisServer {
    const server = new RedisServer(port, [])
    server.#isSentinel = true
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** @param more - options for this start only. */
  spawn(...more: string[]): void {
    const fixed = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder, '--save', '']
    const sentinel = [join(this.folder, 'sentinel.conf'), '--sentinel']
    this.launch('redis-server', this.#isSentinel ? sentinel : [...fixed, ...this.options, ...more])
  }

  async restart(): Promise<void> {
    this.spawn()
    await eventually(() => {
      if (this.cli('PING') !== 'PONG') throw new Error('redis-server does not answer')
    })
  }

  /** Runs redis-cli, and returns what it prints. */
  cli(...command: string[]): string {
    const output = execFileSync('redis-cli', ['-p', String(this.port), ...command], { encoding: 'utf8', stdio: 'pipe' })
    return output.trim()
  }
}

/**
 * Waits until an empty master sends its commands to its replicas. It calls a replica `online` up to a second before: it then has the
 * snapshot, but gets no command until its first report, which shows a new offset.
 */
export async function inStep(master: RedisServer, count: number): Promise<void> {
  // Replicas get this command also if it deletes nothing, so it moves the offset.
  master.cli('FLUSHALL')
  await eventually(() => {
    const reports = master.cli('INFO', 'replication').match(/state=online,offset=[1-9]/g) ?? []
    if (reports.length < count) throw new Error('a replica is not in step')
  })
}

/** Starts three masters with a third of the slots each, and `replicas` replicas per master. */
export async function startRedisCluster({ replicas = 0 } = {}): Promise<RedisServer[]> {
  // A machine that stalls must not look like a lost node, except where a replica must take over soon.
  const timeout = replicas > 0 ? '1000' : '60000'
  const options = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf', '--cluster-node-timeout', timeout]
  // A replica may take over after a long time without its master, and synchronises without a delay.
  const fast = ['--cluster-replica-validity-factor', '0', '--repl-diskless-sync-delay', '0']
  const start = () => RedisServer.start(...options, ...fast)
  const nodes = await Promise.all(Array.from({ length: 3 + 3 * replicas }, start))
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', String(replicas), '--cluster-yes']
  await run('redis-cli', create)
  await eventually(() => {
    for (const node of nodes) {
      if (!node.cli('CLUSTER', 'INFO').includes('cluster_state:ok')) throw new Error('no cluster')
    }
  })
  const masters = nodes.filter((node) => node.cli('INFO', 'replication').includes('role:master'))
  await Promise.all(masters.map((master) => inStep(master, replicas)))
  return nodes
}

/** Returns the path of one of PostgreSQL's server programs, on Debian and other systems. */
function postgresProgram(name: string): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.map((version) => join(debian, version, 'bin', name)).find((path) => existsSync(path))
  return found ?? name
}

export function postgresIsInstalled(): boolean {
  try {
    execFileSync(postgresProgram('initdb'), ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export class PostgresServer {
  readonly folder = temporaryFolder()
  /** Environment variables of the server, from its next start. */
  env: NodeJS.ProcessEnv = {}

  private constructor(
    readonly port: number,
    readonly settings: readonly string[],
  ) {}

  /** @param settings - settings of postgresql.conf, such as `max_connections=10`. */
  static async start(...settings: string[]): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), settings)
    chmodSync(server.folder, 0o777)
    const empty = await prepared('postgresql', (folder) => {
      const options = ['-U', 'test', '-A', 'trust', '-N', '--no-locale', '-E', 'UTF8']
      return server.#run('initdb', '-D', join(folder, 'data'), ...options)
    })
    await run('cp', ['-a', join(empty, 'data'), server.folder])
    await server.restart()
    return server
  }

  get #data(): string {
    return join(this.folder, 'data')
  }

  get url(): string {
    return `postgres://test@127.0.0.1:${this.port}/postgres`
  }

  /** Makes a user need a password. */
  async requirePassword(user: string): Promise<void> {
    await this.#addRule(`host all ${user} all scram-sha-256`)
  }

  /** Puts a rule before the others of pg_hba.conf. */
  async #addRule(rule: string): Promise<void> {
    const path = join(this.#data, 'pg_hba.conf')
    writeFileSync(path, `${rule}\n${readFileSync(path, 'utf8')}`)
    await this.sql('SELECT pg_reload_conf()')
  }

  async restart(): Promise<void> {
    const options = [
      `-p ${this.port}`,
      '-h 127.0.0.1',
      `-k ${this.folder}`,
      ...this.settings.map((setting) => `-c ${setting}`),
    ]
    await this.#run('pg_ctl', 'start', '-w', '-D', this.#data, '-l', join(this.folder, 'log'), '-o', options.join(' '))
  }

  async kill(): Promise<void> {
    await this.#run('pg_ctl', 'stop', '-m', 'immediate', '-D', this.#data)
  }

  /** How many statements the server has cancelled. */
  get cancelled(): number {
    return readFileSync(join(this.folder, 'log'), 'utf8').split('canceling statement due to user request').length - 1
  }

  get pid(): number {
    return Number.parseInt(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8'), 10)
  }

  /** The process identifiers of the server and of all its sessions. */
  async #pids(): Promise<number[]> {
    const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(this.pid)])
    return [this.pid, ...stdout.trim().split(/\s+/).map(Number)]
  }

  /** Sends a signal to the server and to all its sessions, such as SIGSTOP. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    for (const pid of await this.#pids()) {
      try {
        process.kill(pid, signal)
      } catch {
        // The session has just ended.
      }
    }
  }

  /** Sets how large a file the server and its sessions may write: a number of bytes, or `unlimited`. */
  async limitFileSize(bytes: string): Promise<void> {
    // Twice: a session may start meanwhile.
    for (let round = 0; round < 2; round++) {
      for (const pid of await this.#pids()) {
        await this.#run('prlimit', '--pid', String(pid), `--fsize=${bytes}:`).catch(() => {})
      }
    }
  }

  /** Opens a session. */
  async connect(applicationName = 'test'): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, application_name: applicationName })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  /** Runs one or more statements with psql, even while new sessions are read-only. */
  async sql(text: string): Promise<string> {
    const { stdout } = await run('psql', ['-qAtX', '-c', text, this.url])
    return stdout.trim()
  }

  /** Starts a standby that replicates this server. */
  async startStandby(): Promise<PostgresServer> {
    const standby = new PostgresServer(await freePort(), ['hot_standby=on'])
    chmodSync(standby.folder, 0o777)
    await standby.#run('pg_basebackup', '-D', standby.#data, '-R', '-c', 'fast', '-d', this.url)
    await standby.restart()
    return standby
  }

  /** Waits until this standby has all that its primary has logged, and makes it a primary. */
  async takeOver(primary: PostgresServer): Promise<void> {
    const position = await primary.sql('SELECT pg_current_wal_lsn()')
    await eventually(async () => {
      const isEqual = await this.sql(`SELECT pg_last_wal_replay_lsn() >= '${position}'`)
      if (isEqual !== 't') throw new Error('the standby is behind')
    })
    await this.sql('SELECT pg_promote()')
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Runs a server program. They refuse to run as root, so this uses the user of Debian's package. */
  async #run(program: string, ...args: string[]): Promise<void> {
    // As arguments of env, so that they apply to the server only, and not to setpriv.
    const env = Object.entries(this.env).map(([name, value]) => `${name}=${value}`)
    const command = ['env', ...env, postgresProgram(program), ...args]
    const [file = '', ...rest] =
      userInfo().uid === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command] : command
    const child = spawn(file, rest, { stdio: 'ignore', cwd: this.folder })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`${program} ended with ${code}`)
  }
}

/** Forwards TCP connections to a port, and can cut them. */
export class TcpProxy {
  /**
   * Decides for each chunk from the server: pass it on, hold it back, or cut the connection. `before` is the number of chunks that
   * came before it on the same connection.
   */
  onReply: (before: number) => 'pass' | 'hold' | 'cut' = () => 'pass'
  /** Is called with each chunk from a client. `before` is the number of chunks that came before it on the same connection. */
  onRequest: (chunk: Buffer, before: number) => void = () => {}
  /** The delay of each chunk from a client, in milliseconds. The chunks of a connection stay in order. */
  delay = 0
  /** The number of chunks from clients that came on a dropped connection. */
  dropped = 0
  readonly #server
  #port = 0
  /** The open connections, and what cuts each. */
  readonly #live = new Map<Socket, () => void>()

  /** @param target - the port to forward new connections to. */
  private constructor(public target: number) {
    this.#server = createServer((client) => {
      const server = connect(this.target, '127.0.0.1')
      const cut = () => {
        this.#live.delete(client)
        client.destroy()
        server.destroy()
      }
      this.#live.set(client, cut)
      const end = () => {
        if (this.#live.has(client)) cut()
      }
      let lastChunk = Promise.resolve()
      let requests = 0
      client
        .on('error', end)
        .on('close', end)
        .on('data', (chunk) => {
          this.onRequest(chunk, requests++)
          if (!this.#live.has(client)) {
            this.dropped++
            return
          }
          const isDue = this.delay === 0 ? undefined : sleep(this.delay)
          lastChunk = Promise.all([lastChunk, isDue]).then(() => void server.write(chunk))
        })
      let replies = 0
      server
        .on('error', end)
        .on('close', end)
        .on('data', (chunk) => {
          if (!this.#live.has(client)) return
          const decision = this.onReply(replies++)
          if (decision === 'pass') client.write(chunk)
          if (decision === 'cut') cut()
        })
    })
  }

  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target)
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening')
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('a proxy without a port')
    return address.port
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#live.size
  }

  cutConnections(): void {
    for (const cut of [...this.#live.values()]) cut()
  }

  /** Silently drops all data on the open connections, as a firewall does after it has forgotten them. */
  dropConnections(): void {
    this.#live.clear()
  }

  /** Silently drops all data on the oldest open connection. */
  dropOldestConnection(): void {
    for (const oldest of this.#live.keys()) {
      this.#live.delete(oldest)
      return
    }
  }

  /** Closes the open connections, and refuses new ones. */
  refuseConnections(): void {
    this.#port = this.port
    this.#server.close()
    this.cutConnections()
  }

  /** Takes connections again, after {@link TcpProxy.refuseConnections}. */
  async takeConnections(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening')
  }

  stop(): void {
    this.#server.close()
  }
}

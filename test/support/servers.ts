import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// Real servers, each on a free loopback port with its data in a folder of its own, started and stopped by the test.

/** A TCP port of the loopback interface that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('a server without a port')
  return address.port
}

/** Milliseconds that a test gives a server on a machine under load. The guide's clients wait for 1 s by default. */
export const LONG_TIMEOUT = 60_000

/** Tries until it works. Throws the last error after {@link LONG_TIMEOUT}. */
export async function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  for (const deadline = Date.now() + LONG_TIMEOUT; ; await sleep(25)) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'nonce-store-'))
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

export class RedisServer {
  readonly folder = temporaryFolder()
  #process: ChildProcess | undefined

  private constructor(
    readonly port: number,
    readonly options: readonly string[],
  ) {}

  /** @param options - of its command line, such as `--appendonly yes`. */
  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options)
    await server.restart()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** @param more - options for this time only. */
  spawn(...more: string[]): void {
    const fixed = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder, '--save', '']
    this.#process = spawn('redis-server', [...fixed, ...this.options, ...more], { stdio: 'ignore' })
  }

  async restart(): Promise<void> {
    this.spawn()
    await eventually(() => {
      if (this.cli('PING') !== 'PONG') throw new Error('redis-server does not answer')
    })
  }

  /** What redis-cli prints. */
  cli(...command: string[]): string {
    const output = execFileSync('redis-cli', ['-p', String(this.port), ...command], { encoding: 'utf8', stdio: 'pipe' })
    return output.trim()
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  async kill(): Promise<void> {
    if (this.#process !== undefined) await killed(this.#process)
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Three nodes, each a master of a third of the slots. */
export async function startRedisCluster(): Promise<RedisServer[]> {
  const start = () => RedisServer.start('--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf')
  const nodes = [await start(), await start(), await start()]
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], { stdio: 'pipe' })
  await eventually(() => {
    if (!nodes.every((node) => node.cli('CLUSTER', 'INFO').includes('cluster_state:ok'))) throw new Error('no cluster')
  })
  return nodes
}

/** Where Debian keeps PostgreSQL's server programs, and others do. */
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

  private constructor(
    readonly port: number,
    readonly settings: readonly string[],
  ) {}

  /** @param settings - as in postgresql.conf, such as `max_connections=10`. */
  static async start(...settings: string[]): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), settings)
    chmodSync(server.folder, 0o777)
    server.#run('initdb', '-D', server.#data, '-U', 'test', '-A', 'trust', '-N', '--no-locale', '-E', 'UTF8')
    server.restart()
    return server
  }

  get #data(): string {
    return join(this.folder, 'data')
  }

  get url(): string {
    return `postgres://test@127.0.0.1:${this.port}/postgres`
  }

  restart(): void {
    const options = [
      `-p ${this.port}`,
      '-h 127.0.0.1',
      `-k ${this.folder}`,
      ...this.settings.map((setting) => `-c ${setting}`),
    ]
    this.#run('pg_ctl', 'start', '-w', '-D', this.#data, '-l', join(this.folder, 'log'), '-o', options.join(' '))
  }

  kill(): void {
    this.#run('pg_ctl', 'stop', '-m', 'immediate', '-D', this.#data)
  }

  stop(): void {
    this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** The server's programs refuse to run as root; Debian's package has made a user for them. */
  #run(program: string, ...args: string[]): void {
    const command = [postgresProgram(program), ...args]
    const [file = '', ...rest] =
      userInfo().uid === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command] : command
    execFileSync(file, rest, { stdio: 'ignore', cwd: this.folder })
  }
}

/** Forwards TCP to a port, until it is told to cut the connection. */
export class TcpProxy {
  /** Asked for each chunk that a server sends back: pass it on, hold it back, or cut the connection. */
  onReply: () => 'pass' | 'hold' | 'cut' = () => 'pass'
  readonly #server

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const server = connect(target, '127.0.0.1')
      const cut = () => {
        client.destroy()
        server.destroy()
      }
      client
        .on('error', cut)
        .on('close', cut)
        .on('data', (chunk) => server.write(chunk))
      server
        .on('error', cut)
        .on('close', cut)
        .on('data', (chunk) => {
          const verdict = this.onReply()
          if (verdict === 'pass') client.write(chunk)
          if (verdict === 'cut') cut()
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

  stop(): void {
    this.#server.close()
  }
}

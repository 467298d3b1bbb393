import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, freePort, temporaryFolder } from './servers.js'

/** Debian installs the server in a folder that is only in the PATH of root. */
const SERVER = ['/usr/sbin/mariadbd', '/usr/libexec/mariadbd'].find((path) => existsSync(path)) ?? 'mariadbd'

export function mariadbIsInstalled(): boolean {
  try {
    execFileSync(SERVER, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A MariaDB server on a free loopback port, with its data in a temporary folder. */
export class MariaDbServer {
  readonly folder = temporaryFolder()
  #process: ChildProcess | undefined

  private constructor(
    readonly port: number,
    readonly options: readonly string[],
  ) {}

  /** @param options - options of its command line, such as `--binlog-format=ROW`. */
  static async start(...options: string[]): Promise<MariaDbServer> {
    const server = new MariaDbServer(await freePort(), options)
    chmodSync(server.folder, 0o777)
    const install = [
      '--no-defaults',
      '--user=mysql',
      `--datadir=${server.#data}`,
      '--auth-root-authentication-method=normal',
    ]
    execFileSync('mariadb-install-db', [...install, '--skip-test-db'], { stdio: 'ignore' })
    await server.restart()
    server.sql("CREATE DATABASE hooks; CREATE USER test@'127.0.0.1'; GRANT ALL ON hooks.* TO test@'127.0.0.1'")
    return server
  }

  get #data(): string {
    return join(this.folder, 'data')
  }

  get #socket(): string {
    return join(this.folder, 'socket')
  }

  get url(): string {
    return `mariadb://test@127.0.0.1:${this.port}/hooks`
  }

  async restart(): Promise<void> {
    const network = [
      '--bind-address=127.0.0.1',
      `--port=${this.port}`,
      `--socket=${this.#socket}`,
      '--skip-name-resolve',
    ]
    const fixed = ['--no-defaults', '--user=mysql', `--datadir=${this.#data}`, `--pid-file=${join(this.folder, 'pid')}`]
    this.#process = spawn(SERVER, [...fixed, ...network, ...this.options], { stdio: 'ignore' })
    await eventually(() => this.sql('SELECT 1'))
  }

  /** Runs statements as root and returns what the client prints, one row per line. */
  sql(statements: string, ...options: string[]): string {
    const client = ['--no-defaults', `--socket=${this.#socket}`, '-uroot', '--batch', '--skip-column-names', ...options]
    return execFileSync('mariadb', [...client, '-e', statements], { encoding: 'utf8', stdio: 'pipe' }).trim()
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
}

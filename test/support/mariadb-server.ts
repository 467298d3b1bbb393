import { execFile, execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { prepared } from './prepared.js'
import { eventually, freePort, LocalServer, temporaryFolder } from './servers.js'

const run = promisify(execFile)

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

/** Copies the data of a server without databases into a folder. */
async function copyEmptyData(to: string): Promise<void> {
  const empty = await prepared('mariadb', async (folder) => {
    const options = ['--no-defaults', '--user=mysql', `--datadir=${join(folder, 'data')}`]
    await run('mariadb-install-db', [...options, '--auth-root-authentication-method=normal', '--skip-test-db'], {
      env: environment(folder),
    })
  })
  await run('cp', ['-a', '--sparse=always', join(empty, 'data'), to])
}

/** A server that starts deletes all temporary tables in `TMPDIR`, also those of other servers. So each server has its own folder. */
function environment(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, TMPDIR: folder }
}

/** A MariaDB server on a free loopback port, with its data in a temporary folder. */
export class MariaDbServer extends LocalServer {
  #isMounted = false

  private constructor(
    folder: string,
    port: number,
    readonly options: readonly string[],
  ) {
    super(port, folder)
  }

  /** @param options - options of its command line, such as `--binlog-format=ROW`. */
  static async start(...options: string[]): Promise<MariaDbServer> {
    const folder = temporaryFolder()
    chmodSync(folder, 0o777)
    await copyEmptyData(folder)
    return MariaDbServer.#startIn(folder, options)
  }

  /**
   * Starts a server with its data on a disk of its own in memory. Only root may mount one.
   *
   * @param bytes - the size of the disk.
   */
  static async startOnSmallDisk(bytes: number): Promise<MariaDbServer> {
    const folder = temporaryFolder()
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=777`, 'tmpfs', folder])
    await copyEmptyData(folder)
    const server = await MariaDbServer.#startIn(folder, ['--innodb-log-file-size=4M'])
    server.#isMounted = true
    return server
  }

  static async #startIn(folder: string, options: readonly string[]): Promise<MariaDbServer> {
    const server = new MariaDbServer(folder, await freePort(), options)
    await server.restart()
    await server.sql("CREATE DATABASE hooks; CREATE USER test@'127.0.0.1'; GRANT ALL ON hooks.* TO test@'127.0.0.1'")
    return server
  }

  get #data(): string {
    return join(this.folder, 'data')
  }

  /** The path of its Unix socket. */
  get socket(): string {
    return join(this.folder, 'socket')
  }

  get url(): string {
    return `mariadb://test@127.0.0.1:${this.port}/hooks`
  }

  async restart(): Promise<void> {
    const network = [
      '--bind-address=127.0.0.1',
      `--port=${this.port}`,
      `--socket=${this.socket}`,
      '--skip-name-resolve',
    ]
    const fixed = ['--no-defaults', '--user=mysql', `--datadir=${this.#data}`, `--pid-file=${join(this.folder, 'pid')}`]
    this.launch(SERVER, [...fixed, ...network, ...this.options], environment(this.folder))
    await eventually(() => this.sql('SELECT 1'))
  }

  /** Runs statements as root and returns what the client prints, one row per line. */
  async sql(statements: string): Promise<string> {
    const client = ['--no-defaults', `--socket=${this.socket}`, '-uroot', '--batch', '--skip-column-names']
    const { stdout } = await run('mariadb', [...client, '-e', statements])
    return stdout.trim()
  }

  /** Becomes a replica of a server with a binary log. It gets all that the server logs from now on. */
  async follow(primary: MariaDbServer): Promise<void> {
    await primary.sql("GRANT REPLICATION SLAVE ON *.* TO test@'127.0.0.1'")
    const [file, position] = (await primary.sql('SHOW MASTER STATUS')).split('\t')
    await this.sql(`CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${primary.port}, MASTER_USER='test',
      MASTER_LOG_FILE='${file}', MASTER_LOG_POS=${position}; START SLAVE`)
  }

  /** Waits until this replica has all that its primary has logged, and ends the replication. */
  async takeOver(primary: MariaDbServer): Promise<void> {
    const [file, position] = (await primary.sql('SHOW MASTER STATUS')).split('\t')
    await this.sql(`DO MASTER_POS_WAIT('${file}', ${position}); STOP SLAVE`)
  }

  get #ballast(): string {
    return join(this.folder, 'ballast')
  }

  /** Uses up the disk of {@link MariaDbServer.startOnSmallDisk}. */
  fillDisk(): void {
    for (const bytes of [2 ** 20, 2 ** 12]) {
      try {
        for (;;) appendFileSync(this.#ballast, Buffer.alloc(bytes))
      } catch (error) {
        if (Object(error).code !== 'ENOSPC') throw error
      }
    }
  }

  freeDisk(): void {
    rmSync(this.#ballast)
  }

  override async stop(): Promise<void> {
    await this.kill()
    if (this.#isMounted) await run('umount', [this.folder])
    await super.stop()
  }
}

import { spawnSync } from 'node:child_process'
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isInstalled } from '../../support/programs.js'
import { temporaryFolder } from '../../support/servers.js'

/** A server whose clock can step. */
export interface ClockedServer {
  env: NodeJS.ProcessEnv
  readonly pid: number | undefined
  kill(): Promise<void>
  restart(): Promise<void>
}

/** The library that the program `faketime` loads into other programs. Empty without that program. */
const LIBRARY = spawnSync('faketime', ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).stdout?.trim()

export function clocksCanStep(): boolean {
  return isInstalled('faketime', Boolean(LIBRARY))
}

/** The clock of one server, which steps when the test says so. */
export class SteppedClock {
  readonly #folder = temporaryFolder()

  private constructor() {
    chmodSync(this.#folder, 0o755)
    this.step(0)
  }

  /** Restarts a server with a clock that can step. */
  static async of(server: ClockedServer): Promise<SteppedClock> {
    const clock = new SteppedClock()
    await server.kill()
    server.env = {
      FAKETIME_TIMESTAMP_FILE: join(clock.#folder, 'offset'),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // With the memory allocator of Debian's Redis the library hangs, so the one of libc comes first.
      LD_PRELOAD: `${LIBRARY} libc.so.6`,
    }
    await server.restart()
    // The library leaves these files behind if the server is killed. The library has opened them already, so they can
    // be removed now.
    for (const name of ['faketime_shm', 'sem.faketime_sem']) rmSync(`/dev/shm/${name}_${server.pid}`, { force: true })
    return clock
  }

  /** Sets the clock this number of seconds ahead of the machine's clock, or behind it if the number is negative. */
  step(seconds: number): void {
    const file = join(this.#folder, 'offset')
    writeFileSync(`${file}.new`, seconds < 0 ? String(seconds) : `+${seconds}`)
    renameSync(`${file}.new`, file)
  }

  stop(): void {
    rmSync(this.#folder, { recursive: true })
  }
}

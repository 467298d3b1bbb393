import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { SECRET } from './request.js'
import { eventually, freePort } from './servers.js'

/** A server in its own process, and everything that it prints. */
export class Server {
  output = ''
  readonly #process: ChildProcess

  private constructor(
    readonly port: number,
    [program = '', ...args]: readonly string[],
    cwd: string,
    env: Record<string, string>,
  ) {
    this.#process = spawn(program, args, {
      cwd,
      env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: SECRET, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // It has its own process group, so that its child processes are stopped too.
      detached: true,
    })
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        this.output += text
      })
    }
  }

  /** Starts a command that listens on the port in `PORT`, and waits until it listens. */
  static async start(command: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Server> {
    const server = new Server(await freePort(), command, cwd, env)
    await eventually(async () => {
      if (!server.isRunning) throw new Error(`${command.join(' ')} ended: ${server.output}`)
      await fetch(`http://127.0.0.1:${server.port}/`)
    })
    return server
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  async stop(): Promise<void> {
    if (!this.isRunning || this.#process.pid === undefined) return
    const exit = once(this.#process, 'exit')
    process.kill(-this.#process.pid, 'SIGKILL')
    await exit
  }
}

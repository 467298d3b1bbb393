import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sign } from '../../../src/index.js'
import { FULL } from '../packages/packages.js'

const PROGRAM = fileURLToPath(new URL('storm.ts', import.meta.url))

export interface SignedText {
  headers: object
  body: string
}

/** Signs an event again, as for each attempt. */
export function signed(id: string): SignedText {
  const body = JSON.stringify({ id })
  return { headers: sign(body, 'the secret of webhook 42'), body }
}

/** A process of the storm, which is started again when it was killed. */
export class Receiver {
  #child: ChildProcess | undefined
  #isReady = false
  readonly #waiting = new Map<number, (status: number | undefined) => void>()
  #number = 0

  constructor(
    readonly args: readonly string[],
    readonly env: NodeJS.ProcessEnv = process.env,
  ) {}

  get pid(): number | undefined {
    return this.#child?.pid
  }

  async start(): Promise<void> {
    const child = fork(PROGRAM, this.args, {
      env: this.env,
      // tsx is installed there.
      cwd: FULL,
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child = child
    await once(child, 'message')
    this.#isReady = true
    child.on('message', ({ number, status }: { number: number; status: number }) => this.#settle(number, status))
    child.on('error', () => {})
  }

  /** Resolves to the status, or to `undefined` if there was no response. */
  send(request: SignedText): Promise<number | undefined> {
    if (!this.#isReady) return sleep(50).then(() => undefined)
    const number = this.#number++
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve)
      this.#child?.send({ number, ...request }, (error) => error && this.#settle(number, undefined))
      setTimeout(() => this.#settle(number, undefined), 5000)
    })
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  async kill(): Promise<void> {
    this.#isReady = false
    const child = this.#child
    child?.kill('SIGKILL')
    if (child !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    for (const number of [...this.#waiting.keys()]) this.#settle(number, undefined)
  }

  #settle(number: number, status: number | undefined): void {
    this.#waiting.get(number)?.(status)
    this.#waiting.delete(number)
  }
}

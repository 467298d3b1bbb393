import { PassThrough, Readable } from 'node:stream'
import type { Terminal } from '../../src/cli/input/terminal.js'
import { run } from '../../src/cli/run.js'
import { SECRET, TestClock } from '../support/request.js'

export interface Called {
  exitCode: number
  stdout: Buffer
  /** `stdout` as text. */
  text: string
  stderr: string
  /** `stderr` in one line, wherever its lines were broken. */
  said: string
}

export interface Around {
  stdin?: string | Uint8Array | Readable
  isTTY?: boolean
  env?: Record<string, string>
  clock?: TestClock
  terminal?: Terminal
}

/** Calls the command line in this process. `WEBHOOK_SECRET` is set, and the clock stands, unless it is said otherwise. */
export async function call(args: readonly string[], around: Around = {}): Promise<Called> {
  const { stdin = '', isTTY = false, env = { WEBHOOK_SECRET: SECRET }, clock = new TestClock(), terminal } = around
  const [stdout, stderr] = [collector(isTTY), collector(isTTY)]
  const exitCode = await run(args, {
    stdin: Object.assign(stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin)]), { isTTY }),
    stdout,
    stderr,
    env,
    clock,
    openTerminal: () => terminal,
  })
  const bytes = Buffer.concat(stdout.chunks)
  const errors = Buffer.concat(stderr.chunks).toString('utf8')
  const said = errors.replaceAll(/\s+/g, ' ').trim()
  return { exitCode, stdout: bytes, text: bytes.toString('utf8'), stderr: errors, said }
}

function collector(isTTY: boolean) {
  const chunks: Buffer[] = []
  const stream = new PassThrough()
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return Object.assign(stream, { isTTY, chunks })
}

export const FROM_ENV = ['--secret-env', 'WEBHOOK_SECRET']

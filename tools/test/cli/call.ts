import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { ROOT } from '../../../test/support/built.js'
import { SECRET, signedRequest, TestClock } from '../../../test/support/request.js'
import type { Terminal } from '../../src/cli/command.js'
import { run } from '../../src/cli/run.js'

export interface Called {
  exitCode: number
  stdout: Buffer
  /** `stdout` as text. */
  text: string
  stderr: string
  /** `stderr` as one line. */
  said: string
}

export interface Around {
  stdin?: string | Uint8Array | Readable
  isTTY?: boolean
  /** The width of the terminal. */
  columns?: number
  env?: Record<string, string | undefined>
  clock?: TestClock
  terminal?: Terminal
  /** Resolves when the user presses Ctrl+C. */
  interrupted?: Promise<void>
  /** The folder of the package. */
  packageFolder?: string
}

/** Runs a command line in this process. By default `WEBHOOK_SECRET` is set, and the clock does not move. */
export async function call(args: readonly string[], around: Around = {}): Promise<Called> {
  const {
    stdin = '',
    isTTY = false,
    columns,
    env = { WEBHOOK_SECRET: SECRET },
    clock = new TestClock(),
    terminal,
    interrupted = Promise.resolve(),
    packageFolder = ROOT,
  } = around
  const [stdout, stderr] = [collector(isTTY, columns), collector(isTTY, columns)]
  const exitCode = await run(args, {
    stdin: Object.assign(stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin)]), { isTTY }),
    stdout,
    stderr,
    env,
    clock,
    untilInterrupted: () => interrupted,
    openTerminal: () => terminal,
    pathInPackage: (file) => join(packageFolder, file),
  })
  const bytes = Buffer.concat(stdout.chunks)
  const errors = Buffer.concat(stderr.chunks).toString('utf8')
  const said = errors.replaceAll(/\s+/g, ' ').trim()
  return { exitCode, stdout: bytes, text: bytes.toString('utf8'), stderr: errors, said }
}

function collector(isTTY: boolean, columns: number | undefined) {
  const chunks: Buffer[] = []
  const stream = new PassThrough()
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  const width = columns === undefined ? {} : { columns }
  return Object.assign(stream, { hasColors: () => isTTY, isTTY, chunks, ...width })
}

export const FROM_ENV = ['--secret-env', 'WEBHOOK_SECRET']

/** Returns the capture of a request that is valid unless `parts` say otherwise. */
export function capture(body: string | Buffer, parts: Parameters<typeof signedRequest>[0] = {}): Buffer {
  const { headers } = signedRequest({ body, ...parts })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = Buffer.from(body).length
  const head = `POST /hooks/42 HTTP/1.1\r\n${lines.join('')}Content-Length: ${length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)])
}

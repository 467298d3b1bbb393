import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { vi } from 'vitest'
import { pathInPackage } from '../../src/cli/command.js'
import type * as source from '../../src/cli/listen/report.js'
import { run } from '../../src/cli/run.js'
import { PROGRAM } from './program.js'

/** A secret of 32 random bytes, because a weaker one adds a note to the output. */
export const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'

/** A running `listen`. */
export interface Listener {
  readonly port: number
  readonly origin: string
  /** Everything printed on stdout so far. */
  stdout(): string
  stderr(): string
  /** The reports so far, with `--json`. */
  reports(): Report[]
  /** Waits for this number of reports. */
  waitFor(count: number): Promise<Report[]>
  /** Presses Ctrl+C. Returns the exit code. */
  interrupt(): Promise<number | null>
  /** The exit code, when the command has ended. */
  readonly exitCode: Promise<number | null>
}

/** A line of the output with `--json`. */
type Report = Omit<source.Report, 'time'> & { readonly time: string }

/**
 * @param secretArgs - where the secret comes from.
 * @param packageFolder - the folder of the package, for the command in this process.
 */
export type StartListener = (
  args: readonly string[],
  env?: Record<string, string>,
  secretArgs?: readonly string[],
  packageFolder?: string,
) => Promise<Listener>

/** Less than the limit of a test, so that a test says what it waited for. */
const PATIENCE = { timeout: 50_000, interval: 25 }

const ARGS = ['listen', '--port', '0']
const SECRET_ARGS = ['--secret-env', 'WEBHOOK_SECRET']

/** Runs the command as a program. */
export const startProcess: StartListener = async (args, env = {}, secretArgs = SECRET_ARGS) => {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env
  const child = spawn(process.execPath, [PROGRAM, ...ARGS, ...secretArgs, ...args], {
    env: { ...inherited, WEBHOOK_SECRET: SECRET, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exitCode = once(child, 'close').then(([code]) => code)
  return listener(child.stdout, child.stderr, exitCode, () => child.kill('SIGINT'))
}

/** Runs the command in this process. */
export const startInProcess: StartListener = async (args, env = {}, secretArgs = SECRET_ARGS, packageFolder) => {
  const [stdout, stderr, pressed] = [new PassThrough(), new PassThrough(), new AbortController()]
  const interrupted = once(pressed.signal, 'abort').then(() => {})
  const exitCode = run([...ARGS, ...secretArgs, ...args], {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: { WEBHOOK_SECRET: SECRET, ...env },
    clock: Date,
    untilInterrupted: () => interrupted,
    openTerminal: () => undefined,
    pathInPackage: (file) => (packageFolder === undefined ? pathInPackage(file) : join(packageFolder, file)),
  })
  return listener(stdout, stderr, exitCode, () => pressed.abort())
}

async function listener(
  stdout: Readable,
  stderr: Readable,
  exitCode: Promise<number | null>,
  press: () => unknown,
): Promise<Listener> {
  let [printed, errors] = ['', '']
  stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
  })
  stderr.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  const port = await vi.waitFor(() => {
    const [, found] = /http:\/\/[^\s"]+?:(\d+)/.exec(printed) ?? []
    if (found === undefined) throw new Error(`no address in ${printed}${errors}`)
    return Number(found)
  }, PATIENCE)
  const reports = () => {
    const lines = printed.split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line)).filter((line) => 'method' in line)
  }
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    stdout: () => printed,
    stderr: () => errors,
    reports,
    waitFor: (count) =>
      vi.waitFor(() => {
        const now = reports()
        if (now.length < count) throw new Error(`listen has printed ${now.length} reports, not ${count}: ${printed}`)
        return now
      }, PATIENCE),
    exitCode,
    interrupt() {
      press()
      return exitCode
    },
  }
}

import { closeSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ReadStream, WriteStream } from 'node:tty'
import { describeInvisible, describeSpaceAround } from '../../diagnose/text.js'
import {
  type Call,
  type Context,
  findNearest,
  Interrupted,
  type Options,
  type StandardStreams,
  UsageError,
} from '../command.js'
import { readInput } from './read-input.js'

/** The options that name the source of the secret. */
export const SECRET_OPTIONS = {
  'secret-env': {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'reads the secret from the environment variable NAME.\nWithout this and --secret-file, a prompt asks for the secret',
  },
  'secret-file': {
    type: 'string',
    multiple: true,
    value: 'PATH',
    help: 'reads the secret from a file, or from standard input for -.\nOne line end at its end is ignored',
  },
} as const satisfies Options

/** A secret has about 40 characters. A larger file is the wrong file. */
const MAX_SECRET_BYTES = 64 * 2 ** 10

export interface NamedSecret {
  readonly secret: string
  /** Its source, for messages: `--secret-env WEBHOOK_SECRET`. */
  readonly name: string
}

/** Returns the secrets of a call, at least one. Asks at the terminal if the call names no source. */
export async function readSecrets({ values }: SecretCall, context: Context): Promise<readonly NamedSecret[]> {
  const { 'secret-env': variables = [], 'secret-file': paths = [] } = values
  const count = variables.length + paths.length
  if (count === 0) return [{ secret: await askForSecret(context), name: 'the terminal' }]
  const secrets: NamedSecret[] = []
  const sourceOf = (option: string) => (count === 1 ? option : `${option} (secret ${secrets.length + 1} of ${count})`)
  for (const name of variables) {
    const secret = readEnvironment(name, context.env, sourceOf('--secret-env'))
    secrets.push({ secret, name: `--secret-env ${name}` })
  }
  for (const path of paths) {
    const secret = await readSecretFile(path, context, sourceOf('--secret-file'))
    secrets.push({ secret, name: `--secret-file ${path}` })
  }
  return secrets
}

type SecretCall = Pick<Call<typeof SECRET_OPTIONS>, 'values'>

/** Returns the one secret to sign with. */
export async function readSecret(call: SecretCall, context: Context): Promise<NamedSecret> {
  const [one, ...others] = await readSecrets(call, context)
  if (one === undefined || others.length > 0) throw new UsageError('A request has one signature. Pass one secret.')
  return one
}

/** Returns a note on a secret that looks wrong. The secret is used unchanged, because it may be right. */
export function secretNotes({ secret, name }: NamedSecret): readonly string[] {
  const around = describeSpaceAround(secret)
  if (around !== '') return [`${name} has white space around it, which is part of the key: ${around}`]
  const invisible = describeInvisible(secret)
  if (invisible !== '') return [`${name} has invisible characters, which are part of the key: ${invisible}`]
  if (/^(["']).*\1$/s.test(secret)) return [`${name} is in quotes, which are part of the key`]
  return []
}

/** Only these variables are suggested. Otherwise NODE would be suggested for NOPE. */
const SECRET_VARIABLE = /secret|key|token|hook|sign/i

function readEnvironment(name: string, env: Context['env'], source: string): string {
  const secret = Object.hasOwn(env, name) ? env[name] : undefined
  if (secret === undefined) {
    const near = findNearest(
      name,
      Object.keys(env).filter((one) => SECRET_VARIABLE.test(one)),
    )
    // The name is not shown: with `--secret-env $NAME` it is the secret.
    throw new UsageError(
      `The environment variable of ${source} is not set. ${near === undefined ? '' : `Did you mean ${near}? `}` +
        'Export it, and pass its name without $: --secret-env WEBHOOK_SECRET',
    )
  }
  if (secret === '') throw new UsageError(`The environment variable of ${source} is empty. Set it to the secret.`)
  return secret
}

async function readSecretFile(path: string, context: Context, source: string): Promise<string> {
  const bytes = await readInput(path, `the secret of ${source}`, context, MAX_SECRET_BYTES)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UsageError(`The file of ${source} is not UTF-8 text. Save the secret as UTF-8.`)
  }
  if (text.startsWith('\uFEFF')) {
    throw new UsageError(
      `The file of ${source} begins with a byte order mark, which would be part of the key. Save it without one.`,
    )
  }
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new UsageError(`The file of ${source} is empty. Write the secret to it.`)
  return secret
}

/** A terminal to ask at. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  close(): void
}

/** Opens the terminal of the process, even if stdin and stdout are files. CI and cron have none. */
export function openTerminal({ stdin, stderr }: StandardStreams, path = '/dev/tty'): Terminal | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r+')
    const [input, output] = [new ReadStream(descriptor), new WriteStream(descriptor)]
    return { input, output, close: () => input.destroy() }
  } catch {
    if (descriptor !== undefined) closeSync(descriptor)
  }
  // Windows has no /dev/tty.
  return stdin.isTTY ? { input: stdin, output: stderr, close: () => stdin.pause() } : undefined
}

async function askForSecret(context: Context): Promise<string> {
  const terminal = context.openTerminal(context)
  if (terminal === undefined) {
    throw new UsageError(
      `Missing secret, and there is no terminal to ask for it. Pass --secret-env NAME or --secret-file PATH.${
        context.env['WEBHOOK_SECRET'] ? ' WEBHOOK_SECRET is set: try --secret-env WEBHOOK_SECRET.' : ''
      }`,
    )
  }
  const secret = await readHiddenLine('Signing secret of the webhook (it is not shown): ', terminal)
  if (secret === '') throw new UsageError('No secret was typed.')
  return secret
}

/** Reads a line at a terminal without showing what is typed. */
function readHiddenLine(question: string, terminal: Terminal): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: terminal.input, output: nowhere, terminal: true, historySize: 0 })
  terminal.output.write(question)
  return new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('SIGINT', () => reject(new Interrupted()))
    // Ctrl+D, or the terminal is gone.
    lines.once('close', () => reject(new UsageError('No secret was typed.')))
  }).finally(() => {
    lines.close()
    terminal.output.write('\n')
    terminal.close()
  })
}

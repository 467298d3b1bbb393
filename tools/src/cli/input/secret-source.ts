import { openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ReadStream, WriteStream } from 'node:tty'
import { splitSecret } from '../../../../src/standard-webhooks/secret-text.js'
import { isGuessable } from '../../secret-strength.js'
import { describeOddSpace } from '../../text.js'
import { type Call, type Context, Interrupted, type Options, quote, type Terminal, UsageError } from '../command.js'
import { readInput } from './read-input.js'

export const SECRET_OPTIONS = {
  'secret-env': {
    value: 'NAME',
    kind: 'several',
    help: 'reads the secret from the environment variable NAME.\nWithout this and --secret-file, a prompt asks for the secret',
  },
  'secret-file': {
    value: 'PATH',
    kind: 'several',
    help: 'reads the secret from a file, or from standard input for -.\nOne newline at the end of the file is ignored',
  },
} as const satisfies Options

type SecretCall = Pick<Call<typeof SECRET_OPTIONS>, 'values'>

export interface Secrets {
  /** The texts as given. */
  readonly texts: readonly string[]
  /** The secrets in these texts. A text such as `v1,whsec_A|v1,whsec_B` has two. */
  readonly secrets: readonly string[]
  /** Where each secret comes from, in the same order: `--secret-env WEBHOOK_SECRET`. */
  readonly names: readonly string[]
  /** Remarks on secrets that look wrong. Such a secret is still used unchanged, because it may be right. */
  readonly notes: readonly string[]
  /** Whether a newline was removed from the end of a file. Other programs may use this newline as part of the key. */
  readonly hasNewline: boolean
}

export async function loadSecrets({ values }: SecretCall, context: Context): Promise<Secrets> {
  const found: [name: string, secret: string][] = []
  const newlines: string[] = []
  for (const name of values['secret-env'] ?? []) found.push([`--secret-env ${name}`, readVariable(name, context)])
  for (const path of values['secret-file'] ?? []) {
    const file = await readInput(path, 'the secret of --secret-file', context)
    const text = decodeSecret(file, path)
    const name = `--secret-file ${path}`
    found.push([name, text.replace(NEWLINE, '')])
    if (NEWLINE.test(text)) newlines.push(`The file of ${name} ${ENDS_WITH_NEWLINE}`)
  }
  const [empty] = found.find(([, secret]) => secret === '') ?? []
  if (empty !== undefined) throw new UsageError(`The secret of ${empty} is empty. Set the secret, and try again.`)
  if (found.length === 0) found.push(['the terminal', await askForSecret(context)])
  const parts = found.flatMap(([name, secret]) => {
    const all = splitSecret(secret)
    return all.map((part, index) => [all.length === 1 ? name : `${name}, part ${index + 1}`, part] as const)
  })
  return {
    texts: found.map(([, text]) => text),
    secrets: parts.map(([, secret]) => secret),
    names: parts.map(([name]) => name),
    hasNewline: newlines.length > 0,
    notes: [...newlines, ...found.flatMap(([name, secret]) => noteOn(name, secret))],
  }
}

/** Reads the secret to sign with. Throws if there are several secrets. */
export async function loadSecret(call: SecretCall, context: Context): Promise<Secrets & { readonly secret: string }> {
  const loaded = await loadSecrets(call, context)
  const [secret, ...others] = loaded.texts
  if (secret === undefined || others.length > 0)
    throw new UsageError('A request has only one signature. Pass one secret.')
  return { ...loaded, secret }
}

/** Returns remarks on secrets that can be guessed. Such a secret is still used, because it may be the secret of the webhook. */
export function weaknessNotes({ secrets, names }: Pick<Secrets, 'secrets' | 'names'>): string[] {
  const weak = names.filter((_, index) => isGuessable(String(secrets[index])))
  return weak.map((name) => `The secret of ${name} ${GUESSABLE}`)
}

const GUESSABLE =
  'can be guessed, because it is short or made of words. One captured request is enough to test guesses. Use 32 random bytes: inbound-webhook-tools secret prints them.'

function noteOn(name: string, secret: string): string[] {
  const quotes = /^(["']).*\1$/s.test(secret) ? 'quotes around it' : ''
  // Node decodes the bytes of a variable that are not UTF-8 as U+FFFD.
  const lost = secret.includes('\ufffd') ? 'U+FFFD in place of bytes that are not UTF-8' : ''
  const oddity = describeOddSpace(secret) || quotes || lost
  return oddity === '' ? [] : [`The secret of ${name} has ${oddity}, which is part of the key.`]
}

const NEWLINE = /\r?\n$/

const ENDS_WITH_NEWLINE =
  'ends with a newline, which is not part of the key here. Code that reads the whole file uses another key. Remove the newline from the file, or let that code trim it.'

function readVariable(name: string, { env }: Context): string {
  const secret = Object.hasOwn(env, name) ? env[name] : undefined
  if (secret === undefined) {
    // With `--secret-env $NAME`, the shell passes the secret itself, so the message shows only a value that looks like a name.
    const shown = /^[A-Z]{2,}(_[A-Z]+)*$/.test(name) && name.length <= 40 ? ` ${name}` : ''
    throw new UsageError(
      `The environment variable${shown} of --secret-env is not set. Export the variable, and pass the name without $: --secret-env WEBHOOK_SECRET`,
    )
  }
  return secret
}

function decodeSecret(file: Buffer, path: string): string {
  try {
    // TextDecoder also removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    throw new UsageError(`The file${quote(path)} of --secret-file is not UTF-8 text. Save the secret as UTF-8.`)
  }
}

/** Returns the terminal of the user, even if stdin and stdout are files. Returns `undefined` if there is no terminal, for example in CI. */
export function openTerminal(
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
  path = '/dev/tty',
): Terminal | undefined {
  try {
    const descriptor = openSync(path, 'r+')
    const [input, output] = [new ReadStream(descriptor), new WriteStream(descriptor)]
    return { input, output, close: () => input.destroy() }
  } catch {
    // Windows has no /dev/tty.
    return stdin.isTTY ? { input: stdin, output: stderr, close: () => stdin.pause() } : undefined
  }
}

async function askForSecret(context: Context): Promise<string> {
  const terminal = context.openTerminal(context)
  if (terminal === undefined) {
    throw new UsageError(
      'Missing secret, and there is no terminal at which you could type the secret. Pass --secret-env NAME or --secret-file PATH.',
    )
  }
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: terminal.input, output: nowhere, terminal: true, historySize: 0 })
  terminal.output.write('Signing secret of the webhook (it is not shown): ')
  return new Promise<string>((resolve, reject) => {
    lines.once('line', (line) => (line === '' ? reject(new UsageError('No secret was typed.')) : resolve(line)))
    lines.once('SIGINT', () => reject(new Interrupted()))
    // The user pressed Ctrl+D, or the terminal was closed.
    lines.once('close', () => reject(new UsageError('No secret was typed.')))
  }).finally(() => {
    lines.close()
    terminal.output.write('\n')
    terminal.close()
  })
}

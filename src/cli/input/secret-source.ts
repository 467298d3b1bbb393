import { nearest } from '../../diagnose/nearest.js'
import { describeInvisible, describeSpaceAround } from '../../diagnose/text.js'
import type { Surroundings } from '../command.js'
import { UsageError } from '../usage-error.js'
import type { Options, Parsed } from './arguments.js'
import { askHidden } from './prompt.js'
import { readInput } from './read-input.js'

/** The options that say where the secret is. */
export const SECRET_OPTIONS = {
  'secret-env': {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'the secret is in the environment variable NAME; if neither this nor\n--secret-file is given, it is asked for',
  },
  'secret-file': {
    type: 'string',
    multiple: true,
    value: 'PATH',
    help: 'the secret is in a file, or for - comes from standard input;\none newline at its end is left out',
  },
} as const satisfies Options

/** A secret is text of some 40 characters: what is larger is another file. */
const MOST_SECRET_BYTES = 64 * 2 ** 10

/** A secret, and in what words to speak of it. */
export interface NamedSecret {
  readonly secret: string
  readonly name: string
}

/**
 * The secrets of a call, in its order; at least one. Where it names none, somebody at the terminal is asked.
 *
 * @param inputs - the other inputs of the call, so that standard input is not read twice.
 */
export async function readSecrets(
  { inOrder }: Pick<Parsed<typeof SECRET_OPTIONS>, 'inOrder'>,
  surroundings: Surroundings,
  inputs: readonly (string | undefined)[],
): Promise<readonly NamedSecret[]> {
  const sources = inOrder.filter(({ name }) => name in SECRET_OPTIONS)
  if (sources.length === 0) return [{ secret: await ask(surroundings), name: 'the terminal' }]
  const fromStdin = [...sources.map(({ value }) => value), ...inputs].filter((path) => path === '-')
  if (fromStdin.length > 1) {
    throw new UsageError(
      'standard input can be read once: it is either the secret (--secret-file -) or the other input',
    )
  }

  const secrets: NamedSecret[] = []
  for (const [index, { name, value }] of sources.entries()) {
    const place = sources.length === 1 ? '' : ` (secret ${index + 1} of ${sources.length})`
    const secret =
      name === 'secret-env'
        ? fromEnvironment(value, surroundings.env, place)
        : await fromFile(value, surroundings, place)
    secrets.push({ secret, name: `--${name} ${value}` })
  }
  return secrets
}

/** The secret to sign with: there is one. */
export async function readSecret(
  parsed: Pick<Parsed<typeof SECRET_OPTIONS>, 'inOrder'>,
  surroundings: Surroundings,
  inputs: readonly (string | undefined)[],
): Promise<NamedSecret> {
  const [one, ...others] = await readSecrets(parsed, surroundings, inputs)
  if (one === undefined || others.length > 0) throw new UsageError('a request is signed with one secret: name one')
  return one
}

/**
 * A word on what is odd about a secret but may be meant: it is used as it is.
 */
export function oddities({ secret, name }: NamedSecret): readonly string[] {
  const around = describeSpaceAround(secret)
  if (around !== '') return [`${name} has white space around it, which is part of the key: ${around}`]
  const unseen = describeInvisible(secret)
  if (unseen !== '') return [`${name} holds what is not seen, and is part of the key: ${unseen}`]
  if (/^(["']).*\1$/s.test(secret)) return [`${name} stands in quotes, which are part of the key`]
  return []
}

/** The variables that are suggested: by the others, NODE would be suggested for NOPE. */
const LIKE_SECRET = /secret|key|token|hook|sign/i

/** What is not set is not shown either: who writes `--secret-env $NAME` has passed the secret itself. */
function fromEnvironment(name: string, env: Surroundings['env'], place: string): string {
  const secret = Object.hasOwn(env, name) ? env[name] : undefined
  if (secret === undefined) {
    const near = nearest(
      name,
      Object.keys(env).filter((one) => LIKE_SECRET.test(one)),
    )
    throw new UsageError(
      `the environment variable of --secret-env${place} is not set. ${near === undefined ? '' : `Did you mean ${near}? `}` +
        'Pass its name, not its value (--secret-env WEBHOOK_SECRET, without $), and export it',
    )
  }
  if (secret === '') throw new UsageError(`the environment variable of --secret-env${place} is empty: set it`)
  return secret
}

async function fromFile(path: string, surroundings: Surroundings, place: string): Promise<string> {
  const bytes = await readInput(path, `the secret${place}`, surroundings, {
    mostBytes: MOST_SECRET_BYTES,
    source: 'the file of --secret-file, which takes a path, never the secret itself',
  })
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UsageError(`the file of --secret-file${place} is not UTF-8 text: save the secret as plain UTF-8`)
  }
  if (text.startsWith('\uFEFF')) {
    throw new UsageError(
      `the file of --secret-file${place} begins with a byte order mark, which would become part of the key: save it as UTF-8 without one`,
    )
  }
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new UsageError(`the file of --secret-file${place} is empty: write the secret into it`)
  return secret
}

async function ask(surroundings: Surroundings): Promise<string> {
  const terminal = surroundings.openTerminal(surroundings)
  if (terminal === undefined) {
    const usual = surroundings.env['WEBHOOK_SECRET']
      ? ' WEBHOOK_SECRET is set: --secret-env WEBHOOK_SECRET uses it.'
      : ''
    throw new UsageError(
      `no secret: pass --secret-env NAME or --secret-file PATH. There is no terminal to ask for it at.${usual}`,
    )
  }
  const secret = await askHidden('Signing secret of the webhook (it is not shown): ', terminal)
  if (secret === '') throw new UsageError('no secret was typed')
  return secret
}

import type { Readable, Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { closest, distance } from 'fastest-levenshtein'
import type { Clock } from '../clock.js'
import type { Terminal } from './input/secret-source.js'
import { type Style, wrapText } from './output/layout.js'

export type Output = Writable & { readonly isTTY?: boolean | undefined }

export interface StandardStreams {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  readonly stdout: Output
  readonly stderr: Output
}

/** What a command uses of its process. */
export interface Context extends StandardStreams {
  readonly env: { readonly [name: string]: string | undefined }
  readonly clock: Clock
  /** Returns the terminal of the user, or `undefined` if there is none. */
  openTerminal(streams: StandardStreams): Terminal | undefined
}

/** 0 genuine, accepted or done. 1 not genuine or not accepted. 2 error. 130 Ctrl+C at the prompt. */
export type ExitCode = 0 | 1 | 2 | 130

/** What a command prints, and its exit code. */
export interface Outcome {
  readonly exitCode: ExitCode
  /** For stdout: text, or bytes that must stay unchanged. */
  readonly text: string | readonly Uint8Array[]
  /** For stdout with `--json`, instead of `text`. */
  readonly document: object
  /** Remarks for stderr. With `--json`, they are in `document`. */
  readonly notes?: readonly string[]
}

/** A wrong call, or an input that cannot be read. The message says what to do. It never repeats an argument. */
export class UsageError extends Error {}

/** The user pressed Ctrl+C at the prompt. */
export class Interrupted extends Error {}

/** Returns the code of a system error, such as `ENOENT`. */
export function errorCode(error: unknown): string {
  return String(Object(error).code)
}

/** An option, as `parseArgs` takes it and as the help shows it. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** Whether it may be given several times. */
  readonly multiple?: boolean
  /** The placeholder for its value in the help. */
  readonly value?: string
  readonly help: string
}

export type Options = { readonly [name: string]: Option }

type ValueOf<O extends Option> = O['type'] extends 'boolean' ? boolean : O['multiple'] extends true ? string[] : string

/** The options and operands of a call. An option that was not given is absent. */
export interface Call<O extends Options> {
  readonly values: { readonly [name in keyof O]?: ValueOf<O[name]> }
  readonly operands: readonly string[]
}

/** A command of the command line. */
export interface Command<O extends Options = Options> {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** The operands as the help shows them: `[file|-]`. */
  readonly operands: string
  readonly maxOperands: number
  readonly options: O
  /** Paragraphs below the options in the help. */
  readonly notes: readonly string[]
  run(call: Call<O & typeof COMMON_OPTIONS>, context: Context, style: Style): Promise<Outcome>
}

const COMMON_OPTIONS = {
  json: { type: 'boolean', help: 'prints one JSON document on stdout, and errors as JSON on stderr' },
  help: { type: 'boolean', help: 'shows this help' },
} as const satisfies Options

/** Returns a command unchanged. Its options give `run` the types of their values. */
export function defineCommand<O extends Options>(command: Command<O>): Command<O> {
  return command
}

const HELP_COLUMN = 26

export function helpText({ name, summary, operands, options, notes }: Command): string {
  const usage = ['inbound-webhook-auth', name, operands, '[options]'].filter((word) => word !== '').join(' ')
  const lines = Object.entries({ ...options, ...COMMON_OPTIONS }).map(([option, { value, help }]: [string, Option]) => {
    const left = `  --${option}${value === undefined ? '' : ` ${value}`}`.padEnd(HELP_COLUMN)
    return wrapText(help, ' '.repeat(HELP_COLUMN), left)
  })
  const paragraphs = [`Usage: ${usage}`, summary, lines.join('\n'), ...notes.map((note) => wrapText(note))]
  return `${paragraphs.join('\n\n')}\n`
}

export function parseCall(args: readonly string[], command: Command): Call<Options> {
  const { name: commandName, maxOperands } = command
  const options: Options = { ...command.options, ...COMMON_OPTIONS }
  // Messages of the strict mode would repeat arguments, and one of them may be a secret.
  const { tokens, values, positionals } = parseArgs({ args, options, strict: false, tokens: true })
  const given = tokens.filter((token) => token.kind === 'option')
  for (const [index, { name, rawName, value, inlineValue }] of given.entries()) {
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option === undefined) throw unknownOption(name, rawName, commandName, options)
    if (option.type === 'boolean') {
      if (value !== undefined) throw new UsageError(`--${name} takes no value.`)
      continue
    }
    const usage = `--${name} ${option.value}`
    if (value === undefined) throw new UsageError(`--${name} needs a value: ${usage}`)
    // The value of this option was probably forgotten, and this is the next option.
    if (!inlineValue && value !== '-' && value.startsWith('-')) {
      throw new UsageError(
        `--${name} is followed by a dash. Pass ${usage}, or --${name}=${option.value} if the value begins with a dash.`,
      )
    }
    if (!option.multiple && given.findIndex((one) => one.name === name) !== index) {
      throw new UsageError(`--${name} is given twice. Pass it once.`)
    }
  }
  if (positionals.length > maxOperands) {
    throw new UsageError(
      `Too many arguments: ${commandName} takes at most ${maxOperands}, but got ${positionals.length}.${
        'secret-env' in options ? ' A secret is never an argument: pass --secret-env NAME or --secret-file PATH.' : ''
      } See inbound-webhook-auth ${commandName} --help`,
    )
  }
  // The loop above checked what the type says.
  return { values: values as Call<Options>['values'], operands: positionals }
}

function unknownOption(name: string, rawName: string, command: string, options: Options): UsageError {
  const names = Object.keys(options)
  const near = findNearest(name, names) ?? (name.length > 1 ? names.find((one) => one.startsWith(name)) : undefined)
  // `--secret` is probably followed by the secret itself, although it is the beginning of an option.
  if (/^(s|k|p|secrets?|key|password|token)$/.test(name) || (near === undefined && /secret|key|hmac/i.test(name))) {
    return new UsageError(
      'secret-env' in options
        ? 'A secret must not be an argument: other processes and the shell history can read it. Use --secret-env NAME, --secret-file PATH or the prompt. If it was a real secret, replace it.'
        : `${command} takes no secret, and a secret must not be an argument.`,
    )
  }
  // A secret may begin with two dashes.
  const shown = /^-{1,2}[a-z-]{1,20}$/.test(rawName) ? ` ${rawName}` : ''
  const next = near === undefined ? `See inbound-webhook-auth ${command} --help` : `Did you mean --${near}?`
  return new UsageError(`Unknown option${shown}. ${next}`)
}

/** Returns the candidate that `word` most likely misspells, if one is near. */
export function findNearest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined
  const near = closest(word, candidates)
  return distance(word, near) <= Math.min(2, word.length - 1) ? near : undefined
}

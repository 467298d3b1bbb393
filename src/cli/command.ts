import type { Readable } from 'node:stream'
import { getSystemErrorMap, parseArgs } from 'node:util'
import { closest, distance } from 'fastest-levenshtein'
import type { Clock } from '../clock.js'
import type { Terminal } from './input/secret-source.js'
import { type Output, type Style, wrapText } from './output/terminal.js'
import { UsageError } from './usage-error.js'

export { UsageError }

/** The parts of the process that a command uses. */
export interface Context {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: { readonly [name: string]: string | undefined }
  readonly clock: Clock
  /** Returns the terminal of the user, or `undefined` if there is none. */
  openTerminal(context: Context): Terminal | undefined
}

/** 0 genuine, accepted or done. 1 not genuine or not accepted. 2 error. 130 Ctrl+C at the prompt. */
export type ExitCode = 0 | 1 | 2 | 130

/** The output of a command, and its exit code. */
export interface Outcome {
  readonly exitCode: ExitCode
  /** For stdout: text, or bytes that must stay unchanged. */
  readonly text: string | readonly Uint8Array[]
  /** With `--json`, stdout gets this instead of `text` and `notes`. */
  readonly document: object
  /** Remarks for stderr. */
  readonly notes?: readonly string[]
}

/** The user pressed Ctrl+C at the prompt. */
export class Interrupted extends Error {}

/** Returns what a system error means: `no such file or directory`. Returns the code of another error. */
export function describeError(error: unknown): string {
  const code = String(Object(error).code)
  return [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1] ?? code
}

/** An option: its settings for `parseArgs`, and its text in the help. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** Whether it may be given several times. Otherwise, the last one counts. */
  readonly multiple?: boolean
  /** The placeholder for its value in the help. */
  readonly value?: string
  readonly isNumber?: boolean
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
  readonly operands: readonly string[]
  readonly options: O
  /** Paragraphs below the options in the help. */
  readonly notes: readonly string[]
  run(call: Call<O & typeof COMMON_OPTIONS>, context: Context, style: Style): Promise<Outcome>
}

const COMMON_OPTIONS = {
  json: { type: 'boolean', help: 'prints one JSON document on stdout, and errors as JSON on stderr' },
  help: { type: 'boolean', help: 'shows this help' },
} as const satisfies Options

/** Returns a command unchanged. The types of the values in `run` follow from `options`. */
export function defineCommand<const O extends Options>(command: Command<O>): Command<O> {
  return command
}

const HELP_COLUMN = 26

/** Where the installed package has the guide to the command line. It has a heading per command. */
export const GUIDE = 'node_modules/inbound-webhook-auth/docs/debug/command-line.md'

export function helpText({ name, summary, operands, options, notes }: Command): string {
  const lines = Object.entries({ ...options, ...COMMON_OPTIONS }).map(
    ([option, { value = '', help }]: [string, Option]) =>
      wrapText(help, ' '.repeat(HELP_COLUMN), `  --${option} ${value}`.padEnd(HELP_COLUMN)),
  )
  const usage = ['Usage: inbound-webhook-auth', name, ...operands, '[options]'].join(' ')
  const guide = `Guide: ${GUIDE}#${name}`
  return `${[usage, summary, lines.join('\n'), ...notes.map((note) => wrapText(note)), guide].join('\n\n')}\n`
}

export function parseCall(args: readonly string[], command: Command): Call<Options> {
  const options: Options = { ...command.options, ...COMMON_OPTIONS }
  // Messages of the strict mode would repeat arguments, and one of them may be a secret.
  const { tokens, values, positionals } = parseArgs({ args, options, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option === undefined) throw unknownOption(name, rawName, options)
    if (option.type === 'boolean') {
      if (value !== undefined) throw new UsageError(`--${name} takes no value.`)
      continue
    }
    // A value that begins with a dash is probably the next option.
    if (value === undefined || (!inlineValue && /^-./.test(value))) {
      const [usage, inlineUsage] = [`--${name} ${option.value}`, `--${name}=${option.value}`]
      throw new UsageError(`--${name} needs a value. Pass ${usage}, or ${inlineUsage} if the value begins with a dash.`)
    }
    if (option.isNumber && !/^-?\d{1,15}(\.\d+)?$/.test(value))
      throw new UsageError(`--${name} is not a number. Pass decimal digits.`)
  }
  if (positionals.length > command.operands.length) {
    throw new UsageError(
      `Too many arguments. A secret is never an argument. See inbound-webhook-auth ${command.name} --help`,
    )
  }
  // The loop above checked that the values have this type.
  return { values: values as Call<Options>['values'], operands: positionals }
}

function unknownOption(name: string, rawName: string, options: Options): UsageError {
  if ('secret-env' in options && /^[skp]$|secret|key|hmac|token|password/i.test(name)) {
    return new UsageError(
      'A secret must not be an argument: other processes and the shell history can read it. Use --secret-env NAME, --secret-file PATH or the prompt. If it was a real secret, replace it.',
    )
  }
  return unknownWord(
    'option',
    rawName,
    Object.keys(options).map((option) => `--${option}`),
  )
}

/** Returns the error for an unknown word. The message does not repeat the word, because it may be a secret. */
export function unknownWord(what: string, word: string, known: readonly string[]): UsageError {
  const near = closest(word, known)
  const isNear = distance(word, near) <= Math.min(2, word.length - 1)
  return new UsageError(`Unknown ${what}. ${isNear ? `Did you mean ${near}?` : `Use one of: ${known.join(', ')}.`}`)
}

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { distance } from 'fastest-levenshtein'
import type { Clock } from '../../../src/clock.js'
import { type Output, type Style, wrapText } from './output/terminal.js'

/** The error for wrong arguments, or for input that cannot be read. The message says what to do, and never contains a possible secret. */
export class UsageError extends Error {}

export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  close(): void
}

export interface Context {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: { readonly [name: string]: string | undefined }
  readonly clock: Clock
  untilInterrupted(): Promise<void>
  openTerminal(context: Context): Terminal | undefined
  pathInPackage(file: string): string
}

/** 0: valid, accepted or done. 1: not valid or not accepted. 2: error. 130: Ctrl+C at the prompt. */
export type ExitCode = 0 | 1 | 2 | 130

export interface Outcome {
  readonly exitCode: ExitCode
  /** What to write to stdout: a string, or bytes that are written unchanged. */
  readonly text: string | readonly Uint8Array[]
  /** With `--json`, this document is printed instead of `text` and `notes`. `undefined` if the command has already printed everything. */
  readonly document: object | undefined
  readonly notes?: readonly string[]
}

export class Interrupted extends Error {}

interface Option {
  /** The placeholder for the value in the help, such as `PATH`. An option without a placeholder takes no value. */
  readonly value?: string
  /** `number` if the value is a number. `several` if the option can be repeated. Without `several`, only the last value is used. */
  readonly kind?: keyof Kinds
  readonly help: string
}

type Kinds = { number: number; several: string[] }
type ValueOf<O extends Option> = O extends { kind: infer K extends keyof Kinds }
  ? Kinds[K]
  : O extends { value: string }
    ? string
    : boolean

export type Options = { readonly [name: string]: Option }

export interface Call<O extends Options> {
  readonly values: { readonly [name in keyof O]?: ValueOf<O[name]> }
  readonly operands: readonly string[]
}

export interface Command<O extends Options = Options> {
  readonly name: string
  readonly summary: string
  /** The operands in the notation of the help: `[file|-]`. */
  readonly operands: readonly string[]
  readonly options: O
  readonly notes: readonly string[]
  readonly example: string
  run(call: Call<O & typeof COMMON_OPTIONS>, context: Context, style: Style): Promise<Outcome>
}

const COMMON_OPTIONS = {
  json: { help: 'prints one JSON document on stdout, and errors as JSON on stderr' },
  help: { help: 'shows this help' },
} as const satisfies Options

/** Returns its argument. With this function, TypeScript knows the type of each option in `run`. */
export function defineCommand<const O extends Options>(command: Command<O>): Command<O> {
  return command
}

const HELP_COLUMN = 26

export function pathInPackage(file: string): string {
  // The package finds its own folder by its name, because the sources and the build are in different folders.
  const manifest = createRequire(import.meta.url).resolve('inbound-webhook-tools/package.json')
  return join(dirname(manifest), file)
}

export const GUIDE = 'docs/debug/command-line.md'

export function guideAddress(page: string, { homepage, version } = readManifest()): string {
  const [path = '', anchor] = page.split('#')
  // The guides are on the package's homepage. If the package has none, unpkg shows the file, but without anchors.
  if (homepage === undefined) return `https://unpkg.com/inbound-webhook-tools@${version}/${path}`
  const file = path.replace(/^docs\//, '').replace(/(?:index)?\.md$/, (end) => (end === '.md' ? '.html' : ''))
  return new URL(`${file}${anchor === undefined ? '' : `#${anchor}`}`, homepage.replace(/\/?$/, '/')).href
}

function readManifest(): { readonly homepage?: string; readonly version: string } {
  return createRequire(import.meta.url)('inbound-webhook-tools/package.json')
}

export function helpText(command: Command, style: Pick<Style, 'width'>): string {
  const { name, summary, operands, options, notes, example } = command
  const lines = Object.entries<Option>({ ...options, ...COMMON_OPTIONS }).map(([option, { value = '', help }]) =>
    wrapText(help, style, ' '.repeat(HELP_COLUMN), `  --${option} ${value}`.padEnd(HELP_COLUMN)),
  )
  const usage = ['Usage: inbound-webhook-tools', name, ...operands, '[options]'].join(' ')
  const guide = `Guide: ${guideAddress(`${GUIDE}#${name}`)}`
  const wrap = (text: string) => wrapText(text, style)
  // The example stays on one line, so that it can be copied.
  const middle = [lines.join('\n'), `Example:\n  npx -y inbound-webhook-tools ${example}`]
  return `${[wrap(usage), wrap(summary), ...middle, ...[...notes, guide].map(wrap)].join('\n\n')}\n`
}

export function parseCall(args: readonly string[], command: Command): Call<Options> {
  const options: Options = { ...command.options, ...COMMON_OPTIONS }
  const config = Object.entries(options).map(([name, { value, kind }]) => {
    return [name, { type: value === undefined ? 'boolean' : 'string', multiple: kind === 'several' }] as const
  })
  // Strict mode is off, because its error messages contain the arguments, and an argument may be a secret.
  const parsed = parseArgs({ args, options: Object.fromEntries(config), strict: false, tokens: true })
  const { tokens, positionals } = parsed
  const values: { [name: string]: unknown } = parsed.values
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option === undefined) throw unknownOption(name, rawName, options)
    if (option.value === undefined) {
      if (value !== undefined)
        throw new UsageError(`--${name} takes no value. Remove =${quote(value) || ' and the text after it'}.`)
      continue
    }
    // A value that begins with a dash is probably the next option.
    if (value === undefined || (!inlineValue && /^-./.test(value))) {
      const [usage, inlineUsage] = [`--${name} ${option.value}`, `--${name}=${option.value}`]
      throw new UsageError(`--${name} needs a value. Pass ${usage}, or ${inlineUsage} if the value begins with a dash.`)
    }
    if (option.kind !== 'number') continue
    if (!/^-?\d{1,15}(\.\d+)?$/.test(value)) {
      throw new UsageError(`--${name}${quote(value)} is not a number. Pass decimal digits.`)
    }
    values[name] = Number(value)
  }
  if (positionals.length > command.operands.length) {
    throw new UsageError(
      `Too many arguments. A secret is never an argument. See inbound-webhook-tools ${command.name} --help`,
    )
  }
  // The loop above has checked the types of the values.
  return { values: values as Call<Options>['values'], operands: positionals }
}

function unknownOption(name: string, rawName: string, options: Options): UsageError {
  if ('secret-env' in options && /^[skp]$|secret|key|hmac|token|password/i.test(name)) {
    return new UsageError(
      'A secret must not be an argument, because the process list and the shell history show it. Use --secret-env NAME, --secret-file PATH or the prompt. If it was a real secret, replace it.',
    )
  }
  const known = Object.keys(options).map((option) => `--${option}`)
  return unknownWord('option', rawName, known)
}

/** The maximum number of words that an error lists. With more words, the error names only the most similar word. */
const MAX_LISTED = 15

/** Returns the error for a word that is not one of the known words: `Unknown command "sing". Did you mean sign?` */
export function unknownWord(what: string, word: string, known: readonly string[]): UsageError {
  // A user may type a part of a name: `copies` for `replay-copies`.
  const ofPart = (name: string) => Math.min(...[name, ...name.split('-')].map((part) => distance(word, part)))
  const far = (name: string) => ofPart(name) + distance(word, name) / 1000
  const near = String(known.toSorted((one, other) => far(one) - far(other))[0])
  const isNear = ofPart(near) <= Math.min(2, word.length - 1) || known.length > MAX_LISTED
  const fix = isNear ? `Did you mean ${near}?` : `Use one of: ${known.join(', ')}.`
  return new UsageError(`Unknown ${what}${quote(word)}. ${fix}`)
}

/** These match arguments that are not a secret: a short word, a number, the origin of a URL, and the path of a file with an extension. */
const HARMLESS = [
  /^-{0,2}[a-z][a-z-]{0,19}$/i,
  /^-?\d{1,15}(\.\d+)?$/,
  /^[a-z]{2,6}:\/\/[\w.-]{1,60}(:\d+)?\/?$/,
  /^(?!.*[\w+=-]{32})[\w ./\\:@+-]{1,120}\.[a-z][a-z0-9]{0,5}$/i,
]

/** Returns a space and the argument in quotes, for a message. Returns an empty string if the argument may be a secret. */
export function quote(argument: string): string {
  return HARMLESS.some((form) => form.test(argument)) ? ` "${argument}"` : ''
}

import { parseArgs } from 'node:util'
import { nearest } from '../../diagnose/nearest.js'
import { printable } from '../output/printable.js'
import { UsageError } from '../usage-error.js'

/** An option as `parseArgs` takes it, and as the help shows it. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** Whether it may be given several times. */
  readonly multiple?: boolean
  /** What stands for its value in the help. */
  readonly value?: string
  readonly help: string
}

export type Options = { readonly [name: string]: Option }

type ValueOf<O extends Option> = O['type'] extends 'boolean' ? boolean : O['multiple'] extends true ? string[] : string

/** The options and operands of a call. An option that is not given is absent. */
export interface Parsed<O extends Options> {
  readonly values: { readonly [name in keyof O]?: ValueOf<O[name]> }
  readonly operands: readonly string[]
  /** The options that take a value, in the order of the call. */
  readonly inOrder: readonly { readonly name: string; readonly value: string }[]
}

/** Options of every command. */
export const COMMON = {
  json: { type: 'boolean', help: 'one JSON document on stdout; errors as JSON on stderr' },
  help: { type: 'boolean', help: 'shows this help' },
} as const satisfies Options

export function parse<O extends Options>(
  args: readonly string[],
  command: string,
  options: O,
  mostOperands: number,
): Parsed<O> {
  const { tokens, values } = parseArgs({ args, options, strict: false, tokens: true })
  const given = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined) throw unknownOption(token.name, token.rawName, command, options)
    if (given.has(token.name) && option.multiple !== true && option.type === 'string') {
      throw new UsageError(`--${token.name} is given twice: give it once`)
    }
    if (option.type === 'boolean' && token.value !== undefined) {
      throw new UsageError(`--${token.name} takes no value: pass it alone`)
    }
    if (option.type === 'string') assertValue(token, option)
    given.add(token.name)
  }

  const operands = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  // What is too many is not shown: it may be a secret.
  if (operands.length > mostOperands) {
    const takes =
      mostOperands === 0
        ? 'no argument'
        : `${mostOperands === 1 ? 'one argument' : `${mostOperands} arguments`} at most`
    const never =
      'secret-env' in options
        ? ' If one is a secret: it is never an argument; pass --secret-env NAME or --secret-file PATH.'
        : ''
    throw new UsageError(
      `${command} takes ${takes}, and got ${operands.length}.${never} See inbound-webhook-auth ${command} --help`,
    )
  }

  return {
    // What parseArgs would check if it were strict was checked above, in words that tell what to do and show no value.
    values: values as Parsed<O>['values'],
    operands,
    inOrder: tokens.flatMap((token) =>
      token.kind === 'option' && token.value !== undefined ? [{ name: token.name, value: token.value }] : [],
    ),
  }
}

/** A value that begins with a dash is more likely the next option, whose own value was forgotten. */
function assertValue(
  { name, value, inlineValue }: { name: string; value?: string | undefined; inlineValue?: boolean | undefined },
  option: Option,
): void {
  const shape = `--${name} ${option.value}`
  if (value === undefined) throw new UsageError(`--${name} needs a value: ${shape}`)
  if (inlineValue || value === '-' || !value.startsWith('-')) return
  throw new UsageError(
    `what follows --${name} begins with a dash: pass ${shape}, or --${name}=${option.value} for a value that begins with a dash`,
  )
}

function unknownOption(name: string, rawName: string, command: string, options: Options): UsageError {
  const names = Object.keys(options)
  const near = nearest(name, names) ?? (name.length > 1 ? names.find((one) => one.startsWith(name)) : undefined)
  // `--secret` begins the name of an option, and is yet more likely to be followed by the secret itself.
  if (/^(s|k|p|secrets?|key|password|token)$/.test(name) || (near === undefined && /secret|key|hmac/i.test(name))) {
    return secretRefused(command, options)
  }
  const known = near === undefined ? `See inbound-webhook-auth ${command} --help` : `Did you mean --${near}?`
  return new UsageError(`unknown option ${printable(rawName)}. ${known}`)
}

function secretRefused(command: string, options: Options): UsageError {
  if (!('secret-env' in options))
    return new UsageError(`${command} takes no secret, and none belongs on a command line`)
  return new UsageError(
    'a secret is not taken as an argument: every process of the machine can read it in the process list, and the shell keeps it in its history. ' +
      'Pass --secret-env NAME (the name of an environment variable), --secret-file PATH, or neither, to be asked for it. ' +
      'If a real secret stood there just now, delete it from the history, or replace it',
  )
}

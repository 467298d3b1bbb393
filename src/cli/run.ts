import { createRequire } from 'node:module'
import { nearest } from '../diagnose/nearest.js'
import type { Command, ExitCode, Outcome, Output, Surroundings } from './command.js'
import { diagnose } from './commands/diagnose.js'
import { secret } from './commands/secret.js'
import { send } from './commands/send.js'
import { sign } from './commands/sign.js'
import { verify } from './commands/verify.js'
import { coloursFor } from './output/colours.js'
import { jsonText, quoted } from './output/printable.js'
import { wrapped } from './output/wrapped.js'
import { codeOf, Interrupted, UsageError } from './usage-error.js'

const COMMANDS: readonly Command[] = [secret, sign, send, verify, diagnose]

const HELP = `Usage: inbound-webhook-auth <command> [options]

Makes, signs, sends and checks authenticated webhook requests.

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join('\n')}

  --help    of a command: inbound-webhook-auth <command> --help
  --version

The secret comes from --secret-env NAME, from --secret-file PATH, or is asked for at the terminal.
It is never an argument: every process of the machine can read those.

Exit code: 0 genuine, accepted or done; 1 not; 2 a mistake in the call, or an unreadable input.
`

/** Runs a command line, and gives its exit code. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { stdout, stderr, env } = surroundings
  const isJson = args.includes('--json')
  try {
    const { text, document, notes = [], exitCode } = await outcomeOf(args, surroundings)
    for (const part of isJson ? [jsonText(document)] : [text].flat()) await write(stdout, part)
    const { dim } = coloursFor(stderr, env)
    if (!isJson) for (const note of notes) await write(stderr, dim(`${wrapped(`note: ${note}`)}\n`))
    return exitCode
  } catch (error) {
    if (error instanceof Interrupted) return 130
    const { red, bold } = coloursFor(stderr, env)
    const message = messageOf(error)
    await write(stderr, isJson ? jsonText({ error: { message } }) : `${red(bold('error'))}${wrapped(`: ${message}`)}\n`)
    return 2
  }
}

async function outcomeOf(args: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  const [name = '', ...rest] = args[0] === 'help' ? [args[1] ?? '--help', '--help'] : args
  if (name === '--version') return printed(`${version()}\n`, { version: version() })
  if (name === '--help' || name === '-h') return printed(HELP, { help: HELP })
  const command = COMMANDS.find((one) => one.name === name)
  if (command === undefined) throw unknownCommand(name)
  if (rest.some((arg) => arg === '--help' || arg === '-h')) return printed(command.help, { help: command.help })
  return command.run(rest, surroundings, coloursFor(surroundings.stdout, surroundings.env))
}

function printed(text: string, document: object): Outcome {
  return { exitCode: 0, text, document }
}

function version(): string {
  return createRequire(import.meta.url)('inbound-webhook-auth/package.json').version
}

function unknownCommand(name: string): UsageError {
  if (name === '') return new UsageError(`which command?\n\n${HELP}`)
  if (name.startsWith('-'))
    return new UsageError('the command comes first, its options after it. See inbound-webhook-auth --help')
  const names = COMMANDS.map((one) => one.name)
  const near = nearest(name, names)
  return new UsageError(
    `no such command: ${quoted(name)}. ${near === undefined ? `There are ${names.join(', ')}` : `Did you mean ${near}?`}`,
  )
}

/** Nobody at a terminal wants a stack: what went wrong is in the message. */
function messageOf(error: unknown): string {
  const { message } = Object(error)
  return message || codeOf(error)
}

/** Writes a part. A reader that has gone, as `head` does, has read enough. */
function write(output: Output, part: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    // The error is an event, too, which would end the process.
    output.once('error', () => {})
    output.write(part, (error) => {
      if (error == null || codeOf(error) === 'EPIPE') resolve()
      else reject(new UsageError(`cannot write: ${codeOf(error)}`))
    })
  })
}

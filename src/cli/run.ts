import { createRequire } from 'node:module'
import type { ExitCode, Outcome, Output } from './command.js'
import {
  type Command,
  type Context,
  errorCode,
  findNearest,
  helpText,
  Interrupted,
  parseCall,
  UsageError,
} from './command.js'
import { diagnose } from './commands/diagnose.js'
import { secret } from './commands/secret.js'
import { send } from './commands/send.js'
import { sign } from './commands/sign.js'
import { verify } from './commands/verify.js'
import { styleOf, wrapText } from './output/layout.js'
import { jsonText } from './output/printable.js'

const COMMANDS: readonly Command[] = [secret, sign, send, verify, diagnose]

const HELP = `Usage: inbound-webhook-auth <command> [options]

Creates secrets, and signs, sends and checks webhook requests.

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join('\n')}

  --help    shows this help; of a command: inbound-webhook-auth <command> --help
  --version shows the version

Pass the secret with --secret-env NAME or --secret-file PATH, or type it at the prompt.
A secret is never an argument: every process on the machine can read arguments.

Exit code: 0 genuine, accepted or done. 1 not genuine or not accepted. 2 error.
`

/** Runs a command line and returns its exit code. */
export async function run(args: readonly string[], context: Context): Promise<ExitCode> {
  const { stdout, stderr, env } = context
  const isJson = args.includes('--json')
  const style = styleOf(stderr, env)
  try {
    const { text, document, notes = [], exitCode } = await runCommand(args, context)
    for (const part of isJson ? [jsonText(document)] : [text].flat()) await write(stdout, part)
    if (!isJson) for (const note of notes) await write(stderr, style('dim', `${wrapText(`note: ${note}`)}\n`))
    return exitCode
  } catch (error) {
    if (error instanceof Interrupted) return 130
    // A stack helps nobody at a terminal.
    const message = Object(error).message || errorCode(error)
    const label = style('red', style('bold', 'error'))
    await write(
      stderr,
      isJson ? jsonText({ error: { message } }) : `${label}${wrapText(`error: ${message}`).slice('error'.length)}\n`,
    )
    return 2
  }
}

async function runCommand(args: readonly string[], context: Context): Promise<Outcome> {
  const [name = '', ...rest] = args[0] === 'help' ? [args[1] ?? '--help', '--help'] : args
  if (name === '--version') {
    const { version } = createRequire(import.meta.url)('inbound-webhook-auth/package.json')
    return { exitCode: 0, text: `${version}\n`, document: { version } }
  }
  if (name === '--help' || name === '-h') return { exitCode: 0, text: HELP, document: { help: HELP } }
  const command = COMMANDS.find((one) => one.name === name)
  if (command === undefined) throw unknownCommand(name)
  if (rest.some((arg) => arg === '--help' || arg === '-h')) {
    const help = helpText(command)
    return { exitCode: 0, text: help, document: { help } }
  }
  return command.run(parseCall(rest, command), context, styleOf(context.stdout, context.env))
}

function unknownCommand(name: string): UsageError {
  if (name === '') return new UsageError(`Missing command.\n\n${HELP}`)
  if (name.startsWith('-')) {
    return new UsageError('The command must come before its options. See inbound-webhook-auth --help')
  }
  const names = COMMANDS.map((one) => one.name)
  const near = findNearest(name, names)
  const next = near === undefined ? `Use one of: ${names.join(', ')}.` : `Did you mean ${near}?`
  return new UsageError(`Unknown command. ${next}`)
}

function write(output: Output, part: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    // The stream also emits the error, which would end the process.
    output.once('error', () => {})
    output.write(part, (error) => {
      // `head` closes the pipe when it has read enough. That is no failure.
      if (error == null || errorCode(error) === 'EPIPE') resolve()
      else reject(new UsageError(`Cannot write the output: ${errorCode(error)}.`))
    })
  })
}

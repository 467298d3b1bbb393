import { createRequire } from 'node:module'
import {
  type Command,
  type Context,
  type ExitCode,
  GUIDE,
  guideAddress,
  helpText,
  Interrupted,
  type Outcome,
  parseCall,
  UsageError,
  unknownWord,
} from './command.js'
import { check } from './commands/check.js'
import { diagnose } from './commands/diagnose.js'
import { listen } from './commands/listen.js'
import { secret } from './commands/secret.js'
import { send } from './commands/send.js'
import { sign } from './commands/sign.js'
import { workbench } from './commands/workbench.js'
import { jsonText, notesText, type Style, styleOf, wrapText, write } from './output/terminal.js'

export const COMMANDS: readonly Command[] = [secret, sign, send, check, diagnose, listen, workbench]

const OPTIONS = [
  ['--help', 'shows this help, or that of a command: <command> --help'],
  ['--version', 'shows the version'],
] as const

const NOTES = [
  'Pass the secret with --secret-env NAME or --secret-file PATH, or type it at the prompt. A secret is never an argument, because every process on the machine can read arguments.',
  'Exit code: 0 valid, accepted or done. 1 not valid or not accepted. 2 error.',
  `Guide: ${guideAddress(GUIDE)}`,
]

function overview(style: Style): string {
  const listed = (rows: readonly (readonly [name: string, text: string])[]) =>
    rows.map(([name, text]) => wrapText(text, style, ' '.repeat(12), `  ${name.padEnd(10)}`)).join('\n')
  const parts = [
    'Usage: inbound-webhook-tools <command> [options]',
    wrapText('Creates secrets, and signs, sends and checks webhook requests.', style),
    listed(COMMANDS.map(({ name, summary }) => [name, summary])),
    listed(OPTIONS),
    ...NOTES.map((note) => wrapText(note, style)),
  ]
  return `${parts.join('\n\n')}\n`
}

export async function run(args: readonly string[], context: Context): Promise<ExitCode> {
  const { stdout, stderr } = context
  // `--json` is read before the other options, because an error in the options must be printed as JSON too.
  const isJson = args.includes('--json')
  const style = styleOf(stderr)
  try {
    const { text, document, notes = [], exitCode } = await runCommand(args, context)
    const json = document === undefined ? [] : [jsonText(document)]
    for (const part of isJson ? json : [text].flat()) await write(stdout, part)
    for (const note of isJson ? [] : notes) await write(stderr, notesText([note], style))
    return exitCode
  } catch (error) {
    if (error instanceof Interrupted) return 130
    // A stack trace does not help the user, so only the message is printed.
    const { message } = Object(error)
    const text = wrapText(`error: ${message}`, style).replace('error', (word) => style(['red', 'bold'], word))
    // If stderr is a file on a full disk, only the exit code can say that there was an error.
    await write(stderr, isJson ? jsonText({ error: { message } }) : `${text}\n`).catch(() => {})
    return 2
  }
}

async function runCommand(args: readonly string[], context: Context): Promise<Outcome> {
  const [name, ...rest] = args
  if (name === '--version') {
    const { version } = createRequire(import.meta.url)('inbound-webhook-tools/package.json')
    return { exitCode: 0, text: `${version}\n`, document: { version } }
  }
  const style = styleOf(context.stdout)
  if (name === undefined) throw new UsageError(`Missing command.\n\n${overview(styleOf(context.stderr))}`)
  if (name === '--help' || name === '-h') {
    const help = overview(style)
    return { exitCode: 0, text: help, document: { help } }
  }
  const command = COMMANDS.find((one) => one.name === name)
  const names = COMMANDS.map((one) => one.name)
  if (command === undefined) throw unknownWord('command', name, names)
  if (rest.includes('--help') || rest.includes('-h')) {
    const help = helpText(command, style)
    return { exitCode: 0, text: help, document: { help } }
  }
  return command.run(parseCall(rest, command), context, style)
}

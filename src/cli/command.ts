import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../clock.js'
import { type Options, type Parsed, parse } from './input/arguments.js'
import type { StandardStreams, Terminal } from './input/terminal.js'
import type { Colours } from './output/colours.js'
import { wrapped } from './output/wrapped.js'

/** What a command touches of the process that it runs in. */
export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: { readonly [name: string]: string | undefined }
  readonly clock: Clock
  /** The terminal that somebody sits at, whatever stdin and stdout are; `undefined` if there is none. */
  openTerminal(standard: StandardStreams): Terminal | undefined
}

export type Output = Writable & { readonly isTTY?: boolean | undefined }

/** What a command came to. It is printed as text or, with `--json`, as one document. */
export interface Outcome {
  readonly exitCode: ExitCode
  /** For stdout. Bytes, where a body must come out as it went in. */
  readonly text: string | readonly Uint8Array[]
  /** The same, for programs. */
  readonly document: object
  /** What is worth a word beside the text, for stderr; `document` has its own. */
  readonly notes?: readonly string[]
}

/** 0 for genuine, accepted or done; 1 for the opposite; 2 for a mistake in the call; 130 for Ctrl+C at the prompt. */
export type ExitCode = 0 | 1 | 2 | 130

/** One command, its options hidden behind `run`. */
export interface Command {
  readonly name: string
  readonly summary: string
  readonly help: string
  run(args: readonly string[], surroundings: Surroundings, colours: Colours): Promise<Outcome>
}

/** What a command is made of. */
interface Definition<O extends Options> {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** What follows the name, as the help shows it: `[file|-]`. */
  readonly operands: string
  /** The most operands that it takes. */
  readonly mostOperands: number
  readonly options: O
  /** What to know, below the options: a paragraph each. */
  readonly notes: readonly string[]
  act(parsed: Parsed<O>, surroundings: Surroundings, colours: Colours): Promise<Outcome>
}

export function command<O extends Options>(definition: Definition<O>): Command {
  const { name, summary, options, mostOperands } = definition
  return {
    name,
    summary,
    help: helpOf(definition),
    async run(args, surroundings, colours) {
      return definition.act(parse(args, name, options, mostOperands), surroundings, colours)
    },
  }
}

function helpOf({ name, summary, operands, options, notes }: Definition<Options>): string {
  const usage = ['inbound-webhook-auth', name, operands, '[options]'].filter((word) => word !== '').join(' ')
  return `Usage: ${usage}\n\n${summary}\n\n${optionsHelp(options)}\n\n${notes.map((note) => `${wrapped(note)}\n`).join('\n')}`
}

const COLUMN = 26

function optionsHelp(options: Options): string {
  return Object.entries(options)
    .map(([name, { value, help }]) => {
      const left = `  --${name}${value === undefined ? '' : ` ${value}`}`
      const [first, ...rest] = help.split('\n')
      return [`${left.padEnd(COLUMN)}${first}`, ...rest.map((line) => `${' '.repeat(COLUMN)}${line}`)].join('\n')
    })
    .join('\n')
}

import { type Diagnosis, diagnose as diagnoseRequest, type Finding } from '../diagnose/index.js'
import { COMMON } from './arguments.js'
import type { Colours } from './colours.js'
import { command } from './command.js'
import { printable } from './printable.js'
import { inputsOf, RECEIVED_OPTIONS, readReceived } from './received.js'
import { oddities, readSecrets, SECRET_OPTIONS } from './secret-source.js'

export const diagnose = command({
  name: 'diagnose',
  summary: 'Tells why a captured request does not verify, and what to change.',
  operands: '[request.http|-]',
  mostOperands: 1,
  options: { ...SECRET_OPTIONS, ...RECEIVED_OPTIONS, ...COMMON },
  notes: `The capture is HTTP text as a proxy or curl -v shows it: head, blank line and body, the body being the
bytes that arrived.

The findings are for the owner of the secret: they tell more than a sender should be told.

Exit code: 0 genuine, 1 not, 2 no verdict.`,

  async act(parsed, surroundings, colours) {
    const { request, clock, isNow, assumedTime, description, notes: read } = await readReceived(parsed, surroundings)
    const secrets = await readSecrets(parsed, surroundings, inputsOf(parsed))
    const texts = secrets.map(({ secret }) => secret)
    const { genuine, findings } = await diagnoseRequest(request, texts, clock)
    const isOld = isNow && findings.some(({ code }) => code.startsWith('clock_'))
    const about = [
      `Read: ${description}.`,
      `Time assumed: ${assumedTime}.${isOld ? ' If the request was captured earlier, pass --at with that time, or --at timestamp.' : ''}`,
      ...read,
      ...secrets.flatMap(oddities),
    ]
    return {
      exitCode: genuine ? 0 : 1,
      text: `${report({ genuine, findings }, colours)}\n${about.map((line) => `${colours.dim(line)}\n`).join('')}`,
      document: { genuine, findings, notes: about },
    }
  },
})

function report({ genuine, findings }: Diagnosis, colours: Colours): string {
  const { bold, green, red } = colours
  if (genuine) {
    return `${green(bold('Genuine'))}: there is nothing to fix.\nAn endpoint that rejects it has another secret or clock, gets another body, or has seen it before.\n`
  }
  const count = findings.length === 1 ? 'one finding' : `${findings.length} findings, the most likely cause first`
  return [
    `${red(bold('Not genuine'))}: ${count}\n`,
    ...findings.map((one, index) => findingText(one, index, colours)),
  ].join('\n')
}

function findingText({ code, message, fix, evidence }: Finding, index: number, { bold, dim, yellow }: Colours): string {
  // The side comes first, for it says who has to act.
  const [, side, change] = /^On (the \w+['\u2019]s side): (.*)$/s.exec(fix) ?? [undefined, undefined, fix]
  const lines = [`${bold(`${index + 1}. ${printable(message)}`)} ${dim(`(${code})`)}`]
  if (evidence !== undefined) lines.push(block(evidence))
  lines.push(`   ${yellow(side === undefined ? 'Fix:' : `Fix (${side}):`)}`, block(change ?? ''))
  return `${lines.join('\n')}\n`
}

/** Several lines, indented. They may quote the request. */
function block(text: string): string {
  return text
    .split('\n')
    .map((line) => `     ${printable(line, '\t')}`)
    .join('\n')
}

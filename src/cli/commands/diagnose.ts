import { type Diagnosis, diagnose as diagnoseRequest, type Finding } from '../../diagnose/index.js'
import { WHEN_CAPTURED } from '../../diagnose/timestamp.js'
import { command } from '../command.js'
import { simplerWithoutLineEnd } from '../input/added-line-end.js'
import { COMMON } from '../input/arguments.js'
import { inputsOf, RECEIVED_OPTIONS, readReceived } from '../input/received.js'
import { type NamedSecret, oddities, readSecrets, SECRET_OPTIONS } from '../input/secret-source.js'
import type { Colours } from '../output/colours.js'
import { findingsText } from '../output/findings.js'
import { wrapped } from '../output/wrapped.js'

const ELSEWHERE = 'An endpoint that rejects it has another secret or clock, gets other bytes, or has seen it before.'

export const diagnose = command({
  name: 'diagnose',
  summary: 'Tells why a captured request does not verify, and what to change.',
  operands: '[request.http|-]',
  mostOperands: 1,
  options: { ...SECRET_OPTIONS, ...RECEIVED_OPTIONS, ...COMMON },
  notes: [
    'The capture is HTTP text as a proxy or curl -v shows it: head, blank line and body, the body being the bytes that arrived.',
    'Give several secrets while one is being rotated: each is tried, and named where it matters.',
    'The findings are for the owner of the secret: they tell more than a sender should be told.',
    'Exit code: 0 genuine, 1 not, 2 no verdict.',
  ],

  async act(parsed, surroundings, colours) {
    const received = await readReceived(parsed, surroundings)
    const { request, requestWithoutLineEnd, target, clock, isNow, assumedTime, description, notes: read } = received
    const secrets = await readSecrets(parsed, surroundings, inputsOf(parsed))
    const texts = secrets.map(({ secret }) => secret)
    const diagnosisOf = (one: typeof request) =>
      diagnoseRequest({ ...one, headers: [...target, ...one.headers] }, texts, clock)
    const asCaptured = await diagnosisOf(request)
    const { genuine, findings: found } =
      requestWithoutLineEnd === undefined || asCaptured.genuine
        ? asCaptured
        : simplerWithoutLineEnd(asCaptured, await diagnosisOf(requestWithoutLineEnd))
    const findings = found.map((finding) => inTermsOfTheCall(finding, secrets, isNow))
    const about = [`Read: ${description}.`, `Time assumed: ${assumedTime}.`, ...read, ...secrets.flatMap(oddities)]
    return {
      exitCode: genuine ? 0 : 1,
      text: `${report({ genuine, findings }, colours)}\n${about.map((line) => `${colours.dim(wrapped(line))}\n`).join('')}`,
      document: { genuine, findings, notes: about },
    }
  },
})

/** A finding of the library, which speaks of its arguments, in terms of the options of a call. */
function inTermsOfTheCall(finding: Finding, secrets: readonly NamedSecret[], isNow: boolean): Finding {
  const later = isNow
    ? 'If the request was captured earlier, pass --at with the time at which it arrived, or --at timestamp.'
    : ''
  return {
    ...finding,
    message: secrets.reduce((said, { name }, index) => said.replaceAll(`secret[${index}]`, name), finding.message),
    fix: finding.fix.replace(WHEN_CAPTURED, later).trimEnd(),
  }
}

function report({ genuine, findings }: Diagnosis, colours: Colours): string {
  const { bold, green, red } = colours
  if (genuine) return `${green(bold('Genuine'))}: there is nothing to fix.\n${ELSEWHERE}\n`
  const count = findings.length === 1 ? 'one finding' : `${findings.length} findings, the most likely cause first`
  return `${red(bold('Not genuine'))}: ${count}\n\n${findingsText(findings, colours)}`
}

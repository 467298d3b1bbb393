import type { Diagnosis, Finding } from '../../diagnose/index.js'
import { defineCommand, findNearest, type Options, UsageError } from '../command.js'
import { RECEIVED_OPTIONS, readReceived } from '../input/received.js'
import { readSecrets, SECRET_OPTIONS, secretNotes } from '../input/secret-source.js'
import { findingsText } from '../output/findings.js'
import { wrapText } from '../output/layout.js'

const OPTIONS = {
  ...SECRET_OPTIONS,
  ...RECEIVED_OPTIONS,
  language: {
    type: 'string',
    value: 'LANGUAGE',
    help: 'shows the line to change in this language only: node, python, go, ruby, php, java, csharp, perl or shell. Default: the three likeliest languages',
  },
} as const satisfies Options

export const diagnose = defineCommand({
  name: 'diagnose',
  summary: 'Finds out why a captured request is not genuine, and what to change.',
  operands: '[request.http|-]',
  maxOperands: 1,
  options: OPTIONS,
  notes: [
    'The capture is HTTP text from a proxy, a log or curl -v: head, blank line, and the exact bytes of the body.',
    'Pass several secrets while you rotate them. All are tried.',
    'Show the findings to the owner of the secret only. They say more than a sender should know.',
    'Exit code: 0 genuine, 1 not genuine, 2 error.',
  ],

  async run(call, context, style) {
    // The other commands start faster without this module.
    const { diagnose: diagnoseRequest, LANGUAGES } = await import('../../diagnose/index.js')
    const language = parseLanguage(call.values.language, LANGUAGES)
    const { request, requestWithoutLineEnd, target, clock, isNow, notes: read } = await readReceived(call, context)
    const secrets = await readSecrets(call, context)
    const texts = secrets.map(({ secret }) => secret)
    const diagnoseOne = (one: typeof request) =>
      diagnoseRequest({ ...one, headers: [...target, ...one.headers] }, texts, clock)
    const asCaptured = await diagnoseOne(request)
    const { genuine, findings } =
      requestWithoutLineEnd === undefined || asCaptured.genuine
        ? asCaptured
        : chooseReading(asCaptured, await diagnoseOne(requestWithoutLineEnd))
    const notes = [
      ...read,
      ...(isNow && findings.some(({ code }) => code.startsWith('clock_')) ? [AT_NOTE] : []),
      // Findings call several secrets by their index.
      ...(genuine || secrets.length === 1 ? [] : secrets.map(({ name }, index) => `secret[${index}]: ${name}`)),
      ...secrets.flatMap(secretNotes),
    ]
    const count = findings.length === 1 ? '1 finding' : `${findings.length} findings, the most likely cause first`
    const report = genuine
      ? `${style('green', style('bold', 'Genuine'))}: there is nothing to fix.\n${wrapText(ELSEWHERE)}\n`
      : `${style('red', style('bold', 'Not genuine'))}: ${count}\n\n${findingsText(findings, style, language)}`
    return {
      exitCode: genuine ? 0 : 1,
      text: `${report}\n${notes.map((note) => `${style('dim', wrapText(note))}\n`).join('')}`,
      document: { genuine, findings, notes },
    }
  },
})

const ELSEWHERE =
  'If an endpoint rejects it, the endpoint has another secret or clock, receives other bytes, or has seen it before.'

const AT_NOTE =
  'If the request arrived earlier, pass the time with --at. --at timestamp assumes the time in X-Timestamp.'

function parseLanguage<L extends string>(text: string | undefined, languages: readonly L[]): L | undefined {
  const language = languages.find((one) => one === text?.toLowerCase())
  if (text === undefined || language !== undefined) return language
  const near = findNearest(text, languages)
  throw new UsageError(
    `Unknown --language. ${near === undefined ? `Use one of: ${languages.join(', ')}.` : `Did you mean ${near}?`}`,
  )
}

const ADDED_LINE_END: Finding = {
  code: 'body_newline',
  side: 'unknown',
  message: 'The capture ends with a line end that was not signed. An editor or the capturing tool probably added it.',
  fix: 'Remove the line end from the capture, or add the Content-Length that was sent. If the sender sent it, sign it too.',
  fixes: { shell: "perl -pi -e 'chomp if eof' request.http" },
}

/**
 * Chooses between two readings of a capture, whose body may or may not end with a line end.
 * The genuine one wins, then the explained one, then the one with fewer findings.
 */
function chooseReading(asCaptured: Diagnosis, withoutLineEnd: Diagnosis): Diagnosis {
  const isExplained = ({ findings }: Diagnosis) => findings.every(({ code }) => code !== 'signature_mismatch')
  const isBetter = isExplained(asCaptured)
    ? isExplained(withoutLineEnd) && withoutLineEnd.findings.length < asCaptured.findings.length
    : isExplained(withoutLineEnd)
  return isBetter ? { genuine: false, findings: [ADDED_LINE_END, ...withoutLineEnd.findings] } : asCaptured
}

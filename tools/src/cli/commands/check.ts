import { writeFile } from 'node:fs/promises'
import { MAX_TIMEOUT } from '../../../../src/arguments.js'
import { contractName } from '../../testing/endpoint/scheme.js'
import { type EndpointCase, endpointContract } from '../../testing/index.js'
import { CheckClient } from '../check/client.js'
import { junitText } from '../check/junit.js'
import type { ReportedCase } from '../check/report.js'
import * as texts from '../check/report.js'
import { explainFailures } from '../check/root-causes.js'
import { type Context, defineCommand, guideAddress, type Outcome, quote, UsageError, unknownWord } from '../command.js'
import { describeError } from '../describe-error.js'
import { parseTimeout, parseUrl } from '../http-client.js'
import { readInput } from '../input/read-input.js'
import { parseHeadersToSend } from '../input/received.js'
import { parseScheme, SCHEME_OPTION, schemeNotes, standardSecret } from '../input/scheme.js'
import { loadSecret, SECRET_OPTIONS, weaknessNotes } from '../input/secret-source.js'
import { type Style, wrapText, write } from '../output/terminal.js'

/** The first case sends a valid request. If the endpoint refuses it, the other cases say nothing about the rules. */
const FIRST = 'accepted-json'

/** With a lower rate, a pause could be longer than the longest timer of Node, which then does not wait at all. */
const MIN_RATE = 0.01

export const check = defineCommand({
  name: 'check',
  summary: 'Checks your endpoint, in any language, against the specification.',
  operands: ['URL'],
  options: {
    ...SECRET_OPTIONS,
    ...SCHEME_OPTION,
    instance: {
      value: 'URL',
      kind: 'several',
      help: 'the URL of another instance of the same endpoint. Replays and simultaneous copies go to all instances',
    },
    body: {
      value: 'FILE',
      help: 'the body to send, if the endpoint refuses unknown events. Cases that need another body are skipped. A new UUID replaces {{uuid}} in each request, for an endpoint that accepts each event once',
    },
    header: { value: "'Name: value'", kind: 'several', help: 'adds a header to every request' },
    only: {
      value: 'CODE',
      kind: 'several',
      help: 'runs only these cases or rules, such as replay or body-changed,nonce-empty',
    },
    skip: { value: 'CODE', kind: 'several', help: 'leaves out these cases or rules' },
    rate: {
      value: 'NUMBER',
      kind: 'number',
      help: 'the maximum number of requests per second. Default: 8. Simultaneous copies count as one request',
    },
    timeout: { value: 'SECONDS', kind: 'number', help: 'how long to wait for each response. Default: 5' },
    junit: { value: 'FILE', help: 'also writes the result as JUnit XML, for CI' },
  },
  notes: [
    'Sends valid requests, mistakes and replays, and says what the endpoint must change. Check only your own endpoints, because an endpoint processes the valid requests.',
    'Accepted means 2xx, and rejected means 4xx. Redirects are not followed. If the endpoint refuses the first request, which is valid, the run ends.',
    'Exit code: 0 the endpoint conforms to the specification, 1 a case failed, 2 error.',
  ],
  example: 'check http://localhost:3000/hooks --secret-env SECRET',

  async run({ values, operands }, context, style): Promise<Outcome> {
    const { rate = 8 } = values
    const timeout = parseTimeout(values.timeout ?? 5)
    const urls = [parseUrl(operands[0]), ...(values.instance ?? []).map((url) => parseUrl(url, '--instance'))]
    if (rate < MIN_RATE) throw new UsageError(`--rate is ${rate}. Pass at least ${MIN_RATE} requests per second.`)
    const extra = parseHeadersToSend(values.header)
    const body = values.body === undefined ? undefined : await readInput(values.body, 'the event of --body', context)
    const scheme = parseScheme(values.scheme)
    const loaded = await loadSecret({ values }, context)
    const client = new CheckClient({ urls, extra, timeout, rate })
    const contract = endpointContract({
      post: client.post,
      secret: scheme === 'standard-webhooks' ? standardSecret(loaded.secret) : loaded.secret,
      scheme,
      clock: context.clock,
      body,
      instances: urls.length,
      // The time-out of the contract includes the pauses between requests, so the client applies `--timeout` instead.
      timeout: MAX_TIMEOUT,
    })
    const chosen = choose(contract, values.only, values.skip)

    const endpoint = String(urls[0])
    const print = values.json ? async () => {} : (text: string) => write(context.stdout, text)
    await print(heading(endpoint, chosen, rate, style))
    const cases = await runCases(chosen, client, print, context, style)

    const skipped = chosen.filter(({ isSkipped }) => isSkipped).map(({ code }) => code)
    const name = scheme && contractName(scheme, loaded.secret)
    const findings = texts.byDanger(explainFailures(cases, name))
    if (values.junit !== undefined) await save(values.junit, junitText(endpoint, cases, skipped, findings))
    const planned = chosen.length - skipped.length
    await print(conclusion(cases, findings, { planned, isWhole: planned === contract.length, endpoint }, style))
    const ok = findings.length === 0
    const notes = [...loaded.notes, ...weaknessNotes(loaded), ...schemeNotes(scheme, loaded.secret)]
    const documents = cases.map(({ result, seconds: _, ...one }) => ({ ...one, ...result }))
    const causes = findings.length === 0 ? {} : { causes: findings }
    return {
      exitCode: ok ? 0 : 1,
      text: '',
      document: { endpoint, ok, cases: documents, skipped, ...causes, notes },
      notes,
    }
  },
})

/** Returns the cases that `--only` and `--skip` choose. The first case is always included. */
function choose(
  contract: readonly EndpointCase[],
  only?: readonly string[],
  skip: readonly string[] = [],
): EndpointCase[] {
  const words = (lists: readonly string[]) => lists.flatMap((list) => list.split(',').map((word) => word.trim()))
  const known = [...new Set(contract.flatMap(({ rule, code }) => [rule, code]))]
  const unknown = words([...(only ?? []), ...skip]).find((word) => !known.some((one) => one === word))
  if (unknown !== undefined) throw unknownWord('case of --only or --skip', unknown, known)
  const isIn = ({ rule, code }: EndpointCase, lists: readonly string[]) =>
    words(lists).some((word) => word === rule || word === code)
  return contract.filter((one) => one.code === FIRST || ((only === undefined || isIn(one, only)) && !isIn(one, skip)))
}

function heading(endpoint: string, chosen: readonly EndpointCase[], rate: number, style: Style): string {
  const run = chosen.filter(({ isSkipped }) => !isSkipped)
  const total = run.reduce((sum, { requests }) => sum + requests, 1)
  const valid = run.reduce((sum, one) => sum + one.valid, 0)
  const cases = `${run.length} cases: up to ${total} requests, of which ${valid} are valid.`
  const limits = `At most ${rate} per second. Check only your own endpoints.`
  return `Checks ${endpoint}\n${wrapText(`${cases} ${limits}`, style)}\n\n`
}

/** Runs the cases and prints one line per case. Stops if the endpoint refuses the first request, or no longer responds. */
async function runCases(
  chosen: readonly EndpointCase[],
  client: CheckClient,
  print: (text: string) => Promise<void>,
  { stdout }: Context,
  style: Style,
): Promise<ReportedCase[]> {
  const done: ReportedCase[] = []
  for (const [index, one] of chosen.entries()) {
    if (one.isSkipped) {
      await print(texts.skippedText(one, style))
      continue
    }
    // On a terminal, the name of the case is shown until the result replaces it.
    if (stdout.isTTY) await print(style('dim', `${index + 1} of ${chosen.length}: ${one.code}`))
    const started = performance.now()
    const result = await one.check()
    const seconds = (performance.now() - started) / 1000
    if (stdout.isTTY) await print('\r\x1b[K')
    if (one.code === FIRST && result.statuses[0] === 0) {
      throw new UsageError(`The endpoint does not respond: ${client.failure}. Check the URL, and start the server.`)
    }
    const { code, rule, sent, expected } = one
    const reported = { code, rule, sent, expected, result, seconds }
    done.push(reported)
    await print(texts.caseText(reported, style))
    if (!result.ok && (one.code === FIRST || client.isLost)) break
  }
  return done
}

async function save(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (error) {
    throw new UsageError(`Cannot write the file${quote(path)} of --junit: ${describeError(error)}.`)
  }
}

function conclusion(
  cases: readonly ReportedCase[],
  findings: ReturnType<typeof explainFailures>,
  { planned, isWhole, endpoint }: { planned: number; isWhole: boolean; endpoint: string },
  style: Style,
): string {
  const count = `${cases.filter(({ result }) => result.ok).length} of ${planned}`
  if (findings.length === 0) {
    const verdict = isWhole ? `${count}: this endpoint conforms to the specification.` : `${count} cases pass.`
    return `\n${style(['green', 'bold'], verdict)}\n`
  }
  const whatToChange = `\n${style(['red', 'bold'], 'What to change:')}\n\n${texts.findingsText(findings, style)}`
  const bad = (verdict: string) => `\n${style(['red', 'bold'], wrapText(verdict, style))}\n`
  if (cases[0]?.result.ok === false) {
    const verdict = 'The endpoint refuses a valid request, so no other case was run.'
    return `${whatToChange}\n${wrapText(howToFindOut(endpoint), style)}\n${bad(verdict)}`
  }
  const missing = planned - cases.length
  const ended = missing === 0 ? '' : ` The run ended early, so ${missing} cases were not run.`
  return `${whatToChange}${bad(`${count} cases pass.${ended}`)}`
}

function howToFindOut(endpoint: string): string {
  return `To see what arrives and what should have been signed, run inbound-webhook-tools listen --forward-to ${endpoint} with the same secret. Then point your sender at the listener. To print the signed bytes in the endpoint, see ${guideAddress('docs/debug/without-node.md')}`
}

import { ADVICE, type Advice, type EndpointFault } from '../../testing/endpoint/faults.js'
import { type EndpointCaseCode, ROWS } from '../../testing/endpoint/rows.js'
import { type ContractName, type ContractScheme, howToCheck, SCHEMES } from '../../testing/endpoint/scheme.js'
import type { EndpointCase, EndpointResult } from '../../testing/index.js'

// Often, several cases fail for one reason. The table in this file finds this reason.

export interface Finding extends Advice {
  readonly codes: readonly EndpointCaseCode[]
}

export interface CheckedCase extends Pick<EndpointCase, 'code' | 'expected'> {
  readonly result: EndpointResult
}

interface RootCause {
  readonly faults: readonly EndpointFault[]
  /** Matches the cases that may fail for this reason: the whole code, or the code and the fault. */
  readonly codes: RegExp
  /** The cases that must fail if this is the reason. */
  readonly required: readonly EndpointCaseCode[]
  readonly minCases: number
  /** The cause and the fix. The default is the advice on the first required case, or else on the first failed case. */
  readonly advice?: Advice
}

const cause = (faults: RootCause['faults'], codes: RegExp, required: RootCause['required'] = []): RootCause => {
  return { faults, codes, required, minCases: 2 }
}

const ACCEPTED = ['accepted'] as const
const REFUSED = ['refused', 'refused-otherwise', 'server-error', 'content-type'] as const
const BOTH = [...ACCEPTED, ...REFUSED]

const clock = (codes: RegExp, direction: string): RootCause => ({
  ...cause(BOTH, codes),
  advice: {
    cause: `The clock of the endpoint is ${direction} this machine by 10 s or more.`,
    fix: 'Synchronise both clocks with NTP.',
  },
})

/** Returns a table whose first row that matches explains its cases. Later rows explain only the other cases. */
const rootCauses = (scheme: ContractScheme): readonly RootCause[] => [
  {
    ...cause(ACCEPTED, /(headers|timestamp|nonce|signature|body|replay)-.*/, [
      'signature-other-secret',
      'body-changed',
      'timestamp-old',
    ]),
    minCases: 28,
    advice: {
      cause: 'The endpoint accepts every request. The check does not run, or the handler ignores the result.',
      fix: 'If the check fails, answer 401 and return from the handler. Await an asynchronous check. In PHP, call exit after http_response_code(401).',
    },
  },
  {
    // An accepted forged request uses up the nonce of the valid request, so the endpoint then refuses the valid request.
    ...cause([...ACCEPTED, 'refused'], /(signature|body)-.*|headers-(no|two)-signature.*|replay-forged/, [
      'signature-other-secret',
      'body-changed',
    ]),
    minCases: 8,
    advice: {
      cause: 'The endpoint does not check the signature, or ignores the result of the check.',
      fix: howToCheck(scheme),
    },
  },
  // The endpoint parses JSON and writes the JSON again.
  cause(
    BOTH,
    /accepted-(json-unusual|empty|bytes|text|line-ends|form|plain-text|binary-type|no-type|compressed)|body-(spacing|line-end|replacement|longer)|answers-hostile|replay-split server-error/,
    ['body-spacing', 'accepted-json-unusual'],
  ),
  // Code after the check accepts only some events.
  {
    ...cause(['refused-otherwise'], /accepted-.*/, ['accepted-plain-text', 'accepted-bytes']),
    ...(ADVICE['refused-otherwise'] && { advice: ADVICE['refused-otherwise'] }),
  },
  {
    // Code after the check, such as eventId, parses each body as JSON. Other faults spare text with the Content-Type of JSON.
    ...cause(['server-error'], /accepted-.*/, [
      'accepted-plain-text',
      'accepted-bytes',
      'accepted-text',
      'accepted-empty',
    ]),
    advice: {
      cause: 'Your code fails for valid requests whose body is not one of your events.',
      fix: 'Pass one of your events as the body of the check. For a body that your code can never use, answer 422, so that the sender stops.',
    },
  },
  // The endpoint decodes the body to a string. Some decoders replace bytes that are not UTF-8, and others throw.
  cause(BOTH, /accepted-(bytes|compressed|text)|body-replacement|answers-hostile/, [
    'accepted-bytes',
    'accepted-compressed',
  ]),
  // The endpoint trims the body. strip() in Ruby and trim() in PHP also remove a NUL at the start or end.
  cause(BOTH, /accepted-(line-ends|bytes|compressed)|body-line-end/, ['body-line-end', 'accepted-line-ends']),
  // The endpoint reads the raw body only for some content types.
  ...(['accepted-plain-text', 'accepted-binary-type'] as const).map((code) =>
    cause(['refused', 'server-error', 'content-type'], /accepted-(form|plain-text|binary-type|no-type|bytes|empty)/, [
      code,
    ]),
  ),
  cause(ACCEPTED, /replay-.*/, ['replay-again']),
  cause(ACCEPTED, /timestamp-(exponent|sign|space|fraction|letters)/),
  // An endpoint that accepts any future timestamp also fails a case of the clocks below, so this row comes first.
  cause(ACCEPTED, /timestamp-(old|ahead|milliseconds)/),
  clock(/accepted-old|timestamp-ahead/, 'ahead of'),
  clock(/accepted-ahead|timestamp-old/, 'behind'),
  cause(REFUSED, /accepted-(old|ahead)/),
  cause(ACCEPTED, /headers-no.*|signature-empty/),
  // The endpoint compares only a part of X-Signature, or changes it first. A server can join two headers into one list.
  ...(['signature-uppercase', 'signature-half', 'signature-digit', 'signature-longer', 'signature-list'] as const).map(
    (code) => cause(ACCEPTED, /signature-(uppercase|half|digit|longer|empty|list)|headers-two-signatures/, [code]),
  ),
  cause(ACCEPTED, /headers-two-.*/),
  cause(ACCEPTED, /nonce-.*/),
  cause(REFUSED, /accepted-nonce-.*|replay-split/),
  cause(['server-error'], /signature-.*|answers-hostile/),
]

/** Returns what to change. Faults that hide other results, such as a redirect, come first. Causes of one case come last. */
export function explainFailures(cases: readonly CheckedCase[], scheme: ContractName = 'x-signature'): Finding[] {
  const failed = cases.flatMap(({ code, result }) => (result.ok ? [] : [{ ...result, code }]))
  const faults = new Set<EndpointFault>(BOTH)
  const findings = groupByFix(failed.filter(({ fault }) => !faults.has(fault)))
  let unexplained = failed.filter(({ fault }) => faults.has(fault))
  for (const { faults, codes, required, minCases, advice } of rootCauses(SCHEMES[scheme])) {
    const whole = new RegExp(`^(${codes.source})$`)
    const fits = unexplained.filter(
      ({ code, fault }) => faults.includes(fault) && (whole.test(code) || whole.test(`${code} ${fault}`)),
    )
    const found = required.map((code) => fits.find((one) => one.code === code))
    if (fits.length < minCases || found.includes(undefined)) continue
    const [code] = required
    // An exception or another status does not show the cause, but the text of the case does.
    const isOther = found[0]?.fault === 'server-error' || found[0]?.fault === 'refused-otherwise'
    const ofCase = code !== undefined && isOther ? ROWS[scheme][code] : found[0]
    const { cause, fix } = advice ?? ofCase ?? (fits[0] as Advice)
    findings.push({ cause, fix, codes: fits.map(({ code }) => code) })
    unexplained = unexplained.filter((one) => !fits.includes(one))
  }
  return [...findings, ...groupByFix(unexplained)]
}

type Failed = Advice & { readonly code: EndpointCaseCode; readonly fault: EndpointFault }

/** Joins cases with the same fix, because a fault such as a redirect has the same cause in every case. */
function groupByFix(failed: readonly Failed[]): Finding[] {
  const groups = new Map<string, Finding>()
  for (const { code, cause, fix, fault } of failed) {
    // A case that was wrongly accepted or refused has its own cause.
    const key = fault === 'accepted' || fault === 'refused' ? code : fix
    const { codes, ...advice } = groups.get(key) ?? { cause, fix, codes: [] }
    groups.set(key, { ...advice, codes: [...codes, code] })
  }
  return [...groups.values()]
}

import { ADVICE, type Advice, type EndpointFault } from '../../testing/endpoint/faults.js'
import { type EndpointCaseCode, ROWS } from '../../testing/endpoint/rows.js'
import { type ContractName, type ContractScheme, howToCheck, SCHEMES } from '../../testing/endpoint/scheme.js'
import type { EndpointCase, EndpointResult } from '../../testing/index.js'

// Several cases often fail for one reason. Cases with the same fix are one finding, and the table in this file finds the other reasons.

export interface Finding extends Advice {
  readonly codes: readonly EndpointCaseCode[]
}

export interface CheckedCase extends Pick<EndpointCase, 'code' | 'expected'> {
  readonly result: EndpointResult
}

/**
 * A reason for which several cases fail. `codes` matches the cases that may fail: the whole code, or the code and the fault. Each case of
 * `required` must fail. Without `advice`, the advice of the first required case is given, or else that of the first failed case.
 */
type RootCause = readonly [
  faults: readonly EndpointFault[],
  codes: RegExp,
  required?: readonly EndpointCaseCode[],
  advice?: Advice | undefined,
]

const ACCEPTED = ['accepted'] as const
const REFUSED = ['refused', 'refused-otherwise', 'server-error', 'content-type'] as const
const BOTH = [...ACCEPTED, ...REFUSED]

/** Returns a table whose first row that matches explains its cases. Later rows explain only the other cases. */
const rootCauses = (scheme: ContractScheme): readonly RootCause[] => [
  [
    ACCEPTED,
    /(headers|timestamp|nonce|signature|body|replay)-.*/,
    ['signature-other-secret', 'body-changed', 'timestamp-old', 'headers-none', 'nonce-empty', 'replay-again'],
    {
      cause: 'The endpoint accepts every request. The check does not run, or the handler ignores the result.',
      fix: 'If the check fails, send 401 and return from the handler. Await an asynchronous check. In PHP, call exit after http_response_code(401).',
    },
  ],
  [
    // An accepted forged request uses up the nonce of the valid request, so the endpoint then refuses the valid request.
    [...ACCEPTED, 'refused'],
    /(signature|body)-.*|headers-(no-signature|twice)|replay-forged/,
    ['signature-other-secret', 'body-changed'],
    {
      cause: 'The endpoint does not check the signature, or ignores the result of the check.',
      fix: howToCheck(scheme),
    },
  ],
  // The endpoint parses JSON and writes the JSON again.
  [
    BOTH,
    /accepted-(json-unusual|empty|bytes|text|line-ends|form|plain-text|no-type|compressed)|body-(spacing|line-end|replacement)|answers-hostile|replay-split server-error/,
    ['body-spacing', 'accepted-json-unusual'],
  ],
  // Code after the check accepts only some events.
  [['refused-otherwise'], /accepted-.*/, ['accepted-plain-text', 'accepted-bytes'], ADVICE['refused-otherwise']],
  // Code after the check, such as eventId, parses each body as JSON. Other faults spare text with the Content-Type of JSON.
  [
    ['server-error'],
    /accepted-.*/,
    ['accepted-plain-text', 'accepted-bytes', 'accepted-text', 'accepted-empty'],
    {
      cause: 'Your code fails for valid requests whose body is not one of your events.',
      fix: 'Pass one of your events as the body of the check. For a body that your code can never use, return 422, so that the sender stops.',
    },
  ],
  // The endpoint decodes the body to a string. Some decoders replace bytes that are not UTF-8, and others throw.
  [
    BOTH,
    /accepted-(bytes|compressed|text)|body-replacement|answers-hostile/,
    ['accepted-bytes', 'accepted-compressed'],
  ],
  // The endpoint reads the raw body only for some content types.
  [
    ['refused', 'server-error', 'content-type'],
    /accepted-(form|plain-text|no-type|bytes|empty)/,
    ['accepted-plain-text'],
  ],
  [ACCEPTED, /replay-.*/, ['replay-again']],
  [REFUSED, /accepted-nonce-.*|replay-split/],
  // The endpoint changes the signature first, and its server joins two headers into one list.
  [ACCEPTED, /signature-(form|longer)|headers-twice/, ['signature-form']],
  [['server-error'], /signature-.*|answers-hostile/],
]

/** Returns what to change. Faults that hide other results, such as a redirect, come first. Causes of one case come last. */
export function explainFailures(cases: readonly CheckedCase[], scheme: ContractName = 'x-signature'): Finding[] {
  const failed = cases.flatMap(({ code, result }) => (result.ok ? [] : [{ ...result, code }]))
  const faults = new Set<EndpointFault>(BOTH)
  const findings = groupByFix(failed.filter(({ fault }) => !faults.has(fault)))
  let unexplained = failed.filter(({ fault }) => faults.has(fault))
  for (const [faults, codes, required = [], advice] of rootCauses(SCHEMES[scheme])) {
    const whole = new RegExp(`^(${codes.source})$`)
    const fits = unexplained.filter(
      ({ code, fault }) => faults.includes(fault) && (whole.test(code) || whole.test(`${code} ${fault}`)),
    )
    const found = required.map((code) => fits.find((one) => one.code === code))
    if (fits.length < 2 || found.includes(undefined)) continue
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

/** Joins cases with the same fix. The cause is that of the first one. */
function groupByFix(failed: readonly (Advice & { readonly code: EndpointCaseCode })[]): Finding[] {
  const groups = new Map<string, Finding>()
  for (const { code, cause, fix } of failed) {
    const { codes, ...advice } = groups.get(fix) ?? { cause, fix, codes: [] }
    groups.set(fix, { ...advice, codes: [...codes, code] })
  }
  return [...groups.values()]
}

import type { EndpointFault } from '../../../../src/testing/endpoint/faults.js'
import type { EndpointCaseCode } from '../../../../src/testing/endpoint/rows.js'
import type { EndpointCase, EndpointResult } from '../../../../src/testing/index.js'

// Several cases often fail for one reason. This table finds that reason.

/** What the endpoint probably does wrong, what to change, and the cases that fail for this reason. */
export interface Finding extends Advice {
  readonly codes: readonly EndpointCaseCode[]
}

interface Advice {
  readonly cause: string
  readonly fix: string
}

/** A case that was run. */
export interface CheckedCase extends Pick<EndpointCase, 'code' | 'expected'> {
  readonly result: EndpointResult
}

interface RootCause {
  /** The faults of the responses in these cases. */
  readonly faults: readonly EndpointFault[]
  /** The cases that may fail for this reason. */
  readonly codes: RegExp
  /** How many of these cases must fail, by default 2. */
  readonly minCases?: number
  /** The cases that must be among the failed ones. */
  readonly requiredCases?: readonly EndpointCaseCode[]
  /** The cause and the fix. By default, the advice of the first required case or, without one, of the first failed case. */
  readonly advice?: Advice
}

const ACCEPTED = ['accepted'] as const
const REFUSED = ['refused', 'refused-otherwise', 'server-error', 'content-type'] as const
const BOTH = [...ACCEPTED, ...REFUSED]

/** The first row that matches explains its cases. Later rows only explain the other cases. */
const ROOT_CAUSES: readonly RootCause[] = [
  {
    faults: ACCEPTED,
    codes: /^(headers|timestamp|nonce|signature|body|replay)-/,
    minCases: 35,
    requiredCases: ['signature-other-secret', 'body-changed', 'timestamp-old'],
    advice: {
      cause: 'The endpoint accepts every request. The check does not run, or the handler ignores the result.',
      fix: 'If the check fails, answer 401 and return from the handler. Await an asynchronous check, and call exit after http_response_code(401) in PHP.',
    },
  },
  {
    // An accepted forged request uses up the nonce of the valid request, so the endpoint then refuses the valid request.
    faults: [...ACCEPTED, 'refused'],
    codes: /^(signature|body)-|^headers-(no|two)-signature|^replay-forged$/,
    minCases: 8,
    requiredCases: ['signature-other-secret', 'body-changed'],
    advice: {
      cause: 'The endpoint does not check the signature, or ignores the result of the check.',
      fix: 'Compute the HMAC-SHA256 of timestamp, colon, nonce, colon and raw body with the secret. Compare the result with X-Signature, and answer 401 if the two differ.',
    },
  },
  {
    // The endpoint parses JSON and writes the JSON again.
    faults: BOTH,
    codes:
      /^accepted-(json-unusual|empty|bytes|text|line-ends|form|plain-text|no-type|compressed)$|^body-(spacing|line-end|replacement|longer)$/,
    requiredCases: ['body-spacing', 'accepted-json-unusual'],
  },
  // The endpoint decodes the body to a string.
  {
    faults: BOTH,
    codes: /^accepted-(bytes|compressed|text)$|^body-replacement$/,
    requiredCases: ['body-replacement', 'accepted-bytes'],
  },
  // The endpoint trims the body. strip() in Ruby and trim() in PHP also remove a NUL, which some bodies have at the start or end.
  {
    faults: BOTH,
    codes: /^accepted-(line-ends|bytes|compressed)$|^body-line-end$/,
    requiredCases: ['body-line-end', 'accepted-line-ends'],
  },
  // The endpoint reads the raw body only for some content types.
  {
    faults: ['refused', 'server-error', 'content-type'],
    codes: /^accepted-(form|plain-text|no-type|bytes|empty)$/,
    requiredCases: ['accepted-plain-text'],
  },
  { faults: ACCEPTED, codes: /^replay-/, requiredCases: ['replay-again'] },
  { faults: ACCEPTED, codes: /^timestamp-(exponent|sign|space|fraction|letters)$/ },
  // Clocks that differ. An endpoint without a limit for the future also fails another case, so the row for that endpoint comes first.
  { faults: ACCEPTED, codes: /^timestamp-(old|ahead|milliseconds)$/ },
  {
    faults: BOTH,
    codes: /^accepted-old$|^timestamp-ahead$/,
    advice: {
      cause: 'The clock of the endpoint is ahead of this machine by 10 s or more.',
      fix: 'Synchronise both clocks with NTP.',
    },
  },
  {
    faults: BOTH,
    codes: /^accepted-ahead$|^timestamp-old$/,
    advice: {
      cause: 'The clock of the endpoint is behind this machine by 10 s or more.',
      fix: 'Synchronise both clocks with NTP.',
    },
  },
  { faults: REFUSED, codes: /^accepted-(old|ahead)$/ },
  { faults: ACCEPTED, codes: /^headers-no|^signature-empty$/ },
  // The comparison reads only a part of the header, or changes the header first. Two headers may arrive as one list.
  ...(['signature-uppercase', 'signature-half', 'signature-digit', 'signature-longer', 'signature-list'] as const).map(
    (code) => ({
      faults: ACCEPTED,
      codes: /^signature-(uppercase|half|digit|longer|empty|list)$|^headers-two-signatures$/,
      requiredCases: [code],
    }),
  ),
  { faults: ACCEPTED, codes: /^headers-two-/ },
  { faults: ACCEPTED, codes: /^nonce-/ },
  { faults: REFUSED, codes: /^accepted-nonce-|^replay-split$/ },
  { faults: ['server-error'], codes: /^signature-|^answers-hostile$/ },
]

/** Returns what to change: first causes that hide other results, then causes of several cases, then causes of one case. */
export function explainFailures(cases: readonly CheckedCase[]): Finding[] {
  const failed = cases.flatMap(({ code, result }) => (result.ok ? [] : [{ ...result, code }]))
  const faults = new Set<EndpointFault>(BOTH)
  const findings = groupByFix(failed.filter(({ fault }) => !faults.has(fault)))
  let unexplained = failed.filter(({ fault }) => faults.has(fault))
  for (const { faults, codes, minCases = 2, requiredCases = [], advice } of ROOT_CAUSES) {
    const fits = unexplained.filter(({ code, fault }) => faults.includes(fault) && codes.test(code))
    const required = requiredCases.map((code) => fits.find((one) => one.code === code))
    if (fits.length < minCases || required.includes(undefined)) continue
    const { cause, fix } = advice ?? required[0] ?? (fits[0] as Advice)
    findings.push({ cause, fix, codes: fits.map(({ code }) => code) })
    unexplained = unexplained.filter((one) => !fits.includes(one))
  }
  return [...findings, ...groupByFix(unexplained)]
}

type Failed = Advice & { readonly code: EndpointCaseCode; readonly fault: EndpointFault }

/** Returns one finding per fix, because a fault such as a redirect means the same in every case. */
function groupByFix(failed: readonly Failed[]): Finding[] {
  const groups = new Map<string, Finding>()
  for (const { code, cause, fix, fault } of failed) {
    // Each case with a fault of the signature check has its own cause.
    const key = fault === 'accepted' || fault === 'refused' ? code : fix
    const { codes, ...advice } = groups.get(key) ?? { cause, fix, codes: [] }
    groups.set(key, { ...advice, codes: [...codes, code] })
  }
  return [...groups.values()]
}

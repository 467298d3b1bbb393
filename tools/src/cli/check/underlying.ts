import type { EndpointCaseCode, EndpointFault, EndpointResult } from '../../../../src/testing/index.js'

// Several cases often fail for one reason, which this table finds.

/** What the endpoint probably does wrong, what to change, and the cases that fail for this reason. */
export interface Finding extends Advice {
  readonly codes: readonly EndpointCaseCode[]
}

interface Advice {
  readonly cause: string
  readonly fix: string
}

/** A case that was run. */
export interface CheckedCase {
  readonly code: EndpointCaseCode
  readonly expected: 'accepted' | 'rejected' | 'one'
  readonly result: EndpointResult
}

interface Underlying {
  /** How the answers to these cases are wrong. */
  readonly faults: readonly EndpointFault[]
  /** The cases that may fail for this reason. By default, all cases. */
  readonly codes?: readonly (EndpointCaseCode | `${string}-*`)[]
  /** How many of these cases must fail. `nearly all` means nine tenths of those that were run. */
  readonly least: number | 'nearly all'
  /** The cases that must be among the failed ones. */
  readonly decisive?: readonly EndpointCaseCode[]
  /** Returns whether the answers to a case show that the row fits. By default, every case shows this. */
  readonly when?: (one: CheckedCase) => boolean
  /** By default, the advice of the first decisive case. */
  readonly advice?: Advice
}

const ACCEPTED = ['accepted'] as const
const REFUSED = ['refused', 'refused-otherwise', 'server-error', 'content-type'] as const

/** The cases about mistakes of the sender. An endpoint whose check does not run accepts all of them. */
const MISTAKES = ['headers-*', 'timestamp-*', 'nonce-*', 'signature-*', 'body-*', 'replay-*'] as const

function countAccepted({ statuses }: EndpointResult): number {
  return statuses.filter((status) => status >= 200 && status <= 299).length
}

function hasFailed(codes: RegExp) {
  return ({ code, result }: CheckedCase): boolean => codes.test(code) && !result.ok
}

/** The first row that fits explains its cases. Later rows look at the others. */
const UNDERLYING: readonly Underlying[] = [
  {
    faults: ['no-answer'],
    least: 1,
    // The command has found the case after which nothing answers any more.
    decisive: ['answers-alive'],
  },
  {
    faults: ['too-many'],
    least: 1,
    advice: {
      cause: 'The endpoint or a proxy limits the rate of requests (429), so these cases say nothing.',
      fix: 'Send fewer requests per second, such as with --rate 2, or switch the limit off for this check.',
    },
  },
  {
    faults: ['unavailable'],
    least: 1,
    advice: {
      cause: 'The endpoint or its store was unavailable (502, 503 or 504), so these cases say nothing.',
      fix: 'Look for the reason in the log of the endpoint, the proxy and the store. Then run the check again.',
    },
  },
  {
    faults: ['rejected-with-2xx'],
    least: 2,
    advice: {
      cause: 'The endpoint answers rejections with 2xx and an error text. A sender takes every 2xx for success.',
      fix: 'Answer a rejection with status 401: http_response_code(401) in PHP, abort(401) in Flask, res.sendStatus(401) in Express.',
    },
  },
  {
    faults: ['accepted'],
    codes: MISTAKES,
    least: 'nearly all',
    decisive: ['signature-other-secret', 'body-changed'],
    // If only the signature is not checked, the next row has better advice.
    when: hasFailed(/^(headers-none|timestamp-old)$/),
    advice: {
      cause: 'The endpoint accepts every request. The check does not run, or its result is ignored.',
      fix: 'If the check fails, answer 401 and return from the handler. Await an asynchronous check, and call exit after http_response_code(401) in PHP.',
    },
  },
  {
    faults: ['accepted', 'refused'],
    // A forged request that is accepted uses up the nonce of the genuine one.
    codes: ['signature-*', 'body-*', 'headers-no-signature', 'headers-two-signatures', 'replay-forged'],
    least: 8,
    decisive: ['signature-other-secret', 'body-changed'],
    advice: {
      cause: 'The signature is not checked: it is not compared, or the result of the comparison is ignored.',
      fix: 'Compute the HMAC-SHA256 of timestamp, colon, nonce, colon and raw body with the secret. Compare it with X-Signature, and answer 401 if it differs.',
    },
  },
  {
    faults: [...ACCEPTED, ...REFUSED],
    codes: [
      ...([
        'accepted-json-unusual',
        'accepted-empty',
        'accepted-bytes',
        'accepted-text',
        'accepted-line-ends',
      ] as const),
      ...(['accepted-form', 'accepted-plain-text', 'accepted-no-type', 'accepted-compressed'] as const),
      ...(['body-spacing', 'body-line-end', 'body-replacement', 'body-longer'] as const),
    ],
    least: 2,
    decisive: ['accepted-json-unusual', 'body-spacing'],
    advice: {
      cause: 'The endpoint parses the JSON, and verifies what it writes again, not the bytes that arrived.',
      fix: "Verify the raw body, and parse it afterwards: express.raw({ type: () => true }) instead of express.json(), request.get_data() in Flask, request.body in Django, file_get_contents('php://input') in PHP.",
    },
  },
  {
    faults: [...ACCEPTED, ...REFUSED],
    codes: ['accepted-bytes', 'accepted-compressed', 'accepted-text', 'body-replacement'],
    least: 2,
    decisive: ['accepted-bytes', 'body-replacement'],
    advice: {
      cause:
        'The endpoint decodes the body to a string before it computes the signature. Bytes that are not UTF-8 become EF BF BD.',
      fix: 'Pass the bytes to the HMAC: a Buffer without toString() or setEncoding() in Node, request.get_data() without decode() in Python.',
    },
  },
  {
    faults: ['refused-otherwise'],
    least: 2,
    advice: {
      cause: 'Other code than the check refuses these bodies: a body parser before it, or your code that reads events.',
      fix: 'Let no body parser run before the check. If your code reads events, pass one of them with --body FILE.',
    },
  },
  {
    faults: REFUSED,
    codes: ['accepted-form', 'accepted-plain-text', 'accepted-no-type', 'accepted-bytes', 'accepted-empty'],
    least: 2,
    decisive: ['accepted-plain-text'],
    advice: {
      cause:
        'The endpoint reads the raw body only for some content types. The signature does not depend on Content-Type.',
      fix: "Read the raw body for every content type: express.raw({ type: () => true }) in Express, request.get_data() in Flask, file_get_contents('php://input') in PHP.",
    },
  },
  {
    faults: [...ACCEPTED, ...REFUSED],
    codes: ['accepted-line-ends', 'body-line-end'],
    least: 2,
    advice: {
      cause: 'The endpoint trims the body before it computes the signature.',
      fix: 'Verify the body as it arrived, without trim(), strip() or rstrip().',
    },
  },
  {
    faults: ACCEPTED,
    codes: ['replay-*'],
    least: 2,
    decisive: ['replay-again', 'replay-copies'],
    when: ({ code, result }) => code === 'replay-copies' && countAccepted(result) < 20,
    advice: {
      cause:
        'Replays are accepted, but not all of them. Several processes or instances probably have a memory of nonces each.',
      fix: 'Let all processes use one nonce store: Redis (SET key 1 NX EX 600), or a table with a unique key in your database.',
    },
  },
  {
    faults: ACCEPTED,
    codes: ['replay-*'],
    least: 2,
    decisive: ['replay-again'],
    advice: {
      cause: 'Replays are accepted. The endpoint remembers no nonces, or each request has a memory of its own.',
      fix: 'After the signature matched, reserve the nonce for 600 s in one atomic step: SET key 1 NX EX 600 in Redis, or INSERT with a unique key. If it is taken, answer 401.',
    },
  },
  {
    faults: ACCEPTED,
    codes: ['timestamp-exponent', 'timestamp-sign', 'timestamp-space', 'timestamp-fraction', 'timestamp-letters'],
    least: 2,
    advice: {
      cause:
        'X-Timestamp is converted to a number without a check of its form. Number(), parseInt(), int(), (int) and strconv.Atoi accept more than digits.',
      fix: "Allow only the digits 0 to 9: /^[0-9]+$/ in JavaScript, ctype_digit() in PHP, re.fullmatch('[0-9]+', value) in Python.",
    },
  },
  {
    faults: [...ACCEPTED, ...REFUSED],
    codes: ['accepted-old', 'timestamp-ahead'],
    least: 2,
    // An endpoint without a limit for the future would accept this timestamp too.
    when: ({ code, result }) => code === 'timestamp-milliseconds' && result.ok,
    advice: {
      cause: 'The clock of the endpoint is ahead of this machine by 10 s or more.',
      fix: 'Let NTP set both clocks.',
    },
  },
  {
    faults: [...ACCEPTED, ...REFUSED],
    codes: ['accepted-ahead', 'timestamp-old'],
    least: 2,
    advice: {
      cause: 'The clock of the endpoint is behind this machine by 10 s or more.',
      fix: 'Let NTP set both clocks.',
    },
  },
  {
    faults: ACCEPTED,
    codes: ['timestamp-old', 'timestamp-ahead', 'timestamp-milliseconds'],
    least: 2,
    decisive: ['timestamp-old', 'timestamp-ahead'],
    advice: {
      cause: 'The time window is not checked, or is wider than 300 s. Old captured requests are accepted.',
      fix: 'Reject if abs(now - timestamp) > 300, both in seconds.',
    },
  },
  {
    faults: ACCEPTED,
    codes: ['timestamp-ahead', 'timestamp-milliseconds'],
    least: 2,
    advice: {
      cause:
        'Timestamps from the future are accepted, so such a request can be sent again after its nonce is forgotten.',
      fix: 'Reject if abs(now - timestamp) > 300. Without abs(), only old timestamps are rejected.',
    },
  },
  {
    faults: REFUSED,
    codes: ['accepted-old', 'accepted-ahead'],
    least: 2,
    advice: {
      cause: 'The time window is less than 300 s in both directions.',
      fix: 'Accept if abs(now - timestamp) <= 300, both in seconds.',
    },
  },
  {
    faults: ACCEPTED,
    codes: ['headers-no-timestamp', 'headers-no-nonce', 'headers-no-signature', 'headers-none', 'signature-empty'],
    least: 2,
    when: hasFailed(/^headers-(no-timestamp|no-nonce|none)$/),
    advice: {
      cause: 'The check is skipped if a header is missing, so an attacker leaves the header out.',
      fix: 'Answer 401 if one of the three headers is missing or empty.',
    },
  },
  {
    faults: ACCEPTED,
    codes: ['headers-no-signature', 'signature-empty'],
    least: 2,
    advice: {
      cause: 'The signature is not compared if it is missing or empty, so an attacker leaves it out.',
      fix: 'Answer 401 if X-Signature is missing or empty. An empty string counts as false in PHP, JavaScript and Python.',
    },
  },
  {
    faults: ACCEPTED,
    codes: ['signature-uppercase', 'signature-longer', 'signature-list', 'headers-two-signatures'],
    least: 2,
    decisive: ['signature-uppercase'],
    when: hasFailed(/^signature-(longer|list)$/),
    advice: {
      cause:
        'The signature is decoded from hex before it is compared. This takes uppercase, and drops what is not hex.',
      fix: 'Compare the text of the header with the 64 lowercase hex digits of the HMAC, without hex2bin(), hex.DecodeString() or Buffer.from(signature, "hex").',
    },
  },
  {
    faults: ACCEPTED,
    codes: [
      ...(['signature-half', 'signature-digit', 'signature-longer', 'signature-list', 'signature-empty'] as const),
      'headers-two-signatures',
    ],
    least: 2,
    when: hasFailed(/^signature-(half|digit|longer)$/),
    advice: {
      cause: 'Only a part of the signature is compared.',
      fix: 'Compare all 64 digits and the length: hash_equals() in PHP, hmac.compare_digest() in Python, hmac.Equal() in Go, timingSafeEqual() after a check of the length in Node.',
    },
  },
  {
    faults: ACCEPTED,
    codes: ['signature-list', 'headers-two-signatures'],
    least: 2,
    decisive: ['signature-list'],
  },
  {
    faults: ACCEPTED,
    codes: ['headers-two-timestamps', 'headers-two-nonces', 'headers-two-signatures'],
    least: 2,
    advice: {
      cause:
        'If a header occurs twice, the endpoint takes the first or the last value. A proxy may take the other one.',
      fix: 'Answer 401 if one of the three headers occurs more than once.',
    },
  },
  {
    faults: ACCEPTED,
    codes: ['nonce-*'],
    least: 2,
    advice: {
      cause: 'The form of the nonce is not checked.',
      fix: 'Accept 1 to 128 characters from 0x21 to 0x7E, such as /^[!-~]{1,128}$/, and answer 401 to everything else.',
    },
  },
  {
    faults: REFUSED,
    codes: [
      'accepted-nonce-short',
      'accepted-nonce-long',
      'accepted-nonce-visible',
      'accepted-nonce-case',
      'replay-split',
    ],
    least: 2,
    advice: {
      cause:
        'The endpoint restricts nonces more than the specification, such as to UUIDs, or uses them as a file name, a path or part of a URL.',
      fix: 'Accept 1 to 128 characters from 0x21 to 0x7E, such as /^[!-~]{1,128}$/. In a file name, a path or a URL, use their hash.',
    },
  },
  {
    faults: ['redirected'],
    least: 2,
    advice: {
      cause: 'The endpoint answers with redirects. Senders of webhooks do not follow them.',
      fix: 'Answer with 2xx or 401 at this URL itself: no login page, and no slash or https added.',
    },
  },
  {
    faults: ['server-error'],
    codes: ['signature-*', 'answers-hostile'],
    least: 2,
    advice: {
      cause: 'The comparison of signatures throws for another length or alphabet, and the endpoint answers 500.',
      fix: 'Before you compare, check that X-Signature is 64 characters from 0-9 and a-f, and answer 401 if it is not.',
    },
  },
  {
    faults: ['server-error'],
    least: 2,
    advice: {
      cause:
        'The handler fails with a status of 500 or above for several kinds of requests. It uses values before it checks them.',
      fix: 'First check that the headers are there and have the right form. Catch exceptions of the check, and answer 401.',
    },
  },
  {
    faults: ['no-answer'],
    least: 2,
    advice: {
      cause:
        'Several kinds of requests get no answer. The handler does not answer in every branch, or the process or its connection ends.',
      fix: 'Answer 401 in each branch that rejects, and catch exceptions there. The log of the process has the error.',
    },
  },
]

function isOneOf(code: EndpointCaseCode, codes: Underlying['codes']): boolean {
  return (
    codes === undefined || codes.some((one) => (one.endsWith('-*') ? code.startsWith(one.slice(0, -1)) : one === code))
  )
}

/** Returns what to change: first the reasons of several cases, then those of one. */
export function explainFailures(cases: readonly CheckedCase[]): Finding[] {
  const findings: Finding[] = []
  let unexplained = cases.flatMap(({ code, result }) => (result.ok ? [] : [{ code, ...result }]))
  for (const { faults, codes, least, decisive = [], when = () => true, advice } of UNDERLYING) {
    const fits = unexplained.filter(({ code, fault }) => faults.includes(fault) && isOneOf(code, codes))
    const wanted = cases.filter(({ code, expected }) => expected !== 'accepted' && isOneOf(code, codes)).length
    const needed = least === 'nearly all' ? 0.9 * wanted : least
    const hasDecisive = decisive.every((code) => fits.some((one) => one.code === code))
    if (fits.length < Math.max(1, needed) || !hasDecisive || !cases.some(when)) continue
    const { cause, fix } = advice ?? (fits.find(({ code }) => code === decisive[0]) as Advice)
    findings.push({ cause, fix, codes: fits.map(({ code }) => code) })
    unexplained = unexplained.filter((one) => !fits.includes(one))
  }
  return [...findings, ...unexplained.map(({ cause, fix, code }) => ({ cause, fix, codes: [code] }))]
}

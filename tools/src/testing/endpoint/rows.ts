import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { HeaderNames } from '../../../../src/rules/formats.js'
import type { Advice } from './faults.js'
import { inHex } from './refusals.js'
import { type ContractName, type ContractScheme, howToCheck, SCHEMES, type SchemeName } from './scheme.js'
import {
  changeByte,
  type EndpointRequest,
  headerValue,
  otherKey,
  respaced,
  type Sender,
  splitEarlier,
  splitLater,
  unique,
  withBody,
  withMore,
  withoutHeaders,
  withRepeated,
  withValues,
} from './sender.js'

// Each row of this table says what a case sends, which response is required, and what a wrong response means. The table is made for each
// signing scheme, because the texts name its headers.

/** The part of the specification that a case tests. */
export type EndpointRule = 'accepted' | 'headers' | 'timestamp' | 'nonce' | 'signature' | 'body' | 'replay' | 'answers'

/** One request of a case, and the response that the request must get. */
export interface Step {
  readonly request: EndpointRequest
  /** With `answered`, any status below 500 is right. With `ignored`, any response is right, because another case tests this request. */
  readonly expected: 'accepted' | 'rejected' | 'answered' | 'ignored'
  /** What is special about this request, if the case sends several kinds of requests. */
  readonly what?: string
  /** The advice if the response to this request is wrong. By default, the advice of the case. */
  readonly advice?: Advice
  /** The index of the address to send the request to. */
  readonly instance?: number
}

/** A case. If the response is wrong, `cause` says what the endpoint probably does wrong, and `fix` says what to change. */
export interface Row extends Advice {
  /** What is sent, in at most 34 characters. */
  readonly sent: string
  /** Set if exactly one of the requests must be accepted. Without it, the last request of the case is what the case tests. */
  readonly isOnce?: true
  readonly steps: (sender: Sender) => readonly Step[]
  /** The minimum time between the first request of the contract and this case, in milliseconds. */
  readonly delay?: number
  /** The advice for a status of 500 or above. By default, the usual advice for this status. */
  readonly onError?: Advice
  /** Set if the case needs a special body. An endpoint that accepts only known events can refuse this body. */
  readonly needsItsBody?: true
}

const accepted = (request: EndpointRequest, instance = 0): Step => ({ request, expected: 'accepted', instance })
const rejected = (request: EndpointRequest, what?: string, instance = 0): Step => ({
  request,
  expected: 'rejected',
  instance,
  ...(what === undefined ? {} : { what }),
})

const EXPRESS =
  "In Express, put (request, response, next) => { delete request.headers['content-encoding']; next() } before express.raw({ type: () => true, limit: '1mb' })."

const RAW_BODY = `Verify the bytes as they arrive, before anything parses, decodes, trims or decompresses them: request.get_data() in Flask, request.body in Django, file_get_contents('php://input') in PHP, io.ReadAll(r.Body) in Go. ${EXPRESS}`

const EVERY_TYPE =
  "Read the raw bytes for every Content-Type, before any body parser or CSRF check runs: express.raw({ type: () => true }) in Express, request.get_data() in Flask, file_get_contents('php://input') in PHP. In SvelteKit, set csrf.trustedOrigins to ['*'], and in Astro, security.checkOrigin to false."

const DIGITS =
  "Check the text before you convert it to a number: only the digits 0 to 9. Use /^[0-9]+$/ in JavaScript, ctype_digit() in PHP, re.fullmatch('[0-9]+', value) in Python."

const WINDOW =
  'Reject if abs(now - timestamp) > 300, in seconds, and accept otherwise. Synchronise the clocks with NTP.'

const OVERFLOWS: Advice = {
  cause:
    'A timestamp far in the future is accepted, because the difference overflows. In Go, time.Since() then returns the smallest int64, and negating this value overflows.',
  fix: 'Subtract whole seconds, and check both ends: d := time.Now().Unix() - seconds, and reject if d < -300 || d > 300.',
}

const ALL_PRESENT =
  'Check all three headers first, and return 401 if one is missing or empty. A missing header must never switch off a check.'

function missing(name: string, ...fields: readonly (keyof HeaderNames)[]): Row {
  return {
    sent: `without ${name}`,
    steps: (sender) => [rejected(withoutHeaders(sender.sign(), ...fields))],
    cause: `A request without ${name} is accepted. The endpoint probably skips a check if a header is missing.`,
    fix: ALL_PRESENT,
    onError: { cause: 'The handler uses a header before it checks that the header is there.', fix: ALL_PRESENT },
  }
}

/** Returns a case with timestamps that must be rejected. Each timestamp is signed as sent. */
function timestamps(sent: string, valuesAt: (sender: Sender) => readonly string[], cause: string, fix: string): Row {
  return {
    sent,
    steps: (sender) =>
      valuesAt(sender).map((timestamp) => rejected(sender.sign({ timestamp }), `the timestamp ${timestamp}`)),
    cause,
    fix,
    onError: { cause: 'The handler throws when it converts this timestamp to a number.', fix: DIGITS },
  }
}

/** Returns a case with a valid request whose body is special. */
function validBody(sent: string, signed: () => Parameters<Sender['sign']>[0], cause: string, fix: string): Row {
  const steps: Row['steps'] = (sender) => [accepted(sender.sign(signed()))]
  return { sent, needsItsBody: true, steps, cause, fix }
}

/** Every visible ASCII character, in two halves, because a nonce also needs room for a unique part. */
const VISIBLE = ['!"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNO', 'PQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~']

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

/** One byte more than the default limit of Express. */
const LARGE_BYTES = 100 * 1024 + 1

function unusualJson(): string {
  return `{ "z" : 1.0,\t"a": "\\u0041\\/" , "n":1e2, "a":12345678901234567890, "id":"${unique()}" }`
}

function largeJson(): string {
  const start = `{"event":"check","id":"${unique()}","text":"`
  return `${start}${'x'.repeat(LARGE_BYTES - start.length - 2)}"}`
}

/** Returns the text with the hex digit or the letter at `index` changed. */
function otherDigit(text: string, index: number): string {
  const other = text.charAt(index) === '1' ? '0' : '1'
  return text.slice(0, index) + other + text.slice(index + 1)
}

function hostileRequests(sender: Sender): readonly Step[] {
  const answered = (what: string, request: EndpointRequest): Step => ({ request, expected: 'answered', what })
  const withSignature = (signature: string) => withValues(sender.sign(), { signature })
  const changed = withMore(sender.sign(), ' ')
  return [
    answered('half a JSON document', withBody(sender.sign(), '{"event":')),
    answered('JSON that is not text', withBody(sender.sign(), Buffer.of(0xff, 0xfe, 0x00))),
    answered('text that claims to be gzip', {
      ...changed,
      headers: [['Content-Encoding', 'gzip'], ...changed.headers],
    }),
    answered('a signature of 64 letters that are not hex', withSignature('z'.repeat(64))),
    answered('a signature of 64 letters outside ASCII', withSignature('\xe9'.repeat(64))),
    answered('a signature of 63 digits', withSignature('a'.repeat(63))),
    answered('a signature of 1000 digits', withSignature('a'.repeat(1000))),
    answered('a timestamp of 20 digits', sender.sign({ timestamp: '9'.repeat(20) })),
    answered('a timestamp of 100 digits', sender.sign({ timestamp: '9'.repeat(100) })),
    answered('a timestamp without a digit', sender.sign({ timestamp: '-' })),
    answered(`a ${sender.scheme.headers.nonce} of 1000 characters`, sender.sign({ nonce: 'x'.repeat(1000) })),
  ]
}

/** The signed bytes `timestamp:nonce:body`, and then the same bytes with another colon between nonce and body. */
function splitAtColons(sender: Sender): readonly Step[] {
  const request = sender.sign()
  const withColon = sender.sign({ nonce: `${randomUUID()}:1` })
  const later = splitLater(request)
  return [
    accepted(request),
    ...(later === undefined ? [] : [rejected(later, 'a longer nonce and a shorter body')]),
    accepted(withColon),
    rejected(splitEarlier(withColon), 'a shorter nonce and a longer body'),
  ]
}

/** The signed bytes `id.timestamp.timestamp.body`, and then the same bytes with the first timestamp as a part of the ID. */
function splitAtFullStops(sender: Sender): readonly Step[] {
  const body = sender.body()
  const request = sender.sign({ body: Buffer.concat([Buffer.from(`${sender.seconds()}.`), body]) })
  const nonce = `${headerValue(request, 'nonce')}.${headerValue(request, 'timestamp')}`
  return [{ request, expected: 'ignored' }, rejected(withBody(withValues(request, { nonce }), body))]
}

/** Returns the rows unchanged, so that TypeScript infers the type of the codes. */
function table<C extends string>(rows: { readonly [code in C]: Row }): { readonly [code in C]: Row } {
  return rows
}

type Change = readonly [change: (right: string) => string, what?: string]

/** Returns the request with another signature. */
function withChange(request: EndpointRequest, change: Change[0]): EndpointRequest {
  return withValues(request, { signature: change(headerValue(request, 'signature')) })
}

/** Returns the cases of a scheme, and those of the other scheme, which are left out. */
function rowsOf(scheme: ContractScheme) {
  const { nonce: word, headers: names } = scheme
  const { timestamp: timestampName, nonce: nonceName, signature: signatureName } = names
  const isOwn = scheme.name === 'x-signature'
  const digit = isOwn ? 'digit' : 'character'
  const nonceFormat = `Check the ${word} before the signature, as it arrived: ${scheme.nonceForm}. Do not trim or change it.`
  const fileName: Advice = {
    cause: `A ${word} with punctuation is refused. The endpoint allows only some characters, changes the ${word}, or uses it as a file name, a path or part of a URL.`,
    fix: `${nonceFormat} In a file name, a path or a URL, use the hash of the ${word}, such as SHA-256 in hex.`,
  }
  const { version, length } = scheme
  const isEd25519 = scheme.algorithm === 'Ed25519'
  const exact = isEd25519
    ? howToCheck(scheme)
    : `Compute ${scheme.form}, and compare it with the header as it arrived: hash_equals() in PHP, hmac.compare_digest() in Python, hmac.Equal() in Go. In Node, compare the lengths, and then call timingSafeEqual().`
  const throws: Advice = {
    cause:
      'The comparison throws for a signature of another length or with other characters, as timingSafeEqual() of Node and decoders of hex and base64 do.',
    fix: isOwn
      ? 'Before you compare, check that the signature is 64 characters from 0-9 and a-f, and return 401 if it is not.'
      : `Before you compare, check the length of each signature, and return 401 if none of them has ${length} characters.`,
  }
  const covered = `${isEd25519 ? 'Verify the signature of' : 'Compute the HMAC over'} ${scheme.message} as it arrived. Compare the whole signature, and use only this body afterwards.`
  const reserve = `After the signature matched, reserve ${scheme.reserved} in one step: SET key 1 NX EX 600 in Redis, or INSERT with a unique key in SQL. If the key is taken, return 401.`

  /** Returns a case with nonces that break their format. Each nonce is signed as sent. */
  const nonces = (sent: string, steps: Row['steps'], cause: string): Row => ({
    sent,
    steps,
    cause,
    fix: nonceFormat,
    onError: {
      cause: `The handler or the nonce store throws for this ${word}, for example because a column is too short.`,
      fix: nonceFormat,
    },
  })
  /** Returns a case that sends the right signature with changes that must be rejected. */
  const signature = (sent: string, changes: readonly Change[], cause: string, fix = exact): Row => ({
    sent,
    steps: (sender) => changes.map(([change, what]) => rejected(withChange(sender.sign(), change), what)),
    cause,
    fix,
    onError: throws,
  })
  const otherForms: readonly Change[] = isOwn
    ? [
        [(right) => right.toUpperCase(), 'uppercase'],
        [(right) => `sha256=${right}`, 'sha256= before it'],
        [(right) => Buffer.from(right, 'hex').toString('base64'), 'base64'],
        [(right) => `${right},${otherDigit(right, 0)}`, 'two signatures with a comma, the first one is valid'],
        [(right) => `${otherDigit(right, 0)}, ${right}`, 'two signatures with a comma, the second one is valid'],
      ]
    : [[inHex, 'hex']]

  return table({
    'accepted-json': {
      sent: 'JSON',
      steps: (sender) => [accepted(sender.sign())],
      cause: 'A valid request is refused.',
      fix: `Compare the secret, the URL and the clocks. Sign ${scheme.message} with ${scheme.algorithm}, as ${scheme.form}.`,
    },
    'accepted-json-unusual': {
      sent: 'JSON with 1.0, escapes and spaces',
      steps: (sender) => [
        accepted(sender.sign({ body: sender.event === undefined ? unusualJson() : respaced(sender.body()) })),
      ],
      cause:
        'JSON with unusual spaces, escapes or numbers is refused. The endpoint probably parses the JSON and verifies what it serializes again.',
      fix: RAW_BODY,
    },
    'accepted-line-ends': {
      sent: 'CRLF and a newline at the end',
      steps: (sender) => {
        const lines = sender.event === undefined ? `{"event":"check",\r\n"id":"${unique()}"}` : sender.body()
        return [accepted(sender.sign({ body: Buffer.concat([Buffer.from(lines), Buffer.from('\r\n')]) }))]
      },
      cause: 'A body with newlines is refused. The endpoint probably trims the body, or replaces CRLF by LF.',
      fix: RAW_BODY,
    },
    'accepted-empty': validBody(
      'an empty body',
      () => ({ body: '' }),
      'An empty body is refused. A body parser probably leaves the body undefined, or the handler treats an empty body as an error.',
      'If there is no body, verify zero bytes. If a body parser keeps the raw body for you, check that the parser also keeps an empty body.',
    ),
    'accepted-bytes': validBody(
      'all 256 bytes',
      () => ({ body: ALL_BYTES, type: 'application/octet-stream' }),
      'A body that is not text is refused. The endpoint probably decodes the body to a string, which replaces bytes that are not UTF-8.',
      RAW_BODY,
    ),
    'accepted-text': validBody(
      'multi-byte text after a BOM',
      () => ({ body: '\ufeff{"name":"Zo\u00eb \u6771\u4eac \u{1f389}"}' }),
      'Non-ASCII text is refused. The endpoint probably decodes the body as Latin-1 or removes the byte order mark (EF BB BF).',
      RAW_BODY,
    ),
    'accepted-form': validBody(
      'a form',
      () => ({ body: 'event=check&name=%5a+b&name=c', type: 'application/x-www-form-urlencoded' }),
      'A form is refused. The endpoint probably keeps the raw body only if the Content-Type is JSON.',
      EVERY_TYPE,
    ),
    'accepted-plain-text': validBody(
      'plain text',
      () => ({ body: 'event check', type: 'text/plain' }),
      'Plain text is refused. The endpoint probably keeps the raw body only if the Content-Type is JSON.',
      EVERY_TYPE,
    ),
    'accepted-no-type': {
      sent: 'no Content-Type',
      steps: (sender) => [accepted(sender.sign({ type: null }))],
      cause:
        'A request without Content-Type is refused. The endpoint probably keeps the raw body only if the Content-Type is JSON, or takes the request for a form.',
      fix: EVERY_TYPE,
    },
    'accepted-compressed': {
      sent: 'gzip bytes, signed as sent',
      needsItsBody: true,
      steps: (sender) => {
        const request = sender.sign({ body: gzipSync('{"event":"check"}') })
        return [accepted({ ...request, headers: [['Content-Encoding', 'gzip'], ...request.headers] })]
      },
      cause:
        'A compressed body is refused. The framework or a proxy probably decompresses the body before the check, or refuses its Content-Encoding.',
      fix: RAW_BODY,
    },
    'accepted-100-kb': validBody(
      'a body of 100 KB',
      () => ({ body: largeJson() }),
      'A body of 100 KB is refused. The endpoint probably has a smaller limit, or verifies only the beginning of the body.',
      'Allow 1 MB, and verify all of it: limit in express.raw(), client_max_body_size in nginx, post_max_size in PHP.',
    ),
    'accepted-names': {
      sent: 'header names in other case',
      steps: (sender) =>
        (['toLowerCase', 'toUpperCase'] as const).map((spell) => {
          const request = sender.sign()
          return accepted({ ...request, headers: request.headers.map(([name, value]) => [name[spell](), value]) })
        }),
      cause:
        'Header names in another case are refused. Header names are case-insensitive, and proxies may write them in lowercase.',
      fix: 'Look headers up without regard to case: request.headers[name] in lowercase in Node, r.Header.Get() in Go, $_SERVER["HTTP_…"] in PHP.',
    },
    'accepted-nonce-short': {
      sent: `a ${word} of 4 characters`,
      steps: (sender) => [accepted(sender.sign({ nonce: unique().slice(0, 4) }))],
      cause: `A ${word} of 4 characters is refused. The endpoint probably wants a UUID or a minimum length.`,
      fix: nonceFormat,
    },
    'accepted-nonce-long': {
      sent: `a ${word} of 128 characters`,
      steps: (sender) => [accepted(sender.sign({ nonce: unique().repeat(8) }))],
      cause: `A ${word} of 128 characters is refused. The limit or the column of the nonce store is probably too short.`,
      fix: `Accept ${word}s of up to 128 characters, and make the column that stores them as long: VARCHAR(128).`,
    },
    'accepted-nonce-visible': {
      sent: `${word}s of every visible character`,
      steps: (sender) =>
        VISIBLE.map((half) => accepted(sender.sign({ nonce: unique() + (isOwn ? half : half.replace('.', '')) }))),
      ...fileName,
      onError: fileName,
    },
    'accepted-nonce-case': {
      sent: `${word}s that differ only in case`,
      steps: (sender) => {
        const start = unique()
        return ['a', 'A'].map((end) => accepted(sender.sign({ nonce: `${start}-${end}` })))
      },
      cause: `Two ${word}s that differ only in case are treated as equal. The endpoint or its database compares without regard to case.`,
      fix: 'Store the value as it arrived, and compare bytes: no strtolower(), and a column with a binary collation (utf8mb4_bin in MySQL).',
    },
    'accepted-same-body': {
      sent: `the same body with another ${word}`,
      steps: (sender) => {
        const same = sender.body()
        return [accepted(sender.sign({ body: same })), accepted(sender.sign({ body: same }))]
      },
      cause: `A new request with the body of an earlier request is refused. The endpoint probably remembers the body, not the ${word}.`,
      fix: `Remember only ${scheme.reserved}, because two events may have the same body.`,
    },
    'accepted-retry': {
      sent: 'the same ID, signed again',
      steps: (sender) => {
        const nonce = sender.scheme.newNonce()
        const body = sender.body()
        return [sender.seconds(-1), sender.seconds()].map((timestamp) =>
          accepted(sender.sign({ nonce, timestamp, body })),
        )
      },
      cause: `A retry is refused. A sender repeats a message with the same ${nonceName} and a new ${timestampName}, and stops if the response is 4xx.`,
      fix: `Reserve ${scheme.reserved}. To do the work of a message once, store its ID with the work, and return 2xx for a repeated message.`,
    },
    'accepted-signatures': {
      sent: 'several signatures, one is valid',
      steps: (sender) =>
        [
          (right: string) => `${otherDigit(right, version.length + 1)} ${right}`,
          (right: string) => `${right} ${otherDigit(right, version.length + 1)}`,
          (right: string) => `v1a,${'A'.repeat(86)}== v2,${'A'.repeat(43)}= ${right}`,
        ].map((change) => accepted(withChange(sender.sign(), change))),
      cause: `A list of signatures is refused, although one of them is valid. While a secret rotates, ${signatureName} has a signature per secret. Other versions may be in the list too.`,
      fix: `Split the header at spaces, ignore each entry that does not begin with ${version} and a comma, and accept the request if one of the other entries matches.`,
    },
    'accepted-old': {
      sent: 'a timestamp 290 s old',
      steps: (sender) => [accepted(sender.sign({ timestamp: sender.seconds(-290) }))],
      cause:
        'A request 290 s old is refused. The window of the endpoint is probably less than 300 s, or its clock is ahead.',
      fix: WINDOW,
    },
    'accepted-ahead': {
      sent: 'a timestamp 290 s ahead',
      steps: (sender) => [accepted(sender.sign({ timestamp: sender.seconds(290) }))],
      cause:
        'A request 290 s ahead is refused. The endpoint probably allows less in the future than in the past, or its clock is behind.',
      fix: WINDOW,
    },

    'headers-no-timestamp': missing(timestampName, 'timestamp'),
    'headers-no-nonce': missing(nonceName, 'nonce'),
    'headers-no-signature': missing(signatureName, 'signature'),
    'headers-none': missing('the three headers', 'timestamp', 'nonce', 'signature'),
    'headers-twice': {
      sent: 'a header twice',
      steps: (sender) =>
        (['timestamp', 'nonce', 'signature'] as const).map((field) =>
          rejected(withRepeated(sender.sign(), field), `${names[field]} twice`),
        ),
      cause:
        'A request with a repeated header is accepted. The endpoint reads only the first or the last header, but a proxy may read the other header.',
      fix: 'Return 401 if one of the three headers occurs more than once: headersDistinct in Node, headers.get_all() in Python, len(r.Header.Values(name)) in Go.',
    },

    'timestamp-old': timestamps(
      '310 s old',
      (sender) => [sender.seconds(-310)],
      'A request 310 s old is accepted. The window is probably not checked, too wide, or computed in milliseconds.',
      WINDOW,
    ),
    'timestamp-ahead': timestamps(
      '310 s ahead',
      (sender) => [sender.seconds(310)],
      'A request 310 s ahead is accepted. The endpoint probably checks only that the timestamp is not too old, without abs().',
      WINDOW,
    ),
    'timestamp-milliseconds': {
      ...timestamps(
        'milliseconds',
        (sender) => [String(sender.clock.now())],
        'A timestamp in milliseconds is accepted. The endpoint probably guesses the unit by the number of digits.',
        `Read ${timestampName} as seconds, and let the window refuse everything else.`,
      ),
      steps: (sender) => [
        // In seconds, this number is a time in the year 5138. In milliseconds and in smaller units, the number is not close to now either.
        { ...rejected(sender.sign({ timestamp: '99999999999' }), 'a timestamp 3000 years ahead'), advice: OVERFLOWS },
        rejected(sender.sign({ timestamp: String(sender.clock.now()) })),
      ],
    },
    'timestamp-form': timestamps(
      'not only digits',
      (sender) => ['$e0', '+$', '$ 0', '$.5', '$abc'].map((form) => form.replace('$', sender.seconds())),
      'A timestamp that is not only digits is accepted. Number(), parseInt(), float(), int(), (int), intval() and strconv.Atoi() convert such text without an error.',
      DIGITS,
    ),

    'nonce-empty': nonces(
      `an empty ${word}`,
      (sender) => [rejected(sender.sign({ nonce: '' }))],
      `A request with an empty ${word} is accepted, so the request can be replayed.`,
    ),
    'nonce-form': nonces(
      'a nonce of the wrong form',
      (sender) => {
        // An endpoint can verify the byte E9 as it is, or decode the byte as Latin-1 and verify its UTF-8 form.
        const start = unique()
        const asBytes = sender.sign({ nonce: start, body: Buffer.concat([Buffer.of(0xe9, 0x3a), sender.body()]) })
        const trimmed = sender.sign()
        return [
          rejected(sender.sign({ nonce: `${unique().repeat(8)}x` }), 'a nonce of 129 characters'),
          rejected(sender.sign({ nonce: `${unique()} ${unique()}` }), 'a nonce with a space'),
          rejected(
            withBody(withValues(asBytes, { nonce: `${start}:\xe9` }), asBytes.body.subarray(2)),
            'the byte E9 at the end',
          ),
          rejected(sender.sign({ nonce: `${unique()}\xe9` }), 'the byte E9, signed as UTF-8'),
          rejected(
            withValues(trimmed, { nonce: `${headerValue(trimmed, 'nonce')}\xa0` }),
            'an unsigned no-break space after the nonce',
          ),
        ]
      },
      'A nonce that is too long or has invalid characters is accepted. The endpoint does not check the nonce, or trims it. Long nonces can fill the nonce store, or a database column may truncate them.',
    ),

    'signature-other-secret': {
      sent: 'signed with another secret',
      steps: (sender) => [
        rejected(sender.sign({ key: otherKey() })),
        rejected(sender.sign({ key: new Uint8Array() }), 'signed with an empty secret'),
      ],
      cause:
        'A request signed with another secret is accepted, so anybody can sign. The endpoint probably ignores the result of the comparison, or uses an empty secret.',
      fix: 'If the comparison fails, send 401 and return. If the comparison is asynchronous, await the result. Do not start the program without a secret.',
    },
    'signature-form': signature(
      'the signature in another form',
      otherForms,
      'A signature in another form is accepted. The endpoint probably converts the case, decodes the signature, removes a prefix or splits the header at a comma before it compares.',
    ),
    'signature-version': signature(
      'another version, and none',
      ['v2,', isEd25519 ? 'v1,' : 'v1a,', ''].map((other) => [(right) => right.replace(`${version},`, other)]),
      'A right signature with another version, or without a version, is accepted. The endpoint probably removes the text before the comma.',
      `Check only entries that begin with ${version} and a comma, because other versions have other keys and other rules.`,
    ),
    'signature-half': signature(
      'half of it',
      [[(right) => right.slice(0, isOwn ? 32 : version.length + 1 + length / 2)]],
      'Half of the signature is accepted. The endpoint probably compares only as many digits as arrived, for example with startsWith() or strncmp().',
    ),
    'signature-digit': signature(
      `one ${digit} changed`,
      // The last character of base64 has bits that belong to no byte.
      (isOwn ? [63, 32, 0] : [isEd25519 ? 88 : 44, 32, version.length + 1]).map((index) => [
        (right) => otherDigit(right, index),
      ]),
      `A signature with one wrong ${digit} is accepted. The endpoint probably compares only a part of the signature.`,
    ),
    'signature-longer': signature(
      `one ${digit} more`,
      [[(right) => `${right}0`]],
      `A signature with one ${digit} more is accepted. The endpoint probably compares only the first ${length} ${digit}s, or decodes the signature before it compares.`,
    ),
    'signature-empty': signature(
      'empty',
      isOwn ? [[() => '']] : [[() => ''], [() => `${version},`]],
      'An empty signature is accepted. The check is probably skipped if the header is empty.',
      ALL_PRESENT,
    ),

    'body-changed': {
      sent: 'one byte changed',
      steps: (sender) => {
        const request = sender.sign()
        return [rejected(withBody(request, changeByte(request.body)))]
      },
      cause:
        'A changed body is accepted. The signature does not cover the body, or the endpoint verifies another body.',
      fix: covered,
    },
    'body-line-end': {
      sent: 'a newline more',
      steps: (sender) => [rejected(withMore(sender.sign(), '\n')), rejected(withMore(sender.sign(), '\r\n'))],
      cause:
        'A body with an extra newline is accepted. The endpoint probably trims the body: trim(), strip() or rstrip().',
      fix: RAW_BODY,
    },
    'body-spacing': {
      sent: 'the JSON with other spaces',
      steps: (sender) => {
        const request = sender.sign()
        return [rejected(withBody(request, respaced(request.body)))]
      },
      cause:
        'The endpoint accepts JSON whose spacing differs from the signed JSON. The endpoint probably parses the JSON and verifies what it serializes again.',
      fix: RAW_BODY,
    },
    'body-replacement': {
      sent: 'EF BF BD replaced by FF',
      steps: (sender) => {
        const [start, end] = [Buffer.from('{"event":"check","name":"'), Buffer.from('"}')]
        const request = sender.sign({ body: Buffer.concat([start, Buffer.of(0xef, 0xbf, 0xbd), end]) })
        return [rejected(withBody(request, Buffer.concat([start, Buffer.of(0xff), end])))]
      },
      cause:
        'A byte that was not signed is accepted. The endpoint probably decodes the body to a string, which turns the byte FF into EF BF BD.',
      fix: RAW_BODY,
    },

    'replay-again': {
      sent: 'the same request again',
      steps: (sender) => {
        const request = sender.sign()
        const others = Array.from({ length: sender.instances - 1 }, (_, index) => index + 1)
        return [
          // Each instance must first accept a valid request, because an instance that refuses everything also refuses the replay.
          ...others.map((instance) => accepted(sender.sign(), instance)),
          accepted(request),
          ...[0, 0, 0].map((instance) => rejected(request, undefined, instance)),
          ...others.map((instance) => rejected(request, `the same request to instance ${instance + 1}`, instance)),
        ]
      },
      cause:
        'A replay is accepted. The endpoint stores no nonces, has one store per process, instance or request, or accepts a used nonce with 2xx.',
      fix: `Use one nonce store for all processes, such as Redis or the database, and reject a used nonce with 4xx. ${reserve}`,
    },
    'replay-other-body': {
      sent: 'the same nonce, signed again',
      steps: (sender) => {
        const nonce = randomUUID()
        const timestamp = sender.seconds(-1)
        return [accepted(sender.sign({ nonce })), rejected(sender.sign({ nonce, timestamp }))]
      },
      cause:
        'A used nonce is accepted with another timestamp. The endpoint probably remembers the signature or the timestamp, not the nonce alone.',
      fix: 'Store the nonce alone as the key, per webhook, for 600 s.',
    },
    'replay-copies': {
      sent: '20 copies at once',
      isOnce: true,
      steps: (sender) => {
        const request = sender.sign()
        return Array.from({ length: 20 }, (_, index) => accepted(request, index % sender.instances))
      },
      cause:
        'The endpoint accepts several copies that arrive together. The endpoint probably looks up the nonce and stores it in two steps.',
      fix: reserve,
    },
    'replay-split': {
      sent: `the same bytes, split at another ${isOwn ? 'colon' : 'dot'}`,
      steps: isOwn ? splitAtColons : splitAtFullStops,
      ...(isOwn
        ? {
            cause:
              'The same signed bytes are accepted again if they are split at another colon into nonce and body. Both requests have the same signature, but different nonces.',
            fix: 'Reserve the signature too, for 600 s, under a key that no nonce can have, such as "signature " and the hex digits.',
          }
        : {
            cause:
              'The same signed bytes are accepted again if they are split at another full stop into ID, timestamp and body. Both requests have the same signature, but different IDs.',
            fix: nonceFormat,
          }),
    },
    'replay-forged': {
      sent: 'a valid one after a forged one',
      steps: (sender) => {
        const request = sender.sign()
        const signature = headerValue(sender.sign({ key: otherKey() }), 'signature')
        return [{ request: withValues(request, { signature }), expected: 'ignored' }, accepted(request)]
      },
      cause: `A valid request is refused after a forged request with the same ${word}. The endpoint reserves the ${word} before it checks the signature.`,
      fix: `Reserve ${scheme.reserved} last, after the signature matched.`,
    },

    'answers-hostile': {
      sent: 'requests that break parsers',
      steps: hostileRequests,
      cause: 'The response is 500 or above, because the handler uses values before it checks their form.',
      fix: 'First check the form of the three headers, and return 401 if the form is wrong. Parse the body after the signature matched.',
    },
    // This case runs late, to find endpoints that forget nonces after a few seconds.
    'replay-late': {
      sent: 'the first request, after 20 others',
      // An endpoint that reads 600 as milliseconds forgets a nonce after 0.6 s.
      delay: 3000,
      steps: (sender) => {
        const first = sender.opening ?? sender.sign()
        const missingOthers = Math.max(0, 20 - sender.acceptedOthers)
        return [...Array.from({ length: missingOthers }, () => accepted(sender.sign())), rejected(first)]
      },
      cause: 'An old replay is accepted. The endpoint forgets nonces too early, or keeps only the newest nonces.',
      fix: 'Keep each nonce for 600 s, even if many nonces arrive. Check the unit of the expiry, and the limit of the cache.',
    },
    'answers-alive': {
      sent: 'a valid request at the end',
      steps: (sender) => [accepted(sender.sign())],
      cause:
        'After the requests with mistakes, the endpoint refuses a valid request. The endpoint probably keeps state between requests.',
      fix: 'Look for the first error in the log. Keep no state of a rejected request, and do not lock out senders after rejected requests.',
    },
  })
}

/** The cases by scheme and code. */
export const ROWS = {
  'x-signature': rowsOf(SCHEMES['x-signature']),
  'standard-webhooks': rowsOf(SCHEMES['standard-webhooks']),
  ed25519: rowsOf(SCHEMES.ed25519),
}

/** The name of a case, such as `replay-again`, which does not change in new versions. */
export type EndpointCaseCode = keyof ReturnType<typeof rowsOf>

/** Returns the part of the specification that a case tests. */
export const ruleOf = (code: EndpointCaseCode) => code.replace(/-.*/, '') as EndpointRule

/** Returns the required response of a case. */
export function expectedOf({ isOnce }: Row, steps: readonly Step[]): 'accepted' | 'rejected' | 'one' {
  if (isOnce) return 'one'
  return steps.at(-1)?.expected === 'accepted' ? 'accepted' : 'rejected'
}

/** The cases that only one scheme has. */
const ONLY: { readonly [name in SchemeName]: readonly EndpointCaseCode[] } = {
  'x-signature': ['nonce-form', 'replay-other-body'],
  'standard-webhooks': ['signature-version', 'accepted-retry', 'accepted-signatures'],
}

const CODES = Object.keys(ROWS['x-signature']) as EndpointCaseCode[]

/** Returns the codes of the cases that a scheme has. */
export function codesOf(scheme: ContractName): EndpointCaseCode[] {
  const others = ONLY[scheme === 'x-signature' ? 'standard-webhooks' : 'x-signature']
  return CODES.filter((code) => !others.includes(code))
}

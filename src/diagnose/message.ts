import { Buffer } from 'node:buffer'
import { isNonce } from '../rules/nonce.js'
import { isTimestamp } from '../rules/timestamp.js'
import { type Choice, RAREST } from './choice.js'
import { instantOf, SPELLINGS, scaleOf } from './instant.js'

/** The parts of a message that a request has; any other text of a layout stands for itself. */
export const TIMESTAMP = Symbol('timestamp')
export const NONCE = Symbol('nonce')
export const BODY = Symbol('body')

type Part = typeof TIMESTAMP | typeof NONCE | typeof BODY | string

/** What is signed, part after part. */
export type Layout = readonly Part[]

const CORRECT: Layout = [TIMESTAMP, ':', NONCE, ':', BODY]

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: code to be shown, and what was signed by mistake. */
const FIX =
  "On the sender's side: sign timestamp, ':', nonce, ':' and the body, in this order, with the very header values: Node: hmac.update(`${timestamp}:${nonce}:`).update(body), Python: f'{timestamp}:{nonce}:'.encode() + body, Go: fmt.Fprintf(mac, \"%s:%s:\", timestamp, nonce) and then mac.Write(body), Ruby: [timestamp, nonce, body].join(':'), PHP: $timestamp . ':' . $nonce . ':' . $body, Java: mac.update((timestamp + \":\" + nonce + \":\").getBytes(StandardCharsets.UTF_8)) and then mac.doFinal(body), shell: printf '%s:%s:%s' \"$TIMESTAMP\" \"$NONCE\" \"$BODY\""

const FEED =
  "On the sender's side: give the message to the HMAC before its digest is taken: Go: mac.Write(message) and then mac.Sum(nil), not mac.Sum(message); Node: hmac.update(message).digest('hex'); Python: hmac.new(key, message, hashlib.sha256); Java: mac.doFinal(message)"

/** A layout as text: `timestamp.nonce.body`. */
export function layoutText(layout: Layout): string {
  return layout.map((part) => (typeof part === 'symbol' ? (part.description as string) : visible(part))).join('')
}

/** Text with its control characters spelt. */
function visible(part: string): string {
  return JSON.stringify(part).slice(1, -1).replaceAll('\\"', '"')
}

/** What a request offers for a message beside its body. */
export interface Received {
  readonly webhookId: string
  readonly timestamp: string | undefined
  readonly nonce: string | undefined
  /** Names in lowercase. */
  readonly headers: readonly (readonly [name: string, value: string])[]
}

const SEPARATORS: readonly (readonly [cost: number, separator: string])[] = [
  [2, '.'],
  [3, '\n'],
  [3, ''],
  [4, '|'],
  [4, ','],
  [4, ' '],
  [4, ';'],
  [4, '-'],
  [4, '_'],
  [4, '/'],
  [4, '&'],
  [4, '\r\n'],
  [5, '::'],
  [5, ': '],
  [5, ', '],
  [5, '+'],
  [5, '#'],
  [5, '~'],
  [5, '='],
  [5, '\t'],
  [5, '\0'],
  [5, '\\n'],
  [5, '||'],
  [6, '$'],
  [6, '@'],
  [6, '*'],
  [6, '!'],
]

/** The orders of the parts, and how unlikely they are with the right separator. */
const ORDERS: readonly (readonly [cost: number, ...parts: Part[]])[] = [
  [0, TIMESTAMP, NONCE, BODY],
  [2, TIMESTAMP, BODY],
  [2, BODY],
  [3, NONCE, TIMESTAMP, BODY],
  [3, NONCE, BODY],
  [4, TIMESTAMP, BODY, NONCE],
  [4, BODY, TIMESTAMP, NONCE],
  [4, BODY, NONCE, TIMESTAMP],
  [4, NONCE, BODY, TIMESTAMP],
  [4, BODY, TIMESTAMP],
  [4, BODY, NONCE],
  [3, TIMESTAMP, NONCE],
  [5, NONCE, TIMESTAMP],
  [5, TIMESTAMP],
  [5, NONCE],
]

const joined = (parts: readonly Part[], separator: string): Part[] =>
  parts.flatMap((part, index) => (index === 0 || separator === '' ? [part] : [separator, part]))

/** The layouts that are tried, the right one first. */
export function layoutChoices(received: Received): Choice<Layout>[] {
  const choices: Choice<Layout>[] = [{ cost: 0, value: CORRECT }]
  const seen = new Set([key(CORRECT)])
  const add = (cost: number, layout: Layout) => {
    const parts = layout.filter((part) => part !== '')
    if (parts.length === 0 || seen.has(key(parts))) return
    seen.add(key(parts))
    const signed = parts.includes(BODY) || parts.length === 1 ? '' : ' (without the body)'
    const what = `the message \`${layoutText(parts)}\`${signed}`
    choices.push({ cost: Math.min(cost, RAREST), value: parts, deviation: { code: 'message_layout', what, fix: FIX } })
  }

  const nothing = 'an empty message, as of an HMAC to which nothing was given'
  choices.push({ cost: 3, value: [], deviation: { code: 'message_layout', what: nothing, fix: FEED } })
  for (const [cost, ...parts] of ORDERS) add(cost, joined(parts, ':'))
  // Those of Stripe, of Standard Webhooks and of Slack.
  add(2, joined([TIMESTAMP, BODY], '.'))
  add(3, joined([NONCE, TIMESTAMP, BODY], '.'))
  add(3, joined(['v0', TIMESTAMP, BODY], ':'))
  for (const [separatorCost, separator] of SEPARATORS) {
    for (const [cost, ...parts] of ORDERS) {
      add(cost === 0 ? separatorCost : Math.max(cost, separatorCost) + 3, joined(parts, separator))
    }
  }
  for (const [cost, space] of [
    [4, '\n'],
    [5, ' '],
    [5, '\r\n'],
    [6, '\t'],
  ] as const) {
    add(cost, [TIMESTAMP, ':', NONCE, ':', space, BODY])
    add(cost + 1, [space, ...CORRECT])
  }
  add(5, ['\ufeff', ...CORRECT])
  add(4, [TIMESTAMP, ':', NONCE, BODY])
  // Two separators that differ.
  for (const first of ['', '.', '\n', ':']) {
    for (const second of ['', '.', '\n', ':']) add(5, [TIMESTAMP, first, NONCE, second, BODY])
  }
  const inside = ['', '.', '\n', '|', ',', ' ', '-', ';', '_', '/', ':', '&']
  for (const first of inside) {
    for (const second of inside) add(7, [TIMESTAMP, first, NONCE, second, BODY])
  }
  for (const separator of [':', '.', '\n', '|', ',', ' ']) {
    add(4, [...joined([TIMESTAMP, NONCE, BODY], separator), separator])
    add(5, [separator, ...joined([TIMESTAMP, NONCE, BODY], separator)])
    for (const version of ['v0', 'v1', 'v2', '1', 'sha256', 'HMAC-SHA256', 'hmac-sha256']) {
      add(version === 'v0' || version === 'v1' ? 5 : 7, joined([version, TIMESTAMP, NONCE, BODY], separator))
      add(version === 'v0' || version === 'v1' ? 5 : 7, joined([version, TIMESTAMP, BODY], separator))
    }
  }

  const { webhookId, headers } = received
  for (const separator of [':', '.', '\n', '']) {
    add(5, joined([webhookId, TIMESTAMP, NONCE, BODY], separator))
    add(7, joined([TIMESTAMP, NONCE, webhookId, BODY], separator))
    add(7, joined([webhookId, TIMESTAMP, BODY], separator))
    add(7, joined([webhookId, BODY], separator))
  }

  named(add)
  const methods = unique([...valuesOf(headers, METHOD_HEADERS), 'POST', 'PUT', 'post'])
  const paths = pathsOf(received)
  for (const [index, method] of methods.entries()) {
    for (const separator of index === 0 ? ['\n', ':', '.', '', '|', ' '] : ['\n', ':', '']) {
      const cost = index === 0 ? 6 : 7
      add(cost, joined([method, TIMESTAMP, NONCE, BODY], separator))
      add(cost + 1, joined([method, BODY], separator))
      add(cost + 1, joined([method, TIMESTAMP, BODY], separator))
      add(cost + 1, joined([TIMESTAMP, NONCE, method, BODY], separator))
      add(cost + 1, joined([TIMESTAMP, method, BODY], separator))
      for (const [place, path] of paths.slice(0, index === 0 ? 12 : 3).entries()) {
        const more = place < 3 ? cost : 7
        add(more, joined([method, path, TIMESTAMP, NONCE, BODY], separator))
        add(more + 1, joined([TIMESTAMP, NONCE, method, path, BODY], separator))
        add(more + 1, joined([TIMESTAMP, method, path, BODY], separator))
        add(more + 1, joined([method, path, TIMESTAMP, BODY], separator))
        add(more + 1, joined([method, path, BODY], separator))
        add(more + 1, joined([TIMESTAMP, NONCE, BODY, method, path], separator))
        add(more + 1, [`${method} ${path}`, separator, ...joined([TIMESTAMP, NONCE, BODY], separator)])
      }
    }
  }
  for (const [place, path] of paths.entries()) {
    for (const separator of [':', '\n', '.', '', '|']) {
      const cost = place < 3 ? 6 : 7
      add(cost, joined([path, TIMESTAMP, NONCE, BODY], separator))
      add(cost, joined([TIMESTAMP, NONCE, path, BODY], separator))
      add(cost, joined([TIMESTAMP, path, BODY], separator))
      add(cost, joined([path, BODY], separator))
    }
  }
  return choices
}

/** Layouts that name their parts: as header lines, as a query, as JSON. */
function named(add: (cost: number, layout: Layout) => void): void {
  for (const [timestamp, nonce] of [
    ['X-Timestamp', 'X-Nonce'],
    ['x-timestamp', 'x-nonce'],
  ]) {
    for (const colon of [':', ': ', '=']) {
      for (const line of ['\n', '\r\n', ';', ',', '&', '|']) {
        const head: Part[] = [`${timestamp}${colon}`, TIMESTAMP, line, `${nonce}${colon}`, NONCE, line]
        add(7, [...head, BODY])
        add(8, [...head, line, BODY])
        add(8, head.slice(0, -1))
      }
    }
  }
  for (const [timestamp, nonce, body] of [
    ['timestamp', 'nonce', 'body'],
    ['timestamp', 'nonce', 'payload'],
    ['timestamp', 'nonce', 'data'],
    ['ts', 'nonce', 'body'],
    ['t', 'n', 'b'],
  ] as const) {
    for (const line of ['&', '\n', ',', ';', '|']) {
      add(7, [`${timestamp}=`, TIMESTAMP, line, `${nonce}=`, NONCE, line, `${body}=`, BODY])
      add(7, [`${body}=`, BODY, line, `${nonce}=`, NONCE, line, `${timestamp}=`, TIMESTAMP])
      add(7, [`${timestamp}:`, TIMESTAMP, line, `${nonce}:`, NONCE, line, `${body}:`, BODY])
      add(7, [`${timestamp}=`, TIMESTAMP, line, `${nonce}=`, NONCE, line, BODY])
    }
    for (const [quote, comma, colon] of [
      ['"', ',', ':'],
      ['', ',', ':'],
      ['"', ', ', ': '],
      ['', ', ', ': '],
    ]) {
      add(7, [
        `{"${timestamp}"${colon}${quote}`,
        TIMESTAMP,
        `${quote}${comma}"${nonce}"${colon}"`,
        NONCE,
        `"${comma}"${body}"${colon}`,
        BODY,
        '}',
      ])
    }
  }
  add(7, ['["', TIMESTAMP, '","', NONCE, '",', BODY, ']'])
  add(7, ['[', TIMESTAMP, ',"', NONCE, '",', BODY, ']'])
  // Python's text for bytes inside of an f-string: the rest is text already.
  add(4, [TIMESTAMP, ':', NONCE, ":b'", BODY, "'"])
  // What echo -n prints where it knows no -n.
  add(5, ['-n ', ...CORRECT])
  add(5, ['-n ', ...CORRECT, '\n'])
  add(4, ['{timestamp}:{nonce}:', BODY])
  add(4, ['${timestamp}:${nonce}:', BODY])
  add(4, ['$timestamp:$nonce:', BODY])
  add(6, ['{timestamp}:{nonce}:{body}'])
  add(6, ['${timestamp}:${nonce}:${body}'])
}

const METHOD_HEADERS = [':method', 'x-http-method-override', 'x-forwarded-method', 'x-original-method']
const PATH_HEADERS = [
  ':path',
  'x-forwarded-uri',
  'x-original-uri',
  'x-original-url',
  'x-envoy-original-path',
  'x-rewrite-url',
  'x-forwarded-path',
]

/** Where the request may have been sent: what headers tell, then the usual places. */
function pathsOf({ webhookId, headers }: Received): string[] {
  const told = valuesOf(headers, PATH_HEADERS)
  const paths = unique([
    ...told,
    ...told.map((path) => path.split('?', 1)[0] as string),
    '/',
    '/webhook',
    '/webhooks',
    '/hooks',
    `/${webhookId}`,
    `/hooks/${webhookId}`,
    `/webhooks/${webhookId}`,
    '/hook',
    '/events',
    '/callback',
    '/api/webhook',
    '/api/webhooks',
  ]).slice(0, 16)
  const hosts = valuesOf(headers, ['x-forwarded-host', ':authority', 'host'])
  const urls = hosts
    .slice(0, 2)
    .flatMap((host) =>
      ['https://', 'http://', ''].flatMap((scheme) => paths.slice(0, 4).map((path) => `${scheme}${host}${path}`)),
    )
  return [...paths.slice(0, 3), ...urls, ...paths.slice(3), ...hosts.slice(0, 2)]
}

function valuesOf(headers: Received['headers'], names: readonly string[]): string[] {
  return headers.filter(([name, value]) => names.includes(name) && value.length <= 2048).map(([, value]) => value)
}

const unique = (values: readonly string[]) => [...new Set(values)]

const key = (parts: Layout) => layoutText(parts)

const SEND_THE_SAME =
  "On the sender's side: put the timestamp into a variable once, and sign and send that: const timestamp = String(Math.floor(Date.now() / 1000))"
const SEND_THE_SAME_NONCE =
  "On the sender's side: put the nonce into a variable once, and sign and send that: const nonce = crypto.randomUUID()"

/** The longest header whose variants are tried, in characters. */
const LONGEST = 1024

/** What was signed for the timestamp, the header's value first. */
export function timestampChoices(timestamp: string | undefined, now: number): Choice<string>[] {
  const found = collect('message_timestamp', SEND_THE_SAME)
  const value = timestamp ?? ''
  found.add(0, value)
  if (value.length > LONGEST) return found.choices
  const instant = timestamp === undefined ? undefined : instantOf(timestamp, now)
  // A header in another format or unit has a finding of its own, which tells the same.
  const isOtherwise = !isTimestamp(value) || scaleOf(Number(value), now) !== undefined
  if (instant !== undefined && isOtherwise) found.add(1, String(Math.floor(instant / 1000)))
  found.add(4, '', 'an empty timestamp')
  for (const text of ['undefined', 'null', 'None', 'NaN', '0']) found.add(5, text, `\`${text}\` for the timestamp`)
  found.add(5, '\ufffd', 'U+FFFD for the timestamp (Go: string(number))')
  found.add(4, `${value}\n`, 'the timestamp and a line feed after it')
  found.add(4, value.trim(), 'the timestamp without the white space around it')
  found.add(5, `"${value}"`, 'the timestamp between quotes')
  found.add(5, `${value} `, 'the timestamp and a space after it')
  found.add(5, ` ${value}`, 'the timestamp and a space before it')
  found.add(5, value.replace(/^0+(?=.)/, ''), 'the timestamp without its leading zeros')
  found.add(5, value.split(', ', 1)[0] as string, 'the first of two timestamps')
  found.add(5, value.split(', ').at(-1) as string, 'the last of two timestamps')
  if (instant === undefined) return found.choices
  for (const [cost, what, spell] of SPELLINGS) found.add(cost, spell(instant), `the timestamp ${what}`)
  const seconds = Math.floor(instant / 1000)
  for (let distance = 1; distance <= 10; distance++) {
    for (const other of [seconds - distance, seconds + distance]) {
      const by = `${distance} s ${other < seconds ? 'earlier' : 'later'} than in the header`
      found.add(distance <= 2 ? 3 : 6, String(other), `a timestamp ${by}`)
      found.add(distance <= 2 ? 6 : 7, String(other * 1000), `a timestamp in milliseconds ${by}`)
    }
  }
  for (let quarters = 1; quarters <= 56; quarters++) {
    const whole = quarters % 4 === 0
    for (const shift of [-900 * quarters, 900 * quarters]) {
      const by = `${quarters / 4} h ${shift < 0 ? 'earlier' : 'later'} than in the header, as a time zone makes it`
      found.add(whole ? 6 : RAREST, String(seconds + shift), `a timestamp ${by}`)
    }
  }
  // The header has whole seconds, the signed text also had what was cut off. So many are tried after all usual pairs.
  for (let fraction = 1; fraction < 1000; fraction++) {
    const part = String(fraction).padStart(3, '0')
    found.add(5.5, `${seconds}${part}`, 'the timestamp in milliseconds')
    found.add(9, new Date(seconds * 1000 + fraction).toISOString(), 'the timestamp in ISO 8601 with milliseconds')
  }
  for (let distance = 11; distance <= 300; distance++) {
    for (const other of [seconds - distance, seconds + distance]) {
      const by = `${distance} s ${other < seconds ? 'earlier' : 'later'} than in the header`
      found.add(distance <= 90 ? 7 : 9, String(other), `a timestamp ${by}`)
    }
  }
  return found.choices
}

/** What was signed for the nonce, the header's value first. */
export function nonceChoices({ nonce, headers }: Received): Choice<string>[] {
  const found = collect('message_nonce', SEND_THE_SAME_NONCE)
  const value = nonce ?? ''
  found.add(0, value)
  if (value.length > LONGEST) return found.choices
  // A header that breaks the rule has a finding of its own. Node decodes headers as Latin-1.
  if (!isNonce(value)) {
    found.add(1, Buffer.from(value, 'latin1').toString('utf8'))
    found.add(1, value.trim())
    found.add(1, value.slice(0, 128))
  }
  const dashless = value.replaceAll('-', '')
  found.add(3, value.toLowerCase(), 'the nonce in lowercase')
  found.add(3, value.toUpperCase(), 'the nonce in uppercase')
  found.add(3, dashless, 'the nonce without its dashes')
  found.add(4, value.trim(), 'the nonce without the white space around it')
  found.add(4, '', 'an empty nonce')
  found.add(4, `${value}\n`, 'the nonce and a line feed after it')
  found.add(5, `${value}\r\n`, 'the nonce and a CRLF (carriage return and line feed) after it')
  found.add(5, `${value} `, 'the nonce and a space after it')
  found.add(5, ` ${value}`, 'the nonce and a space before it')
  found.add(4, `"${value}"`, 'the nonce between quotes')
  found.add(5, `'${value}'`, 'the nonce between single quotes')
  found.add(4, `{${value}}`, 'the nonce between braces')
  found.add(5, `b'${value}'`, "the nonce as Python prints bytes, `b'…'`")
  found.add(
    4,
    /^(["'{<(])(.+)["'}>)]$/s.exec(value)?.[2] ?? value,
    'the nonce without the quotes or brackets around it',
  )
  const bare = value.replace(/^\{(.+)\}$/s, '$1')
  if (/^[0-9a-f]{32}$/i.test(bare.replaceAll('-', ''))) {
    const inside = 'the nonce without the braces around it'
    if (bare !== value) {
      found.add(4, bare.toLowerCase(), `${inside}, in lowercase`)
      found.add(5, bare.toUpperCase(), `${inside}, in uppercase`)
      found.add(5, bare.replaceAll('-', ''), `${inside} and its dashes`)
      found.add(5, bare.replaceAll('-', '').toLowerCase(), `${inside} and its dashes, in lowercase`)
    }
    found.add(4, `{${bare.toUpperCase()}}`, 'the nonce in uppercase between braces')
    found.add(5, `{${bare.toLowerCase()}}`, 'the nonce in lowercase between braces')
  }
  if (/^[0-9a-f]{32}$/i.test(dashless)) {
    const uuid = dashless.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    found.add(4, uuid, 'the nonce with the dashes of a UUID')
    found.add(5, uuid.toLowerCase(), 'the nonce in lowercase with the dashes of a UUID')
    found.add(5, uuid.toUpperCase(), 'the nonce in uppercase with the dashes of a UUID')
    found.add(5, dashless.toLowerCase(), 'the nonce in lowercase without its dashes')
    found.add(5, dashless.toUpperCase(), 'the nonce in uppercase without its dashes')
    found.add(5, Buffer.from(dashless, 'hex').toString('base64'), 'the bytes of the nonce in base64')
    found.add(6, Buffer.from(dashless, 'hex').toString('base64url'), 'the bytes of the nonce in base64url')
    found.add(6, `urn:uuid:${value}`, 'the nonce as a URN')
  }
  found.add(5, Buffer.from(value).toString('base64'), 'the nonce in base64')
  found.add(5, Buffer.from(value, 'base64').toString('utf8'), 'the nonce decoded from base64')
  found.add(5, Buffer.from(value, 'base64').toString('hex'), 'the nonce decoded from base64, in hex')
  found.add(5, Buffer.from(value).toString('hex'), 'the nonce in hex')
  found.add(5, encodeURIComponent(value.toWellFormed()), 'the nonce percent-encoded')
  found.add(5, value.replace(/=+$/, ''), 'the nonce without the `=` at its end')
  found.add(5, value.replaceAll('+', '-').replaceAll('/', '_'), 'the nonce in base64url')
  found.add(5, value.split(', ', 1)[0] as string, 'the first of two nonces')
  found.add(5, value.split(', ').at(-1) as string, 'the last of two nonces')
  found.add(6, value.slice(0, 32), 'the first 32 characters of the nonce')
  found.add(6, value.slice(0, 36), 'the first 36 characters of the nonce')
  found.add(6, value.slice(0, 128), 'the first 128 characters of the nonce')
  for (const text of ['undefined', 'null', 'None', '[object Object]', '0', 'nonce']) {
    found.add(text.startsWith('n') ? 4 : 5, text, `\`${text}\` for the nonce`)
  }
  for (const [name, other] of headers.slice(0, 64)) {
    const isIdentifier = /(id|uuid|nonce|token|key|request|delivery|event|trace)/.test(name) && other.length <= 512
    if (isIdentifier) found.add(4, other, `the value of the header ${name.slice(0, 64)} for the nonce`)
  }
  return found.choices
}

/** Choices of text, each once and under its cheapest name. */
function collect(code: 'message_timestamp' | 'message_nonce', fix: string) {
  const byValue = new Map<string, Choice<string>>()
  return {
    /** Without words for it, it gives no finding. */
    add(cost: number, value: string, what?: string) {
      const known = byValue.get(value)
      if (known !== undefined && known.cost <= cost) return
      byValue.set(value, { cost, value, deviation: what === undefined ? undefined : { code, what, fix } })
    },
    get choices() {
      return [...byValue.values()]
    },
  }
}
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: code to be shown, and what was signed by mistake. */

import { fromBase64, fromUtf8, utf8 } from '../../diagnose/bytes.js'
import type { HeaderLine } from '../output/http.js'
import { UsageError } from '../usage-error.js'
import { type CapturedRequest, parseHeader } from './captured-request.js'

// Captures that are not HTTP text. They run in a browser too.

type Json = { readonly [name: string]: unknown }

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Parses a capture in JSON: a HAR file or one entry of it, or an object with `headers` and `body`, as logs and AWS Lambda have.
 * Returns `undefined` for any other text.
 *
 * @param capture - text that begins with `{`.
 */
export function parseJsonCapture(capture: Uint8Array): CapturedRequest | undefined {
  let json: Json
  try {
    json = JSON.parse(fromUtf8(capture).replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
  const entries = isObject(json['log']) ? json['log']['entries'] : [json]
  if (!Array.isArray(entries)) return undefined
  const isHar = (entry: unknown): entry is Json & { readonly request: Json } =>
    isObject(entry) && isObject(entry['request']) && Array.isArray(entry['request']['headers'])
  const requests = entries.filter(isHar).map(parseHarEntry)
  if (requests.length > 0) return chooseRequest(requests)
  return parseEvent(json)
}

/** A browser's HAR file has many requests. */
function chooseRequest(requests: readonly CapturedRequest[]): CapturedRequest {
  const signed = requests.filter(({ headers }) => headers.some(([name]) => /sign/i.test(name)))
  const [request, ...others] = requests.length === 1 ? requests : signed
  if (request === undefined) throw new UsageError('No request of the HAR file has a header for a signature.')
  if (others.length > 0) {
    throw new UsageError(`${signed.length} requests of the HAR file have a signature. Copy one entry of log.entries.`)
  }
  return request
}

function parseHarEntry({ request, startedDateTime }: Json & { readonly request: Json }): CapturedRequest {
  const { method, url, headers, postData } = request
  const lines = (headers as unknown[]).flatMap((header) =>
    isObject(header) ? [[String(header['name']), String(header['value'])] as const] : [],
  )
  const text = isObject(postData) ? String(postData['text'] ?? '') : ''
  return {
    headers: withRequestLine(String(method ?? 'POST'), String(url ?? ''), lines),
    body: isObject(postData) && postData['encoding'] === 'base64' ? fromBase64(text) : utf8(text),
    respondedAt: Date.parse(String(startedDateTime)),
  }
}

function parseEvent({ headers, body, isBase64Encoded, httpMethod, path, rawPath }: Json): CapturedRequest | undefined {
  if (!isObject(headers)) return undefined
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): HeaderLine => [name, String(value)]),
  )
  // A body that was parsed is not the raw body, so it must be given apart.
  const text = body === undefined || body === null ? '' : body
  const bytes = typeof text !== 'string' ? undefined : isBase64Encoded === true ? fromBase64(text) : utf8(text)
  const target = path ?? rawPath
  return {
    headers: typeof target === 'string' ? withRequestLine(String(httpMethod ?? 'POST'), target, lines) : lines,
    body: text === '' ? new Uint8Array() : bytes,
    respondedAt: Number.NaN,
  }
}

/** HTTP/2 requests have a request line as pseudo-headers already. */
function withRequestLine(method: string, url: string, headers: readonly HeaderLine[]): readonly HeaderLine[] {
  const target = URL.canParse(url) ? new URL(url).pathname + new URL(url).search : url
  const others = headers.filter(([name]) => !name.startsWith(':'))
  return [[':method', method], [':path', target || '/'], ...others]
}

/** The options of curl that have a value and do not change the request's headers or body. */
const OPTION_WITH_VALUE =
  /^(-[beAuomxEcKTFrtUwzyYCD]|--(?!compressed|insecure|location|silent|verbose|include|http).*)$/

/** Parses a curl command, as browsers copy it for a POSIX shell. Returns `undefined` for any other text. */
export function parseCurlCommand(capture: Uint8Array): CapturedRequest | undefined {
  const text = fromUtf8(capture)
  if (!/^\s*\$?\s*curl\s/.test(text)) return undefined
  const [, ...words] = shellWords(text.replace(/^\s*\$?\s*/, ''))
  const headers: HeaderLine[] = []
  const data: string[] = []
  let isInFile = false
  let method = 'POST'
  let url = ''
  for (let index = 0; index < words.length; index++) {
    const [, option = '', attached] = /^(--[\w-]+|-[A-Za-z])(?:=?(.+))?$/s.exec(words[index] as string) ?? []
    const value = () => attached ?? words[++index] ?? ''
    if (option === '-H' || option === '--header') {
      const header = parseHeader(value())
      if (header !== undefined) headers.push(header)
    } else if (option === '-X' || option === '--request') method = value()
    else if (/^(-d|--data(-raw|-binary|-ascii)?|--json)$/.test(option)) {
      const one = value()
      if (one.startsWith('@') && option !== '--data-raw') isInFile = true
      else data.push(one)
    } else if (option === '--url') url = value()
    else if (option === '') url ||= words[index] as string
    else if (OPTION_WITH_VALUE.test(option)) value()
  }
  return {
    headers: withRequestLine(method, url, headers),
    body: isInFile ? undefined : utf8(data.join('&')),
    respondedAt: Number.NaN,
  }
}

const ESCAPES: { readonly [letter: string]: string } = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  a: '\x07',
  v: '\v',
  e: '\x1b',
}

/** Splits a command as a POSIX shell does, with the `$'…'` of bash. Variables and substitutions stay as they are. */
function shellWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  // One piece of a word: quoted in one of three ways, escaped, or plain.
  const PIECE = /\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(\r?\n)|\\(.)|(\s+)|([^\s'"\\$]+|\$)/gs
  for (const [, ansi, single, double, continued, escaped, space, plain] of text.matchAll(PIECE)) {
    if (space !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
      if (space.includes('\n')) break
    } else if (continued === undefined) {
      const piece =
        single ?? escaped ?? plain ?? (ansi === undefined ? unescapeDouble(String(double)) : unescapeAnsi(ansi))
      word = (word ?? '') + piece
    }
  }
  return word === undefined ? words : [...words, word]
}

const unescapeDouble = (text: string) => text.replace(/\\(\r?\n|[\\"$`])/g, (_, one) => (/\n/.test(one) ? '' : one))

const unescapeAnsi = (text: string) =>
  text.replace(/\\(?:u([0-9a-f]{1,4})|x([0-9a-f]{1,2})|(.))/gis, (_, unit, byte, one) =>
    one === undefined ? String.fromCharCode(Number.parseInt(unit ?? byte, 16)) : (ESCAPES[one] ?? one),
  )

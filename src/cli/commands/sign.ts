import { isUtf8 } from 'node:buffer'
import { type SignOptions, sign as signBody } from '../../index.js'
import { isNonce } from '../../rules/nonce.js'
import { defineCommand, type Options, UsageError } from '../command.js'
import { readInput } from '../input/read-input.js'
import { readSecret, SECRET_OPTIONS, secretNotes } from '../input/secret-source.js'
import { contentTypeOf, type HeaderLine, httpText, parseUrl } from '../output/http.js'
import { jsonText } from '../output/printable.js'

const FORMATS = ['headers', 'curl', 'http', 'json'] as const

const OPTIONS = {
  ...SECRET_OPTIONS,
  format: {
    type: 'string',
    value: 'FORMAT',
    help: 'headers: the three headers, one per line (the default)\ncurl: a curl command that sends the body\nhttp: the whole request as HTTP text, which verify reads\njson: the same as --json',
  },
  url: { type: 'string', value: 'URL', help: 'the URL for curl and http. Default for curl: the variable $URL' },
  timestamp: { type: 'string', value: 'SECONDS', help: 'the Unix time to sign. Default: now' },
  nonce: { type: 'string', value: 'NONCE', help: 'the nonce to sign. Default: a random UUID' },
} as const satisfies Options

export const sign = defineCommand({
  name: 'sign',
  summary: 'Signs the exact bytes of a body, and prints the three headers to send with it.',
  operands: '[file|-]',
  maxOperands: 1,
  options: OPTIONS,
  notes: [
    'Without a file or with -, the body is standard input. Sign every attempt again: a second request with the same nonce is a replay.',
    'curl and http send Content-Type application/json if the body is JSON. The signature does not cover it.',
  ],

  async run(call, context) {
    const { values, operands } = call
    const format = parseFormat(values)
    const url = values.url === undefined ? undefined : parseUrl(values.url)
    const options = { ...parseSignOptions(values), clock: context.clock }
    const [path] = operands
    const body = await readInput(path, 'the body', context)
    const named = await readSecret(call, context)
    const headers = signBody(body, named.secret, options)
    const notes = [...secretNotes(named), ...(body.length === 0 ? ['the body is empty'] : [])]

    const signed: HeaderLine[] = Object.entries(headers)
    const all: HeaderLine[] = [['Content-Type', contentTypeOf(body)], ...signed]
    const text = {
      json: () => jsonText({ headers, notes }),
      headers: () => signed.map(([name, value]) => `${name}: ${value}\n`).join(''),
      curl: () => curlCommand(url, all, path, body),
      http: () => {
        const { host, pathname, search } = url ?? new URL('http://localhost/')
        return httpText(pathname + search, [['Host', host], ...all, ['Content-Length', String(body.length)]], body)
      },
    }[format]()
    return { exitCode: 0, text, document: { headers, notes }, notes }
  },
})

function parseFormat({ format, json = false }: { format?: string; json?: boolean }): (typeof FORMATS)[number] {
  const known = FORMATS.find((one) => one === (format ?? (json ? 'json' : 'headers')))
  if (known === undefined) throw new UsageError(`Unknown --format. Use one of: ${FORMATS.join(', ')}.`)
  if (json && known !== 'json') throw new UsageError('--json and --format contradict each other. Pass one of them.')
  return known
}

function parseSignOptions({ timestamp, nonce }: { timestamp?: string; nonce?: string }): SignOptions {
  if (timestamp !== undefined && !/^\d{1,15}$/.test(timestamp)) {
    throw new UsageError('--timestamp is not Unix time in seconds. Use digits only, such as 1700000000.')
  }
  if (nonce !== undefined && !isNonce(nonce)) {
    throw new UsageError('--nonce must have 1 to 128 visible ASCII characters. Without --nonce, a UUID is used.')
  }
  return { timestamp: timestamp === undefined ? undefined : Number(timestamp), nonce }
}

/** The longest body inside the command, in bytes. A shell takes 128 KiB per word. */
const MAX_INLINE_BYTES = 100_000

function curlCommand(
  url: URL | undefined,
  headers: readonly HeaderLine[],
  path: string | undefined,
  body: Buffer,
): string {
  const isStdin = path === undefined || path === '-'
  const words = [
    'curl -i',
    url === undefined ? '"$URL"' : shellWord(url.href),
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    // Standard input is gone when the command runs.
    isStdin ? `--data-raw ${shellWord(inlineText(body))}` : `--data-binary ${shellWord(`@${path}`)}`,
  ]
  return `${words.join(' \\\n  ')}\n`
}

function inlineText(body: Buffer): string {
  const text = body.toString('utf8')
  // A shell acts on pasted control characters: a tab completes a word.
  if (!isUtf8(body) || /[^\P{Cc}\n]/u.test(text) || body.length > MAX_INLINE_BYTES) {
    throw new UsageError(
      'This body is too long or has bytes that a shell cannot take. Save it to a file, and sign that.',
    )
  }
  return text
}

/** Quotes a word for a POSIX shell, if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

import { isUtf8 } from 'node:buffer'
import { joinWords } from '../../diagnose/text.js'
import { isNonce } from '../../rules/nonce.js'
import { type SignOptions, sign as signBody } from '../../sign.js'
import { command } from '../command.js'
import { COMMON, type Options } from '../input/arguments.js'
import { readInput } from '../input/read-input.js'
import { oddities, readSecret, SECRET_OPTIONS } from '../input/secret-source.js'
import { parseUrl } from '../input/url.js'
import { contentTypeOf } from '../output/content-type.js'
import { type HeaderLine, httpText } from '../output/http-text.js'
import { jsonText } from '../output/printable.js'
import { shellWord } from '../output/shell.js'
import { UsageError } from '../usage-error.js'

const FORMATS = ['headers', 'curl', 'http', 'json'] as const

const OPTIONS = {
  ...SECRET_OPTIONS,
  format: {
    type: 'string',
    value: 'FORMAT',
    help: 'headers: the three headers, a line each (the default)\ncurl: a line to paste into a shell, which sends the body\nhttp: the whole request as HTTP text, which verify reads\njson: what --json prints',
  },
  url: { type: 'string', value: 'URL', help: 'where curl and http send it; by default curl takes it from $URL' },
  timestamp: { type: 'string', value: 'SECONDS', help: 'Unix time to sign, to reproduce a request; by default now' },
  nonce: { type: 'string', value: 'NONCE', help: 'nonce to sign, to reproduce a request; by default a random UUID' },
  ...COMMON,
} as const satisfies Options

export const sign = command({
  name: 'sign',
  summary: 'Signs a body, exactly its bytes, and prints the three headers to send with it.',
  operands: '[file|-]',
  mostOperands: 1,
  options: OPTIONS,
  notes: [
    'The body is read from the file, or from standard input. Sign every attempt anew: a second request with the same nonce is a replay. Content-Type, which is not signed, is application/json in curl and http if the body is JSON.',
  ],

  async act(parsed, surroundings) {
    const { values, operands } = parsed
    const format = formatOf(values)
    const url = values.url === undefined ? undefined : parseUrl(values.url)
    const options = { ...signOptions(values), clock: surroundings.clock }
    const [path] = operands
    const body = await readInput(path, 'the body', surroundings)
    const named = await readSecret(parsed, surroundings, [path ?? '-'])
    const headers = signBody(body, named.secret, options)
    const notes = [...oddities(named), ...(body.length === 0 ? ['the body is empty'] : [])]

    const signed: HeaderLine[] = Object.entries(headers)
    const all: HeaderLine[] = [['Content-Type', contentTypeOf(body)], ...signed]
    const text = {
      json: () => jsonText({ headers, notes }),
      headers: () => signed.map(([name, value]) => `${name}: ${value}\n`).join(''),
      curl: () => curlLine(url, all, path, body),
      http: () => {
        const { host, pathname, search } = url ?? new URL('http://localhost/')
        return httpText(pathname + search, [['Host', host], ...all, ['Content-Length', String(body.length)]], body)
      },
    }[format]()
    return { exitCode: 0, text, document: { headers, notes }, notes }
  },
})

function formatOf({ format, json = false }: { format?: string; json?: boolean }): (typeof FORMATS)[number] {
  const known = FORMATS.find((one) => one === (format ?? (json ? 'json' : 'headers')))
  if (known === undefined) throw new UsageError(`--format is none of those there are: pass ${joinWords(FORMATS, 'or')}`)
  if (json && known !== 'json') throw new UsageError('--json prints JSON, whatever --format says: give one of them')
  return known
}

/** The options of a call as `sign` takes them; its own checks name no option. */
export function signOptions({ timestamp, nonce }: { timestamp?: string; nonce?: string }): SignOptions {
  if (timestamp !== undefined && !/^\d{1,15}$/.test(timestamp)) {
    throw new UsageError('--timestamp is not Unix time in seconds: pass digits only, such as 1700000000')
  }
  if (nonce !== undefined && !isNonce(nonce)) {
    throw new UsageError('--nonce is not 1 to 128 visible ASCII characters: pass such, or none for a UUID')
  }
  return { timestamp: timestamp === undefined ? undefined : Number(timestamp), nonce }
}

/** The longest body that is put into the line itself, in bytes: a shell takes 128 KiB in a word. */
const MOST_BYTES_IN_LINE = 100_000

function curlLine(
  url: URL | undefined,
  headers: readonly HeaderLine[],
  path: string | undefined,
  body: Buffer,
): string {
  const words = [
    'curl -i',
    url === undefined ? '"$URL"' : shellWord(url.href),
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    // A body from standard input is gone when the line is pasted, so the line carries it.
    path === undefined || path === '-'
      ? `--data-raw ${shellWord(textOf(body))}`
      : `--data-binary ${shellWord(`@${path}`)}`,
  ]
  return `${words.join(' \\\n  ')}\n`
}

function textOf(body: Buffer): string {
  const text = body.toString('utf8')
  // Other control characters make a shell do things when they are pasted into it: a tab completes.
  if (!isUtf8(body) || /[^\P{Cc}\n]/u.test(text) || body.length > MOST_BYTES_IN_LINE) {
    throw new UsageError('this body does not fit into a line for curl: save it to a file, and sign the file')
  }
  return text
}

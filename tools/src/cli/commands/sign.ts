import { isNonce, MAX_NONCE_LENGTH } from '../../../../src/rules/nonce.js'
import { MAX_SECONDS } from '../../../../src/sign.js'
import { isMessageId, MAX_ID_LENGTH } from '../../../../src/standard-webhooks/message-id.js'
import type { Header } from '../../capture/headers.js'
import { httpText } from '../../capture/write-request.js'
import { curlWithFile } from '../../curl.js'
import { defineCommand, UsageError, unknownWord } from '../command.js'
import { contentTypeOf, parseUrl } from '../http-client.js'
import { readInput } from '../input/read-input.js'
import { parseScheme, SCHEME_OPTION, schemeNotes, signWith } from '../input/scheme.js'
import { loadSecret, SECRET_OPTIONS } from '../input/secret-source.js'

const FORMATS = ['headers', 'curl', 'http'] as const

export const sign = defineCommand({
  name: 'sign',
  summary: 'Signs the exact bytes of a body, and prints the three headers.',
  operands: ['[file|-]'],
  options: {
    ...SECRET_OPTIONS,
    ...SCHEME_OPTION,
    format: {
      value: 'FORMAT',
      help: 'headers: the three headers, one per line (the default)\ncurl: a curl command that sends the body\nhttp: the whole request as HTTP text, which diagnose reads',
    },
    url: { value: 'URL', help: 'the URL for curl and http. Default: http://localhost/' },
    timestamp: { value: 'SECONDS', kind: 'number', help: 'the Unix time to sign. Default: now' },
    nonce: { value: 'NONCE', help: 'the nonce to sign, or the ID of Standard Webhooks. Default: a random one' },
  },
  notes: [
    'Without a file, or with -, the body is read from standard input. The printed curl command then reads standard input too.',
    'Sign each attempt again: a second request with the same nonce is a replay.',
    'curl and http send Content-Type application/json if the body is JSON. The signature does not cover Content-Type.',
  ],
  example: 'sign body.json --secret-file webhook.secret',

  async run(call, context) {
    const { values, operands } = call
    const { format: given = 'headers', timestamp, nonce } = values
    const format = FORMATS.find((one) => one === given)
    if (format === undefined) throw unknownWord('--format', given, FORMATS)
    const { href, host, pathname, search } = parseUrl(values.url ?? 'http://localhost/', '--url')
    const hasUrl = !values.json && (format === 'curl' || format === 'http')
    if (values.url !== undefined && !hasUrl) {
      throw new UsageError(
        '--url is for --format curl and http. Pass one of these formats without --json, or leave out --url.',
      )
    }
    const scheme = parseScheme(values.scheme)
    // These options are checked here, because the errors of the function `sign` are written for JavaScript programmers.
    if (timestamp !== undefined && !(Number.isInteger(timestamp) && timestamp >= 0 && timestamp <= MAX_SECONDS)) {
      throw new UsageError(`--timestamp ${timestamp} is not Unix time in seconds, such as $(date +%s).`)
    }
    const isStandard = scheme === 'standard-webhooks'
    if (nonce !== undefined && !(isStandard ? isMessageId(nonce) : isNonce(nonce))) {
      const maxLength = isStandard ? MAX_ID_LENGTH : MAX_NONCE_LENGTH
      const form = `1 to ${maxLength} visible ASCII characters${isStandard ? ' without a full stop' : ''}`
      throw new UsageError(`--nonce is not ${form}. Leave out --nonce to sign a random one.`)
    }
    const [path] = operands
    const body = await readInput(path, 'the body', context)
    const { secret, notes: read } = await loadSecret(call, context)
    const notes = [...read, ...schemeNotes(scheme, secret), ...(body.length === 0 ? ['The body is empty.'] : [])]
    const headers = signWith(scheme, body, secret, { timestamp, nonce, clock: context.clock })

    const signed: Header[] = Object.entries(headers)
    const all: Header[] = [['Content-Type', contentTypeOf(body)], ...signed]
    const text = {
      headers: () => signed.map(([name, value]) => `${name}: ${value}\n`).join(''),
      curl: () => `${curlWithFile(href, all, path ?? '-')}\n`,
      http: () =>
        httpText('POST', pathname + search, [['Host', host], ...all, ['Content-Length', String(body.length)]], body),
    }[format]()
    return { exitCode: 0, text, document: { headers, notes }, notes }
  },
})

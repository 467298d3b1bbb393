import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { PRIVATE_KEY, PUBLIC_KEY } from '../../../test/support/standard-webhooks.js'
import { detailsOf, maskedJson, summaryOf } from '../../src/cli/listen/details.js'
import { Receiver } from '../../src/cli/listen/receiver.js'
import { reportJson, reportText } from '../../src/cli/listen/report.js'
import { styleOf } from '../../src/cli/output/terminal.js'
import { maskBytes, maskSecrets } from '../../src/diagnose/mask-secrets.js'
import { call } from '../cli/call.js'
import { temporaryFolder } from '../resources.js'
import { diagnoseBriefly } from './brief-search.js'

const NOW = 1_700_000_000_000
const TIMESTAMP = '1700000000'

const SECRETS = {
  'made of words': 'correct-horse battery="staple"',
  'made of hex digits': 'deadbeefcafef00ddeadbeefcafef00d1234567890abcdef',
}

/** How a sender can write a secret. */
const FORMS: { readonly [name: string]: (secret: string) => string } = {
  plain: (secret) => secret,
  quoted: (secret) => JSON.stringify(secret),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 of more text': (secret) => Buffer.from(`id:${secret}:1`).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'uppercase hex': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'URL-encoded': encodeURIComponent,
}

const ALL = Object.entries(SECRETS).flatMap(([kind, secret]) =>
  Object.entries(FORMS).map(([form, write]) => [kind, form, secret, write(secret)] as const),
)

/** The maximum number of characters of a secret in a row that may be printed, or saved. */
const MAX_OF_WORDS = 7
const MAX_IN_FILE = 15

/** Returns the first piece of the secret that is printed in any form. */
function findPiece(printed: string, secret: string, most: number): string | undefined {
  for (let start = 0; start + most < secret.length; start++) {
    const piece = secret.slice(start, start + most + 1)
    // The characters at both ends of a group of base64 also depend on the bytes around it.
    const inner = ['', '.', '..'].map((before) => Buffer.from(`${before}${piece}...`).toString('base64').slice(4, -8))
    const hex = Buffer.from(piece).toString('hex')
    const written = [piece, JSON.stringify(piece).slice(1, -1), encodeURIComponent(piece), hex, hex.toUpperCase()]
    const all = [...written, ...inner, ...inner.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]
    const found = all.find((text) => text.length > most && printed.includes(text))
    if (found !== undefined) return found
  }
  return undefined
}

const KEY = 'q7Rk2vT9xLm4WcZ8'

it.each([
  ['a prefix is not secret', `whsec_${KEY}`, 'whsec_ q7Rk', 'whsec_ [secret]'],
  ['a prefix before fewer than 16 characters is secret', `whsec_${KEY.slice(1)}`, 'whse', '[secret]'],
  ['a prefix in uppercase is secret', `ABC_${KEY}`, 'ABC_', '[secret]'],
  ['a prefix of one letter is secret', `a_${KEY}`, 'a_q7', '[secret]'],
  ['two pieces side by side', KEY, 'q7Rkq7Rk', '[secret][secret]'],
  ['a quote is not secret', KEY, '"q7R', '"q7R'],
  ['three characters', KEY, 'q7R 7Rk', 'q7R 7Rk'],
  ['percent-encoded in lowercase', 'ab/+=%&7Rk2', 'ab%2f%2b%3d%25!', '[secret]!'],
  ['the base64 of a short secret', 'ab', 'YWxY', 'YWxY'],
])('masked: %s', (_, secret, text, masked) => {
  expect(maskSecrets(text, [secret])).toBe(masked)
})

const mac = (secret: string, message: string) => createHmac('sha256', secret).update(message).digest('hex')

type Placed = { headers: Record<string, string>; body?: string; path?: string }

/** Where a sender can write a secret, so that a finding has it. The header names the value, and the rest is right. */
const PLACES: Record<string, (value: string, secret: string) => Placed> = {
  'X-Timestamp': (value) => ({ headers: { 'x-timestamp': value } }),
  'X-Timestamp with digits': (value) => ({ headers: { 'x-timestamp': `${TIMESTAMP} ${value}` } }),
  'X-Nonce': (value) => ({ headers: { 'x-nonce': value } }),
  'X-Nonce after a quote': (value) => ({ headers: { 'x-nonce': `a"${value}` } }),
  'X-Nonce with a space': (value) => ({ headers: { 'x-nonce': `a" ${value} \\"b` } }),
  'X-Nonce as a placeholder': (value) => ({ headers: { 'x-nonce': `<${value.replace(/[^A-Za-z]/g, '')}>` } }),
  'X-Signature': (value) => ({ headers: { 'x-signature': value } }),
  'X-Signature before a digest': (value) => ({ headers: { 'x-signature': `"${value}" ${'5a'.repeat(32)}` } }),
  'X-Nonce twice': (value) => ({ headers: { 'x-nonce': `${value}, ${value}` } }),
  'the name of a header': (value) => ({ headers: { [`x-nonce-${value.replace(/[^\w-]/g, '')}`]: 'a', 'x-nonce': '' } }),
  'another header': (value) => ({ headers: { 'x-api-key': `Bearer "${value}"` } }),
  'the body': (value) => ({ headers: {}, body: `{"key":"${value}"}` }),
  'a placeholder in the body': (value) => ({ headers: {}, body: `{{${value.replace(/\W/g, '')}}}` }),
  'the start of the body, which was signed with a line feed': (value, secret) => ({
    headers: { 'x-signature': mac(secret, `${TIMESTAMP}:n:${value}\n`) },
    body: value,
  }),
  'the path, which was signed': (value, secret) => ({
    headers: { 'x-signature': mac(secret, `/${encodeURI(value)}:${TIMESTAMP}:n:{}`) },
    path: `/${encodeURI(value)}`,
  }),
  'a field, which was signed alone': (value, secret) => ({
    headers: { 'x-signature': mac(secret, `${TIMESTAMP}:n:{"a":12345678}`) },
    body: `{${JSON.stringify(value)}:{"a":12345678}}`,
  }),
}

describe.each(Object.entries(PLACES))('%s', (_, place) => {
  it.each(ALL)('a secret that is %s is not printed: %s', async (_kind, _form, secret, value) => {
    const { headers, body = '{}', path = '/' } = place(value, secret)
    const all = { 'x-timestamp': TIMESTAMP, 'x-nonce': 'n', 'x-signature': '5a'.repeat(32), ...headers }
    const request = { webhookId: '1', method: 'POST', path, headers: Object.entries(all), body: Buffer.from(body) }
    // Without a signature of this secret, a search finds nothing.
    const isSigned = /^[0-9a-f]{64}$/.test(headers['x-signature'] ?? '')
    const { findings } = await diagnoseBriefly(request, secret, { now: () => NOW }, isSigned ? 500 : 0)
    const printed = findings.map(({ message, evidence = '' }) => `${message}\n${evidence}`).join('\n')
    expect(findPiece(printed, secret, MAX_OF_WORDS)).toBeUndefined()
  })
})

// Every fourth character of the base64 of these secrets is + or /, which base64url replaces.
it.each(['??>', '???'])('base64url is masked too: %s', (piece) => {
  const written = Buffer.from(piece.repeat(11)).toString('base64url')
  expect(maskSecrets(`a ${written.slice(4, -4)} b`, [piece.repeat(11)])).toBe('a [secret] b')
})

it.each(ALL)('every output masks what a sender sent: %s, %s', async (_kind, _form, secret, value) => {
  const written = encodeURI(value)
  const body = `{"key":${JSON.stringify(value)}}`
  const nonce = `a"'${value.replaceAll(' ', '_')}`
  const headers = {
    'User-Agent': `agent "${value}"`,
    'X-Api-Key': `"${value}`,
    'X-Timestamp': TIMESTAMP,
    'X-Nonce': nonce,
    'X-Signature': mac(secret, `${TIMESTAMP}.${nonce}.${body}`),
  }
  const folder = temporaryFolder()
  const outputs = await listenTo(secret, folder, `/${written}?key=${written}`, headers, body)
  const lines = Object.entries(headers).map(([name, text]) => `${name}: ${text}\r\n`)
  const stdin = `POST /${written} HTTP/1.1\r\n${lines.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const args = ['diagnose', '-', '--secret-env', 'S', '--at', TIMESTAMP]
  for (const options of [[], ['--json']]) {
    const { text, stderr } = await call([...args, ...options], { stdin, env: { S: secret } })
    expect(text).toContain('message_layout')
    outputs.push(text, stderr)
  }
  const [file = '', ...others] = outputs
  expect(findPiece(file, secret, MAX_IN_FILE)).toBeUndefined()
  for (const output of others) expect(findPiece(output, secret, MAX_OF_WORDS)).toBeUndefined()
})

/** Sends a request to `listen`. Returns the saved file, and then the report as text, as JSON and on the page. */
async function listenTo(
  secret: string,
  folder: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<string[]> {
  const secrets = [secret]
  const outputs: string[] = []
  const settings = { secrets, names: ['S'], folder, status: undefined, endpoint: undefined, allowedHosts: [] }
  const receiver = new Receiver({
    ...settings,
    clock: { now: () => NOW },
    async print(report, received) {
      const kept = { id: 1, report, received }
      const details = maskedJson(detailsOf(kept, secrets), secrets)
      const bytes = [...details.matchAll(/"(?:body|signedMessage)":"([^"]*)"/g)].map(([, text = '']) =>
        Buffer.from(text, 'base64'),
      )
      outputs.push(
        readFileSync(String(report.savedAs), 'latin1'),
        reportText(report, styleOf(process.stdout)).replaceAll(/\s+/g, ' '),
        reportJson(report),
        maskedJson(summaryOf(kept, secrets), secrets),
        details,
        bytes.join('\n'),
      )
    },
  })
  const server = createServer((request, response) => void receiver.receive(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request = httpRequest({ port, path, method: 'POST', headers, agent: false }).end(body)
  const [response] = await once(request, 'response')
  response.resume()
  await receiver.stop()
  server.close()
  return outputs
}

it('bytes are masked too, and stay the same if they do not contain the secret', () => {
  const secret = 'Schlüssel für Zoë'
  const masked = maskBytes(Uint8Array.from(Buffer.from(`a ${secret} b`)), [secret])
  expect(Buffer.from(masked).toString()).toBe('a [secret] b')
  const others = Uint8Array.from(Buffer.from('Zo\xeb \xff', 'latin1'))
  expect(maskBytes(others, [secret])).toBe(others)
})

it.each([
  ['whsec_0123456789abcdef', 'whsec_[secret]'],
  ['A1key_0123456789abcdef', '[secret]'],
])('only a prefix at the start of a secret is not secret: %s', (secret, masked) => {
  expect(maskSecrets(secret, [secret])).toBe(masked)
})

it('a public key is not masked, because it is no secret', () => {
  for (const key of [PUBLIC_KEY, `v1a,${PUBLIC_KEY}`]) expect(maskSecrets(key, [key])).toBe(key)
  expect(maskSecrets(`v1a,${PRIVATE_KEY}`, [`v1a,${PRIVATE_KEY}`])).toBe('v1a,whsk_[secret]')
})

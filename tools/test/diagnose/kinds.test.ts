/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: what senders send by mistake. */
import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findArrival } from '../../src/capture/arrival.js'
import { readCapture } from '../../src/capture/read-capture.js'
import { diagnoseCapture } from '../../src/diagnose/diagnose-capture.js'
import type { Finding } from '../../src/diagnose/finding.js'
import { runSteps } from '../../src/diagnose/steps.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'

// Kinds of mistakes, each in the headers, on the sides and in the encodings in which it may be made. A finding is true, or it is not
// the first one.

const SECRET = 'mT7wQe2LxV9sKd4RbNf0Hc6YgJa1UpZ3oEiWt5XrBvC'
const TIMESTAMP = '1795687215'
const NOW = 1_795_687_215_000
const BODY = '{"id":7}'

const hmac = (message: string | Uint8Array, key: string | Uint8Array = SECRET) =>
  createHmac('sha256', key).update(message).digest('hex')
const DIGEST = hmac(`${TIMESTAMP}:n-1:${BODY}`)

interface Parts {
  readonly timestamp?: string
  readonly nonce?: string
  readonly signature?: string
  readonly body?: string | Uint8Array
  /** The message that was signed, and the key. */
  readonly message?: string
  readonly key?: string | Uint8Array
  readonly method?: string
  readonly type?: string
}

/** Returns the HTTP text of a request. */
function httpOf(parts: Parts): Buffer {
  const { timestamp = TIMESTAMP, nonce = 'n-1', body = BODY, method = 'POST', type = 'application/json' } = parts
  const head = Buffer.from(`${timestamp}:${nonce}:`)
  const signed = parts.message === undefined ? Buffer.concat([head, Buffer.from(body as string)]) : parts.message
  const { signature = hmac(signed, parts.key) } = parts
  const lines = [`${method} /hooks HTTP/1.1`, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`]
  const own = [`X-Timestamp: ${timestamp}`, `X-Nonce: ${nonce}`, `X-Signature: ${signature}`]
  return Buffer.concat([Buffer.from([...lines, ...own, '', ''].join('\n')), Buffer.from(body as string)])
}

/** Enough for each mistake of this file. */
const FEW_HASHES = 6000

function diagnosisOf(capture: string | Uint8Array, secret = SECRET, hashes = FEW_HASHES) {
  const captured = readCapture(Buffer.from(capture))
  const { headers } = captured
  const arrival = findArrival(TIMESTAMP, headers, captured.arrival, NOW)
  return runSteps(diagnoseCapture(NODE_PRIMITIVES, { captured, headers, secrets: [secret], arrival, now: NOW }, hashes))
}

/** Returns the first finding. */
function firstOf(parts: Parts, secret?: string, hashes?: number): Finding | undefined {
  return diagnosisOf(httpOf(parts), secret, hashes).findings[0]
}

describe('a header of a capture may have been cut or misread, so the sender is not blamed', () => {
  it.each([
    ['cut at 40', DIGEST.slice(0, 40), 'signature_truncated'],
    ['the first half lost', DIGEST.slice(32), 'signature_truncated'],
    ['l for 1 and O for 0', DIGEST.replaceAll('1', 'l').replaceAll('0', 'O'), 'signature_format'],
    ['one digit wrong', DIGEST.replace(/^(.{20})./, '$10'), 'signature_changed'],
    ['two digits swapped', DIGEST.replace(/^(.{10})(.)(.)/, '$1$3$2'), 'signature_changed'],
    ['one digit lost inside', DIGEST.replace(/^(.{10})./, '$1'), 'signature_changed'],
  ])('%s', (_, signature, code) => {
    expect(firstOf({ signature })).toMatchObject({ code, side: 'unknown', fix: expect.stringContaining('listen') })
  })

  it.each([
    ['X-Timestamp with a space', { timestamp: '1795687 215' }, 'timestamp_format'],
    ['X-Timestamp with a letter', { timestamp: '17956872lS' }, 'timestamp_format'],
    ['X-Nonce with a space', { nonce: 'n- 1' }, 'nonce_characters'],
  ])('%s', (_, parts, code) => {
    const { findings } = diagnosisOf(httpOf({ ...parts, signature: DIGEST }))
    expect(findings).toMatchObject([{ code, side: 'unknown', fix: expect.stringContaining('listen') }])
  })

  it('but the sender is if the request itself was recorded', () => {
    const mark = `# Received at 2026-11-26T10:00:15.000Z with a body of ${BODY.length} bytes\n`
    const capture = mark + httpOf({ signature: DIGEST.slice(0, 40) }).toString()
    expect(diagnosisOf(capture).findings[0]).toMatchObject({ code: 'signature_truncated', side: 'sender' })
  })

  it('names the digit, but not the right one, because it would be accepted', () => {
    const finding = firstOf({ signature: DIGEST.replace(/^(.{20})./, '$10') })
    expect(finding?.message).toContain('digit 21 (`0`) is wrong')
    expect(JSON.stringify(finding)).not.toContain(DIGEST)
  })
})

it.each([
  [`${TIMESTAMP}000`, 'timestamp_unit'],
  [`${TIMESTAMP}.5`, 'timestamp_format'],
])('if X-Timestamp alone is %s, and the seconds were signed, nothing else is wrong', (timestamp, code) => {
  const { findings } = diagnosisOf(httpOf({ timestamp, message: `${TIMESTAMP}:n-1:${BODY}` }))
  expect(findings.map((finding) => finding.code)).toEqual([code])
})

describe('a line of a configuration as the secret of the receiver', () => {
  it.each([
    ...[`WEBHOOK_SECRET=${SECRET}`, `export WEBHOOK_SECRET="${SECRET}"`, `WEBHOOK_SECRET='${SECRET}'\n`],
    ...[`secret: ${SECRET}`, `"secret": "${SECRET}"`],
  ])('is the mistake of the receiver: %s', (secret) => {
    expect(firstOf({}, secret)).toMatchObject({ code: 'secret_prefix', side: 'receiver' })
  })

  it('is the mistake of the sender if the sender has it', () => {
    expect(firstOf({ key: `WEBHOOK_SECRET=${SECRET}` })).toMatchObject({ code: 'secret_changed' })
  })

  it.each(['whsec_', 'v1,whsec_', 'v1,', 'sk_'])('is not a prefix such as %s', (prefix) => {
    const secret = prefix + SECRET
    expect(firstOf({ key: SECRET }, secret)).toMatchObject({ code: 'secret_prefix', side: 'sender' })
    expect(firstOf({ key: secret }, SECRET)).toMatchObject({ code: 'secret_prefix', side: 'unknown' })
  })
})

describe('text that looks like a variable is not the first finding', () => {
  const random = Buffer.concat(
    Array.from({ length: 256 }, (_, index) => createHash('sha256').update(String(index)).digest()),
  )
  it.each<[string, string | Uint8Array, string]>([
    ['random bytes', random, 'application/octet-stream'],
    ['random bytes with a variable', Buffer.concat([random, Buffer.from('{{ name }} ${NAME}')]), 'text/plain'],
    ['a cashtag', '{"text":"Buy $AAPL today"}', 'application/json'],
    ['a template that is the body', '{"text":"Hello {{ name }}"}', 'application/json'],
    ['a template of a shell', '{"text":"Hello ${NAME}"}', 'application/json'],
  ])('%s', (_, body, type) => {
    const { findings } = diagnosisOf(httpOf({ body, type, signature: '5'.repeat(64) }), SECRET, 0)
    const mustBeUtf8 = type === 'text/plain'
    expect(findings.map(({ code }) => code)).toEqual([...(mustBeUtf8 ? ['body_encoding'] : []), 'signature_mismatch'])
    const isText = typeof body === 'string' && !body.includes('$A')
    expect(/may have signed a value in its place/.test(findings[0]?.evidence ?? '')).toBe(isText)
  })
})

describe('a value that nothing filled in', () => {
  it.each(['{{$guid}}', '{{nonce}}', '${NONCE}', '$NONCE', '%NONCE%', '<nonce>'])(
    'as nonce is found, although the signature is right: %s',
    (nonce) => {
      const { valid, findings } = diagnosisOf(httpOf({ nonce }))
      expect([valid, findings]).toMatchObject([true, [{ code: 'message_nonce', side: 'sender' }]])
    },
  )

  it.each(['{{signature}}', '${SIGNATURE}', '$SIGNATURE'])('as signature: %s', (signature) => {
    expect(firstOf({ signature })).toMatchObject({ code: 'signature_format', fix: expect.stringContaining('Fill in') })
  })

  it.each(['{{timestamp}}', '{{$timestamp}}', '$TIMESTAMP'])('as timestamp: %s', (timestamp) => {
    expect(firstOf({ timestamp })).toMatchObject({ code: 'timestamp_format', fix: expect.stringContaining('Fill in') })
  })

  it.each(['{{secret}}', '${WEBHOOK_SECRET}', '$WEBHOOK_SECRET', '<secret>'])(
    'as secret of the receiver: %s',
    (secret) => {
      expect(firstOf({}, secret, 100)).toMatchObject({ code: 'secret_placeholder', side: 'receiver' })
    },
  )

  it.each(['a$b', '$2b$10', '<1b4e28ba>', '{1b4e28ba-2fa1}', '%41'])('is not a nonce such as %s', (nonce) => {
    expect(diagnosisOf(httpOf({ nonce })).findings).toEqual([])
  })
})

describe('a mistake in one value is known in the others', () => {
  const CHANGES: readonly (readonly [string, (text: string) => string | Uint8Array])[] = [
    ['a line feed after it', (text) => `${text}\n`],
    ['spaces around it', (text) => ` ${text} `],
    ['a zero-width space after it', (text) => `${text}\u200b`],
    ["b'…'", (text) => `b'${text}'`],
    ['double quotes', (text) => `"${text}"`],
    ['null', () => 'null'],
    ['nothing', () => ''],
  ]
  it.each(CHANGES)('%s', (_, change) => {
    const codeOf = (parts: Parts) => firstOf(parts)?.code
    expect(codeOf({ message: `${change(TIMESTAMP)}:n-1:${BODY}` })).toBe('message_timestamp')
    expect(codeOf({ message: `${TIMESTAMP}:${change('n-1')}:${BODY}` })).toBe('message_nonce')
    expect(codeOf({ message: `${TIMESTAMP}:n-1:${change(BODY)}` })).toMatch(/^body_/)
    expect(codeOf({ key: change(SECRET) })).toMatch(/^secret_/)
  })

  it.each([
    ['lowercase', (text: string) => text.toLowerCase()],
    ['uppercase', (text: string) => text.toUpperCase()],
  ])('%s', (_, change) => {
    expect(firstOf({ nonce: 'aB', message: `${TIMESTAMP}:${change('aB')}:${BODY}` })?.code).toBe('message_nonce')
    expect(firstOf({ body: '"aB"', message: `${TIMESTAMP}:n-1:"${change('aB')}"` })?.code).toBe('body_changed')
    expect(firstOf({ key: change(SECRET) })?.code).toBe('secret_changed')
  })

  it.each([
    ...['tbn', 'btn', 'bnt', 'nbt', 'nb', 'bt'].map((order) => [order, ':']),
    ...['.', '', '\n', '|', ',', '-', '_', ';', '&', ' '].map((separator) => ['tbn', separator]),
  ])('the parts in the order %s, separated by %j', (order = '', separator) => {
    const parts: Record<string, string> = { t: TIMESTAMP, n: 'n-1', b: BODY }
    const message = [...order].map((part) => parts[part]).join(separator)
    expect(firstOf({ message })).toMatchObject({ code: 'message_layout' })
  })
})

it('if a nonce is too long, its first 128 characters are right to sign', () => {
  const nonce = 'a'.repeat(129)
  const { findings } = diagnosisOf(httpOf({ nonce, message: `${TIMESTAMP}:${nonce.slice(1)}:${BODY}` }))
  expect(findings.map(({ code }) => code)).toEqual(['nonce_length'])
})

it('a zero before the seconds must be signed', () => {
  const finding = firstOf({ timestamp: `0${TIMESTAMP}`, message: `${TIMESTAMP}:n-1:${BODY}` })
  expect(finding).toMatchObject({ code: 'message_timestamp' })
  expect(finding?.message).toContain('without its leading zeros')
})

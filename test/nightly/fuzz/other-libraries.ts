import { Buffer } from 'node:buffer'
import { expect, vi } from 'vitest'
import { sign, verify } from '../../../src/standard-webhooks/index.js'
import { fc, RUNS } from '../../support/fast-check.js'
import { NOW, RecordingStore } from '../../support/request.js'
import { standardSignatureOf } from '../../support/standard-webhooks.js'

// Compares this package with another library of Standard Webhooks: as a sender, and as a judge of the same random requests.

/** What the test needs from the class `Webhook` of the other library. */
interface Webhook {
  sign(id: string, date: Date, body: Buffer): string
  verify(body: Buffer, headers: Record<string, string>, options?: { jsonParse: boolean }): unknown
}

/** The other library. */
export interface Library {
  /** The start of the names of its headers. */
  prefix: 'webhook' | 'svix'
  create(secret: string): Webhook
}

interface Request {
  id: string
  timestamp: string
  signature: string
  body: Buffer
  /** The header that arrives with the other start of its name, if one does. */
  mixed: 'id' | 'timestamp' | 'signature' | undefined
  prefix: 'webhook' | 'svix'
  /** Server time, in milliseconds. */
  now: number
}

const isUtf8 = (body: Buffer) => Buffer.from(body.toString()).equals(body)

/** Every case in which one side refuses what the other side accepts. The guide has this list too. */
const DIFFERENCES: Record<string, { accepts: 'they' | 'we'; is(request: Request): boolean }> = {
  'a timestamp that is not only digits': { accepts: 'they', is: ({ timestamp }) => !/^[0-9]+$/.test(timestamp) },
  'leading zeros that were not signed': { accepts: 'they', is: ({ timestamp }) => timestamp.startsWith('0') },
  'leading zeros that were signed': { accepts: 'we', is: ({ timestamp }) => timestamp.startsWith('0') },
  'less than a second outside the window': {
    accepts: 'they',
    is: ({ timestamp, now }) => Math.ceil(Math.abs(now / 1000 - Number.parseInt(timestamp, 10))) === 301,
  },
  'a full stop in the ID': { accepts: 'they', is: ({ id }) => id.includes('.') },
  'an ID with other characters than visible ASCII': { accepts: 'they', is: ({ id }) => /[^!-~]/.test(id) },
  'an ID of more than 256 characters': { accepts: 'they', is: ({ id }) => id.length > 256 },
  'a ninth signature': { accepts: 'they', is: ({ signature }) => signature.split(' ').length > 8 },
  'a header that arrived twice': { accepts: 'they', is: ({ signature }) => signature.includes(', ') },
  'text after a signature': { accepts: 'they', is: ({ signature }) => /=,[^ ]/.test(signature) },
  'a body that is not UTF-8, signed as decoded text': { accepts: 'they', is: ({ body }) => !isUtf8(body) },
  'a body that is not UTF-8, signed as bytes': { accepts: 'we', is: ({ body }) => !isUtf8(body) },
  'headers of both sets': { accepts: 'they', is: ({ mixed }) => mixed !== undefined },
}

const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
const ids = fc.oneof(
  fc.uuid().map((id) => `msg_${id}`),
  fc.string({ unit: visible, minLength: 1, maxLength: 30 }).map((id) => id.replaceAll('.', '-')),
  fc.constantFrom('a.b', 'a b', '\u00e9', 'x'.repeat(256), 'x'.repeat(257)),
)
const bodies = fc.oneof(
  { weight: 4, arbitrary: fc.json().map((text) => Buffer.from(text)) },
  fc.constantFrom(Buffer.of(0xff), Buffer.of(0xef, 0xbf, 0xbd), Buffer.alloc(0)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
)

type Message = Pick<Request, 'id' | 'timestamp' | 'body'> & { secret: string }

const SENDERS = ['sign', 'the library', 'by hand'] as const

/** Returns the value of the signature's header, by one of the senders. */
function signatureBy(
  sender: (typeof SENDERS)[number],
  library: Library,
  { id, timestamp, body, secret }: Message,
): string {
  if (sender === 'the library') return library.create(secret).sign(id, new Date(Number(timestamp) * 1000), body)
  if (sender === 'by hand' || !/^[!-\-/-~]{1,256}$/.test(id) || timestamp.startsWith('0')) {
    return standardSignatureOf({ nonce: id, timestamp, body, secret })
  }
  return sign(body, secret, { messageId: id, timestamp: Number(timestamp) })['webhook-signature']
}

const WRONG = `v1,${Buffer.alloc(32, 1).toString('base64')}`

/** What a proxy, an attacker or a careless sender does with a signed request. */
const EDITS: Record<string, (request: Request) => Partial<Request>> = {
  nothing: () => ({}),
  'another body': ({ body }) => ({ body: Buffer.concat([body, Buffer.from(' ')]) }),
  'FF for EF BF BD': ({ body }) => ({ body: body.equals(Buffer.of(0xef, 0xbf, 0xbd)) ? Buffer.of(0xff) : body }),
  'another ID': ({ id }) => ({ id: `${id}x` }),
  'another timestamp': ({ timestamp }) => ({ timestamp: `${Number(timestamp) + 1}` }),
  'a leading zero': ({ timestamp }) => ({ timestamp: `0${timestamp}` }),
  'a fraction': ({ timestamp }) => ({ timestamp: `${timestamp}.5` }),
  'no timestamp': () => ({ timestamp: 'now' }),
  'no padding': ({ signature }) => ({ signature: signature.replace('=', '') }),
  'no version': ({ signature }) => ({ signature: signature.slice(3) }),
  'an asymmetric version': ({ signature }) => ({ signature: signature.replace('v1', 'v1a') }),
  base64url: ({ signature }) => ({ signature: signature.replace(/[+/]/g, '-') }),
  'base64 that is not canonical': ({ signature }) => ({
    signature: signature.replace(/.=$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`),
  }),
  'another signature': () => ({ signature: WRONG }),
  'a second signature': ({ signature }) => ({ signature: `${WRONG} v1a,x ${signature}` }),
  'eight signatures': ({ signature }) => ({ signature: `${`${WRONG} `.repeat(7)}${signature}` }),
  'nine signatures': ({ signature }) => ({ signature: `${`${WRONG} `.repeat(8)}${signature}` }),
  'a repeated header': ({ signature }) => ({ signature: `${signature}, ${signature}` }),
  'text after the signature': ({ signature }) => ({ signature: `${signature},x` }),
  'an empty signature': () => ({ signature: '' }),
  'a mixed ID': () => ({ mixed: 'id' }),
  'a mixed signature': () => ({ mixed: 'signature' }),
}

/** Returns the headers of a request as they arrive. */
function headersOf({ prefix, mixed, ...values }: Request): Record<string, string> {
  const other = prefix === 'svix' ? 'webhook' : 'svix'
  const parts = ['id', 'timestamp', 'signature'] as const
  return Object.fromEntries(parts.map((part) => [`${part === mixed ? other : prefix}-${part}`, values[part]]))
}

const cases = fc.record({
  secret: fc.uint8Array({ minLength: 24, maxLength: 64 }).map((key) => `whsec_${Buffer.from(key).toString('base64')}`),
  id: ids,
  body: bodies,
  zeros: fc.constantFrom('', '', '', '', '0'),
  offset: fc.constantFrom(0, 0, 0, 0, -300, 300, -301, 301, -86_400),
  milliseconds: fc.constantFrom(0, 0, 1, 999),
  sender: fc.constantFrom(...SENDERS),
  edit: fc.oneof(fc.constant('nothing'), fc.constantFrom(...Object.keys(EDITS))),
})

/**
 * Expects that both libraries accept and refuse the same requests, but for {@link DIFFERENCES}, each of which occurs. The clock must
 * be a fake one.
 *
 * @param unseen - the differences that this library cannot show.
 */
export async function expectListedDifferences(library: Library, unseen: readonly string[] = []): Promise<void> {
  const seen = new Set<string>()
  const counts = { accepted: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(cases, async ({ secret, id, body, zeros, offset, milliseconds, sender, edit }) => {
      const timestamp = `${zeros}${NOW / 1000 + offset}`
      const signature = signatureBy(sender, library, { id, timestamp, body, secret })
      const now = NOW + milliseconds
      const signed: Request = { id, timestamp, signature, body, prefix: library.prefix, mixed: undefined, now }
      const request = { ...signed, ...EDITS[edit]?.(signed) }
      const headers = headersOf(request)
      vi.setSystemTime(request.now)
      const they = accepts(() => library.create(secret).verify(request.body, headers, { jsonParse: false }))
      const { ok: we } = await verify({ webhookId: '42', headers, body: request.body }, secret, new RecordingStore())
      counts[we ? 'accepted' : 'refused']++
      if (they === we) return
      const reasons = Object.entries(DIFFERENCES)
        .filter(([, difference]) => difference.accepts === (we ? 'we' : 'they') && difference.is(request))
        .map(([name]) => name)
      expect(reasons).not.toEqual([])
      if (reasons.length === 1) seen.add(reasons[0] as string)
    }),
    { numRuns: RUNS * 6 },
  )
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(RUNS)
  const expected = Object.keys(DIFFERENCES).filter((name) => !unseen.includes(name))
  expect([...seen].sort()).toEqual(expected.sort())
}

function accepts(judge: () => unknown): boolean {
  try {
    judge()
    return true
  } catch {
    return false
  }
}

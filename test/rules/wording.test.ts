import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { alreadyRead } from '../../src/hints/raw-body.js'
import { type HeadersInput, type Secret, sign, verify } from '../../src/index.js'
import { NO_HEADERS } from '../support/cases/headers.js'
import { SIGN_MISTAKES, VERIFY_MISTAKES } from '../support/cases/mistakes.js'
import { NO_RAW_BODIES, NO_RAW_BODIES_ONCE_READ } from '../support/cases/raw-body.js'
import { NOW, RecordingStore, SECRET, signedRequest, TestClock, TIMESTAMP } from '../support/request.js'

// The words of rejections, and of errors about an argument, are in wording.txt. Other tests check reasons, codes and
// facts such as numbers. After you change a text, run this file with `-u`, and read the difference.

interface Broken extends NonNullable<Parameters<typeof signedRequest>[0]> {
  readonly headers?: (headers: Record<string, string>) => HeadersInput
  /** The body that arrived, if it is not the one that was signed. */
  readonly received?: string | Uint8Array
  readonly secrets?: Secret
  readonly now?: number
  readonly isReplay?: boolean
}

const SECONDS = Number(TIMESTAMP)
const DAY = 86_400
const valid = signedRequest().headers['x-signature']
const digest = Buffer.from(valid, 'hex')
const without =
  (...names: string[]) =>
  (headers: Record<string, string>) =>
    Object.entries(headers).filter(([name]) => !names.includes(name))
const announced = (length: string | undefined, more: object = {}) => ({
  received: 'another body',
  headers: (headers: Record<string, string>) => ({ ...headers, 'content-length': length, ...more }),
})

const REJECTED: readonly Broken[] = [
  ...[['x-nonce'], ['x-timestamp', 'x-signature'], ['x-timestamp', 'x-nonce', 'x-signature']].map((names) => ({
    headers: without(...names),
  })),
  ...['', `${TIMESTAMP}, ${TIMESTAMP}`, `"${TIMESTAMP}"`, `${TIMESTAMP}.5`, '1.7e9', '2023-11-14', '-1']
    .concat('Tue, 14 Nov 2023 22:13:20 GMT', ` ${TIMESTAMP}`, '0x6553f100', '17🦊')
    .map((timestamp) => ({ timestamp })),
  // 731 days are 2.001 years of 365.25 days.
  ...[-301, -2 * DAY, -2 * DAY - 1, 730 * DAY, -731 * DAY].map((offset) => ({ timestamp: String(SECONDS + offset) })),
  ...['0', '31700000000', '100000000000', `${TIMESTAMP}123`, `${TIMESTAMP}123456`, `${TIMESTAMP}123456789`].map(
    (timestamp) => ({ timestamp }),
  ),
  ...[NOW + 300_001, NOW / 1000, SECONDS + 300, SECONDS + 301, Number.NaN].map((now) => ({ now })),
  { timestamp: '100000000000', now: 1e11 },
  ...['', 'a'.repeat(129), `${'a'.repeat(129)} `, 'a b', 'ab\t', 'é', 'ab🦊'].map((nonce) => ({ nonce })),
  ...['', valid.toUpperCase(), valid.slice(1), `${valid}00`, valid.slice(0, 32), `sha256=${valid}`]
    .concat(`v1,${valid}`, `"${valid}"`, `${valid}, ${valid}`, ` ${valid}`)
    .concat(digest.toString('base64'), digest.toString('base64url'))
    .concat('eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo')
    .concat(`g${valid.slice(1)}`, 'a signature', `${'ab'.repeat(31)}zz`)
    .map((signature) => ({ signature })),
  ...['another body', 'b', 'a rewritten one', '', '[object Object]'].map((received) => ({ received })),
  // More bytes than a call has arguments.
  { received: Buffer.alloc(1_000_000) },
  announced('42'),
  announced('12'),
  announced(undefined),
  announced('42', { 'content-encoding': 'gzip' }),
  { ...announced('42', { 'content-encoding': 'gzip' }), received: '' },
  { received: 'another body', headers: (headers) => new Headers({ ...headers, 'content-length': '42' }) },
  { received: 'another body', headers: (headers) => [...Object.entries(headers), ['CONTENT-LENGTH', '42']] },
  { received: 'another body', headers: (headers) => ({ get: (name) => headers[name] ?? null }) },
  ...[`${SECRET}\n`, `${SECRET}\r\n`, ` ${SECRET}`, [SECRET, `${SECRET}\n`], `\ufeff${SECRET}`, [SECRET, 'old']].map(
    (secrets) => ({ secret: 'another secret', secrets }),
  ),
  { isReplay: true },
]

it('the words of rejections, and of errors about an argument', async () => {
  const texts = ['# Rejections', '']
  for (const broken of REJECTED) {
    const { headers, received, secrets = SECRET, now = NOW, isReplay = false, ...parts } = broken
    const request = signedRequest(parts)
    const changed = {
      ...request,
      headers: headers?.(request.headers) ?? request.headers,
      body: received ?? request.body,
    }
    const store = isReplay ? { reserve: () => false } : new RecordingStore()
    const result = await verify(changed, secrets, store, new TestClock(now))
    if (result.ok) throw new Error(`${JSON.stringify(broken)} is accepted.`)
    expect(result.message.length).toBeLessThanOrEqual(200)
    expect(result.message).not.toContain(SECRET)
    expect(result.message).not.toContain('undefined')
    texts.push(`${result.reason}: ${result.message}`)
  }

  texts.push('', '# Bodies that are not raw', '')
  const bodies: [name: string, body: unknown][] = [
    ...NO_RAW_BODIES.map(([name, body]): [string, unknown] => [name, body()]),
    ["Node's stream", Readable.from([])],
    ["Express's request", Object.assign(Readable.from([]), { originalUrl: '/', baseUrl: '' })],
    ["Koa's request", Object.assign(Object.create({}), { originalUrl: '/' })],
    ["Fastify's request", Object.assign(Object.create({}), { routeOptions: {} })],
  ]
  for (const [name, body] of NO_RAW_BODIES_ONCE_READ) bodies.push([name, await body()])
  for (const [, body] of bodies) texts.push(await errorOf({ body }))
  texts.push(alreadyRead({}, 'source').message)

  texts.push('', '# Values that are not headers', '')
  for (const [, headers] of NO_HEADERS) texts.push(await errorOf({ headers: headers() }))

  texts.push('', '# Mistakes in verify', '')
  for (const [, args] of VERIFY_MISTAKES) texts.push(await errorOfCall(verify, args()))
  texts.push('', '# Mistakes in sign', '')
  for (const [, args] of SIGN_MISTAKES) texts.push(await errorOfCall(sign, args()))
  const lines = withoutRepeats(texts.join('\n')).split('\n')
  // Several cases may have one text, which is there once.
  const once = lines.filter((line, index) => line === '' || lines.indexOf(line) === index)
  await expect(`${once.join('\n')}\n`).toMatchFileSnapshot('wording.txt')
})

/** Replaces each long part by `…` after its first occurrence, so that a change of one word changes one line. */
function withoutRepeats(text: string): string {
  const seen = new Set<string>()
  return text.replace(/[^ .,:()\n][^.,:()\n]{25,}/g, (part) => {
    const isRepeated = seen.has(part)
    seen.add(part)
    return isRepeated ? '…' : part
  })
}

/** Returns the message of the error for a request with a wrong part. */
function errorOf(part: object): Promise<string> {
  return errorOfCall(verify, [{ ...signedRequest(), ...part }, SECRET, new RecordingStore()])
}

async function errorOfCall(called: typeof verify | typeof sign, args: unknown[]): Promise<string> {
  const error: unknown = await Promise.resolve()
    .then(() => Reflect.apply(called, undefined, args))
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
  return (error as Error).message
}

import { describe, expect, it } from 'vitest'
import { type HeadersInput, type Secret, verify } from '../../src/index.js'
import { NOW, RecordingStore, SECRET, signedRequest, TestClock, TIMESTAMP } from '../support/request.js'

// The message of a rejection describes the received value, so that its sender finds the mistake without a second request.

const genuine = signedRequest().headers['x-signature']

async function messageFor(
  parts: Parameters<typeof signedRequest>[0] & { signature?: string },
  secret: Secret = SECRET,
  now = NOW,
): Promise<string> {
  const result = await verify(signedRequest(parts), secret, new RecordingStore(), new TestClock(now))
  if (result.ok) throw new Error('accepted')
  expect(result.message.length).toBeLessThanOrEqual(200)
  expect(result.message).not.toContain(SECRET)
  return result.message
}

/** What stands in brackets. */
async function detailOf(...args: Parameters<typeof messageFor>): Promise<string | undefined> {
  return /^[^.(]*\((.*)\)\. /.exec(await messageFor(...args))?.[1]
}

describe('invalid_timestamp says what the value looks like:', () => {
  it.each([
    ['', 'it is empty'],
    [`${TIMESTAMP}, ${TIMESTAMP}`, 'it has two values'],
    [`"${TIMESTAMP}"`, 'it is in quotes'],
    [`'${TIMESTAMP}'`, 'it is in quotes'],
    [`${TIMESTAMP}.5`, 'it has a decimal fraction'],
    [`${TIMESTAMP},5`, 'it has a decimal fraction'],
    ['1.7e9', 'it is in scientific notation'],
    ['1E9', 'it is in scientific notation'],
    ['2023-11-14T22:13:20Z', 'it looks like an ISO 8601 date'],
    ['2023-11-14', 'it looks like an ISO 8601 date'],
    ['Tue, 14 Nov 2023 22:13:20 GMT', 'it looks like an HTTP date'],
    [`+${TIMESTAMP}`, 'it has a sign'],
    ['-1', 'it has a sign'],
    [` ${TIMESTAMP}`, 'it has white space'],
    [`${TIMESTAMP}\n`, 'it has white space'],
    ['0x6553f100', 'character 2 is U+0078'],
    ['NaN', 'character 1 is U+004E'],
    ['\u0661\u0667', 'character 1 is U+0661'],
    ['17🦊', 'character 3 is U+1F98A'],
  ])('%j', async (timestamp, detail) => {
    expect(await detailOf({ timestamp })).toBe(detail)
  })
})

describe('timestamp_outside_window says how far off it is, and in which unit it may be:', () => {
  const seconds = Number(TIMESTAMP)
  it.each([
    [String(seconds - 301), '301 s behind'],
    [String(seconds + 7200), '7200 s ahead'],
    [String(seconds - 2 * 86_400), '172800 s behind'],
    [String(seconds - 2 * 86_400 - 1), '2 days behind'],
    [String(seconds + 40 * 86_400), '40 days ahead'],
    [String(seconds - 365 * 86_400), '365 days behind'],
    [String(seconds - 730 * 86_400), '730 days behind'],
    // 731 days are 2.001 years of 365.25 days.
    [String(seconds - 731 * 86_400), 'about 2 years behind'],
    ['0', 'about 54 years behind: not set, or not in seconds?'],
    ['31700000000', 'about 951 years ahead: not set, or not in seconds?'],
    ['100000000000', 'it looks like milliseconds'],
    [`${TIMESTAMP}123`, 'it looks like milliseconds'],
    [`${TIMESTAMP}123456`, 'it looks like microseconds'],
    [`${TIMESTAMP}123456789`, 'it looks like nanoseconds'],
  ])('%s', async (timestamp, detail) => {
    expect(await detailOf({ timestamp })).toBe(detail)
  })
})

describe('invalid_nonce says what is wrong:', () => {
  it.each([
    ['', 'it is empty'],
    ['a'.repeat(129), 'it has 129 characters'],
    [`${'a'.repeat(129)} `, 'it has 130 characters'],
    ['a b', 'character 2 is U+0020'],
    ['ab\t', 'character 3 is U+0009'],
    ['é', 'character 1 is U+00E9'],
    ['ab🦊', 'character 3 is U+1F98A'],
  ])('%j', async (nonce, detail) => {
    expect(await detailOf({ nonce })).toBe(detail)
  })
})

describe('signature_mismatch says what the received form is:', () => {
  it.each([
    ['', 'it is empty'],
    [genuine.toUpperCase(), 'it has uppercase letters'],
    [genuine.slice(1), 'it has 63 hex digits'],
    [`${genuine}00`, 'it has 66 hex digits'],
    ['d41d8cd98f00b204e9800998ecf8427e', 'it has 32 hex digits'],
    [`sha256=${genuine}`, 'it has text before the digits'],
    [`v1,${genuine}`, 'it has text before the digits'],
    [`"${genuine}"`, 'it is in quotes'],
    [`${genuine}, ${genuine}`, 'it has two values'],
    [` ${genuine}`, 'it has white space'],
    [Buffer.from(genuine, 'hex').toString('base64'), 'it has 44 characters, like base64'],
    [Buffer.from(genuine, 'hex').toString('base64url'), 'it has 43 characters, like base64'],
    ['eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo', 'it looks like a JWT'],
    [`g${genuine.slice(1)}`, 'character 1 is U+0067'],
    ['a signature', 'character 2 is U+0020'],
    [`${'ab'.repeat(31)}zz`, 'character 63 is U+007A'],
  ])('%j', async (signature, detail) => {
    expect(await detailOf({ signature })).toBe(`${detail}, not 64 lowercase hex digits`)
  })

  it('in time that grows with its length', async () => {
    for (const signature of ['.'.repeat(60_000), 'a.'.repeat(30_000), ', '.repeat(30_000), '='.repeat(60_000)]) {
      const start = performance.now()
      await messageFor({ signature })
      expect(performance.now() - start).toBeLessThan(1000)
    }
  })
})

describe('signature_mismatch asks about white space around a secret:', () => {
  it.each<[string, Secret, string]>([
    ['a line end', `${SECRET}\n`, "secret ends with white space. Does the sender's?"],
    ['a line end of Windows', `${SECRET}\r\n`, "secret ends with white space. Does the sender's?"],
    ['a space before', ` ${SECRET}`, "secret begins with white space. Does the sender's?"],
    ['one of several', [SECRET, `${SECRET}\n`], "secret[1] ends with white space. Does the sender's?"],
    ['a byte order mark', `\ufeff${SECRET}`, "secret begins with white space. Does the sender's?"],
    ['none', SECRET, 'Compare the secrets, spaces too, and the bytes.'],
    ['none in several', [SECRET, 'old'], 'Compare the secrets, spaces too, and the bytes.'],
  ])('%s', async (_, secret, advice) => {
    const message = await messageFor({ body: 'a body', secret: 'another secret' }, secret)
    expect(message).toBe(`X-Signature is not the signature of timestamp:nonce:body (the body has 6 bytes). ${advice}`)
  })
})

describe('missing_header names all that are missing,', () => {
  it.each([
    [['x-nonce'], 'X-Nonce is missing.'],
    [['x-timestamp', 'x-signature'], 'X-Timestamp and X-Signature are missing.'],
    [['x-timestamp', 'x-nonce', 'x-signature'], 'X-Timestamp, X-Nonce and X-Signature are missing.'],
  ] as const)('%j', async (missing, text) => {
    const { headers, ...request } = signedRequest()
    const rest = Object.entries(headers).filter(([name]) => !missing.some((one) => one === name))
    expect(await verify({ ...request, headers: rest }, SECRET, new RecordingStore())).toEqual({
      ok: false,
      reason: 'missing_header',
      header: missing[0],
      headers: missing,
      message: `${text} Send all three headers. If they were sent, pass headers, not { ...headers }.`,
    })
  })
})

describe('the description never throws, whatever the headers do', () => {
  const wrong = { ...signedRequest({ secret: 'another secret' }).headers }
  it.each<[string, () => HeadersInput]>([
    [
      'headers that can be read once',
      () => {
        let reads = 0
        return {
          get(name: string) {
            if (++reads > 3) throw new Error('read again')
            return wrong[name as keyof typeof wrong] ?? null
          },
        }
      },
    ],
    [
      'a getter that throws',
      () =>
        Object.defineProperty({ ...wrong }, 'content-length', {
          enumerable: true,
          get() {
            throw new Error('read')
          },
        }),
    ],
    ['an iterator that was used up', () => Object.entries(wrong).values()],
    ['a Content-Length that is a symbol', () => ({ ...wrong, 'content-length': Symbol('5') as never })],
  ])('%s', async (_, headers) => {
    const result = await verify(
      { ...signedRequest(), headers: headers() },
      SECRET,
      new RecordingStore(),
      new TestClock(),
    )
    expect(result).toMatchObject({ ok: false, reason: 'signature_mismatch' })
  })
})

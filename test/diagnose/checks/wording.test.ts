import { describe, expect, it } from 'vitest'
import { announcedLength } from '../../../src/diagnose/checks/body.js'
import { diagnose } from '../../../src/diagnose/index.js'
import type { HeadersInput } from '../../../src/rules/headers.js'
import { NONCE, NOW, SECRET, signatureOf, signedRequest, TIMESTAMP } from '../../support/request.js'

// The message and the evidence of findings, word for word.

/** With a long secret, the search for an explanation is short. */
const LONG_SECRET = SECRET.repeat(600)
const WRONG = 'ab'.repeat(32)

/** Returns the message and the evidence of the first finding, line by line. */
async function firstOf(request: Parameters<typeof diagnose>[0], secret: string | string[] = SECRET, now = NOW) {
  const [finding] = (await diagnose(request, secret, { now: () => now })).findings
  return [finding?.message, ...(finding?.evidence?.split('\n') ?? [])]
}

describe('headers', () => {
  const { headers, body } = signedRequest()
  const withHeaders = (changed: HeadersInput) => firstOf({ webhookId: '42', headers: changed, body })
  const { 'x-nonce': nonce, ...others } = headers

  it('missing', async () => {
    expect(await withHeaders({ Host: 'a', 'X-Nonce': NONCE })).toEqual([
      'X-Timestamp and X-Signature are missing.',
      'Headers: host x-nonce',
    ])
  })

  it('under another name', async () => {
    expect(await withHeaders({ ...others, 'Webhook-Id': nonce })).toEqual([
      'X-Nonce is missing, but there is "webhook-id".',
      'Headers: x-timestamp x-signature webhook-id',
    ])
    const renamed = { ts: headers['x-timestamp'], 'Webhook-Id': nonce, 'x-signature': headers['x-signature'] }
    expect(await withHeaders(renamed)).toEqual([
      'X-Timestamp is missing, but there is "ts"; X-Nonce is missing, but there is "webhook-id".',
      'Headers: ts webhook-id x-signature',
    ])
  })

  it('repeated', async () => {
    expect(await withHeaders({ ...headers, 'x-nonce': [NONCE, NONCE] })).toEqual([
      'X-Nonce arrived twice, with the same value.',
      `X-Nonce: "${NONCE}, ${NONCE}"`,
    ])
    expect(await withHeaders({ ...headers, 'x-nonce': [NONCE, 'b'] })).toEqual([
      'X-Nonce arrived twice, with different values.',
      `X-Nonce: "${NONCE}, b"`,
      `The signature is right with "${NONCE}"`,
    ])
  })

  it('swapped', async () => {
    const swapped = [
      "X-Timestamp and X-Nonce have each other's values.",
      `X-Timestamp: "${NONCE}"`,
      'X-Nonce: "1700000000"',
    ]
    const values = { 'x-timestamp': NONCE, 'x-nonce': TIMESTAMP }
    expect(await withHeaders({ ...headers, ...values })).toEqual([
      ...swapped,
      'Proved: with each value in its place, the signature is right.',
    ])
    const signature = signatureOf(NONCE, TIMESTAMP, body, SECRET)
    expect(await withHeaders({ ...values, 'x-signature': signature })).toEqual(swapped)
  })
})

describe('the time', () => {
  it.each([
    [
      '2023-11-14T22:13:20.9Z',
      [
        'X-Timestamp is "2023-11-14T22:13:20.9Z", not Unix time in seconds as decimal digits.',
        'In seconds: 1700000000',
      ],
    ],
    ['now', ['X-Timestamp is "now", not Unix time in seconds as decimal digits.']],
    [
      '1700000000250',
      [
        'X-Timestamp is in milliseconds, not in seconds.',
        'X-Timestamp: "1700000000250"',
        'In seconds since the Unix epoch: 1700000000',
        'Server time: 1700000000',
      ],
    ],
    [
      '20231114221320',
      ['X-Timestamp is "20231114221320", not Unix time in seconds as decimal digits.', 'In seconds: 1700000000'],
    ],
    [
      '0',
      [
        'X-Timestamp is 0, which is not a Unix time of today: it was not set, or counts from the start of a machine.',
        'X-Timestamp: "0" (1970-01-01T00:00:00.000Z)',
        'Server time: 1700000000 (2023-11-14T22:13:20.000Z)',
        'Difference: 1700000000 s behind',
      ],
    ],
    [
      '99999999999999',
      [
        'X-Timestamp is 3170925.3 years ahead of server time, which is more than 300 s.',
        'X-Timestamp: "99999999999999"',
        'Server time: 1700000000 (2023-11-14T22:13:20.000Z)',
        'Difference: 99998299999999.02 s ahead',
      ],
    ],
  ])('%s', async (timestamp, lines) => {
    expect(await firstOf(signedRequest({ timestamp }))).toEqual(lines)
  })

  it.each([
    [3_600_500, 'is 1 h behind server time: a local time was used as UTC.', '1700003600 (2023-11-14T23:13:20.500Z)'],
    [301_500, 'is 301.5 s behind server time, which is more than 300 s.', '1700000301 (2023-11-14T22:18:21.500Z)'],
    [-301_500, 'is 301.5 s ahead of server time, which is more than 300 s.', '1699999698 (2023-11-14T22:08:18.500Z)'],
  ])('%i ms late', async (late, message, serverTime) => {
    expect(await firstOf(signedRequest(), SECRET, NOW + late)).toEqual([
      `X-Timestamp ${message}`,
      'X-Timestamp: "1700000000" (2023-11-14T22:13:20.000Z)',
      `Server time: ${serverTime}`,
      `Difference: ${Math.abs(late) / 1000} s ${late > 0 ? 'behind' : 'ahead'}`,
    ])
  })

  it('of a date that is too old', async () => {
    const { findings } = await diagnose(signedRequest({ timestamp: '2023-11-14T20:00:00Z' }), SECRET, {
      now: () => NOW,
    })
    expect(findings[1]?.message).toBe('X-Timestamp is 2.2 h behind server time, which is more than 300 s.')
    expect(findings[1]?.evidence).toContain('X-Timestamp: "1699992000" (2023-11-14T20:00:00.000Z)')
  })

  it('in milliseconds, 400 years from now, is not a date in digits', async () => {
    const [message] = await firstOf(signedRequest({ timestamp: '17000000000000' }), SECRET, 17_000_000_000_000)
    expect(message).toBe('X-Timestamp is in milliseconds, not in seconds.')
  })

  it.each([
    [{ late: 300_001 }, 'Sign each attempt when you send it, not when you queue it.'],
    [{ late: -300_001 }, 'Compare your clock with a third one. Set the wrong clock by NTP.'],
  ])('has a fix: %j', async ({ late }, fix) => {
    const { findings } = await diagnose(signedRequest(), SECRET, { now: () => NOW + late })
    expect(findings[0]?.fix).toContain(fix)
  })
})

describe('the nonce', () => {
  it('of a wrong length', async () => {
    expect(await firstOf(signedRequest({ nonce: '' }))).toEqual([
      'X-Nonce has 0 characters, but a nonce has 1 to 128.',
      'X-Nonce: ""',
    ])
  })

  it('with wrong characters', async () => {
    expect(await firstOf(signedRequest({ nonce: ' '.repeat(128) }))).toEqual([
      'X-Nonce has characters other than visible ASCII (0x21 to 0x7E): U+0020 (space).',
      `X-Nonce: "${' '.repeat(128)}"`,
    ])
  })
})

describe('the body', () => {
  const firstOfBody = (body: string, headers: Record<string, string> = {}) =>
    firstOf(
      { webhookId: '42', headers: { ...signedRequest().headers, 'x-signature': WRONG, ...headers }, body },
      LONG_SECRET,
    )
  const anyBut = (text: string) => expect.not.stringContaining(text)

  it('that is an object', async () => {
    const message = "The body is the text `[object Object]`, which is JavaScript's text for an object."
    expect(await firstOfBody('[object Object]')).toEqual([message, 'Bytes of the body: 15'])
    expect(await firstOfBody('[object Object]', { 'content-length': '77' })).toEqual([
      message,
      'Content-Length: 77',
      'Bytes of the body: 15',
    ])
    const longest = `[object ${'A'.repeat(40)}]`
    expect((await firstOfBody(longest))[0]).toContain(longest)
    expect((await firstOfBody(`[object ${'A'.repeat(41)}]`))[0]).toEqual(anyBut('text for an object'))
  })

  it('that is lost', async () => {
    const message = 'The body is empty, but the headers announce one: something read it before it was verified.'
    expect(await firstOfBody('', { 'content-length': ' 7 ' })).toEqual([
      message,
      'Content-Length: 7',
      'Bytes of the body: 0',
    ])
    for (const coding of ['chunked', 'gzip,chunked', 'gzip, Chunked']) {
      const evidence = [`Transfer-Encoding: ${coding}`, 'Bytes of the body: 0']
      expect(await firstOfBody('', { 'transfer-encoding': coding })).toEqual([message, ...evidence])
    }
    for (const headers of [
      { 'content-length': 'x7' },
      { 'content-length': '7x' },
      { 'transfer-encoding': 'unchunked' },
    ]) {
      expect((await firstOfBody('', headers))[0]).toEqual(anyBut('is empty'))
    }
    expect((await firstOfBody('', { 'transfer-encoding': 'chunked, gzip' }))[0]).toEqual(anyBut('is empty'))
  })

  it('that was inflated', async () => {
    expect(await firstOfBody('{"a":1}', { 'content-encoding': 'X-GZip' })).toEqual([
      'Content-Encoding is x-gzip, but the body is text: something inflated it before it was verified.',
      'Content-Encoding: x-gzip',
      'The body begins with: 7b2261223a317d',
      'The compressed bytes cannot be made again, so this is not proved.',
    ])
    for (const encoding of ['agzip', 'brx', 'identity']) {
      expect((await firstOfBody('{"a":1}', { 'content-encoding': encoding }))[0]).toEqual(anyBut('inflated'))
    }
  })

  it('of another length', async () => {
    expect(await firstOfBody('{"a":1}', { 'content-length': '9' })).toEqual([
      'Content-Length is 9, but the body has 7 bytes: it was changed after it was received.',
    ])
  })

  it('with U+FFFD', async () => {
    expect(await firstOfBody('abcdefghijklm\ufffdnopqrstuvwxyz')).toEqual([
      'The body has U+FFFD at character 13: something decoded bytes that are not UTF-8, which cannot be undone.',
      'Around it: "fghijklm\\ufffdnopqrst"',
    ])
    expect((await firstOfBody('ab\ufffd'))[1]).toBe('Around it: "ab\\ufffd"')
  })
})

describe('the secret', () => {
  it.each([
    [' s\n', 'The secret contains U+0020 (space) and U+000A (line feed).'],
    ['s\u200bt', 'The secret contains U+200B (zero-width space).'],
    ['"s"', 'The secret is between quotes.'],
    ['changeme', 'The secret looks like a placeholder or the name of a variable.'],
    [[SECRET, 'undefined'], 'secret[1] looks like a placeholder or the name of a variable.'],
    ['x"s"', expect.stringContaining('No known way')],
    ['"s"x', expect.stringContaining('No known way')],
  ])('%j', async (secret, message) => {
    expect(await firstOf(signedRequest({ signature: WRONG, body: 'a'.repeat(70_000) }), secret)).toContainEqual(message)
  })
})

describe('a signature that is no digest', () => {
  it.each([
    ['AB'.repeat(32), 'it is uppercase hex instead of lowercase'],
    [` ${'AB'.repeat(32)}`, 'it is white space around it, uppercase hex instead of lowercase'],
    ['[object Promise]', 'it is "[object Promise]"'],
    ['0123456789abcdef', 'it is "0123456789abcdef"'],
  ])('%j', async (signature, form) => {
    expect(await firstOf(signedRequest({ signature, secret: LONG_SECRET }), LONG_SECRET)).toEqual([
      `X-Signature is not 64 lowercase hex digits: ${form}.`,
      `X-Signature: "${signature}"`,
    ])
  })
})

it.each([
  ['7', 7],
  [' 7 ', 7],
  ['7x', undefined],
  ['x7', undefined],
  ['1'.repeat(16), undefined],
])('Content-Length %j announces %j bytes', (length, announced) => {
  expect(announcedLength([['content-length', length]])).toBe(announced)
})

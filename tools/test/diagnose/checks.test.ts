import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NOW, SECRET, signatureOf, signedRequest, TIMESTAMP } from '../../../test/support/request.js'
import { maskSecrets } from '../../src/diagnose/mask-secrets.js'
import { diagnoseBriefly } from './brief-search.js'

const at = (now: number) => ({ now: () => now })

describe('a header', () => {
  const { headers, body } = signedRequest()
  const findingsWith = async (changed: Parameters<typeof diagnoseBriefly>[0]['headers']) =>
    (await diagnoseBriefly({ webhookId: '42', headers: changed, body }, SECRET, at(NOW))).findings

  it.each([[['x-timestamp']], [['x-nonce']], [['x-timestamp', 'x-nonce']], [['x-signature']]])(
    'is missing, and nothing else is reported: %j',
    async (missing) => {
      const rest = Object.entries(headers).filter(([name]) => !missing.includes(name))
      expect(await findingsWith(rest)).toMatchObject([{ code: 'header_missing' }])
    },
  )

  it.each([['X-Request-Id'], ['Correlation-Id'], ['Webhook-Id']])(
    'is not found in %s, which a proxy may add, unless its value was signed',
    async (name) => {
      const { 'x-nonce': nonce, ...rest } = headers
      for (const value of ['1', 'b47c1a52-8b86-4d01-b42d-00cf4fc964ff', 'not a nonce']) {
        const changed = { ...rest, [name]: value, 'x-signature': 'f'.repeat(64) }
        const findings = await findingsWith(changed)
        expect(findings).toMatchObject([{ code: 'header_missing', message: 'X-Nonce is missing.' }])
      }
      const signature = (message: string) => createHmac('sha256', SECRET).update(message).digest('hex')
      const dotted = { ...rest, 'x-signature': signature(`${TIMESTAMP}.${nonce}.${body}`), [name]: nonce }
      expect(await findingsWith(dotted)).toMatchObject([{ code: 'header_name' }, { code: 'message_layout' }])
      const without = { ...rest, 'x-signature': signature(`${TIMESTAMP}.${body}`), [name]: nonce }
      expect(await findingsWith(without)).toMatchObject([{ code: 'header_missing' }, { code: 'message_layout' }])
    },
  )

  it.each([
    ['the same value', { 'x-timestamp': [TIMESTAMP, TIMESTAMP] }],
    ['different values', { 'x-timestamp': ['1699999999', TIMESTAMP] }],
    ['different values', { 'x-signature': [headers['x-signature'], 'f'.repeat(64)] }],
  ])('arrived twice, and nothing else is reported: %s, %j', async (values, changed) => {
    const [name = '', value] = Object.entries(changed)[0] ?? []
    const findings = await findingsWith({ ...headers, [name]: value })
    expect(findings).toMatchObject([{ code: 'header_repeated' }])
    const right = `"${headers[name as keyof typeof headers]}"`
    expect(findings[0]?.evidence?.endsWith(right)).toBe(values === 'different values')
  })
})

it.each([
  ['a nonce', 'a-nonce'],
  ['a nonce of digits, which only the signature distinguishes from a timestamp', '12345'],
])('X-Timestamp and X-Nonce, swapped, are one finding: %s', async (_, nonce) => {
  const signature = signatureOf(TIMESTAMP, nonce, 'a body', SECRET)
  const headers = { 'x-timestamp': nonce, 'x-nonce': TIMESTAMP, 'x-signature': signature }
  const findingsAt = async (now: number) =>
    (await diagnoseBriefly({ webhookId: '42', headers, body: 'a body' }, SECRET, at(now))).findings
  const evidence = expect.stringContaining('Confirmed')
  expect(await findingsAt(NOW)).toMatchObject([{ code: 'header_swapped', evidence }])
  expect(await findingsAt(NOW + 400_000)).toMatchObject([{ code: 'header_swapped' }, { code: 'clock_behind' }])
})

it('headers that are renamed and swapped are shown with the values that arrived', async () => {
  const signature = signatureOf(TIMESTAMP, 'a-nonce', 'a body', SECRET)
  const headers = { x_timestamp: 'a-nonce', x_nonce: TIMESTAMP, 'x-signature': signature }
  const { findings } = await diagnoseBriefly({ webhookId: '42', headers, body: 'a body' }, SECRET, at(NOW))
  const swapped = findings.find(({ code }) => code === 'header_swapped')
  expect(swapped?.evidence).toContain(`X-Timestamp: "a-nonce"\nX-Nonce: "${TIMESTAMP}"`)
})

describe('a secret that was sent', () => {
  const codesWith = async (headers: Record<string, string>, body: string, secret: string) => {
    const request = signedRequest({ body, secret })
    const all = { ...request.headers, ...headers }
    return (await diagnoseBriefly({ ...request, headers: all }, secret, at(NOW))).findings.map(({ code }) => code)
  }

  it.each([1_000_000, 1_000_001])(
    'is searched in a header and a body of %i bytes, not in longer ones',
    async (length) => {
      const long = SECRET.padEnd(length, '.')
      const expected = length === 1_000_000 ? ['secret_leaked'] : []
      expect(await codesWith({ 'x-other': long }, 'a body', SECRET)).toEqual(expected)
      expect(await codesWith({}, long, SECRET)).toEqual(expected)
    },
  )

  it('is masked from eight characters on if it is made of words', () => {
    const secret = 'correct-horse-battery-staple'
    expect(maskSecrets('a horse-b, a horse-ba', [secret])).toBe('a horse-b, a [secret]')
  })

  it('is found in the name of a header, which arrives in lowercase, and masked', async () => {
    const secret = 'q7Rk2vT9xLm4WcZ8'
    const { 'x-nonce': _, ...rest } = signedRequest({ secret }).headers
    const headers = { [secret]: 'a', ...rest }
    const { findings } = await diagnoseBriefly({ ...signedRequest({ secret }), headers }, secret, at(NOW))
    expect(findings.map(({ code }) => code)).toEqual(['secret_leaked', 'header_missing'])
    expect(findings[0]?.message).toContain('the name of a header')
    expect(JSON.stringify(findings).toLowerCase()).not.toContain(secret.toLowerCase())
    expect(await codesWith({ 'x-webhook-id': 'a' }, 'a body', 'webhook')).toEqual([])
  })

  it('is masked in evidence too, from four characters on', async () => {
    const secret = 'q7Rk2vT9xLm4WcZ8'
    for (const nonce of [secret, secret.slice(0, 9), secret.slice(5, 9), Buffer.from(secret).toString('base64url')]) {
      const request = signedRequest({ nonce: `${nonce} `, signature: '0'.repeat(64) })
      const { findings } = await diagnoseBriefly(request, secret, at(NOW), 0)
      expect(JSON.stringify(findings)).toContain('[secret]')
      expect(JSON.stringify(findings)).not.toContain(nonce.slice(0, 4))
    }
  })
})

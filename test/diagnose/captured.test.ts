import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findingsText } from '../../src/cli/output/findings.js'
import { diagnose, type Finding, LANGUAGES } from '../../src/diagnose/index.js'
import { findLeaks } from '../support/leaks.js'

interface Captured {
  name: string
  /** The codes that name the cause. There are two if the cause can be explained in two ways. */
  codes: string[]
  /** When it arrived, in milliseconds since the Unix epoch. */
  now: number
  secret: string | string[]
  headers: Record<string, string>
  /** In base64. */
  body: string
}

const requests: Captured[] = ['python', 'others'].flatMap((senders) =>
  JSON.parse(readFileSync(new URL(`captured-${senders}.json`, import.meta.url), 'utf8')),
)

/** Requests whose cause would need too many guesses. `diagnose` cannot explain them, and must not name a wrong cause. */
const UNEXPLAINED = [
  'a large integer that was rounded on the way',
  'milliseconds with their fraction in the message',
  'milliseconds with their fraction in the message, json.dumps',
  'milliseconds with their fraction in the message, secret with newline',
]

describe('the first or second finding names the mistake of a broken request', () => {
  it('is checked with many requests', () => {
    expect(requests.length).toBeGreaterThan(250)
  })

  it.each(UNEXPLAINED)('%s is unexplained', async (name) => {
    const { now, secret, headers, body } = requests.find((request) => request.name === name) as Captured
    const request = { webhookId: '42', headers, body: Buffer.from(body, 'base64') }
    const { findings } = await diagnose(request, secret, { now: () => now })
    expect(findings.map(({ code }) => code)).toEqual(['signature_mismatch'])
  })

  const explained = requests.filter(({ name }) => !UNEXPLAINED.includes(name))
  it.each(explained.map((request) => [request.name, request] as const))('%s', async (_, request) => {
    const { codes, now, secret, headers } = request
    const body = Buffer.from(request.body, 'base64')
    const { genuine, findings } = await diagnose({ webhookId: '42', headers, body }, secret, { now: () => now })
    expect(genuine).toBe(false)
    expect(codes).toContain(
      findings
        .slice(0, 2)
        .map(({ code }) => code)
        .find((code) => codes.includes(code)),
    )
    for (const { message, fix, side } of findings) {
      expect(message).toMatch(/^[A-Z].*\.$/s)
      expect(fix).toMatch(side === 'unknown' ? /^On the sender's side: .*\nOn the receiver's side: / : /^[A-Z]/)
    }
    for (const one of [secret].flat()) expect(findLeaks(printed(findings), one, textOf(request))).toEqual([])
  })
})

describe('no four characters of the secret are printed, plain, in hex or in base64', () => {
  const SECRETS = [
    'kQ7z+Xw93/Vb0',
    ' kQ7z+Xw93/Vb0',
    'kQ7z\u200bXw93/Vb0',
    '"kQ7z+Xw93/Vb0"',
    '$kQ7z+Xw93/Vb0',
    '<kQ7z+Xw93/Vb0>',
  ]

  it.each(SECRETS)('if nothing explains the signature: %j', async (secret) => {
    const request = requests.find(({ name }) => name === UNEXPLAINED[0]) as Captured
    const { now, headers } = request
    const body = Buffer.from(request.body, 'base64')
    const { findings } = await diagnose({ webhookId: '42', headers, body }, secret, { now: () => now })
    expect(findings.at(-1)).toMatchObject({ code: 'signature_mismatch' })
    expect(findLeaks(printed(findings), secret, textOf(request))).toEqual([])
  })

  it.each([
    ['kQ7z', 'The secret begins with kQ7z.'],
    ['z+Xw', 'z+Xw93'],
    ['6b51', 'SHA-256: 6b5137'],
    ['a1E3', 'a1E3eitY'],
    ['UTd6', 'UTd6K1h3'],
  ])('the search for leaks finds %s', (piece, text) => {
    expect(findLeaks(text, 'kQ7z+Xw93/Vb0', '')).toContain(piece)
    expect(findLeaks(text, 'kQ7z+Xw93/Vb0', text)).toEqual([])
  })
})

/** Returns findings as the command line prints them, with every language, and as JSON. */
function printed(findings: readonly Finding[]): string {
  const all = LANGUAGES.map((language) => findingsText(findings, (_, text) => text, language))
  return [...all, JSON.stringify(findings)].join('\n')
}

/** The parts of a request that may be printed with any secret. */
function textOf({ now, headers, body }: Captured): string {
  const bytes = Buffer.from(body, 'base64')
  const hash = createHash('sha256').update(bytes).digest('hex')
  return [JSON.stringify(headers), bytes.toString(), hash, new Date(now).toISOString()].join('\n')
}

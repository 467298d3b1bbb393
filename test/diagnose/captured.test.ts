import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { diagnose } from '../../src/diagnose/index.js'

interface Captured {
  name: string
  /** The codes that name the cause; where it can be seen in two ways, both. */
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

/** Requests whose cause takes more guesses than it is worth. They are unexplained, and nothing wrong is said about them. */
const UNEXPLAINED = [
  'a large integer that was rounded on the way',
  'milliseconds with their fraction in the message',
  'milliseconds with their fraction in the message, json.dumps',
  'milliseconds with their fraction in the message, secret with newline',
]

describe('the first or second finding names what is wrong with a broken request', () => {
  it('of which there are many', () => {
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
    const told = JSON.stringify(findings)
    for (const one of [secret].flat()) if (one.length > 9) expect(told).not.toContain(one)
  })
})

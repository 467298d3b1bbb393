import { describe, expect, it } from 'vitest'
import { detailsOf, maskedJson, summaryOf } from '../../../src/cli/listen/details.js'
import type { Received } from '../../../src/cli/listen/receiver.js'
import { RECEIVED as ANY, REPORT as REFUSED, SECRET, TIME } from './examples.js'

const FINDING = {
  code: 'header_missing',
  side: 'sender',
  message: 'X-Nonce is missing.',
  fix: 'Send it.',
  fixes: {},
} as const

const REPORT = { ...REFUSED, reason: 'missing_header', findings: [FINDING] }
const RECEIVED: Received = { ...ANY, headers: Object.entries({ 'X-Timestamp': '1700000000', 'User-Agent': 'PHP/8.2' }) }

describe('the row of a request', () => {
  it('has the first finding and the sender', () => {
    const { findings: _, ...shown } = REPORT
    const row = { id: 3, ...shown, finding: 'X-Nonce is missing.', agent: 'PHP/8.2' }
    expect(summaryOf({ id: 3, report: REPORT, received: RECEIVED }, [SECRET])).toEqual(row)
  })

  it('is short, and has no piece of the secret at its end', () => {
    const path = `/${'a'.repeat(180)}${SECRET}${'b'.repeat(300)}`
    const headers = [['User-Agent', `${'x'.repeat(250)}`]] as const
    const row = summaryOf({ id: 1, report: { ...REPORT, path }, received: { ...RECEIVED, headers } }, [SECRET])
    expect(row.path).toBe(`/${'a'.repeat(180)}[secret]${'b'.repeat(11)}…`)
    expect(row.agent).toBe(`${'x'.repeat(200)}…`)
  })
})

describe('the details of a request', () => {
  it('have the result of each rule', () => {
    const { report } = detailsOf({ id: 1, report: REPORT, received: RECEIVED }, [SECRET, 'another'])
    const statuses = ['broken', 'met', 'met', 'not checked', 'not checked', 'not checked']
    expect(report?.rules.map(({ status }) => status)).toEqual(statuses)
    expect(report).toMatchObject({ request: 'POST /hooks/42' })
    expect(report).toMatchObject({ valid: false, findings: [FINDING], arrival: [TIME, 'by the clock of listen'] })
  })

  it.each([
    [{ ok: true }, 'met', 'No accepted request had this nonce before.'],
    [
      { reason: 'replayed_nonce', detail: 'the same nonce 12 s ago' },
      'broken',
      'Accepted before: the same nonce 12 s ago.',
    ],
  ])('say whether the nonce was new: %j', (result, status, detail) => {
    const details = detailsOf({ id: 1, report: { ...REPORT, ...result }, received: RECEIVED }, [SECRET])
    expect(details.report?.rules.at(-1)).toMatchObject({ status, detail })
  })
})

it('the details of a request of Standard Webhooks name its attempt, because a retry has the same ID', () => {
  const received = { ...RECEIVED, headers: [['webhook-id', 'msg_1']] } satisfies Received
  const details = detailsOf({ id: 1, report: { ...REPORT, ok: true }, received }, [SECRET])
  const rule = { name: 'The attempt is new on this listener', detail: 'No accepted request had this attempt before.' }
  expect(details.report?.rules.at(-1)).toMatchObject(rule)
})

describe('no secret is in the JSON for the page', () => {
  it('if it is in what was signed, or has characters beyond ASCII', () => {
    const secret = 'Schlüssel für Zoë'
    const signedMessage = Uint8Array.from(Buffer.from(`1:2:${secret}`))
    const { report } = detailsOf({ id: 1, report: REPORT, received: { ...RECEIVED, signedMessage } }, [secret])
    expect(Buffer.from(report?.signedMessage ?? []).toString()).toBe('1:2:[secret]')
  })

  it('and bytes are in base64', () => {
    expect(maskedJson({ a: Uint8Array.of(0, 255), b: `x${SECRET}` }, [SECRET])).toBe('{"a":"AP8=","b":"x[secret]"}')
  })
})

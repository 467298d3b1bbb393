import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { NOW, SECRET, signatureOf, signedRequest } from '../../../test/support/request.js'
import { diagnose } from '../../src/diagnose/index.js'

// What the bound on hashes, which engine.test.ts counts, leaves out of a search.

const CLOCK = { now: () => NOW }
const MANY = Array.from({ length: 50 }, (_, index) => `${SECRET} ${index}`)
const NONSENSE = signatureOf('1', 'b', 'nonsense', 'nonsense')
const EVENT = '{"id":123456789012345680000,"price":1.5,"name":"Zoë </a>\u2028","list":[1,{"b":true,"a":null}]}'

/** How much of a search was not done, as the evidence says it. */
const notTried = async (body: string | Uint8Array, secret: string | string[] = SECRET) => {
  const { findings } = await diagnose(signedRequest({ body, signature: NONSENSE }), secret, CLOCK)
  return /^Not all changes.*$/m.exec(findings.at(-1)?.evidence ?? '')?.[0]
}

it('a search that was cut short says what it did not try', async () => {
  expect(await notTried(EVENT)).toBeUndefined()
  expect(await notTried(`[${EVENT},"${'x'.repeat(20_000)}"]`)).toBeUndefined()
  expect(await notTried(new Uint8Array(5_000_000))).toContain('secret')
  // Hypotheses skip the text of this body.
  expect(await notTried(Buffer.alloc(100_500, 0xff))).toContain('body')
  expect(await notTried(EVENT, MANY)).toBeDefined()
})

it.each([70_000, 1_000_000, 4_300_000])('finds the usual layouts with a body of %i bytes', async (size) => {
  const body = Buffer.alloc(size, '{"a": 1},\n')
  for (const before of ['1700000000.', '', '1700000000:', 'abc:1700000000:', '1700000000\nabc\n']) {
    const signature = createHmac('sha256', SECRET).update(before).update(body).digest('hex')
    const { findings } = await diagnose(signedRequest({ nonce: 'abc', body, signature }), SECRET, CLOCK)
    expect(findings).toMatchObject([{ code: 'message_layout' }])
  }
})

import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { diagnoseInSteps } from '../../../src/tools/diagnose/engine.js'
import { diagnose } from '../../../src/tools/diagnose/index.js'
import { NODE_PRIMITIVES } from '../../../src/tools/node-primitives.js'
import { NONCE, NOW, SECRET, signedRequest, TIMESTAMP } from '../../support/request.js'

/** JSON of 1 MB. Each row has its keys in order. */
const ROWS = Array.from({ length: 12_000 }, (_, id) => ({
  amount: 2.5,
  id,
  name: `name ${id}`,
  tags: ['a', 'b'],
  vip: true,
}))
const reversed = ROWS.map((row) => Object.fromEntries(Object.entries(row).reverse()))
const HEAD = `${TIMESTAMP}:${NONCE}:`
const hmac = (body: string) => createHmac('sha256', SECRET).update(HEAD).update(body).digest('hex')

it.each([
  ['sorted', JSON.stringify(reversed), JSON.stringify(ROWS)],
  ['indented by 2 spaces', JSON.stringify(ROWS), JSON.stringify(ROWS, null, 2)],
  ['indented by 4 spaces', JSON.stringify(ROWS), JSON.stringify(ROWS, null, 4)],
])(
  'finds JSON of up to 1 MB that was signed %s',
  async (_, body, signed) => {
    expect(body.length).toBeGreaterThan(800_000)
    const request = signedRequest({ body, signature: hmac(signed) })
    const { findings } = await diagnose(request, SECRET, { now: () => NOW })
    expect(findings).toMatchObject([{ code: 'body_json' }])
  },
  60_000,
)

it('a search in 1 MB of JSON is done in short steps, so that the process can do other work', () => {
  const body = Buffer.from(JSON.stringify(ROWS))
  const received = { timestamp: TIMESTAMP, nonce: NONCE, signature: 'ab'.repeat(32), headers: [], body }
  const steps = diagnoseInSteps(
    NODE_PRIMITIVES,
    { ...received, secrets: [SECRET], now: NOW, isArrivalKnown: true },
    300,
  )
  // A step costs what one hypothesis reads and writes: it cannot end inside one.
  expect(Math.max(...steps)).toBeLessThan(8_000_000)
}, 60_000)

it('other work of the process comes between the steps', async () => {
  const body = JSON.stringify(ROWS)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await diagnose(signedRequest({ body, signature: hmac(JSON.stringify(ROWS, null, 4)) }), SECRET, { now: () => NOW })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
}, 60_000)

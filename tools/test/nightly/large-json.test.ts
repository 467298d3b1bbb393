import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { NONCE, NOW, SECRET, signedRequest, TIMESTAMP } from '../../../test/support/request.js'
import { diagnoseInSteps } from '../../src/diagnose/engine.js'
import { diagnose } from '../../src/diagnose/index.js'
import { type JsonText, parseInSteps, parseJson } from '../../src/diagnose/json/parse.js'
import { COMPACT, sortedOrder } from '../../src/diagnose/json/styles.js'
import { writeInSteps } from '../../src/diagnose/json/write.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'
import { NESTINGS } from './nestings.js'

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

/** The longest step, in the unit of the budget. Reading, writing and hashing 1 MB of text each costs about a million. */
const MAX_STEP = 6_000_000

it.each<readonly [string, () => string]>([
  ['rows', () => JSON.stringify(ROWS)],
  ['numbers', () => JSON.stringify(Array.from({ length: 140_000 }, (_, index) => index * 1.5))],
  ...Object.entries(NESTINGS).map(([name, nested]) => [name, () => nested(1_000_000)] as const),
])(
  'a search in 1 MB of %s is done in short steps, so that the process can do other work',
  (_, bodyText) => {
    const body = Buffer.from(bodyText())
    const received = { timestamp: TIMESTAMP, nonce: NONCE, signature: 'ab'.repeat(32), headers: [], body }
    const steps = diagnoseInSteps(
      NODE_PRIMITIVES,
      { ...received, secrets: [SECRET], now: NOW, isArrivalKnown: true },
      300,
    )
    // A step costs what one hypothesis reads and writes, unless the hypothesis reads or writes JSON.
    expect(Math.max(...steps)).toBeLessThan(MAX_STEP)
  },
  60_000,
)

it('reading and writing JSON has short steps', () => {
  const text = JSON.stringify(ROWS)
  const json = parseJson(text) as JsonText
  expect(Math.max(...parseInSteps(text))).toBeLessThan(20_000)
  for (const style of [{}, { spacing: COMPACT }, { order: sortedOrder }]) {
    expect(Math.max(...writeInSteps(json, style))).toBeLessThan(100_000)
  }
})

import { expect, it } from 'vitest'
import { fc } from '../../support/fast-check.js'
import { type Case, cases, prepare, type Sent } from './cases.js'
import { Oracle } from './oracle.js'
import { type FuzzedScheme, SCHEMES, type Verify } from './schemes.js'
import { bodyOf, headersOf, storeOf, wrongStore } from './shapes.js'

// Sends the requests of drawn cases to the library and to a second implementation, and compares the results.

/** How long each scheme is fuzzed, in milliseconds. */
const TIME = 240_000

const RESULTS = [
  ...['accepted', 'ERR_INVALID_ARGUMENT', 'ERR_NONCE_STORE', 'invalid_nonce', 'invalid_timestamp', 'missing_header'],
  ...['replayed_nonce', 'signature_mismatch', 'timestamp_outside_window'],
]

it.each(SCHEMES)(
  '$name: verify and the oracle agree on random requests, with every result among them',
  { timeout: 4 * TIME },
  async (scheme) => {
    const counts = new Map<string, number>()
    const count = (result: string) => counts.set(result, (counts.get(result) ?? 0) + 1)
    const agree = fc.asyncProperty(cases(scheme), (drawn) => compare(scheme, drawn, count))
    await fc.assert(agree, { numRuns: Number.POSITIVE_INFINITY, interruptAfterTimeLimit: TIME })
    console.log(scheme.name, Object.fromEntries(counts))
    expect([...counts.keys()].sort()).toEqual(RESULTS.toSorted())
  },
)

async function compare(scheme: FuzzedScheme, drawn: Case, count: (result: string) => void): Promise<void> {
  let time = drawn.start
  let drift = 0
  const sent: Sent = []
  const memory = storeOf(drawn, { now: () => time })
  const oracle = new Oracle(scheme.rules)
  for (const step of drawn.steps) {
    const { webhookId, during, wrongAnswer, wrongTime, bodyShape, headerShape, text } = step
    time += step.before
    drift = step.drift ?? drift
    const { received, secrets, fields: drawnFields } = prepare(scheme, step, time + drift, sent)
    const { headers, fields } = headersOf(headerShape, drawnFields)
    const textBody = text === undefined ? undefined : received.body + text
    const { body, wire } =
      textBody === undefined ? bodyOf(bodyShape, received.body) : { body: textBody, wire: textBody }
    const wall = [time + drift, time + drift + during].map((now) =>
      wrongTime === undefined ? now : wrongTime.now,
    ) as [unknown, unknown]
    const nonceStore = wrongAnswer === undefined ? memory : wrongStore(wrongAnswer)

    const expected = oracle.judge(
      { webhookId, fields, body: wire, secrets, wall, storeTime: time },
      {
        capacity: drawn.store === 'at once' ? Number.POSITIVE_INFINITY : drawn.capacity,
        forgetsOldest: drawn.forgetsOldest,
        atOnce: nonceStore.reserveAll !== undefined,
        broken: wrongAnswer !== undefined,
      },
    )
    let reads = 0
    const clock = { now: () => wall[reads++] as number }
    const secret = secrets.length === 1 ? (secrets[0] as string) : secrets
    const result = await resultOf(() => scheme.verify({ webhookId, headers, body }, secret, nonceStore, clock))
    expect(result).toBe(expected)
    count(result.split(' ', 1)[0] as string)
    time += during
  }
}

async function resultOf(call: () => ReturnType<Verify>): Promise<string> {
  try {
    const result = await call()
    if (result.ok) {
      const { secretIndex, timestamp, nonce, webhookId } = result
      return `accepted by secret ${secretIndex} at ${timestamp} with ${nonce} on ${webhookId}`
    }
    return result.reason === 'missing_header' ? `${result.reason} ${result.header}` : result.reason
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : `threw ${String(error)}`
  }
}

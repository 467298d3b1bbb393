import { type Case, drawCase } from './cases.js'
import { Choices, shrink } from './choices.js'
import { Oracle } from './oracle.js'
import type { Verify } from './schemes.js'
import { bodyOf, headersOf, storeOf, wrongStore } from './shapes.js'

// Sends each request of a case to the library and to the oracle, and compares the results.

export interface Disagreement {
  /** The index of the request in its case. */
  readonly index: number
  readonly library: string
  readonly oracle: string
}

/** How many requests led to each result. */
export type Tally = Map<string, number>

/** Returns the first disagreement of a case. */
export async function compare(
  drawn: Case,
  tally?: Tally,
  library: Verify = drawn.scheme.verify,
): Promise<Disagreement | undefined> {
  let time = drawn.start
  const store = storeOf(drawn, { now: () => time })
  const oracle = new Oracle(drawn.scheme.rules)
  const capacity = drawn.store === 'at once' ? Number.POSITIVE_INFINITY : drawn.capacity
  const { forgetsOldest } = drawn
  for (const [index, step] of drawn.steps.entries()) {
    time += step.before
    const { headers, fields } = headersOf(step)
    const { body, wire } = bodyOf(step)
    const { webhookId, secrets } = step
    const wall = [time + step.drift, time + step.drift + step.during].map((now) =>
      step.wrongClock === undefined ? now : step.wrongClock[0],
    ) as [unknown, unknown]
    const asked = step.wrongAnswer === undefined ? store : wrongStore(step.wrongAnswer)

    const expected = oracle.judge(
      { webhookId, fields, body: wire, secrets, wall, storeTime: time },
      { capacity, forgetsOldest, atOnce: asked.reserveAll !== undefined, broken: step.wrongAnswer !== undefined },
    )
    let reads = 0
    const clock = { now: () => wall[reads++] as number }
    const found = await resultOf(() => library({ webhookId, headers, body }, soleOrAll(secrets), asked, clock))
    if (found !== expected) return { index, library: found, oracle: expected }
    if (tally !== undefined) {
      const name = `${drawn.scheme.name}: ${found.split(' ', 1)[0]}`
      tally.set(name, (tally.get(name) ?? 0) + 1)
    }
    time += step.during
  }
  return undefined
}

function soleOrAll(secrets: readonly string[]): string | readonly string[] {
  return secrets.length === 1 ? (secrets[0] as string) : secrets
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

/** Returns the smallest choices found that still lead to a disagreement. */
export async function minimise(numbers: readonly number[], library?: Verify): Promise<readonly number[]> {
  const isBad = async (candidate: readonly number[]) =>
    (await compare(drawCase(Choices.of(candidate)), undefined, library)) !== undefined
  const smallest = [...(await shrink(numbers, isBad))]
  while (smallest.at(-1) === 0) smallest.pop()
  return smallest
}

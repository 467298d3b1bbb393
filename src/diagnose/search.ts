import type { Likelihood, Primitives } from './hypotheses/hypothesis.js'

// The search tries combinations of choices, one choice per dimension (the layout, the secret, the body …). It begins with the
// likeliest combinations and ends when one matches or the budget is used up.

/** A higher cost means that a combination is less likely. Two common mistakes together are about as likely as one rare mistake. */
const COSTS: { readonly [likelihood in Likelihood | 'expected']: number } = {
  expected: 0,
  common: 2,
  uncommon: 3,
  rare: 5,
}

/** More mistakes are not searched for. Three mistakes in one sender are rare, so the third has an extra cost. */
const MAX_MISTAKES = 3
const THIRD_MISTAKE = 1

/** One possibility of a dimension. */
export interface Choice<State> {
  readonly likelihood: Likelihood | 'expected'
  /** Returns the next states. There are none if this choice is not possible or makes no difference. */
  apply(state: State): readonly State[]
}

/** Choices that exclude each other. They are made when the search first needs them. */
export type Dimension<State> = () => readonly Choice<State>[]

/** The result of `test` for the likeliest combination for which it returns one. */
export function search<State, Result>(
  dimensions: readonly Dimension<State>[],
  start: State,
  test: (state: State) => Result | undefined,
): Result | undefined {
  const groups = dimensions.map((dimension) => groupByCost(dimension))
  const walk = (state: State, costs: readonly number[], index: number): Result | undefined => {
    const group = groups[index]
    if (group === undefined) return test(state)
    for (const choice of group(costs[index] as number)) {
      for (const next of choice.apply(state)) {
        const found = walk(next, costs, index + 1)
        if (found !== undefined) return found
      }
    }
    return undefined
  }
  try {
    for (const { costs } of patterns(dimensions.length)) {
      const found = walk(start, costs, 0)
      if (found !== undefined) return found
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error
  }
  return undefined
}

/** The choices of one dimension by cost. */
function groupByCost<State>(dimension: Dimension<State>) {
  let choices: readonly Choice<State>[] | undefined
  const groups = new Map<number, readonly Choice<State>[]>()
  return (cost: number): readonly Choice<State>[] => {
    choices ??= dimension()
    const group = groups.get(cost) ?? choices.filter(({ likelihood }) => COSTS[likelihood] === cost)
    groups.set(cost, group)
    return group
  }
}

/** The cost of the choice in each dimension, for up to three mistakes: the likeliest first; of equally likely ones, those with fewer mistakes first. */
function patterns(dimensions: number) {
  let all = [{ costs: [] as number[], total: 0, mistakes: 0 }]
  for (let dimension = 0; dimension < dimensions; dimension++) {
    all = all.flatMap(({ costs, total, mistakes }) =>
      Object.values(COSTS)
        .filter((cost) => cost === 0 || mistakes < MAX_MISTAKES)
        .map((cost) => ({
          costs: [...costs, cost],
          total: total + cost + (cost > 0 && mistakes + 1 === MAX_MISTAKES ? THIRD_MISTAKE : 0),
          mistakes: cost === 0 ? mistakes : mistakes + 1,
        })),
    )
  }
  return all.sort((one, other) => one.total - other.total || one.mistakes - other.mistakes)
}

class OutOfBudget extends Error {}

/** The fixed cost of a hash, without its bytes. */
const BYTES_PER_HASH = 1000

/** Counts all work of a search, and ends it. `spend` counts bytes that are hashed, read or written. */
export function limit(primitives: Primitives, hashes: number, bytes: number) {
  let [hashesLeft, bytesLeft] = [hashes, bytes]
  const spend = (spent: number) => {
    bytesLeft -= spent
    if (hashesLeft < 0 || bytesLeft < 0) throw new OutOfBudget()
  }
  const spendHash = (parts: readonly Uint8Array[]) => {
    hashesLeft--
    spend(parts.reduce((sum, { length }) => sum + length, BYTES_PER_HASH))
  }
  const counted: Primitives = {
    hash(algorithm, parts) {
      spendHash(parts)
      return primitives.hash(algorithm, parts)
    },
    hmac(algorithm, key, parts) {
      spendHash([key, ...parts])
      return primitives.hmac(algorithm, key, parts)
    },
    inflate(format, body, maxLength) {
      spend(body.length)
      return primitives.inflate(format, body, maxLength)
    },
  }
  return { primitives: counted, spend }
}

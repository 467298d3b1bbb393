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
export interface Choice<State, Mistake> {
  readonly likelihood: Likelihood | 'expected'
  /** Returns the next states. There are none if this choice is not possible or makes no difference. */
  apply(state: State): readonly Step<State, Mistake>[]
}

/** The next state, and the mistake that leads to it. A step by the rules has no mistake. */
export interface Step<State, Mistake> {
  readonly state: State
  readonly mistake?: Mistake | undefined
}

/** Choices that exclude each other. They are made when the search first needs them. */
export type Dimension<State, Mistake> = () => readonly Choice<State, Mistake>[]

/** A combination that matches. */
export interface Match<Result, Mistake> {
  readonly result: Result
  readonly mistakes: readonly Mistake[]
}

/** The likeliest combination for which `test` returns a result. */
export function search<State, Mistake, Result>(
  dimensions: readonly Dimension<State, Mistake>[],
  start: State,
  test: (state: State) => Result | undefined,
): Match<Result, Mistake> | undefined {
  const groups = dimensions.map((dimension) => groupByCost(dimension))

  const walk = (
    state: State,
    pattern: Pattern,
    index: number,
    mistakes: readonly Mistake[],
  ): Match<Result, Mistake> | undefined => {
    const group = groups[index]
    if (group === undefined) {
      const result = test(state)
      return result === undefined ? undefined : { result, mistakes }
    }
    for (const choice of group(pattern.costs[index] as number)) {
      for (const { state: next, mistake } of choice.apply(state)) {
        const found = walk(next, pattern, index + 1, mistake === undefined ? mistakes : [...mistakes, mistake])
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  try {
    for (const pattern of patterns(dimensions.length)) {
      const found = walk(start, pattern, 0, [])
      if (found !== undefined) return found
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error
  }
  return undefined
}

/** The choices of one dimension by cost. */
function groupByCost<State, Mistake>(dimension: Dimension<State, Mistake>) {
  let choices: readonly Choice<State, Mistake>[] | undefined
  const groups = new Map<number, readonly Choice<State, Mistake>[]>()
  return (cost: number): readonly Choice<State, Mistake>[] => {
    choices ??= dimension()
    const group = groups.get(cost) ?? choices.filter(({ likelihood }) => COSTS[likelihood] === cost)
    groups.set(cost, group)
    return group
  }
}

/** The cost of the choice in each dimension. */
interface Pattern {
  readonly costs: readonly number[]
  readonly total: number
  readonly mistakes: number
}

/** All patterns with up to three mistakes, the likeliest first; of equally likely ones, those with fewer mistakes first. */
function patterns(dimensions: number): Pattern[] {
  let all: Pattern[] = [{ costs: [], total: 0, mistakes: 0 }]
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

/** Counts all work of a search, and ends it. */
export class Budget {
  #hashes: number
  #bytes: number

  constructor(hashes: number, bytes: number) {
    this.#hashes = hashes
    this.#bytes = bytes
  }

  /** Counts hashes, and the bytes that are hashed, read or written. */
  spend(hashes: number, bytes: number): void {
    this.#hashes -= hashes
    this.#bytes -= bytes
    if (this.#hashes < 0 || this.#bytes < 0) throw new OutOfBudget()
  }

  /** The same primitives, with every use counted. */
  count(primitives: Primitives): Primitives {
    const hashed = (parts: readonly Uint8Array[]) =>
      this.spend(
        1,
        parts.reduce((sum, { length }) => sum + length, BYTES_PER_HASH),
      )
    return {
      hash: (algorithm, parts) => {
        hashed(parts)
        return primitives.hash(algorithm, parts)
      },
      hmac: (algorithm, key, parts) => {
        hashed([key, ...parts])
        return primitives.hmac(algorithm, key, parts)
      },
      inflate: (format, bytes, maxLength) => {
        this.spend(0, bytes.length)
        return primitives.inflate(format, bytes, maxLength)
      },
    }
  }
}

/** The fixed cost of a hash, without its bytes. */
const BYTES_PER_HASH = 1000

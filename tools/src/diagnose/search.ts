import type { Primitives } from '../primitives.js'
import type { Likelihood } from './hypotheses/hypothesis.js'
import { isSteps, type Steps } from './steps.js'

// The search tries combinations of choices, one choice per group (the layout, the secret, the body …). The search begins with the likeliest
// combinations. The search ends when a combination matches, no likely combination is left, or the budget is used up.

/** A higher cost means that a combination is less likely. Two common mistakes together are about as likely as one rare mistake. */
const COSTS: { readonly [likelihood in Likelihood]: number } = { expected: 0, common: 2, uncommon: 3, rare: 5, last: 8 }

/** Three mistakes in one sender are rare, so the third mistake has an extra cost. */
const THIRD_MISTAKE = 1

/** The maximum cost of a combination that is tried. One common and one rare mistake, or three common mistakes, have this cost. */
const MAX_COST = 7

const MISTAKE_COSTS = Object.values(COSTS).filter((cost) => cost > 0)

/** One possible choice in a group. */
export interface Choice<State> {
  readonly likelihood: Likelihood
  /** Returns the next states. Returns an empty list if this choice is not possible, or makes no difference. */
  apply(state: State): readonly State[] | Steps<readonly State[]>
}

/** The expected choice of a group that changes nothing. The search skips such a group. */
export const UNCHANGED: Choice<never> = { likelihood: 'expected', apply: (state) => [state] }

/** A group of choices that exclude each other. */
export interface ChoiceGroup<State> {
  readonly name: string
  readonly choices: readonly Choice<State>[]
}

/** The result of a search. */
export interface Searched<Result> {
  /** What `test` returned for the likeliest combination that matches, or `undefined` if none matches. */
  readonly found: Result | undefined
  /** The names of the groups with choices that were not tried, because the budget was used up. */
  readonly notTried: readonly string[]
}

/** The position of the search in a group: the choices and states to try, and the index of the next choice and state. */
interface Level<State> {
  readonly state: State
  choice: number
  /** The states that the current choice leads to. */
  next: readonly State[]
  index: number
}

/**
 * Tries combinations until `test` returns a result, and returns that result. Single mistakes come first.
 *
 * @param endStep - returns the cost since the last pause if a pause is due, and otherwise 0.
 */
export function* search<State, Result>(
  groups: readonly ChoiceGroup<State>[],
  start: State,
  test: (state: State) => Result | undefined,
  endStep: () => number = () => 0,
): Steps<Searched<Result>> {
  const grouped = groups.map((group) => ({ group, choices: groupByCost(group.choices) }))
  const notTried = new Set<ChoiceGroup<State>>()
  const result = (found?: Result) => ({
    found,
    notTried: [...new Set(groups.filter((group) => notTried.has(group)).map(({ name }) => name))],
  })
  const enter = (state: State): Level<State> => ({ state, choice: 0, next: [], index: 0 })

  function* walk({ costs, mistakes }: Pattern): Steps<Result | undefined> {
    /** The groups with a choice that can change the state. */
    const stops = grouped
      .map(({ group, choices }, index) => ({
        group,
        isMistaken: costs[index] !== 0,
        choices: choices.get(costs[index] as number) as readonly Choice<State>[],
      }))
      .filter(({ choices }) => choices.length !== 1 || choices[0] !== UNCHANGED)
    if (stops.length === 0) return test(start)
    const mistaken = stops.findIndex(({ isMistaken }) => isMistaken)
    const levels = [enter(start)]
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      try {
        const state = level.next[level.index++]
        if (state === undefined) {
          const { choices } = stops[levels.length - 1] as (typeof stops)[number]
          const choice = choices[level.choice++]
          if (choice === undefined) levels.pop()
          else {
            level.index = 0
            level.next = []
            const applied = choice.apply(level.state)
            level.next = isSteps(applied) ? yield* applied : applied
          }
        } else if (levels.length < stops.length) levels.push(enter(state))
        else {
          const found = test(state)
          if (found !== undefined) return found
        }
      } catch (error) {
        // Another single mistake may cost less, for example one in a short part of a message with a large body.
        if (!(error instanceof OutOfBudget) || mistakes !== 1 || levels.length <= mistaken) throw error
        notTried.add((stops[mistaken] as (typeof stops)[number]).group)
        levels.length = mistaken + 1
        // The search skips the other states of this choice.
        const level = levels[mistaken] as Level<State>
        level.index = level.next.length
      }
      const cost = endStep()
      if (cost > 0) yield cost
    }
    return undefined
  }

  try {
    for (const pattern of patternsOf(groups.length)) {
      if (pattern.mistakes > 1 && notTried.size > 0) break
      const found = yield* walk(pattern)
      if (found !== undefined) return result(found)
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error
  }
  return result()
}

/** Returns the choices of a group by their cost. */
function groupByCost<State>(choices: readonly Choice<State>[]): ReadonlyMap<number, readonly Choice<State>[]> {
  return new Map(
    Object.entries(COSTS).map(([likelihood, cost]) => [
      cost,
      choices.filter((choice) => choice.likelihood === likelihood),
    ]),
  )
}

interface Pattern {
  /** The cost of the choice in each group. */
  readonly costs: readonly number[]
  readonly total: number
  readonly mistakes: number
}

/** Caches the patterns per number of groups, because computing the patterns takes longer than a short search. */
const PATTERNS = new Map<number, readonly Pattern[]>()

function patternsOf(groups: number): readonly Pattern[] {
  const patterns = PATTERNS.get(groups) ?? makePatterns(groups)
  PATTERNS.set(groups, patterns)
  return patterns
}

/** Returns patterns of up to three mistakes, the likeliest and shortest first. Changed bodies come last, because they take the longest. */
function makePatterns(groups: number): Pattern[] {
  let all: Pattern[] = [{ costs: [], total: 0, mistakes: 0 }]
  for (let group = 0; group < groups; group++) {
    all = all.flatMap((pattern) => [
      ...MISTAKE_COSTS.map((cost) => withMistake(pattern, cost)).filter(
        ({ total, mistakes }) => mistakes === 1 || total <= MAX_COST,
      ),
      { ...pattern, costs: [...pattern.costs, 0] },
    ])
  }
  const isSeveral = ({ mistakes }: Pattern) => Number(mistakes > 1)
  return all.sort(
    (one, other) => isSeveral(one) - isSeveral(other) || one.total - other.total || one.mistakes - other.mistakes,
  )
}

function withMistake({ costs, total, mistakes }: Pattern, cost: number): Pattern {
  return { costs: [...costs, cost], total: total + cost + (mistakes === 2 ? THIRD_MISTAKE : 0), mistakes: mistakes + 1 }
}

class OutOfBudget extends Error {}

/** The minimum cost between two pauses, because a pause takes time. Hashing at this cost takes much less than 1 ms, and writing JSON about 10 ms. */
const MIN_STEP = 200_000

/** The bytes of a block of SHA-256. A longer key is hashed before its first message. */
const BLOCK = 64

/** The fixed cost of a hash. The cost of the hashed bytes is added. */
const BYTES_PER_HASH = 1000

/**
 * Returns functions that count the work of a search, and that throw `OutOfBudget` before the search costs too much. `primitives`
 * counts what it hashes and inflates, `spend` counts bytes that are read or written, and `endStep` is for {@link search}.
 *
 * @param hashes - how many hashes the search may compute.
 * @param bytes - how many bytes the search may hash.
 * @param rewritten - how many bytes the search may read or write. This limit is separate, because reading or writing a byte takes longer
 * than hashing a byte.
 */
export function limit(primitives: Primitives, hashes: number, bytes: number, rewritten: number) {
  let [hashesLeft, bytesLeft, rewrittenLeft] = [hashes, bytes, rewritten]
  let step = 0
  const spend = (spent: number) => {
    step += spent
    if (spent > rewrittenLeft) throw new OutOfBudget()
    rewrittenLeft -= spent
  }
  const spendHash = (parts: readonly Uint8Array[], keyLength = 0) => {
    let spent = BYTES_PER_HASH + keyLength
    for (const { length } of parts) spent += length
    if (hashesLeft === 0 || spent > bytesLeft) {
      // A combination that is skipped takes time too.
      step += BYTES_PER_HASH
      throw new OutOfBudget()
    }
    step += spent
    bytesLeft -= spent
    hashesLeft--
  }
  const hashedKeys = new WeakSet<Uint8Array>()
  const counted: Primitives = {
    hash(algorithm, parts) {
      spendHash(parts)
      return primitives.hash(algorithm, parts)
    },
    hmac(algorithm, key, parts) {
      spendHash(parts, key.length)
      if (key.length > BLOCK && !hashedKeys.has(key)) {
        hashedKeys.add(key)
        hashesLeft = Math.max(0, hashesLeft - 1)
      }
      return primitives.hmac(algorithm, key, parts)
    },
    inflate(format, body, maxLength) {
      spend(body.length)
      return primitives.inflate(format, body, maxLength)
    },
  }
  const endStep = () => {
    if (step < MIN_STEP) return 0
    const cost = step
    step = 0
    return cost
  }
  return { primitives: counted, spend, endStep }
}

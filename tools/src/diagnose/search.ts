import type { Primitives } from '../primitives.js'
import type { Likelihood } from './hypotheses/hypothesis.js'
import type { Steps } from './steps.js'

// The search tries combinations of mistakes, for example a mistake in the layout together with a mistake in the secret. There is a group of
// choices for each part of signing (layout, secret, body …), and a combination has one choice of each group. The likeliest combinations are
// tried first. The search ends when a combination matches, when no likely combination is left, or when the budget is used up.

/** The cost of a choice. A higher cost means that the choice is less likely. Two common mistakes are about as likely as one rare mistake. */
const COSTS: { readonly [likelihood in Likelihood]: number } = {
  ...{ expected: 0, common: 2, uncommon: 3, rare: 5, last: 8, many: 9 },
}

/** The extra cost of the third mistake, because three mistakes in one sender are rare. */
const THIRD_MISTAKE = 1

/** The maximum cost of a combination. Three common mistakes have this cost, and so do one common and one rare mistake. */
const MAX_COST = 7

const MISTAKE_COSTS = Object.values(COSTS).filter((cost) => cost > 0)

/** One choice in a group, such as one mistake in the layout. A state is the result of the choices so far. */
export interface Choice<State> {
  readonly likelihood: Likelihood
  /** Returns the states after this choice, if it is possible and changes anything. Each state is tried before the next one is made. */
  apply(state: State): Iterable<State>
}

/** The choice to change nothing. The search skips a group in which this is the only choice of its cost. */
export const UNCHANGED: Choice<never> = { likelihood: 'expected', apply: (state) => [state] }

interface ChoiceGroup<State> {
  readonly name: string
  readonly choices: readonly Choice<State>[]
}

export interface Searched<Result> {
  /** What `test` returned for the first combination that matches, or `undefined` if none matches. */
  readonly found: Result | undefined
  /** The names of the groups in which choices were not tried, because the budget was used up. */
  readonly notTried: readonly string[]
}

/** A group whose choices of one cost are tried in a pattern. */
interface Stop<State> {
  readonly group: ChoiceGroup<State>
  readonly choices: readonly Choice<State>[]
  /** Whether the pattern has a single mistake, which is in this group. */
  readonly isOnlyMistake: boolean
}

/**
 * Tries combinations until `test` returns a result, single mistakes first. `limits` says when to pause, and keeps a part of
 * the budget for mistakes with many values, which come last.
 */
export function* search<State, Result>(
  groups: readonly ChoiceGroup<State>[],
  start: State,
  test: (state: State) => Result | undefined,
  { endStep, reserve }: Limits,
): Steps<Searched<Result>> {
  const grouped = groups.map((group) => ({ group, choices: groupByCost(group.choices) }))
  const notTried = new Set<ChoiceGroup<State>>()
  const result = (found?: Result) => ({
    found,
    notTried: [...new Set(groups.filter((group) => notTried.has(group)).map(({ name }) => name))],
  })
  /** Returns the groups with a choice that can change the state. */
  const stopsOf = ({ costs, mistakes }: Pattern): Stop<State>[] =>
    grouped
      .map(({ group, choices }, index) => ({
        group,
        choices: choices.get(costs[index] as number) as readonly Choice<State>[],
        isOnlyMistake: mistakes === 1 && costs[index] !== 0,
      }))
      .filter(({ choices }) => choices.length !== 1 || choices[0] !== UNCHANGED)

  function* pause(): Steps<void> {
    const cost = endStep()
    if (cost > 0) yield cost
  }

  function* walk(stops: readonly Stop<State>[], state: State, place = 0): Steps<Result | undefined> {
    const stop = stops[place]
    if (stop === undefined) {
      yield* pause()
      return test(state)
    }
    for (const choice of stop.choices) {
      try {
        for (const next of choice.apply(state)) {
          const found = yield* walk(stops, next, place + 1)
          if (found !== undefined) return found
        }
      } catch (error) {
        // Another single mistake may still be within the budget: a change of the nonce costs less than a change of a large body.
        if (!(error instanceof OutOfBudget && stop.isOnlyMistake)) throw error
        notTried.add(stop.group)
      }
      yield* pause()
    }
    return undefined
  }

  let canCombine = true
  for (const pattern of patternsOf(groups.length)) {
    reserve(pattern.mistakes > 1)
    if (pattern.mistakes > 1 && (!canCombine || notTried.size > 0)) continue
    try {
      const found = yield* walk(stopsOf(pattern), start)
      if (found !== undefined) return result(found)
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error
      if (pattern.mistakes === 0) break
      canCombine = false
    }
  }
  return result()
}

function groupByCost<State>(choices: readonly Choice<State>[]): ReadonlyMap<number, readonly Choice<State>[]> {
  const choicesOf = (likelihood: string) => choices.filter((choice) => choice.likelihood === likelihood)
  return new Map(Object.entries(COSTS).map(([likelihood, cost]) => [cost, choicesOf(likelihood)]))
}

/** How likely the mistake in each group of choices is, for example: a common mistake in the first group, and none in the others. */
interface Pattern {
  readonly costs: readonly number[]
  readonly total: number
  readonly mistakes: number
}

/** Returns all patterns with up to three mistakes: single mistakes, then the others by cost, and then mistakes with many values. */
function patternsOf(groups: number): Pattern[] {
  let all: Pattern[] = [{ costs: [], total: 0, mistakes: 0 }]
  for (let group = 0; group < groups; group++) {
    all = all.flatMap((pattern) => {
      const mistaken = MISTAKE_COSTS.map((cost) => withMistake(pattern, cost))
      const likely = mistaken.filter(({ total, mistakes }) => mistakes === 1 || total <= MAX_COST)
      return [...likely, { ...pattern, costs: [...pattern.costs, 0] }]
    })
  }
  const placeOf = ({ mistakes, costs }: Pattern) => (costs.includes(COSTS.many) ? 2 : Number(mistakes > 1))
  return all.sort(
    (one, other) => placeOf(one) - placeOf(other) || one.total - other.total || one.mistakes - other.mistakes,
  )
}

function withMistake({ costs, total, mistakes }: Pattern, cost: number): Pattern {
  return { costs: [...costs, cost], total: total + cost + (mistakes === 2 ? THIRD_MISTAKE : 0), mistakes: mistakes + 1 }
}

class OutOfBudget extends Error {}

/** The search pauses only after it has spent this cost, because each pause takes time. Hashes with this cost take less than 1 ms. */
const MIN_STEP = 200_000

/** The length of a block of SHA-256, in bytes. HMAC first hashes a longer key, so a longer key costs one more hash. */
const BLOCK = 64

/** The cost of a hash. Each hashed byte costs 1 more. */
const BYTES_PER_HASH = 1000

/** The part of the budget that combinations leave to mistakes with many values. */
const RESERVED = 0.27

export interface Limits {
  /** Returns the cost since the last pause if it is time for a pause, and 0 if it is not. */
  endStep(): number
  /** Reserves a part of the budget, or gives it back. */
  reserve(isReserved: boolean): void
}

/** Returns functions that count hashes, hashed bytes and rewritten bytes, and throw `OutOfBudget` before the work exceeds a limit. */
export function limit(primitives: Primitives, hashes: number, bytes: number, rewritten: number) {
  let [hashesLeft, bytesLeft, rewrittenLeft, reserved] = [hashes, bytes, rewritten, 0]
  let step = 0
  const spend = (spent: number) => {
    step += spent
    if (rewrittenLeft - spent < reserved * rewritten) throw new OutOfBudget()
    rewrittenLeft -= spent
  }
  const spendHash = (parts: readonly Uint8Array[], keyLength = 0) => {
    let spent = BYTES_PER_HASH + keyLength
    for (const { length } of parts) spent += length
    if (hashesLeft - 1 < reserved * hashes || bytesLeft - spent < reserved * bytes) {
      // To skip a combination takes time too.
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
  const reserve = (isReserved: boolean) => {
    reserved = isReserved ? RESERVED : 0
  }
  return { primitives: counted, spend, endStep, reserve }
}

import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Likelihood } from '../../src/diagnose/hypotheses/hypothesis.js'
import { type Choice, limit, search as searchInSteps } from '../../src/diagnose/search.js'
import { runSteps } from '../../src/diagnose/steps.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'

/** A choice that adds a letter to the state. Without a likelihood, it is the correct choice. */
const choice = (letter: string, likelihood?: Likelihood): Choice<string> => ({
  likelihood: likelihood ?? 'expected',
  apply: (state) => [state + letter],
})

/** A group of choices. */
const group = (name: string, choices: Choice<string>[]) => ({ name, choices })

/** Does all steps of a search at once. */
const search = <State, Result>(
  groups: Parameters<typeof searchInSteps<State, Result>>[0],
  start: State,
  test: (state: State) => Result | undefined,
) => runSteps(searchInSteps(groups, start, test, { endStep: () => 0, reserve() {} }))

/** Returns all combinations, in the order in which they are tried. */
function tried(...groups: Choice<string>[][]): string[] {
  const states: string[] = []
  const found = search(
    groups.map((choices, index) => group(String(index), choices)),
    '',
    (state) => {
      states.push(state)
      return undefined
    },
  )
  expect(found).toEqual({ found: undefined, notTried: [] })
  return states
}

describe('a search', () => {
  it('tries the right way first, then one mistake, the likeliest first', () => {
    const choices = [choice('-'), choice('r', 'rare'), choice('u', 'uncommon'), choice('c', 'common')]
    expect(tried(choices)).toEqual(['-', 'c', 'u', 'r'])
  })

  it('combines at most three mistakes', () => {
    const choices = [choice('-'), choice('c', 'common')]
    const states = tried(choices, choices, choices, choices)
    expect(states).toContain('ccc-')
    expect(states).not.toContain('cccc')
  })

  it('returns the result of the first combination that matches', () => {
    const choices = [choice('-'), choice('c', 'common')]
    const { found } = search([group('a', choices), group('b', choices)], '', (state) =>
      state.includes('c') ? state : undefined,
    )
    expect(found).toBe('c-')
  })

  it('tries no combination that is less likely than three common mistakes', () => {
    const choices = [choice('-'), choice('u', 'uncommon'), choice('r', 'rare'), choice('l', 'last')]
    expect(tried(choices, choices)).toEqual(['--', 'u-', '-u', 'r-', '-r', 'l-', '-l', 'uu'])
    const common = [choice('-'), choice('c', 'common')]
    expect(tried(common, common, choices)).not.toContain('ccu')
  })

  it('tries each state before the choice makes the next one, and pauses before each', () => {
    const made: string[] = []
    const lazy: Choice<string> = {
      likelihood: 'common',
      *apply() {
        for (const state of ['a', 'b', 'c']) {
          made.push(state)
          yield state
        }
      },
    }
    const steps = searchInSteps([group('all', [lazy])], '', (state) => (state === 'b' ? state : undefined), {
      ...limit(NODE_PRIMITIVES, 1, 1, 1),
      endStep: () => 5,
    })
    expect([...steps]).toEqual([5, 5])
    expect(made).toEqual(['a', 'b'])
  })

  it('tries mistakes with many values after all pairs, and in no pair', () => {
    const choices = [choice('-'), choice('m', 'many'), choice('c', 'common'), choice('l', 'last')]
    expect(tried(choices, choices)).toEqual(['--', 'c-', '-c', 'l-', '-l', 'cc', 'm-', '-m'])
  })

  it('tries mistakes with many values with the hashes that are reserved for them', () => {
    const { primitives, ...limits } = limit(NODE_PRIMITIVES, 100, 1e9, 1e9)
    const choices = [choice('-'), ...Array.from({ length: 20 }, () => choice('c', 'common')), choice('m', 'many')]
    let hashes = 0
    const test = (state: string) => {
      primitives.hmac('sha256', new Uint8Array(), [])
      hashes++
      return state.includes('m') ? state : undefined
    }
    const searched = runSteps(searchInSteps([group('a', choices), group('b', choices)], '', test, limits))
    // 27 of the 100 hashes are reserved, and the first one of them finds the mistake.
    expect([searched.found, hashes]).toEqual(['m-', 74])
  })
})

describe('a limit', () => {
  const bytes = new Uint8Array(100)
  type Limited = ReturnType<typeof limit>

  it('ends a search when its hashes are used up', () => {
    const { primitives } = limit(NODE_PRIMITIVES, 3, 1e9, 1e9)
    let tests = 0
    const choices = Array.from({ length: 10 }, (_, index) => choice(String(index), 'common'))
    const searched = search([group('all', choices)], '', () => {
      tests++
      primitives.hmac('sha256', bytes, [bytes])
      return undefined
    })
    expect(searched).toEqual({ found: undefined, notTried: ['all'] })
    // All other choices are still tried, because they may cost less.
    expect(tests).toBe(10)
  })

  it.each([
    ['hash', 1100, ({ primitives }: Limited) => primitives.hash('sha256', [bytes])],
    ['hmac', 1200, ({ primitives }: Limited) => primitives.hmac('sha256', bytes, [bytes])],
    ['inflate', 100, ({ primitives }: Limited) => primitives.inflate('gzip', bytes, 1000)],
    ['spend', 100, ({ spend }: Limited) => spend(100)],
  ])('counts the bytes of %s, and 1000 for each hash', (_, cost, use) => {
    expect(() => use(limit(NODE_PRIMITIVES, 10, cost - 1, cost - 1))).toThrow()
    expect(() => use(limit(NODE_PRIMITIVES, 10, cost, cost))).not.toThrow()
  })

  it('is not exceeded by an inflated body', () => {
    const zeros = gzipSync(new Uint8Array(1000))
    expect(NODE_PRIMITIVES.inflate('gzip', zeros, 1000)).toHaveLength(1000)
    expect(NODE_PRIMITIVES.inflate('gzip', zeros, 999)).toBeUndefined()
    expect(NODE_PRIMITIVES.inflate('gzip', bytes, 1000)).toBeUndefined()
  })
})

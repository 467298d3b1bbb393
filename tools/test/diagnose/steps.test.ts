import { describe, expect, it } from 'vitest'
import { NONCE, NOW, SECRET, TIMESTAMP } from '../../../test/support/request.js'
import { diagnoseInSteps } from '../../src/diagnose/engine.js'
import { changeParts, PER_TOKEN, replaceInSteps, runSteps, STEP } from '../../src/diagnose/steps.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'

describe('a text is replaced in steps', () => {
  it.each<[string, RegExp, string]>([
    ['', /a/g, 'b'],
    ['abcabc', /b/g, 'xy'],
    ['aaa', /a/g, ''],
    ['none', /x/g, 'y'],
    ['é&é', /&/g, '&amp;'],
  ])('%j as by String.replace', (text, pattern, by) => {
    expect(runSteps(replaceInSteps(text, pattern, by))).toBe(text.replace(pattern, by))
  })

  it('with the groups of each match, and ends where the function returns nothing', () => {
    const replace = ([, digit]: RegExpExecArray) => (digit === '9' ? undefined : `<${digit}>`)
    expect(runSteps(replaceInSteps('a1b2c9d3', /(\d)/g, replace))).toBe('a<1>b<2>c')
  })

  it('with at most 2^13 matches per step, each of which costs as much as 10 characters', () => {
    let calls = 0
    const steps = replaceInSteps('&'.repeat(100_000), /&/g, () => `${++calls}`.charAt(0))
    let total = 0
    for (let [step, before] = [steps.next(), 0]; !step.done; before = calls, step = steps.next()) {
      expect(calls - before).toBeLessThanOrEqual(STEP)
      total += step.value
    }
    expect([calls, total]).toEqual([100_000, 100_000 * (PER_TOKEN + 2)])
  })

  it('while other work uses the same pattern', () => {
    const pattern = /a/g
    const steps = replaceInSteps('a'.repeat(3 * STEP), pattern, 'b')
    steps.next()
    expect(runSteps(replaceInSteps('xa', pattern, 'y'))).toBe('xy')
    expect(runSteps(steps)).toBe('b'.repeat(3 * STEP))
  })

  it('in parts that do not split a character', () => {
    const parts: string[] = []
    const change = (part: string) => {
      parts.push(part)
      return part.toUpperCase()
    }
    expect(runSteps(changeParts(`${'a'.repeat(STEP - 1)}😀b`, change))).toBe(`${'A'.repeat(STEP - 1)}😀B`)
    expect(parts.map(({ length }) => length)).toEqual([STEP + 1, 1])
  })
})

// The nightly tests measure the time of steps.
it.each(['&', '\\', 'a=b&', '$a'])('no step of a search costs more than 8 bodies: %j repeated', (unit) => {
  const body = Buffer.alloc(2 ** 17, unit)
  const headers = [['content-type', 'application/json']] as const
  const values = { timestamp: TIMESTAMP, nonce: NONCE, signature: 'a'.repeat(64) }
  const request = { ...values, headers, body, secrets: [SECRET], now: NOW, isArrivalKnown: true }
  const costs = [...diagnoseInSteps(NODE_PRIMITIVES, request)]
  expect(costs.length).toBeGreaterThan(100)
  expect(Math.max(...costs)).toBeLessThan(8 * body.length)
})

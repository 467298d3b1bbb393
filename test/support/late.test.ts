import { expect, it } from 'vitest'
import config from '../../vitest.config.js'
import { LATE } from './late.js'

const { projects = [] } = config.test ?? {}
const faults = projects.map((project) => Object(project).test).find(({ name }) => name === 'faults')

/** Returns whether a fault test that fails so is tried again. */
function isRepeated(check: () => unknown): boolean {
  try {
    check()
  } catch (error) {
    return faults.retry.condition.test((error as Error).message)
  }
  throw new Error('the check passed')
}

it('a fault test is tried again if it was late', () => {
  expect(isRepeated(() => expect(1600, `${LATE}the slowest answer`).toBeLessThan(1500))).toBe(true)
  expect(isRepeated(() => expect(0, `${LATE}the effect of the fault`).toBeGreaterThan(0))).toBe(true)
})

it('a fault test is not tried again if a message was accepted twice, or after any other failure', () => {
  expect(isRepeated(() => expect(1, 'requests that were accepted twice').toBe(0))).toBe(false)
  expect(isRepeated(() => expect([['a', 'b']]).toEqual([]))).toBe(false)
  expect(isRepeated(() => expect({ late: 1 }, `not ${LATE}`).toEqual({}))).toBe(false)
  expect(isRepeated(() => JSON.parse('undefined'))).toBe(false)
})

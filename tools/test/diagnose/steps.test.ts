import { expect, it } from 'vitest'
import { NONCE, NOW, SECRET, TIMESTAMP } from '../../../test/support/request.js'
import { diagnoseInSteps } from '../../src/diagnose/engine.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'

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

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Gate, parseTimeout } from '../../src/cli/http-client.js'

describe('a gate for three requests', () => {
  let passed: number
  let pass: () => void

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const gate = new Gate(3)
    passed = 0
    pass = () => void gate.pass().then(() => passed++)
  })

  it('opens when all have come', async () => {
    pass()
    pass()
    await vi.advanceTimersByTimeAsync(299)
    expect(passed).toBe(0)
    pass()
    await vi.advanceTimersByTimeAsync(0)
    expect(passed).toBe(3)
  })

  it('opens 300 ms after the first', async () => {
    pass()
    await vi.advanceTimersByTimeAsync(100)
    pass()
    await vi.advanceTimersByTimeAsync(199)
    expect(passed).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(passed).toBe(2)
  })
})

it('a time-out can be one day', () => {
  expect(parseTimeout(86_400)).toBe(86_400)
  expect(() => parseTimeout(86_401)).toThrow('--timeout is 86401.')
})

import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { CheckClient } from '../../../src/cli/check/client.js'
import { serve } from '../../resources.js'

const BODY = Buffer.from('{}')
const ONE = { instance: 0, together: 1 }

/** Whether the requests from now on get no response in time. */
let isLate = false

// The connections are real, and the time only moves if a test says so.
beforeEach(() => {
  isLate = false
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    expect(milliseconds).toBe(5000)
    return isLate ? AbortSignal.abort() : new AbortController().signal
  })
  onTestFinished(() => {
    timeout.mockRestore()
    vi.useRealTimers()
  })
})

async function start({ rate = 4, answersAfter = 0 } = {}) {
  const server = await serve((_, response) => {
    vi.advanceTimersByTime(answersAfter)
    response.writeHead(204).end()
  })
  const client = new CheckClient({ urls: [new URL(server.origin)], extra: [['X-Extra', '1']], timeout: 5, rate })
  const begin = performance.now()
  /** Sends requests after each other, and lets the time pass until the next may start. */
  const post = async (count = 1) => {
    for (let sent = 0; sent < count; sent++) {
      const response = client.post([['X-Nonce', 'a']], BODY, ONE)
      await vi.advanceTimersToNextTimerAsync()
      await response
    }
  }
  return { server, client, post, elapsed: () => performance.now() - begin }
}

it('starts at most as many requests per second as --rate', async () => {
  const { post, elapsed } = await start({ rate: 4 })
  await post(3)
  expect(elapsed()).toBe(500)
  vi.advanceTimersByTime(10_000)
  await post(2)
  expect(elapsed()).toBe(10_750)
})

it('starts simultaneous copies as one request, and lets them arrive together', async () => {
  const { server, client, post, elapsed } = await start({ rate: 1 })
  for (const together of [3, 2]) {
    const copies = Array.from({ length: together }, () => client.post([], BODY, { instance: 0, together }))
    await vi.advanceTimersToNextTimerAsync()
    // A copy without the others would wait for the next timer.
    await Promise.all(copies)
    // The gate has a timer too, which would otherwise be the next one.
    vi.advanceTimersByTime(300)
  }
  await post()
  expect([server.received.length, elapsed()]).toEqual([6, 2000])
})

it('is lost after five requests without a response, without simultaneous copies', async () => {
  const { client, post } = await start()
  isLate = true
  const copies = Array.from({ length: 5 }, () => client.post([], BODY, { instance: 0, together: 5 }))
  await vi.advanceTimersToNextTimerAsync()
  await Promise.all(copies)
  expect(client.isLost).toBe(false)
  await post(4)
  expect(client.isLost).toBe(false)
  await post()
  expect(client.isLost).toBe(true)
})

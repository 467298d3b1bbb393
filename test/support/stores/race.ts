import { expect, it } from 'vitest'
import { newRequest } from './load.js'
import { race } from './workers.js'

// Four processes share a store. Each gets the same requests in another order.

const PROCESSES = 4
const REQUESTS = 1000

export function raceThrough(kind: string, address: () => unknown) {
  it(`accepts each of ${REQUESTS} requests once: ${kind}`, async () => {
    const requests = Array.from({ length: REQUESTS }, newRequest)
    expect(await race(kind, address(), requests, PROCESSES, 16)).toEqual({
      accepted: REQUESTS,
      replayed_nonce: (PROCESSES - 1) * REQUESTS,
    })
  })

  it(`accepts one of 200 copies at once: ${kind}`, async () => {
    const request = newRequest()
    const copies = Array.from({ length: 200 / PROCESSES }, () => request)
    expect(await race(kind, address(), copies, PROCESSES, copies.length)).toEqual({ accepted: 1, replayed_nonce: 199 })
  })
}

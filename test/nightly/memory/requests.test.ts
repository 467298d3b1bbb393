import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type BodySource, readBody, verify } from '../../../src/index.js'
import { FLOODS, fullStore } from '../../support/cases/floods.js'
import { SECRET, TestClock } from '../../support/request.js'
import { arraysInUse, heapInUse } from './heap.js'

// What requests leave in memory. The count of the work is in denial-of-service.test.ts.

it.each(FLOODS)(
  'a flood of 4000 $what requests, while the store is full, leaves nothing in memory',
  async ({ request }) => {
    const store = fullStore()
    const flood = async (count: number) => {
      for (let index = 0; index < count; index++) {
        await verify(request(index), SECRET, store, new TestClock()).catch(() => {})
      }
    }
    // Code that is compiled and loaded once is not counted.
    await flood(2000)
    const left: number[] = []
    // The engine may compile code during any flood, but each flood leaves what leaks. The smallest record takes 40 bytes.
    while (left.length < 5 && !left.some((bytes) => bytes < 30)) {
      const before = heapInUse() + arraysInUse()
      await flood(4000)
      left.push((heapInUse() + arraysInUse() - before) / 4000)
    }
    expect(Math.min(...left)).toBeLessThan(30)
  },
)

it.each([
  ['that the handler has forgotten', 8_000_000],
  ['that is too large', 7_999_999],
])('readBody keeps no memory of a body %s, while the request exists', async (_, maxBytes) => {
  const stream = new Readable({ read() {} })
  const before = arraysInUse()
  stream.push(Buffer.alloc(4_000_000))
  const source = Object.assign(stream, { headers: {} }) as unknown as BodySource
  const length = readBody(source, { maxBytes }).then(
    (body) => body.length,
    () => 0,
  )
  stream.push(Buffer.alloc(4_000_000))
  stream.push(null)
  expect(await length).toBe(maxBytes === 8_000_000 ? maxBytes : 0)
  await new Promise((resolve) => setTimeout(resolve))
  expect(arraysInUse() - before).toBeLessThan(1_000_000)
  expect(stream.listenerCount('error')).toBe(1)
})

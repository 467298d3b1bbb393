import { expect, it } from 'vitest'
import { KeptRequests } from '../../../src/cli/listen/kept-requests.js'
import { RECEIVED, REPORT } from './examples.js'

const MIB = 2 ** 20
const received = (body: Uint8Array, signedMessage?: Uint8Array) => ({ ...RECEIVED, body, signedMessage })

it('keeps the last 500 requests, and counts from 1', () => {
  const kept = new KeptRequests()
  for (let index = 0; index < 501; index++) kept.add(REPORT, undefined)
  expect(kept.list()).toHaveLength(500)
  expect([kept.get(1), kept.get(2)?.id, kept.list()[0]?.id, kept.list().at(-1)?.id]).toEqual([undefined, 2, 2, 501])
})

it('keeps 64 MiB of bytes: the oldest requests lose theirs, and keep their report', () => {
  const kept = new KeptRequests()
  for (let index = 0; index < 32; index++) kept.add(REPORT, received(new Uint8Array(MIB), new Uint8Array(MIB)))
  expect(kept.get(1)?.received?.body).toHaveLength(MIB)
  kept.add(REPORT, received(new Uint8Array(1)))
  expect(kept.get(1)).toEqual({ id: 1, report: REPORT })
  expect(kept.get(2)?.received?.body).toHaveLength(MIB)
  expect(kept.list()).toHaveLength(33)
})

it('needs no memory for a request that is not among the last 500', () => {
  const kept = new KeptRequests()
  kept.add(REPORT, received(new Uint8Array(40 * MIB)))
  for (let index = 0; index < 500; index++) kept.add(REPORT, undefined)
  const newest = kept.add(REPORT, received(new Uint8Array(40 * MIB)))
  expect(kept.get(newest.id)?.received?.body).toHaveLength(40 * MIB)
})

it('copies a body, because it may be a part of a larger buffer that is used again', () => {
  const kept = new KeptRequests()
  const buffer = Buffer.from('a body')
  kept.add(REPORT, received(buffer.subarray(2)))
  buffer.fill('x')
  expect(Buffer.from(kept.get(1)?.received?.body ?? []).toString()).toBe('body')
  expect(kept.get(1)?.received?.body.buffer.byteLength).toBe(4)
})

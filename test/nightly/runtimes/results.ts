import assert from 'node:assert/strict'
import {
  ACCEPTED,
  FIRST_BROKEN,
  INVALID_NONCES,
  INVALID_SIGNATURES,
  INVALID_TIMES,
  INVALID_TIMESTAMPS,
  MISSING_HEADERS,
  NONCE_LENGTHS,
  SECRETS,
  SIGNED_OVER,
  SPLITS,
  TIMESTAMPS_OUTSIDE_WINDOW,
  TWO_SPLITS,
  WINDOW,
  WRONG_SIGNATURES,
} from '../../support/cases/rules.js'
import { NOW, RecordingStore, SECRET, signedRequest, TestClock } from '../../support/request.js'
import { type Case, type Core, resultOf } from './case.js'

export function results(core: Core): Case[] {
  const gives = (outcome: string, name: string, request: Parameters<Core['verify']>[0]) => ({
    name: `${outcome}: ${name.slice(0, 100)}`,
    run: async () => assert.equal(await resultOf(core, request), outcome),
  })
  return [
    ...[
      ...ACCEPTED,
      ...NONCE_LENGTHS.map((length) => [`${length} characters`, { nonce: 'n'.repeat(length) }] as const),
    ].map(([name, parts]) => gives('accepted', name, signedRequest(parts))),
    ...MISSING_HEADERS.map(([headers, header]) => ({
      name: `missing_header: ${header} of ${Object.keys(headers)}`,
      run: async () => {
        const result = await core.verify({ ...signedRequest(), headers }, SECRET, new RecordingStore())
        assert.equal(!result.ok && result.reason === 'missing_header' && result.header, header)
      },
    })),
    ...INVALID_TIMESTAMPS.map((timestamp) => gives('invalid_timestamp', timestamp, signedRequest({ timestamp }))),
    ...TIMESTAMPS_OUTSIDE_WINDOW.map((timestamp) =>
      gives('timestamp_outside_window', timestamp, signedRequest({ timestamp })),
    ),
    ...WINDOW.map(([milliseconds, accepted]) => ({
      name: `the window, ${milliseconds} ms from its middle`,
      run: async () => {
        const got = await resultOf(core, signedRequest(), new RecordingStore(), new TestClock(NOW + milliseconds))
        assert.equal(got, accepted ? 'accepted' : 'timestamp_outside_window')
      },
    })),
    ...INVALID_TIMES.map((time) => ({
      name: `timestamp_outside_window: by a clock that reads ${String(time)}`,
      run: async () => {
        const got = await resultOf(core, signedRequest(), new RecordingStore(), { now: () => time as number })
        assert.equal(got, 'timestamp_outside_window')
      },
    })),
    ...INVALID_NONCES.map(([name, nonce]) => gives('invalid_nonce', name, signedRequest({ nonce }))),
    {
      name: 'invalid_nonce: all but the 94 visible of the first 256 characters',
      async run() {
        for (let code = 0; code < 256; code++) {
          const got = await resultOf(core, signedRequest({ nonce: String.fromCharCode(code) }))
          assert.equal(got, code >= 0x21 && code <= 0x7e ? 'accepted' : 'invalid_nonce', `character ${code}`)
        }
      },
    },
    ...INVALID_SIGNATURES.map(([name, signature]) => gives('signature_mismatch', name, signedRequest({ signature }))),
    ...WRONG_SIGNATURES.map((signature) => gives('signature_mismatch', signature, signedRequest({ signature }))),
    ...SIGNED_OVER.map(([name, parts]) =>
      gives('signature_mismatch', name, signedRequest({ signature: signedRequest(parts).headers['x-signature'] })),
    ),
    ...FIRST_BROKEN.map(([reason, parts]) => ({
      name: `${reason}: before the rules after it`,
      run: async () => assert.equal(await resultOf(core, signedRequest(parts), { reserve: () => false }), reason),
    })),
    ...SECRETS.map(([name, secret]) => ({
      name: `a secret ${name}`,
      run: async () => {
        const request = signedRequest({ secret })
        const result = await core.verify(request, ['another', secret], new RecordingStore(), new TestClock())
        assert.equal(result.ok && result.secretIndex, 1)
      },
    })),
  ]
}

export function replays(core: Core): Case[] {
  return [
    {
      name: 'replayed_nonce: all but one of 100 copies at once',
      async run() {
        const store = new core.MemoryNonceStore()
        const got = await Promise.all(Array.from({ length: 100 }, () => resultOf(core, signedRequest(), store)))
        assert.equal(got.filter((word) => word === 'accepted').length, 1)
        assert.equal(got.filter((word) => word === 'replayed_nonce').length, 99)
      },
    },
    {
      name: 'replayed_nonce: until the window closes, and not on another webhook',
      async run() {
        const clock = new TestClock(NOW - 300_000)
        const store = new core.MemoryNonceStore({ clock })
        assert.equal(await resultOf(core, signedRequest(), store, clock), 'accepted')
        clock.milliseconds = NOW + 300_000
        assert.equal(await resultOf(core, signedRequest(), store, clock), 'replayed_nonce')
        assert.equal(await resultOf(core, signedRequest({ webhookId: '43' }), store, clock), 'accepted')
        clock.milliseconds += 1
        assert.equal(await resultOf(core, signedRequest(), store, clock), 'timestamp_outside_window')
      },
    },
    ...[TWO_SPLITS, TWO_SPLITS.toReversed()].map((splits) => ({
      name: `replayed_nonce: a message split differently, nonce ${splits[0]?.nonce} first`,
      run: async () => {
        const store = new core.MemoryNonceStore()
        const signature = signedRequest(TWO_SPLITS[0]).headers['x-signature']
        const got = []
        for (const split of splits) got.push(await resultOf(core, signedRequest({ ...split, signature }), store))
        assert.deepEqual(got, ['accepted', 'replayed_nonce'])
      },
    })),
    ...SPLITS.map(([name, split, isSplittable]) => ({
      name: `what is reserved with ${name}`,
      run: async () => {
        const store = new RecordingStore()
        const request = signedRequest(split)
        assert.equal(await resultOf(core, request, store), 'accepted')
        const keys = isSplittable ? [split.nonce, `signature ${request.headers['x-signature']}`] : [split.nonce]
        assert.deepEqual(
          store.calls,
          keys.map((key) => ['42', key, 600]),
        )
      },
    })),
    {
      name: 'timestamp_outside_window: when the store has answered too late',
      async run() {
        const clock = new TestClock(NOW + 300_000)
        const late = {
          async reserve() {
            await Promise.resolve()
            clock.milliseconds += 1
            return true
          },
        }
        assert.equal(await resultOf(core, signedRequest(), late, clock), 'timestamp_outside_window')
      },
    },
  ]
}

import { expect, it } from 'vitest'
import type { NonceStore } from '../../src/index.js'
import { fc } from '../support/fast-check.js'
import { NOW, SECRET } from '../support/request.js'
import { SCHEMES } from '../support/schemes.js'

const nonsense = fc.oneof(fc.anything(), fc.constantFrom(1, 'OK', 'true', {}, [true], Object(true), null, undefined))

/** Every behaviour of a store: it returns a boolean or anything else, throws anything, or rejects with anything. */
const behaviours = fc.oneof(
  fc.boolean().map((answer) => ({ does: 'answers' as const, value: answer as unknown })),
  nonsense.map((value) => ({ does: 'answers' as const, value })),
  fc.anything().map((value) => ({ does: 'throws' as const, value })),
  fc.anything().map((value) => ({ does: 'rejects' as const, value })),
)

it.each(SCHEMES)('fail closed: accepted only if every call to the store returned true (%s)', async (_, scheme) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(behaviours, { minLength: 2, maxLength: 2 }),
      fc.constantFrom('a:b', 'ab'),
      async (script, nonce) => {
        const asked: typeof script = []
        const reserve = () => {
          const behaviour = script[asked.length] ?? { does: 'throws', value: 'asked too often' }
          asked.push(behaviour)
          if (behaviour.does === 'throws') throw behaviour.value
          return behaviour.does === 'rejects' ? Promise.reject(behaviour.value) : behaviour.value
        }
        const request = scheme.request({ nonce })
        const outcome = await scheme
          .verify(request, SECRET, { reserve } as NonceStore, { now: () => NOW })
          .catch((error: unknown) => error)
        const last = asked.at(-1)
        if (last?.does !== 'answers' || typeof last.value !== 'boolean') {
          const thrown = last?.does !== 'answers' ? { cause: last?.value } : {}
          expect(outcome).toMatchObject({ name: 'NonceStoreError', code: 'ERR_NONCE_STORE' })
          expect(outcome).toEqual(expect.objectContaining(thrown))
        } else if (last.value) {
          expect(asked).toHaveLength(scheme.isSplittable && nonce === 'a:b' ? 2 : 1)
          expect(outcome).toMatchObject({ ok: true })
        } else {
          expect(outcome).toMatchObject({ ok: false, reason: 'replayed_nonce' })
        }
      },
    ),
  )
})

it.each(SCHEMES)(
  'fail closed: accepted only if the clock returned a time in the window twice (%s)',
  async (_, scheme) => {
    const readings = fc.oneof(
      fc.double({ min: NOW - 300_000, max: NOW + 300_000, noNaN: true }),
      fc.double(),
      fc.anything({ withBigInt: true, withDate: true }),
    )
    await fc.assert(
      fc.asyncProperty(readings, readings, async (first, second) => {
        const times = [first, second]
        const clock = { now: () => times.shift() as number }
        const result = await scheme.verify(scheme.request(), SECRET, { reserve: () => true }, clock)
        const accepts = (time: unknown) => typeof time === 'number' && Math.abs(time - NOW) <= 300_000
        expect(result.ok || result.reason).toBe(accepts(first) && accepts(second) ? true : 'timestamp_outside_window')
      }),
    )
  },
)

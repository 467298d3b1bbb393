import { expect, it } from 'vitest'
import { headerShapes, momentsInWindow, nonces, validParts } from '../../../test/support/arbitraries.js'
import { fc, RUNS } from '../../../test/support/fast-check.js'
import { NOW, SECRET, signedRequest } from '../../../test/support/request.js'
import { diagnose } from '../../src/diagnose/index.js'
import { diagnoseBriefly } from './brief-search.js'

const CLOCK = { now: () => NOW }

it('finds nothing in valid requests, in any shape', async () => {
  // A nonce that looks like a variable has a finding of its own.
  const parts = validParts(nonces).filter(({ nonce }) => !/^[$#%<{]/.test(nonce))
  const setting = parts.chain((parts) =>
    fc.record({
      parts: fc.constant(parts),
      headers: headerShapes(signedRequest(parts).headers),
      now: momentsInWindow.filter((moment) => Math.abs(moment - Number(parts.timestamp) * 1000) <= 300_000),
    }),
  )
  await fc.assert(
    fc.asyncProperty(setting, async ({ parts: { webhookId, body, secret }, headers, now }) => {
      const diagnosis = await diagnose({ webhookId, headers, body }, ['another secret', secret], { now: () => now })
      expect(diagnosis).toEqual({ valid: true, findings: [] })
    }),
  )
})

it('never calls another request valid', async () => {
  await fc.assert(
    fc.asyncProperty(validParts(nonces), fc.nat(), async (parts, place) => {
      const body = Buffer.concat([parts.body, Buffer.from('x')])
      const request = signedRequest(parts)
      const changed = [
        { ...request, body },
        { ...request, headers: { ...request.headers, 'x-nonce': `${parts.nonce.slice(0, 127)}x` } },
        { ...request, headers: { ...request.headers, 'x-timestamp': String(Number(parts.timestamp) + 1) } },
      ][place % 3] as typeof request
      const { valid, findings } = await diagnoseBriefly(changed, parts.secret, CLOCK)
      expect(valid).toBe(false)
      expect(findings.length).toBeGreaterThan(0)
    }),
    // There are few runs, because each one is a search.
    { numRuns: RUNS / 10 },
  )
})

it.each(['x-timestamp', 'x-nonce', 'x-signature'])('never calls a request without %s valid', async (name) => {
  // The signature is right if an absent value is read as an empty text.
  const { [name]: _, ...headers }: { [name: string]: string } = signedRequest({ [name.slice(2)]: '' }).headers
  const { valid, findings } = await diagnoseBriefly({ webhookId: '42', headers, body: 'a body' }, SECRET, CLOCK)
  expect(valid).toBe(false)
  expect(findings[0]).toMatchObject({ code: 'header_missing' })
})

it.each([
  [undefined, /^request is undefined/],
  [{ webhookId: '', headers: {}, body: '' }, /^request\.webhookId/],
  [{ webhookId: '42', headers: {}, body: { parsed: true } }, /^request\.body is an object/],
  [{ webhookId: '42', headers: 'x-nonce: 1', body: '' }, /^request\.headers/],
])('throws the same error as verify for a mistake of the caller: %j', async (request, message) => {
  await expect(diagnose(request as never, SECRET)).rejects.toThrow(message)
  await expect(diagnose(request as never, SECRET)).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
})

it('reads a path that is a URL object, as some frameworks have it', async () => {
  const path = new URL('https://example.com/hooks') as never
  expect((await diagnoseBriefly({ ...signedRequest(), path }, SECRET, CLOCK)).valid).toBe(true)
})

it('throws for an empty secret, for a clock without now() and for an original that is parsed', async () => {
  await expect(diagnose(signedRequest(), '')).rejects.toThrow(/^secret is an empty string/)
  await expect(diagnose(signedRequest(), SECRET, {} as never)).rejects.toThrow(/^clock/)
  await expect(diagnose(signedRequest(), SECRET, CLOCK, { a: 1 } as never)).rejects.toThrow(/^original is an object/)
})

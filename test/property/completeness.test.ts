import { describe, expect, it } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { anyText, bodies, headerShapes, texts, validParts } from '../support/arbitraries.js'
import { fc } from '../support/fast-check.js'
import { NOW, TestClock } from '../support/request.js'
import { SCHEMES } from '../support/schemes.js'

describe.each(SCHEMES)('%s', (_, scheme) => {
  it('completeness: every request that meets the rules is accepted, in every shape of headers, body and secret', async () => {
    const cases = validParts(scheme.nonces).chain((parts) => {
      const request = scheme.request(parts)
      return fc.record({
        parts: fc.constant(parts),
        headers: headerShapes(request.headers),
        body: fc.constantFrom(parts.body, parts.body.slice().buffer, Buffer.from(parts.body)),
        secrets: fc.uniqueArray(texts, { minLength: 1, maxLength: 3 }).map((others) => [...others, parts.secret]),
      })
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ parts, headers, body, secrets }) => {
        const request = { webhookId: parts.webhookId, headers, body }
        expect(await scheme.verify(request, secrets, new MemoryNonceStore(), new TestClock())).toEqual({
          ok: true,
          webhookId: parts.webhookId,
          timestamp: Number(parts.timestamp),
          ...scheme.accepted(parts.nonce),
          secretIndex: secrets.indexOf(parts.secret),
        })
      }),
    )
  })

  it('completeness: what sign signs, verify accepts', async () => {
    const signing = fc.record({
      body: fc.oneof(bodies, anyText()),
      secret: texts,
      nonce: fc.option(scheme.nonces, { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(signing, texts, async ({ body, secret, nonce }, webhookId) => {
        const clock = new TestClock(NOW + 999)
        const headers = scheme.sign(body, secret, nonce, clock)
        expect(await scheme.verify({ webhookId, headers, body }, secret, new MemoryNonceStore(), clock)).toMatchObject({
          ok: true,
        })
      }),
    )
  })
})

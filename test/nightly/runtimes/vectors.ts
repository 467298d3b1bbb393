import assert from 'node:assert/strict'
import published from '../../../docs/vectors.json' with { type: 'json' }
import { TestClock } from '../../support/request.js'
import type { Case, Core } from './case.js'

/** The vectors for receivers in any language: requests in order, and the result of each. */
export function vectors({ MemoryNonceStore, sign, verify }: Core): Case[] {
  return published.vectors.map(({ description, secrets, requests }) => ({
    name: `the published vector: ${description}`,
    async run() {
      const clock = new TestClock()
      const store = new MemoryNonceStore({ clock })
      for (const { webhookId, now, headers, bodyBase64, expected } of requests) {
        clock.milliseconds = now
        const received = { webhookId, headers: headers as [string, string][], body: Buffer.from(bodyBase64, 'base64') }
        const result = await verify(received, secrets, store, clock)
        for (const [name, value] of Object.entries(expected)) assert.equal(Reflect.get(result, name), value)
        if (!result.ok) continue
        const { timestamp, nonce, secretIndex } = result
        const signed = sign(received.body, secrets[secretIndex] ?? '', { timestamp, nonce })
        const sent = new Headers(received.headers)
        // `sign` writes no leading zeros.
        if (sent.get('x-timestamp') !== signed['X-Timestamp']) continue
        assert.equal(signed['X-Signature'], sent.get('x-signature'))
      }
    },
  }))
}

import assert from 'node:assert/strict'
import published from '../../../docs/vectors.json' with { type: 'json' }
import { RecordingStore, TestClock } from '../../support/request.js'
import openssl from '../../vectors/openssl.json' with { type: 'json' }
import python from '../../vectors/python.json' with { type: 'json' }
import type { Case, Core } from './case.js'

export function vectors(core: Core): Case[] {
  return [...signedElsewhere(core), ...publishedVectors(core)]
}

/** Requests that Python and openssl signed. */
function signedElsewhere({ sign, verify }: Core): Case[] {
  return [...python, ...openssl].map((vector: (typeof python)[number] | (typeof openssl)[number]) => {
    const { timestamp, nonce, bodyHex, signature } = vector
    const secret = 'secret' in vector ? vector.secret : Buffer.from(vector.secretHex, 'hex').toString('utf8')
    const body = Buffer.from(bodyHex, 'hex')
    return {
      name: `a request signed elsewhere: secret ${secret}, nonce ${nonce}, body ${bodyHex.slice(0, 32)}`,
      async run() {
        const headers = { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
        const result = await verify({ webhookId: '42', headers, body }, secret, new RecordingStore(), new TestClock())
        const accepted = { ok: true, webhookId: '42', timestamp: Number(timestamp), nonce, secretIndex: 0 }
        assert.deepEqual(result, accepted)
        const signed = sign(body, secret, { timestamp: Number(timestamp), nonce })
        // The sender wrote leading zeros, but sign does not.
        if (signed['X-Timestamp'] === timestamp) assert.deepEqual(signed, headers)
      },
    }
  })
}

/** The vectors for receivers in any language: requests in order, and the result of each. */
function publishedVectors({ MemoryNonceStore, verify }: Core): Case[] {
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
      }
    },
  }))
}

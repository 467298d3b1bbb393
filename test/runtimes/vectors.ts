import assert from 'node:assert/strict'
import { RecordingStore, TestClock } from '../request.js'
import openssl from '../vectors/openssl.json' with { type: 'json' }
import python from '../vectors/python.json' with { type: 'json' }
import type { Case, Core } from './case.js'

/** Requests that Python and openssl signed. */
export function vectors({ sign, verify }: Core): Case[] {
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
        // The sender wrote leading zeros, which sign does not.
        if (signed['X-Timestamp'] === timestamp) assert.deepEqual(signed, headers)
      },
    }
  })
}

import assert from 'node:assert/strict'
import { NONCE, NOW, SECRET, TestClock, TIMESTAMP } from '../../support/request.js'
import type { Case, Core } from './case.js'

export function senders(core: Core): Case[] {
  return [
    {
      name: 'generateSecret gives 32 random bytes, base64url',
      run() {
        const secrets = Array.from({ length: 100 }, core.generateSecret)
        assert.equal(new Set(secrets).size, 100)
        for (const secret of secrets) assert.match(secret, /^[A-Za-z0-9_-]{43}$/)
      },
    },
    {
      name: 'verify accepts what sign signs with the current time and a random nonce, once',
      async run() {
        const secret = core.generateSecret()
        const store = new core.MemoryNonceStore()
        for (const body of ['Zoë 🦊', Uint8Array.of(0xff, 0x00), Uint8Array.of(0xff, 0x00).buffer, '']) {
          const headers = new Headers(core.sign(body, secret))
          assert.match(headers.get('x-nonce') ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
          const results = []
          for (let attempt = 0; attempt < 2; attempt++) {
            results.push(await core.verify({ webhookId: '42', headers, body }, secret, store))
          }
          assert.deepEqual(
            results.map((result) => result.ok || result.reason),
            [true, 'replayed_nonce'],
          )
        }
      },
    },
    {
      name: 'sign rounds the time down to whole seconds',
      run: () =>
        assert.equal(
          core.sign('', SECRET, { clock: new TestClock(NOW + 999.9), nonce: NONCE })['X-Timestamp'],
          TIMESTAMP,
        ),
    },
  ]
}

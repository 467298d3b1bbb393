import { expect, it } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { fc } from '../support/fast-check.js'
import { RecordingStore, TestClock } from '../support/request.js'
import { SCHEMES } from '../support/schemes.js'

const WEBHOOKS = ['a', 'A', 'a:b', 'a\0', '__proto__', '1', '11', 'é', 'e\u0301']
const NONCES = ['n', 'N', ':n', 'b:n', 'n:', '__proto__', '1', '1:n']

it.each(SCHEMES)('per webhook: nothing on one webhook changes a result on another (%s)', async (_, scheme) => {
  const deliveries = fc.array(
    fc.record({
      webhookId: fc.constantFrom(...WEBHOOKS),
      nonce: fc.constantFrom(...NONCES),
      body: fc.constantFrom('', '1', ':1', '{"a":1}'),
      valid: fc.boolean(),
    }),
    { minLength: 2, maxLength: 40 },
  )
  await fc.assert(
    fc.asyncProperty(deliveries, fc.constantFrom(MemoryNonceStore, RecordingStore), async (all, Store) => {
      const deliver = async (some: typeof all) => {
        const store = new Store()
        const results: string[] = []
        for (const { webhookId, nonce, body, valid } of some) {
          const request = scheme.request({ webhookId, nonce, body, secret: valid ? webhookId : 'forged' })
          const result = await scheme.verify(request, webhookId, store, new TestClock())
          results.push(`${webhookId} ${nonce} ${body} ${result.ok || result.reason}`)
        }
        return results
      }
      const together = await deliver(all)
      for (const webhookId of WEBHOOKS) {
        const alone = await deliver(all.filter((delivery) => delivery.webhookId === webhookId))
        expect(together.filter((_, index) => all[index]?.webhookId === webhookId)).toEqual(alone)
      }
    }),
  )
})

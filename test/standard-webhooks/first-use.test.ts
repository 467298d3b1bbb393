import { beforeEach, expect, it, vi } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { TestClock } from '../support/request.js'
import { PUBLIC_KEY, STANDARD_SECRET, signedMessage } from '../support/standard-webhooks.js'

// The random keys with which the request to an unknown webhook is checked. Each test loads the modules again, as a new process does.

const random = vi.hoisted(() => ({ keys: 0, hasEd25519: true }))
vi.mock('node:crypto', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:crypto')>()
  return {
    ...original,
    randomBytes(size: number) {
      random.keys++
      return original.randomBytes(size)
    },
    createPublicKey(key: object) {
      if (!random.hasEd25519) throw new Error('unsupported')
      return original.createPublicKey(key as Parameters<typeof original.createPublicKey>[0])
    },
    generateKeyPairSync(type: 'ed25519') {
      if (!random.hasEd25519) throw new Error('unsupported')
      random.keys++
      return original.generateKeyPairSync(type)
    },
  }
})
beforeEach(() => {
  vi.resetModules()
  Object.assign(random, { keys: 0, hasEd25519: true })
})

const V1 = `v1,${'A'.repeat(43)}=`
const V1A = `v1a,${'A'.repeat(86)}==`

/** Sends a request to each webhook, and returns the reasons of the refusals. */
async function refusals(signature: string, ...webhooks: ({ webhookId: string; secret: string } | null)[]) {
  const { receive } = await import('../../src/standard-webhooks/index.js')
  const { headers, body } = signedMessage({ signature })
  const source = { request: { headers, rawBody: Buffer.from(body) } }
  const calls = webhooks.map((webhook) => receive(source, () => webhook, new MemoryNonceStore(), new TestClock()))
  return Promise.all(calls.map((call) => call.catch(({ reason }) => reason)))
}

it('are one secret and one key pair per process, made at their first use', async () => {
  await import('../../src/standard-webhooks/index.js')
  // Some runtimes forbid random numbers while a module loads.
  const counts = [random.keys]
  for (const signature of ['v2,', V1, V1, V1A, V1A, `${V1} ${V1A}`]) {
    await refusals(signature, null)
    counts.push(random.keys)
  }
  expect(counts).toEqual([0, 0, 1, 1, 2, 2, 2])
})

it('are not needed without Ed25519, as in FIPS mode: a v1a signature of a stranger is no error', async () => {
  random.hasEd25519 = false
  expect(await refusals(V1A, null, { webhookId: '42', secret: STANDARD_SECRET })).toEqual([
    'unknown_webhook',
    'signature_mismatch',
  ])
})

it('without Ed25519, a public key is an error of the receiver, and no refusal of the sender', async () => {
  random.hasEd25519 = false
  const { receive } = await import('../../src/standard-webhooks/index.js')
  const { headers, body } = signedMessage({ signature: V1A })
  const source = { webhookId: '42', request: { headers, rawBody: Buffer.from(body) } }
  const call = receive(source, PUBLIC_KEY, new MemoryNonceStore(), new TestClock())
  await expect(call).rejects.toThrow(/^unsupported$/)
})

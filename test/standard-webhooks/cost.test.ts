import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryNonceStore } from '../../src/index.js'
import { receive, type StandardSecret, sign, verify } from '../../src/standard-webhooks/index.js'
import { TestClock, TIMESTAMP } from '../support/request.js'
import { MESSAGE_ID, PUBLIC_KEY, STANDARD_SECRET, signedMessage } from '../support/standard-webhooks.js'

// The cost of a request whose signature does not match: the tests count the checks.

const work = vi.hoisted(() => ({
  hmacs: 0,
  checks: 0,
  imports: 0,
  /** The messages that were checked. The same buffer counts once. */
  messages: new Set<unknown>(),
  isPoint: true,
  /** The private key of the last key pair. */
  privateKey: undefined as string | undefined,
}))
vi.mock('node:crypto', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:crypto')>()
  return {
    ...original,
    createHmac(...args: Parameters<typeof original.createHmac>) {
      work.hmacs++
      return original.createHmac(...args)
    },
    createPublicKey(key: Parameters<typeof original.createPublicKey>[0]) {
      work.imports++
      if (!work.isPoint && Object(key).format === 'jwk') throw new Error('Cannot decompress Edwards point')
      return original.createPublicKey(key)
    },
    verify(...args: Parameters<typeof original.verify>) {
      work.checks++
      work.messages.add(args[1])
      return original.verify(...args)
    },
    generateKeyPairSync(type: 'ed25519') {
      const pair = original.generateKeyPairSync(type)
      const seed = Buffer.from(String(pair.privateKey.export({ format: 'jwk' }).d), 'base64url')
      work.privateKey = `whsk_${seed.toString('base64')}`
      return pair
    },
  }
})
const reset = () => Object.assign(work, { hmacs: 0, checks: 0, imports: 0, messages: new Set(), isPoint: true })
beforeEach(reset)

const V1 = `v1,${'A'.repeat(43)}=`
const V1A = `v1a,${'A'.repeat(86)}==`
const OTHER_KEY = 'whpk_dj9L+uRlsHRCLQ4Eh8qzd/fXpoE0I8XwyZv2e/3PRZ8='
const OTHER_SECRET = `whsec_${'A'.repeat(32)}`

function sourceOf(signature: string) {
  const { headers, body } = signedMessage({ signature })
  return { request: { headers, rawBody: Buffer.from(body) } }
}

/** Sends a request with this signature, and returns the reason of the refusal and what was counted. */
async function costOf(
  signature: string,
  webhook: StandardSecret | (() => { webhookId: string; secret: StandardSecret } | null),
) {
  reset()
  const source = sourceOf(signature)
  if (typeof webhook !== 'function') Object.assign(source, { webhookId: '42' })
  const call = receive(source, webhook, new MemoryNonceStore(), new TestClock())
  const { reason } = (await call.catch((error: unknown) => error)) as { reason?: string }
  const { hmacs, checks, imports, messages } = work
  return { reason, hmacs, checks, imports, copies: messages.size }
}

describe('if a function finds the webhook, a mismatch costs the same for each kind of webhook', () => {
  it.each<[string, string, object]>([
    ['one v1 signature', V1, { hmacs: 1, checks: 0, imports: 0, copies: 0 }],
    ['nine v1 signatures', Array(9).fill(V1).join(' '), { hmacs: 1, checks: 0, imports: 0, copies: 0 }],
    ['one v1a signature', V1A, { hmacs: 0, checks: 1, imports: 1, copies: 1 }],
    ['five v1a signatures', Array(5).fill(V1A).join(' '), { hmacs: 0, checks: 2, imports: 1, copies: 1 }],
    ['one of each', `${V1A} v2,x ${V1}`, { hmacs: 1, checks: 1, imports: 1, copies: 1 }],
    ['two of each', `${V1} ${V1} ${V1A} ${V1A}`, { hmacs: 1, checks: 2, imports: 1, copies: 1 }],
    ['neither', 'v2,AAAA v2a,AAAA', { hmacs: 0, checks: 0, imports: 0, copies: 0 }],
  ])('with %s', async (_, signature, cost) => {
    const reason = signature.includes('v1') ? 'unknown_webhook' : 'signature_mismatch'
    expect(await costOf(signature, () => null)).toEqual({ ...cost, reason })
    for (const secret of [STANDARD_SECRET, PUBLIC_KEY, [STANDARD_SECRET, PUBLIC_KEY], Buffer.from('text')]) {
      const find = () => ({ webhookId: '42', secret })
      expect(await costOf(signature, find)).toEqual({ ...cost, reason: 'signature_mismatch' })
    }
  })

  it('but nothing is accepted because it matches one of these', async () => {
    await costOf(V1A, () => null)
    const options = { messageId: MESSAGE_ID, timestamp: Number(TIMESTAMP) }
    const forged = sign('a body', String(work.privateKey), options)['webhook-signature']
    expect(await costOf(forged, () => null)).toMatchObject({ reason: 'unknown_webhook', checks: 1 })
    const find = () => ({ webhookId: '42', secret: STANDARD_SECRET })
    expect(await costOf(forged, find)).toMatchObject({ reason: 'signature_mismatch', checks: 1 })
  })
})

it('a public key that is no point of the curve, which Deno cannot import, refuses all requests', async () => {
  work.isPoint = false
  const { headers, body } = signedMessage({ signature: V1A })
  const request = { webhookId: '42', headers, body }
  const result = await verify(request, PUBLIC_KEY, new MemoryNonceStore(), new TestClock())
  expect(result).toMatchObject({ reason: 'signature_mismatch' })
})

it('a forged request costs at most four checks of Ed25519, with two keys, and copies the body once', async () => {
  const signature = Array(9).fill(V1A).join(' ')
  const cost = { reason: 'signature_mismatch', hmacs: 0, checks: 4, imports: 2, copies: 1 }
  expect(await costOf(signature, [PUBLIC_KEY, OTHER_KEY])).toEqual(cost)
  const find = () => ({ webhookId: '42', secret: [PUBLIC_KEY, OTHER_SECRET, OTHER_KEY] })
  expect(await costOf(signature, find)).toEqual(cost)
})

it('without a function, only the keys that are given are tried', async () => {
  expect(await costOf(V1A, STANDARD_SECRET)).toMatchObject({ reason: 'signature_mismatch', hmacs: 0, checks: 0 })
  expect(await costOf(V1, PUBLIC_KEY)).toMatchObject({ reason: 'signature_mismatch', hmacs: 0, checks: 0 })
})

import { describe, expect, it } from 'vitest'
import * as core from '../../src/index.js'
import * as sqlite from '../../src/stores/sqlite.js'
import * as testing from '../../src/testing/index.js'
import { outcomeOf } from './suite.js'

// Runs the suite on the sources and on faulty copies, which shows that the suite finds faults on every runtime.

function outcomeWith(deviation: Partial<typeof core>) {
  return outcomeOf(
    new Map<string, object>([
      ['inbound-webhook-auth', { ...core, ...deviation }],
      ['inbound-webhook-auth/sqlite', sqlite],
      ['inbound-webhook-auth/testing', testing],
    ]),
  )
}

class Forgetful extends core.MemoryNonceStore {
  override reserve(): boolean {
    return true
  }
}

describe.concurrent('the suite for the runtimes', () => {
  it('passes', async () => {
    const { passed, failed } = await outcomeWith({})
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(500)
  })

  it.each<[name: string, deviation: Partial<typeof core>, fault: RegExp]>([
    [
      'verify accepts what it rejected',
      { verify: async (...args) => ({ ...(await core.verify(...args)), ok: true }) as core.Verification },
      /^signature_mismatch: 0{64}:/,
    ],
    [
      'verify throws mistakes without a code',
      {
        verify: (...args) =>
          core.verify(...args).catch(() => {
            throw new TypeError('a mistake')
          }),
      },
      /^a mistake in body: a Request:/,
    ],
    [
      'verify does not ignore the case of header names',
      {
        verify: (request, ...rest) =>
          core.verify({ ...request, headers: Object.fromEntries(Object.entries(request.headers)) }, ...rest),
      },
      /^headers, accepted: Fetch Headers:/,
    ],
    [
      'verify decodes the body',
      {
        verify: (request, ...rest) => {
          const { body } = request
          if (!(body instanceof Uint8Array)) return core.verify(request, ...rest)
          return core.verify({ ...request, body: new TextDecoder().decode(body) }, ...rest)
        },
      },
      /^accepted: a body of every byte:/,
    ],
    ['sign writes in capitals', { sign: (body, ...rest) => capitals(core.sign(body, ...rest)) }, /^a request signed/],
    ['secrets are no longer random', { generateSecret: () => 'a'.repeat(43) }, /^generateSecret gives 32 random/],
    ['the store forgets', { MemoryNonceStore: Forgetful }, /^MemoryNonceStore returns true .* then false:/],
  ])('notices that %s', async (_, deviation, fault) => {
    const { failed } = await outcomeWith(deviation)
    expect(failed).toContainEqual(expect.stringMatching(fault))
  })
})

function capitals(headers: core.SignedHeaders): core.SignedHeaders {
  return { ...headers, 'X-Signature': headers['X-Signature'].toUpperCase() }
}

import { createHmac } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { NONCE, NOW, SECRET, signatureOf, TIMESTAMP } from '../../../test/support/request.js'
import { PUBLIC_KEY } from '../../../test/support/standard-webhooks.js'
import { diagnoseInSteps, type RequestToDiagnose } from '../../src/diagnose/engine.js'
import { runSteps } from '../../src/diagnose/steps.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'

const diagnoseWith = (...given: Parameters<typeof diagnoseInSteps>) => runSteps(diagnoseInSteps(...given))

const BODY = Buffer.from('a body')
const received = {
  timestamp: TIMESTAMP,
  nonce: NONCE,
  headers: [],
  body: BODY,
  secrets: [SECRET],
  now: NOW,
  isArrivalKnown: true,
}

it('computes no HMAC with a public key, which is no secret', () => {
  const platform: typeof NODE_PRIMITIVES = {
    ...NODE_PRIMITIVES,
    hmac() {
      throw new Error('A public key is no key of an HMAC.')
    },
  }
  const signature = `v1,${'A'.repeat(43)}=`
  const headers = ['id', 'timestamp', 'signature'].map((name) => [`webhook-${name}`, 'any'] as const)
  const { findings } = diagnoseWith(platform, { ...received, headers, secrets: [PUBLIC_KEY], signature })
  expect(findings.map(({ code }) => code)).toContain('signature_format')
})

it('hashes hardly anything twice', () => {
  const secrets = [' a b ', 'abcd', 'abc']
  const seen = new Set<string>()
  let hashes = 0
  let repeated = 0
  const platform = counting((name, parts) => {
    const hashed = [name, ...parts.map((part) => Buffer.from(part).toString('latin1'))].join('\n')
    hashes++
    if (seen.has(hashed)) repeated++
    seen.add(hashed)
  })
  diagnoseWith(platform, { ...received, body: Buffer.from('{"a":"Zo\u00eb"}\n'), secrets, signature: 'a'.repeat(64) })
  expect(hashes).toBeGreaterThan(9000)
  // The documentation names this bound.
  expect(hashes).toBeLessThanOrEqual(15_000)
  expect(repeated / hashes).toBeLessThan(0.07)
})

/** Returns the primitives of Node, which call `count` before each hash. */
const counting = (count: (name: string, parts: readonly Uint8Array[]) => void): typeof NODE_PRIMITIVES => ({
  ...NODE_PRIMITIVES,
  hash(algorithm, parts) {
    count(algorithm, [Buffer.concat(parts)])
    return NODE_PRIMITIVES.hash(algorithm, parts)
  },
  hmac(algorithm, key, parts) {
    count(`HMAC ${algorithm}`, [key, Buffer.concat(parts)])
    return NODE_PRIMITIVES.hmac(algorithm, key, parts)
  },
})

it.each([
  ['100 hashes', 100, [SECRET], 100],
  // The rules alone need two hashes per secret, and the evidence two. Then there is no search.
  ['fewer hashes than secrets', 10, Array.from({ length: 50 }, (_, index) => `secret ${index}`), 102],
])('makes at most as many hashes as it is given: %s', (_, maxHashes, secrets, expected) => {
  let hashes = 0
  const platform = counting(() => hashes++)
  diagnoseWith(platform, { ...received, secrets, signature: 'a'.repeat(64) }, maxHashes)
  expect(hashes).toBeLessThanOrEqual(expected)
})

it('reads a buffer again that was filled with another body', () => {
  const body = Buffer.alloc(7)
  for (const [sent, signed] of [
    ['{"a":1}', '{"a": 1}'],
    ['{"b":2}', '{"b": 2}'],
  ] as const) {
    body.write(sent)
    const signature = signatureOf(TIMESTAMP, NONCE, signed, SECRET)
    expect(diagnoseWith(NODE_PRIMITIVES, { ...received, body, signature }, 1000).findings[0]?.code).toBe('body_json')
  }
})

it('makes one hash for a valid request', () => {
  let hashes = 0
  const signature = signatureOf(TIMESTAMP, NONCE, BODY, SECRET)
  expect(
    diagnoseWith(
      counting(() => hashes++),
      { ...received, signature },
    ).valid,
  ).toBe(true)
  expect(hashes).toBe(1)
})

it('runs without the modules of Node', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/diagnose/engine.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'engine',
    // In this context, an import of a module of Node throws an error.
    platform: 'browser',
  })
  // These globals exist in browsers too.
  const globals = { TextEncoder, TextDecoder, URLSearchParams, Uint8Array, DataView, btoa, atob }
  const browser: { diagnoseInSteps: typeof diagnoseInSteps } = runInNewContext(
    `${outputFiles[0]?.text}; engine`,
    globals,
  )
  const signed = '{"a": "Zoë"}\n'
  const body = new TextEncoder().encode('{"a":"Zoë"}')
  const signature = signatureOf(TIMESTAMP, NONCE, signed, SECRET)
  const { findings } = runSteps(browser.diagnoseInSteps(NODE_PRIMITIVES, { ...received, body, signature }))
  expect(findings.map(({ code }) => code)).toEqual(['body_json', 'body_newline'])
})

describe('the diagnosis', () => {
  const codesOf = (request: Partial<RequestToDiagnose> & { signature: string }) => {
    const headers = [['content-length', '6']] as const
    const { findings } = diagnoseWith(NODE_PRIMITIVES, { ...received, headers, ...request }, 5000)
    return findings.map(({ code }) => code)
  }
  const EMPTY = { body: Buffer.alloc(0) }
  const WRONG = 'a'.repeat(64)

  it('contains the signed message only if it was found', () => {
    const old = { ...received, now: NOW + 301_000 }
    const diagnosis = (body: string) =>
      diagnoseWith(NODE_PRIMITIVES, { ...old, signature: signatureOf(TIMESTAMP, NONCE, body, SECRET) }, 5000)
    expect(String(Buffer.from(diagnosis('a body').signedMessage ?? []))).toBe(`${TIMESTAMP}:${NONCE}:a body`)
    expect(String(Buffer.from(diagnosis('a body\n').signedMessage ?? []))).toBe(`${TIMESTAMP}:${NONCE}:a body\n`)
    expect(diagnosis('another body')).not.toHaveProperty('signedMessage')
  })

  it('has no finding about the signature if one of the secrets signed the request', () => {
    const signature = signatureOf(TIMESTAMP, NONCE, BODY, SECRET)
    const secrets = ['the secret of another webhook', SECRET]
    expect(codesOf({ secrets, signature, now: NOW + 301_000 })).toEqual(['clock_behind'])
    expect(diagnoseWith(NODE_PRIMITIVES, { ...received, secrets, signature }).valid).toBe(true)
  })

  it('says that the body was lost only if no signature is right without it', () => {
    const now = NOW + 301_000
    expect(codesOf({ ...EMPTY, signature: WRONG })[0]).toBe('body_changed')
    expect(codesOf({ ...EMPTY, now, signature: signatureOf(TIMESTAMP, NONCE, '', SECRET) })).toEqual(['clock_behind'])
    const dotted = createHmac('sha256', SECRET).update(`${TIMESTAMP}.${NONCE}.`).digest('hex')
    expect(codesOf({ ...EMPTY, signature: dotted })).toEqual(['message_layout'])
  })

  it('says that a capture may have changed a value only if the values were captured and no signature is right', () => {
    const sideOf = (isCaptured: boolean, signature: string) => {
      const { findings } = diagnoseWith(NODE_PRIMITIVES, { ...received, nonce: 'a b', isCaptured, signature }, 100)
      return findings.find(({ code }) => code === 'nonce_characters')?.side
    }
    expect(sideOf(true, WRONG)).toBe('unknown')
    expect(sideOf(false, WRONG)).toBe('sender')
    expect(sideOf(true, signatureOf(TIMESTAMP, 'a b', BODY, SECRET))).toBe('sender')
  })
})

describe('a signature that nothing explains', () => {
  const WRONG = 'a'.repeat(64)
  /** Returns what the finding shows, or `undefined` if there is nothing to compare. */
  const evidenceOf = (request: Partial<RequestToDiagnose>) => {
    const { findings } = diagnoseWith(NODE_PRIMITIVES, { ...received, signature: WRONG, ...request }, 100)
    return findings.find(({ code }) => code === 'signature_mismatch')?.evidence
  }

  it('is compared, also in Standard Webhooks', () => {
    const base64 = Buffer.from(WRONG, 'hex').toString('base64')
    expect(evidenceOf({ headers: [['webhook-id', NONCE]], signature: `v1,${base64} v1,${base64}` })).toContain(
      'SHA-256',
    )
    // sha256sum of the message and of the body.
    // With so few hashes, the first line says that not all was tried.
    expect(evidenceOf({})?.split('\n').slice(1, 4)).toEqual([
      `Signed message of the receiver: "${TIMESTAMP}:${NONCE}:" and 6 bytes of body`,
      'SHA-256 of this message: 9f2e37179e06fb55e17a8b478f69e9cca6b4ebccd71f390ee6838d6b3700b61b',
      'SHA-256 of its body: 771824de42287642fa0fbe0b568b80cc3290e29b7d3cd6efbc7b1b8eb1037b04',
    ])
  })

  it.each<[string, string | Buffer, boolean]>([
    ['a placeholder', '{"a":"{{id}}"}', true],
    ['a placeholder and a byte that is not UTF-8', Buffer.from('{{id}}\xff', 'latin1'), false],
  ])('may have been made before a placeholder was filled: %s', (_, body, isNamed) => {
    const text = 'The body has the placeholder `{{id}}`. The sender may have signed a value in its place.'
    expect(evidenceOf({ body: Buffer.from(body) })?.includes(text)).toBe(isNamed)
  })

  it.each([
    ['a', `'${TIMESTAMP}:a:'`],
    ["it's", `'${TIMESTAMP}:it'\\''s:'`],
    ['Zo\u00eb', undefined],
    [`a${SECRET}`, undefined],
  ])('is compared with a command, unless it would print another hash: nonce %s', (nonce, start) => {
    const command = `  (printf %s ${start}; cat body.bin) | openssl dgst -sha256`
    const lines = evidenceOf({ nonce })?.split('\n')
    expect(lines?.filter((line) => line.includes('openssl'))).toEqual(start === undefined ? [] : [command])
  })
})

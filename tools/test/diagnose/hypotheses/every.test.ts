import { expect, it } from 'vitest'
import { NOW } from '../../../../test/support/request.js'
import { latin1, utf8 } from '../../../src/bytes.js'
import { DIMENSIONS, factsOf } from '../../../src/diagnose/dimensions.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES } from '../../../src/diagnose/hypotheses/body.js'
import { type Digest, RIGHT_DIGEST } from '../../../src/diagnose/hypotheses/digest.js'
import type { Bytes } from '../../../src/diagnose/hypotheses/hypothesis.js'
import type { Layout } from '../../../src/diagnose/hypotheses/layout.js'
import { NONCE_HYPOTHESES } from '../../../src/diagnose/hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from '../../../src/diagnose/hypotheses/secret.js'
import { ALGORITHMS } from '../../../src/primitives.js'
import { schemeOf, X_SIGNATURE } from '../../../src/schemes.js'
import { CONTEXT, variantsOf } from './proposals.js'

const BODY_HYPOTHESES = [...BODY_SOURCES, ...BODY_CHANGES, ...BODY_ENDINGS]

it.each(['\\', '\\u', '\\x', '%', '$', '&', '&#', '='])(
  'no hypothesis throws for %j before any character',
  (prefix) => {
    const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
    const text = characters.map((character) => prefix + character).join('')
    for (const value of [text, JSON.stringify({ a: text }), `a=${text}`]) {
      for (const row of BODY_HYPOTHESES) for (const body of [utf8(value), latin1(value)]) row.apply(body, CONTEXT)
      for (const row of [...SECRET_HYPOTHESES, ...NONCE_HYPOTHESES]) row.apply(value, CONTEXT)
    }
  },
)

it('every mistake is said in words, and has a likelihood', () => {
  const request = { body: utf8(''), secrets: ['a'], now: 0 }
  const all = [X_SIGNATURE, schemeOf([['webhook-signature', '']])].flatMap((scheme) =>
    ALGORITHMS.flatMap(({ length }) =>
      [undefined, utf8('a')].map((original) => {
        const values = { timestamp: '1', nonce: 'a', signature: 'ab'.repeat(length) }
        return factsOf(values, { ...request, original }, String, scheme)
      }),
    ),
  )
  for (const { what, likelihood } of all.flatMap((facts) =>
    DIMENSIONS.flatMap(({ hypotheses }) => hypotheses(facts)),
  )) {
    expect(what).toMatch(/^(\S+ .*\S|<detail>)$/)
    expect(likelihood).toMatch(/^(expected|common|uncommon|rare|last|many)$/)
  }
})

it('only mistakes that are tried last have more than 50 values', () => {
  const body = utf8('{"id":1,"a":"1","b":{"c":"text of a part"}}')
  const values = { timestamp: '1700000000', nonce: 'n-1', signature: 'ab'.repeat(32) }
  const request = { body, secrets: ['The secret of webhook 42, a long one: é'.repeat(3)], now: NOW }
  const facts = factsOf(values, request, String, X_SIGNATURE)
  for (const { inputs, hypotheses } of DIMENSIONS) {
    const variant = { ...facts, changes: [], timestamp: body, nonce: body, digest: RIGHT_DIGEST, key: body }
    const [input] = inputs(facts, variant)
    for (const row of hypotheses(facts)) {
      const count = variantsOf<unknown, Bytes | Layout | Digest>(row, input, { ...CONTEXT, body }).length
      expect(count > 50, row.what).toBe(row.likelihood === 'many')
    }
  }
})

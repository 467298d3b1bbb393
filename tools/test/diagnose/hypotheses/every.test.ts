import { expect, it } from 'vitest'
import { latin1, utf8 } from '../../../src/bytes.js'
import { DIMENSIONS, factsOf } from '../../../src/diagnose/dimensions.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES } from '../../../src/diagnose/hypotheses/body.js'
import { NONCE_HYPOTHESES } from '../../../src/diagnose/hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from '../../../src/diagnose/hypotheses/secret.js'
import { ALGORITHMS } from '../../../src/primitives.js'
import { schemeOf, X_SIGNATURE } from '../../../src/schemes.js'
import { CONTEXT, resultOf } from './proposals.js'

const BODY_HYPOTHESES = [...BODY_SOURCES, ...BODY_CHANGES, ...BODY_ENDINGS]

it.each(['\\', '\\u', '\\x', '%', '$', '&', '&#', '='])(
  'no hypothesis throws for %j before any character',
  (prefix) => {
    const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
    const text = characters.map((character) => prefix + character).join('')
    for (const value of [text, JSON.stringify({ a: text }), `a=${text}`]) {
      for (const row of BODY_HYPOTHESES) resultOf<unknown>(row.apply(utf8(value), CONTEXT))
      for (const row of BODY_HYPOTHESES) resultOf<unknown>(row.apply(latin1(value), CONTEXT))
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
    expect(likelihood).toMatch(/^(expected|common|uncommon|rare|last)$/)
  }
})

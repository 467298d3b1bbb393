import { expect, it } from 'vitest'
import { latin1, utf8 } from '../../../src/bytes.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES } from '../../../src/diagnose/hypotheses/body.js'
import { digestHypotheses } from '../../../src/diagnose/hypotheses/digest.js'
import { NONCE_HYPOTHESES } from '../../../src/diagnose/hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from '../../../src/diagnose/hypotheses/secret.js'
import { TIMESTAMP_HYPOTHESES } from '../../../src/diagnose/hypotheses/timestamp.js'
import { signatureForms } from '../../../src/diagnose/signature-form.js'
import { ALGORITHMS } from '../../../src/primitives.js'
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
  const forms = [...new Set(ALGORITHMS.map(({ length }) => length))].flatMap((length) =>
    signatureForms('ab'.repeat(length), String),
  )
  const tables: readonly (readonly { readonly what: string; readonly likelihood: string }[])[] = [
    BODY_HYPOTHESES,
    SECRET_HYPOTHESES,
    NONCE_HYPOTHESES,
    TIMESTAMP_HYPOTHESES,
    digestHypotheses(forms),
  ]
  for (const { what, likelihood } of tables.flat()) {
    expect(what).toMatch(/^(\S+ .*\S|<detail>)$/)
    expect(likelihood).toMatch(/^(expected|common|uncommon|rare|last)$/)
  }
})

import { describe, expect, it } from 'vitest'
import { NONCE, NOW, SECRET, TIMESTAMP } from '../../../test/support/request.js'
import { fromUtf8, utf8 } from '../../src/bytes.js'
import { DIMENSIONS, factsOf } from '../../src/diagnose/dimensions.js'
import { DistinctValues } from '../../src/diagnose/distinct-values.js'
import { schemeOf, X_SIGNATURE } from '../../src/schemes.js'

const REQUEST = { body: utf8('a body'), secrets: [SECRET], now: NOW }
const STANDARD = schemeOf([['webhook-signature', '']])
const factsFor = (values: { timestamp?: string; nonce?: string; signature?: string }, scheme = X_SIGNATURE) =>
  factsOf({ timestamp: undefined, nonce: undefined, signature: undefined, ...values }, REQUEST, String, scheme)

describe('the values that are right to sign', () => {
  it.each([
    [TIMESTAMP, [TIMESTAMP], NOW],
    ['1700000000250', ['1700000000250', TIMESTAMP], NOW + 250],
    ['2023-11-14T22:13:20.9+00:00', ['2023-11-14T22:13:20.9+00:00', TIMESTAMP], NOW + 900],
    ['17O0000000', ['17O0000000', TIMESTAMP], undefined],
    ['never', ['never'], undefined],
    [undefined, [''], undefined],
  ])('of the timestamp %j are %j', (timestamp, timestamps, instant) => {
    const facts = factsFor(timestamp === undefined ? {} : { timestamp })
    expect(facts.timestamps.map(fromUtf8)).toEqual(timestamps)
    expect([facts.instant, facts.timestamp]).toEqual([instant, timestamp ?? ''])
  })

  it.each([
    [NONCE, [NONCE]],
    ['a  b', ['a  b', 'ab']],
    ['Ã«', ['Ã«', 'ë']],
    ['a'.repeat(129), ['a'.repeat(129), 'a'.repeat(128)]],
    [undefined, ['']],
  ])('of the nonce %j are %j', (nonce, nonces) => {
    const facts = factsFor(nonce === undefined ? {} : { nonce })
    expect(facts.nonces.map(fromUtf8)).toEqual(nonces)
    expect(facts.nonce).toBe(nonce ?? '')
  })

  it('are those of the scheme', () => {
    expect(factsFor({ nonce: 'a.b' }).nonces).toHaveLength(1)
    expect(factsFor({ nonce: 'a.b' }, STANDARD).nonces.map(fromUtf8)).toEqual(['a.b'])
    expect(factsFor({ nonce: 'a b' }, STANDARD)).toMatchObject({ isStandard: true, layout: STANDARD.layout })
    expect(factsFor({})).toMatchObject({ isStandard: false, layout: X_SIGNATURE.layout, forms: [] })
  })
})

it('a header of more than 1024 characters is not changed', () => {
  for (const field of ['timestamp', 'nonce'] as const) {
    const hypotheses = (length: number) =>
      DIMENSIONS.find(({ name }) => name === field)?.hypotheses(factsFor({ [field]: 'a'.repeat(length) }))
    expect(hypotheses(1024)?.length).toBeGreaterThan(0)
    expect(hypotheses(1025)).toEqual([])
  }
})

describe('distinct values', () => {
  it('are other bytes, or other objects', () => {
    const object = ['<body>']
    const values = new DistinctValues([utf8('a'), object])
    const isNew = (value: Uint8Array | string[]) => values.add(value)
    expect([utf8('a'), object, utf8('b'), utf8('b'), ['<body>']].map(isNew)).toEqual([false, false, true, false, true])
    expect(new DistinctValues().add(utf8(''))).toBe(true)
  })

  it('may have the same fingerprint, for which only some bytes of long values are read', () => {
    const values = new DistinctValues()
    const [first, second, third] = [utf8('a'.repeat(300)), utf8('a'.repeat(300)), utf8('a'.repeat(300))]
    second[1] = 0
    third[2] = 0
    expect([first, second, third, second.slice(), first.slice()].map((one) => values.add(one))).toEqual([
      ...[true, true, true],
      ...[false, false],
    ])
  })
})

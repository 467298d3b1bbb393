import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/bytes.js'
import type { Header } from '../../../src/capture/headers.js'
import { checkLeakedSecret } from '../../../src/diagnose/checks/leaked-secret.js'

// Each text of the request is shown in `<` and `>` by the mask.
const mask = (text: string) => `<${text}>`

describe('a secret that leaked', () => {
  const SECRET = 'q7Rk2vT9xLm4WcZ8'
  const placesOf = (headers: readonly Header[], body = '', secret = SECRET) =>
    checkLeakedSecret(headers, utf8(body), [secret], mask)[0]?.message.replace(
      /^The secret is in (.*)\. Replace .*$/,
      '$1',
    )

  it.each<[readonly Header[], string, string | undefined]>([
    [[[':path', `/?key=${SECRET}`]], '', 'the URL'],
    [[['a', SECRET]], '', '<a>'],
    [
      [
        ['a', SECRET],
        ['b', `"${SECRET}"`],
        ['a', `is ${SECRET}`],
      ],
      SECRET,
      '<a>, <b> and the body',
    ],
    [[['authorization', `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`]], '', '<authorization>'],
    [[['cookie', `a=${Buffer.from(SECRET).toString('hex')}; b=c`]], '', '<cookie>'],
    [[[`x-${SECRET.toLowerCase()}`, 'a']], '', 'the name of a header'],
    [[], `{"a":"${SECRET}"}`, 'the body'],
    [[['a', SECRET.toLowerCase()]], SECRET.slice(1), undefined],
  ])('is in %j and %j: %s', (headers, body, places) => {
    expect(placesOf(headers, body)).toBe(places)
  })

  it.each([
    ['is in a URL', 'a/b+c=d&e', '/?a=a%2Fb%2Bc%3Dd%26e'],
    ['without the white space around it', ' q7Rk2v\n', '/q7Rk2v'],
    ['without its prefix', `whsec_${SECRET}`, `/${SECRET}`],
  ])('%s', (_, secret, path) => {
    expect(placesOf([[':path', path]], '', secret)).toBe('the URL')
  })

  it.each([
    ['five characters', 'q7Rk2', '/q7Rk2'],
    ['a prefix before fewer than 16 characters', `whsec_${SECRET.slice(1)}`, `/${SECRET.slice(1)}`],
  ])('is not searched: %s', (_, secret, path) => {
    expect(placesOf([[':path', path]], '', secret)).toBeUndefined()
  })
})

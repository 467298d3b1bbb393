import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { coloursFor } from '../../src/cli/output/colours.js'
import { findingsText } from '../../src/cli/output/findings.js'

it('findings are numbered, each with its evidence, its fix, and the side that has to act', () => {
  const text = findingsText(
    [
      {
        code: 'signature_format',
        message: 'X-Signature is in capitals.',
        evidence: 'received\tABC\nexpected\tabc',
        fix: 'On the sender\u2019s side: write lowercase:\n  .hexdigest()',
      },
      { code: 'secret_quotes', message: 'Quotes.', fix: "On the receiver's side: take them off" },
      { code: 'signature_mismatch', message: 'Nothing fits.', fix: 'On either side: compare' },
    ],
    coloursFor(new PassThrough(), {}),
  )
  expect(text).toBe(`1. X-Signature is in capitals. (signature_format)
     received\tABC
     expected\tabc
   Fix, on the sender\u2019s side:
     write lowercase:
       .hexdigest()

2. Quotes. (secret_quotes)
   Fix, on the receiver's side:
     take them off

3. Nothing fits. (signature_mismatch)
   Fix, on either side:
     compare
`)
})

it('findings cannot do anything to a terminal, whatever they quote', () => {
  const text = findingsText(
    [{ code: 'nonce_characters', message: 'a\x1b[2Jb\nc', evidence: '\x1b[2J', fix: '\x9b2J' }],
    coloursFor(new PassThrough(), {}),
  )
  expect(text).toBe('1. a\\x1b[2Jb\\x0ac (nonce_characters)\n     \\x1b[2J\n   Fix:\n     \\x9b2J\n')
})

it('a fix for both sides has a part for each, and one in several languages a line for each', () => {
  const fixOf = (fix: string) =>
    findingsText([{ code: 'body_json', message: 'm', fix }], coloursFor(new PassThrough(), {})).replace(/^.*\n/, '')
  expect(
    fixOf(
      "On the sender's side: send Unix time: Node: Math.floor(Date.now() / 1000), Go: time.Now().Unix(). On the receiver's side, if it is old: wait.",
    ),
  ).toBe(`   Fix, on the sender's side:
     send Unix time:
     Node: Math.floor(Date.now() / 1000)
     Go: time.Now().Unix().
   Fix, on the receiver's side, if it is old:
     wait.
`)
  expect(fixOf('On either side: trim it (Node: secret.trim(), Go: strings.TrimSpace)')).toBe(
    '   Fix, on either side:\n     trim it (Node: secret.trim(), Go: strings.TrimSpace)\n',
  )
  expect(fixOf('Look again')).toBe('   Fix:\n     Look again\n')
})

it('a fix with two parts for one side has one heading', () => {
  const fix = "On the sender's side: use SHA-256: Node: a, openssl: b. On the sender's side: send hex: C#: c; Java: d"
  expect(
    findingsText([{ code: 'signature_algorithm', message: 'm', fix }], coloursFor(new PassThrough(), {})).replace(
      /^.*\n/,
      '',
    ),
  ).toBe(
    "   Fix, on the sender's side:\n     use SHA-256:\n     Node: a\n     openssl: b.\n     send hex:\n     C#: c\n     Java: d\n",
  )
})

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../../test/support/built.js'
import { pathsBelow } from '../../../test/support/files.js'
import { IS_POSIX, isInstalled } from '../../../test/support/programs.js'
import { concat, fromHex, hex, latin1, utf8, utf16 } from '../../src/bytes.js'
import { FIXES, type Fix } from '../../src/diagnose/fixes.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES, originalHypotheses } from '../../src/diagnose/hypotheses/body.js'
import { digestHypotheses } from '../../src/diagnose/hypotheses/digest.js'
import type { Hypothesis, RequestContext, Variants } from '../../src/diagnose/hypotheses/hypothesis.js'
import { JSON_HYPOTHESES, JSON_WRITERS } from '../../src/diagnose/hypotheses/json.js'
import { CORRECT_LAYOUT, LAYOUT_HYPOTHESES } from '../../src/diagnose/hypotheses/layout.js'
import { NONCE_HYPOTHESES } from '../../src/diagnose/hypotheses/nonce.js'
import { placeholdersFor } from '../../src/diagnose/hypotheses/placeholders.js'
import { SECRET_HYPOTHESES } from '../../src/diagnose/hypotheses/secret.js'
import { TEXT_CHANGES } from '../../src/diagnose/hypotheses/text-changes.js'
import { TIMESTAMP_HYPOTHESES } from '../../src/diagnose/hypotheses/timestamp.js'
import { parseJson } from '../../src/diagnose/json/parse.js'
import { writeJson } from '../../src/diagnose/json/write.js'
import { signatureForms } from '../../src/diagnose/signature-form.js'
import { messageOf } from '../../src/diagnose/signing-variants.js'
import { isSteps, runSteps, type Steps } from '../../src/diagnose/steps.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'
import { ALGORITHMS } from '../../src/primitives.js'
import * as examples from './examples.js'

const CONTEXT: RequestContext = {
  headers: [
    [':path', '/in'],
    ['host', 'example.com'],
    ['x-request-id', 'the-request-id'],
  ],
  body: utf8(''),
  primitives: NODE_PRIMITIVES,
  spend: () => {},
}

/** Returns bytes in the notation of the examples. */
const bytesOf = (text: string) => (text.startsWith('hex:') ? (fromHex(text.slice(4)) as Uint8Array) : utf8(text))
const asBytes = (value: unknown) => (value instanceof Uint8Array ? value : utf8(String(value)))

/** Returns the result of a hypothesis, whose work may be done in steps. */
const resultOf = <Result>(work: Result | Steps<Result>): Result => (isSteps(work) ? runSteps(work) : work)

/** Returns all values that a row proposes for an input, as hex. */
function proposed<Input, Output extends object | string>(
  row: Hypothesis<Input, Output>,
  input: Input,
  bytes: (output: Output) => Uint8Array,
) {
  const applied = resultOf(row.apply(input, input instanceof Uint8Array ? { ...CONTEXT, body: input } : CONTEXT))
  if (applied === undefined) return []
  const isSeveral = typeof applied === 'object' && applied !== null && 'variants' in applied
  const values = isSeveral ? applied.variants.map(({ value }) => value) : [applied as Output]
  return values.map((value) => hex(bytes(value)))
}

/** Finds a row by a part of its text. */
function rowNamed<Row extends { what: string }>(rows: readonly Row[], what: string): Row {
  const found = rows.filter((row) => row.what.includes(what))
  if (found[0] === undefined || found.length > 1)
    throw new Error(`${found.length} rows contain ${JSON.stringify(what)}.`)
  return found[0]
}
const BODY_HYPOTHESES = [...BODY_SOURCES, ...BODY_CHANGES, ...BODY_ENDINGS]

// The requests of captured.jsonl are the proof of the other rows.
describe('a hypothesis proposes the signed value of each example', () => {
  it('of the secret', () => {
    const row = rowNamed(SECRET_HYPOTHESES, 'the value after `NAME=`')
    expect(row.apply('SECRET=abcdef', CONTEXT)).toBe('abcdef')
    const json = proposed(rowNamed(SECRET_HYPOTHESES, 'whole JSON'), 'a secret', asBytes).map((bytes) => fromHex(bytes))
    const texts = json.map((bytes) => Buffer.from(bytes as Uint8Array).toString())
    expect(texts).toContain('{"value": "a secret"}')
    expect(texts).toContain("{'secret': 'a secret'}")
  })
  it('of any value', () => {
    const written = TEXT_CHANGES.map(({ change }, index) => {
      const [text = '', changed] = examples.CHANGE_EXAMPLES[index] ?? []
      return [asBytes(change(text)), utf8(String(changed))].map(hex)
    })
    for (const [changed, expected] of written) expect(changed).toBe(expected)
  })
  it.each(examples.BODY_EXAMPLES)('of the body: %s', (what, received, signed) => {
    const rows = BODY_HYPOTHESES.filter((row) => row.what.includes(what))
    expect(rows.flatMap((row) => proposed(row, bytesOf(received), asBytes))).toContain(hex(bytesOf(signed)))
  })
  it('of the timestamp', () => {
    const signed = (what: string) => rowNamed(TIMESTAMP_HYPOTHESES, what).apply(1_700_000_000_000, CONTEXT)
    expect(signed('in ISO 8601 with milliseconds')).toBe('2023-11-14T22:13:20.000Z')
    expect(signed('an empty timestamp')).toBe('')
    expect(signed('without the zeros')).toBe('1700000000')
  })

  it('of the layout', () => {
    const parts = { timestamp: utf8('17'), nonce: utf8('ab'), body: utf8('B'), key: utf8('K') }
    const rows = LAYOUT_HYPOTHESES.filter(({ what }) => what === 'the message `<detail>`')
    const messages = rows.flatMap((row) =>
      proposed(row, CORRECT_LAYOUT, (layout) => concat(...messageOf({ layout, ...parts }))),
    )
    expect(messages).toContain(hex(utf8('17B')))
  })

  it('of a serializer', () => {
    const json = parseJson(examples.JSON_EXAMPLE)
    expect(JSON_WRITERS.map(({ style }) => json && writeJson(json, style))).toEqual(examples.JSON_EXAMPLES)
  })
})

describe('a hypothesis gives no other value', () => {
  it.each([
    ['the body in UTF-8, which arrived encoded twice (é as Ã©)', ['Zoë', '漢']],
    ['the body without its byte order mark', ['{}']],
    ['the body decoded from <detail>', ['{"a":1}']],
    ['the body in Latin-1 or Windows-1252', ['漢']],
    ['the body in UTF-8 twice (é as Ã©)', ['hex:5a6feb']],
    ['the body in ASCII, with `?` for other characters', ['Zoe']],
  ])('%s: %j', (what, bodies) => {
    const row = rowNamed(BODY_HYPOTHESES, what)
    for (const body of bodies) expect(proposed(row, bytesOf(body), asBytes), body).toEqual([])
  })

  it('in the place of a body that was sent', () => {
    expect(proposed(rowNamed(BODY_HYPOTHESES, 'the text `{}`, and sent no body'), utf8('a'), asBytes)).toEqual([])
  })

  it.each([
    ['the secret without the quotes or brackets around it', { 'x"abc"': undefined, '"abc\'': undefined }],
    ['the secret without the `=` at its end', { 'a=b==': 'a=b' }],
    ['the secret up to a `#`, which begins a comment in a .env file', { 'ab  #cd': 'ab', 'ab#c\nd': 'ab' }],
    ['the secret without the part that a shell reads as a variable (`$…`)', { 'a${BC}d$@e$%$f': 'ade$%' }],
  ])('%s: %j', (what, keys) => {
    const row = rowNamed(SECRET_HYPOTHESES, what)
    for (const [secret, key] of Object.entries(keys)) expect(row.apply(secret, CONTEXT), secret).toBe(key)
  })

  it.each([
    ['the nonce without the quotes or brackets around it', ['x"a"', '"a"x']],
    ['the nonce without the braces around it, in lowercase', ['x{a}', '{a}x']],
  ])('%s: %j', (what, nonces) => {
    const row = rowNamed(NONCE_HYPOTHESES, what)
    for (const nonce of nonces) expect(row.apply(nonce, CONTEXT), nonce).toBeUndefined()
  })

  it('of a timestamp', () => {
    const row = rowNamed(TIMESTAMP_HYPOTHESES, 'a timestamp that is <detail> than in the header')
    const { variants } = row.apply(100_000, CONTEXT) as { variants: object[] }
    expect(variants.slice(0, 2)).toEqual([
      { detail: '1 s earlier', value: '99' },
      { detail: '1 s later', value: '101' },
    ])
    expect(variants).toHaveLength(4)
  })

  it('of a list of lengths, times, fractions or forms of a variable', () => {
    const detailsOf = <Input>(rows: readonly Hypothesis<Input, never>[], what: string, input: Input) => {
      const { variants } = resultOf(rowNamed(rows, what).apply(input, CONTEXT)) as unknown as Variants<string>
      return variants.map(({ detail }) => detail)
    }
    const [secret, secrets] = ['x'.repeat(300), SECRET_HYPOTHESES as readonly Hypothesis<string, never>[]]
    const cuts = detailsOf(secrets, '<detail> of the secret', secret).filter((detail) => detail.includes('first'))
    const cutLengths = [...Array.from({ length: 64 }, (_, index) => index + 1), 80, 96, 100, 128, 255]
    expect(cuts).toEqual(cutLengths.map((length) => `the first ${length} characters`))
    const times = TIMESTAMP_HYPOTHESES as readonly Hypothesis<number, never>[]
    expect(detailsOf(times, 'another time', 0).slice(-2)).toEqual(['60 s earlier', '60 s later'])
    expect(detailsOf(times, 'the timestamp with the fraction', 0)).toHaveLength(999)
    const forms = 'a|$a|$' + '{a}|{$a}|{a}|{{a}}|{{ a }}|#{a}|%a%'
    expect(placeholdersFor('a').variants.map(({ value }) => value)).toEqual(forms.split('|'))
  })

  it('of a digest: the length of a whole one shows the algorithm, and a cut one is SHA-256', () => {
    const likely = (signature: string) =>
      digestHypotheses(signatureForms(signature, String))
        .filter(({ likelihood, what }) => likelihood !== 'rare' && what.includes('alone, without the secret'))
        .map(({ what }) => what.split(' ')[0])
    expect(likely('ab'.repeat(20))).toEqual(['SHA-1'])
    expect(likely('ab'.repeat(10))).toEqual(['SHA-256'])
  })

  it('of a header that may identify the request: its name has such a word, and its value is short', () => {
    const headers = [
      ['host', 'example.com'],
      ['x-trace', 'a'.repeat(512)],
      ['x-token', 'a'.repeat(513)],
      [`x-${'n'.repeat(62)}-id`, 'b'],
      ...Array.from({ length: 60 }, () => ['x', 'y'] as const),
      ['x-late-id', 'c'],
    ] as const
    const row = rowNamed(NONCE_HYPOTHESES, 'the value of the header')
    expect(row.apply('n', { ...CONTEXT, headers })).toEqual({
      variants: [
        { detail: 'x-trace', value: 'a'.repeat(512) },
        { detail: `x-${'n'.repeat(62)}`, value: 'b' },
      ],
    })
  })
})

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

it('decoders are applied one after the other, at most three of them', () => {
  const decoded = (what: string, body: Uint8Array) => {
    const { variants } = resultOf(rowNamed(BODY_SOURCES, what).apply(body, CONTEXT)) as Variants<Uint8Array | string>
    return variants.map(({ detail, value }) => `${detail}: ${Buffer.from(value as string).toString('latin1')}`)
  }
  const zipped = gzipSync('{"a":1}')
  const sent = utf8(zipped.toString('base64'))
  expect(decoded('the uncompressed body', sent)).toEqual(['base64 of gzip: {"a":1}'])
  expect(decoded('the body decoded from', sent)).toEqual([`base64: ${zipped.toString('latin1')}`])
  let text = 'é'
  for (let layer = 0; layer < 4; layer++) text = hex(utf8(text))
  expect(decoded('the body decoded from', utf8(text)).filter((one) => /^hex.*: c3a9$/.test(one))).toHaveLength(1)
  expect(decoded('the body decoded from', utf8(text)).filter((one) => one.endsWith(': \xc3\xa9'))).toEqual([])
})

it('every mistake is said in words', () => {
  const forms = [...new Set(ALGORITHMS.map(({ length }) => length))].flatMap((length) =>
    signatureForms('ab'.repeat(length), String),
  )
  const tables: readonly (readonly { readonly what: string }[])[] = [
    BODY_HYPOTHESES,
    SECRET_HYPOTHESES,
    NONCE_HYPOTHESES,
    TIMESTAMP_HYPOTHESES,
    digestHypotheses(forms),
  ]
  for (const { what } of tables.flat()) expect(what).toMatch(/^(\S+ .*\S|<detail>)$/)
})

it('a body in UTF-16 has a zero as its second byte', () => {
  const row = rowNamed(BODY_SOURCES, 'which arrived in UTF-16')
  expect(row.apply(utf16('{"a":1}', 'little-endian'), CONTEXT)).toBe('{"a":1}')
  expect(row.apply(utf8('{"a":1}'), CONTEXT)).toBeUndefined()
})

it('a text in the place of the body is proposed once, for the body as received', () => {
  const row = rowNamed(BODY_HYPOTHESES, 'the text `[object Object]` in the place of the body')
  const [body, changed] = [utf8('{"a": 1}'), utf8('{"a":1}')]
  expect([body, changed].map((one) => row.apply(one, { ...CONTEXT, body }))).toEqual(['[object Object]', undefined])
})

it('a placeholder has each usual name of the body, and is proposed once', () => {
  const row = rowNamed(BODY_HYPOTHESES, 'the placeholder `<detail>` in the place of the body')
  const body = utf8('{}')
  const names = (received: Uint8Array) => {
    const { variants } = (row.apply(body, { ...CONTEXT, body: received }) ?? { variants: [] }) as Variants<string>
    return variants.map(({ value }) => value).filter((value) => /^\w+$/.test(value))
  }
  expect(names(body)).toEqual(['body', 'BODY', 'payload', 'PAYLOAD', 'data', 'rawBody'])
  expect(names(utf8('{ }'))).toEqual([])
})

it('JSON in any encoding is written again, and each of its tokens has a cost', () => {
  const costs: number[] = []
  const apply = (body: Uint8Array) => {
    const steps = JSON_HYPOTHESES[0]?.apply(body, CONTEXT) as Steps<unknown>
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value
      costs.push(step.value)
    }
  }
  const written = (...values: Uint8Array[]) => ({ variants: values.map((value) => ({ detail: '', value })) })
  expect(apply(utf8('{"a": "\xeb"}'))).toEqual(written(utf8('{"a":"\xeb"}')))
  expect(apply(latin1('{"a": "\xeb"}'))).toEqual(written(latin1('{"a":"\xeb"}')))
  expect(apply(utf8('{"a": 1'))).toBeUndefined()
  // White space at the end of the body may have been added to what was signed, too.
  expect(apply(utf8('{"a": 1}\n'))).toEqual(written(utf8('{"a":1}\n'), utf8('{"a":1}')))
  expect(costs).toEqual([4 * 10, 4 * 10, 4 * 10])
  expect(JSON_HYPOTHESES[0]).toMatchObject({ likelihood: 'common', code: 'body_json', fix: 'serialize_once' })
})

it('the original body is a hypothesis, and comes first if curl -d sent it as a file', () => {
  const original = utf8('a\nb\n')
  const [file, any] = originalHypotheses(original)
  expect([file?.what, any?.what]).toEqual([
    "the whole file, from which curl's -d removed the line breaks",
    'the original body',
  ])
  expect([file?.likelihood, any?.likelihood]).toEqual(['common', 'common'])
  expect(file?.apply(utf8('ab'), CONTEXT)).toBe(original)
  expect(file?.apply(utf8('abc'), CONTEXT)).toBeUndefined()
  expect(any?.apply(utf8('abc'), CONTEXT)).toBe(original)
})

describe('the method, path and URL of a layout', () => {
  const [row] = LAYOUT_HYPOTHESES.filter(({ what }) => what.includes('`method\\nurl\\n'))
  const begins = (headers: RequestContext['headers']) => {
    const applied = row?.apply(CORRECT_LAYOUT, { ...CONTEXT, headers })
    const variants = applied !== undefined && 'variants' in applied ? applied.variants : []
    return variants.map(({ value }) => value.slice(0, 3).join(''))
  }

  it('are the usual ones if no header has them, or only one of more than 2048 characters', () => {
    const usual = ['/', '/webhook', '/webhooks', '/hooks'].flatMap((path) => [
      `POST\nhttps://localhost${path}`,
      `POST\nhttp://localhost${path}`,
    ])
    expect(begins([])).toEqual(usual)
    expect(begins([[':path', `/${'a'.repeat(2048)}`]])).toEqual(usual)
    expect(begins([[':path', `/${'a'.repeat(2047)}`]])).toHaveLength(2)
  })

  it('may be without the query', () => {
    const urls = ['/in?a=1', '/in'].flatMap((path) => [
      `POST\nhttps://localhost${path}`,
      `POST\nhttp://localhost${path}`,
    ])
    expect(begins([[':path', '/in?a=1']])).toEqual(urls)
  })
})

it('every fix is used', () => {
  const folder = join(ROOT, 'tools/src/diagnose')
  const files = pathsBelow(folder).filter((name) => name.endsWith('.ts'))
  const sources = files.filter((name) => name !== 'fixes.ts').map((name) => readFileSync(join(folder, name), 'utf8'))
  const unused = Object.keys(FIXES).filter((id) => !sources.some((source) => source.includes(`'${id}'`)))
  expect(unused).toEqual([])
})

it('no fix passes a secret as an argument, which every process can read', () => {
  const shellLines = Object.values(FIXES).flatMap((fix: Fix) => fix.lines?.shell ?? [])
  expect(shellLines.length).toBeGreaterThan(5)
  for (const line of shellLines) expect(line).not.toMatch(/-hmac|-macopt|key:/)
})

it.runIf(IS_POSIX && isInstalled('openssl'))('the fix for the digest in a shell prints 64 hex digits alone', () => {
  const [command] = FIXES.send_hex.lines.shell.split(' as the last step')
  const printed = execFileSync('sh', ['-c', String(command)], { input: 'abc', encoding: 'utf8' })
  expect(printed).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n')
})

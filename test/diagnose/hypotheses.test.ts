import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { concat, fromHex, hex, latin1, utf8 } from '../../src/diagnose/bytes.js'
import { instantOf } from '../../src/diagnose/checks/instant.js'
import { FIXES, type Fix } from '../../src/diagnose/fixes.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES, originalHypotheses } from '../../src/diagnose/hypotheses/body.js'
import { DIGEST_HYPOTHESES } from '../../src/diagnose/hypotheses/digest.js'
import type { Hypothesis, RequestContext } from '../../src/diagnose/hypotheses/hypothesis.js'
import { JSON_HYPOTHESES, JSON_WRITERS } from '../../src/diagnose/hypotheses/json.js'
import { CORRECT_LAYOUT, LAYOUT_HYPOTHESES } from '../../src/diagnose/hypotheses/layout.js'
import { NONCE_HYPOTHESES } from '../../src/diagnose/hypotheses/nonce.js'
import { SECRET_HYPOTHESES } from '../../src/diagnose/hypotheses/secret.js'
import { TIMESTAMP_HYPOTHESES } from '../../src/diagnose/hypotheses/timestamp.js'
import { parseJson } from '../../src/diagnose/json/parse.js'
import { writeJson } from '../../src/diagnose/json/write.js'
import { NODE_PRIMITIVES } from '../../src/diagnose/node-primitives.js'
import { messageOf } from '../../src/diagnose/ways-of-signing.js'
import { isInstalled } from '../support/programs.js'
import * as examples from './examples.js'

const CONTEXT: RequestContext = {
  headers: [
    [':path', '/in'],
    ['host', 'example.com'],
    ['x-request-id', 'the-request-id'],
  ],
  primitives: NODE_PRIMITIVES,
  spend: () => {},
}

/** Returns bytes in the notation of the examples. */
const bytesOf = (text: string) => (text.startsWith('hex:') ? (fromHex(text.slice(4)) as Uint8Array) : utf8(text))
const asBytes = (value: unknown) => (value instanceof Uint8Array ? value : utf8(String(value)))

/** Returns all values that a row proposes for an input, as hex. */
function proposed<Input, Output extends object | string>(
  row: Hypothesis<Input, Output>,
  input: Input,
  bytes: (output: Output) => Uint8Array,
) {
  const applied = row.apply(input, CONTEXT)
  if (applied === undefined) return []
  const isSeveral = typeof applied === 'object' && applied !== null && 'variants' in applied
  const values = isSeveral ? applied.variants.map(({ value }) => value) : [applied as Output]
  return values.map((value) => hex(bytes(value)))
}

const rowNamed = <Row extends { what: string }>(rows: readonly Row[], what: string) =>
  rows.find((row) => row.what === what) as Row
const named = <Row extends { what: string }>(rows: readonly Row[]) => rows.map((row) => [row.what, row] as const)
const BODY_HYPOTHESES = [...BODY_SOURCES, ...BODY_CHANGES, ...BODY_ENDINGS]

describe('each hypothesis gives what its example says was signed', () => {
  it.each(named(SECRET_HYPOTHESES))('%s', (what, row) => {
    const [secret, key] = examples.SECRET_EXAMPLES[what] as [string, string]
    expect(proposed(row, secret, asBytes)).toContain(hex(bytesOf(key)))
  })

  it.each(named(NONCE_HYPOTHESES))('%s', (what, row) => {
    const [received, signed] = examples.NONCE_EXAMPLES[what] as [string, string]
    expect(proposed(row, received, asBytes)).toContain(hex(bytesOf(signed)))
  })

  it.each(named(TIMESTAMP_HYPOTHESES))('%s', (what, row) => {
    const [value, signed] = examples.TIMESTAMP_EXAMPLES[what] as [string, string]
    const instant = instantOf(value, 1_700_000_000_000) as number
    expect(proposed(row, instant, asBytes)).toContain(hex(bytesOf(signed)))
  })

  it.each(named(BODY_HYPOTHESES))('%s', (what, row) => {
    const [received, signed] = examples.BODY_EXAMPLES[what] as [string, string]
    expect(proposed(row, bytesOf(received), asBytes)).toContain(hex(bytesOf(signed)))
  })

  it.each(named(LAYOUT_HYPOTHESES))('%j', (what, row) => {
    const message = (layout: readonly string[]) =>
      concat(...messageOf({ layout, timestamp: '17', nonce: 'ab', body: utf8('B') }))
    expect(proposed(row, CORRECT_LAYOUT, message)).toContain(hex(utf8(examples.LAYOUT_EXAMPLES[what] as string)))
  })

  it.each(named(DIGEST_HYPOTHESES))('%s', (what, row) => {
    const input = { algorithm: 'sha256', key: utf8('key'), message: [utf8('mess'), utf8('age')] } as const
    expect(proposed(row, input, asBytes)).toEqual([hex(bytesOf(examples.DIGEST_EXAMPLES[what] as string))])
  })

  it.each(JSON_WRITERS.map(({ writer, style }) => [writer, style] as const))('%s', (writer, style) => {
    const json = parseJson(examples.JSON_EXAMPLE)
    expect(json && writeJson(json, style)).toBe(examples.JSON_EXAMPLES[writer])
  })
})

describe('a hypothesis gives no other value', () => {
  it.each([
    ['the body in UTF-8, which arrived in Latin-1 or Windows-1252', 'Zoë'],
    ['the body in UTF-8, which arrived encoded twice (é as Ã©)', 'Zoë'],
    ['the body in UTF-8, which arrived encoded twice (é as Ã©)', '漢'],
    ['the body without its byte order mark', '{}'],
    ['the body decoded from the base64 in the JSON string received', '{"a":1}'],
    ['the body in Latin-1 or Windows-1252 instead of UTF-8', '漢'],
    ['the body in UTF-8 twice (é as Ã©)', 'hex:5a6feb'],
    ['the body in ASCII, with `?` for everything else', 'Zoe'],
  ])('%s: %s', (what, received) => {
    expect(proposed(rowNamed(BODY_HYPOTHESES, what), bytesOf(received), asBytes)).toEqual([])
  })

  it('without a line break at the end', () => {
    const row = rowNamed(BODY_HYPOTHESES, 'the body without the line break at its end')
    expect(['a\n', 'a\r\n', 'a'].map((body) => proposed(row, utf8(body), asBytes))).toEqual([['61'], ['61'], ['61']])
  })

  it.each([
    ['the secret without the quotes around it', 'x"abc"', undefined],
    ['the secret without the quotes around it', '"abc"x', undefined],
    ['the secret without the quotes around it', '"abc\'', undefined],
    ['the secret without the `=` at its end', 'a=b==', 'a=b'],
    ['the secret up to a `#`, which begins a comment in a .env file', 'ab  #cd', 'ab'],
    ['the secret up to a `#`, which begins a comment in a .env file', 'ab#c\nd', 'ab'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a shell.
    ['the secret without what a shell takes for a variable (`$…`)', 'a${BC}d$@e$%$f', 'ade$%'],
  ])('%s: %s', (what, secret, key) => {
    expect(rowNamed(SECRET_HYPOTHESES, what).apply(secret, CONTEXT)).toBe(key)
  })

  it.each([
    ['the nonce without the quotes or brackets around it', 'x"a"'],
    ['the nonce without the quotes or brackets around it', '"a"x'],
    ['the nonce without the braces around it, in lowercase', 'x{a}'],
    ['the nonce without the braces around it, in lowercase', '{a}x'],
  ])('%s: %s', (what, nonce) => {
    expect(rowNamed(NONCE_HYPOTHESES, what).apply(nonce, CONTEXT)).toBeUndefined()
  })

  it('of a timestamp', () => {
    const row = rowNamed(TIMESTAMP_HYPOTHESES, 'a timestamp {} than in the header')
    expect(row.apply(100_000, CONTEXT)).toEqual({
      variants: [
        { detail: '1 s earlier', value: '99' },
        { detail: '1 s later', value: '101' },
        { detail: '2 s earlier', value: '98' },
        { detail: '2 s later', value: '102' },
      ],
    })
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
    const row = rowNamed(NONCE_HYPOTHESES, 'the value of the header {} for the nonce')
    expect(row.apply('n', { ...CONTEXT, headers })).toEqual({
      variants: [
        { detail: 'x-trace', value: 'a'.repeat(512) },
        { detail: `x-${'n'.repeat(62)}`, value: 'b' },
      ],
    })
  })
})

it('JSON in any encoding is written again, and each of its tokens has a cost', () => {
  const spent: number[] = []
  const apply = (body: Uint8Array) =>
    JSON_HYPOTHESES[0]?.apply(body, { ...CONTEXT, spend: (bytes) => spent.push(bytes) })
  expect(apply(utf8('{"a": "\xeb"}'))).toEqual(utf8('{"a":"\xeb"}'))
  expect(apply(latin1('{"a": "\xeb"}'))).toEqual(latin1('{"a":"\xeb"}'))
  expect(apply(utf8('{"a": 1'))).toBeUndefined()
  expect(spent).toEqual([4 * 128, 4 * 128, 0])
  expect(JSON_HYPOTHESES[0]).toMatchObject({ likelihood: 'common', code: 'body_json', fix: 'serialize_once' })
})

it('the original body is a hypothesis, first as the file of -d', () => {
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

  it.each([':path', 'x-forwarded-uri', 'x-original-uri', 'x-original-url', 'x-envoy-original-path'])(
    'come from %s, with and without its query',
    (name) => {
      expect(begins([[name, '/in?a=b?c']])).toEqual(['POST\nhttps://localhost/in?a=b?c', 'POST\nhttps://localhost/in'])
    },
  )

  it('come from :method', () => {
    const headers = [
      [':method', 'PUT'],
      [':path', '/'],
    ] as const
    expect(begins(headers)).toEqual(['PUT\nhttps://localhost/'])
  })

  it.each(['x-forwarded-host', ':authority', 'host'])('come from %s', (name) => {
    expect(
      begins([
        [name, 'a.example'],
        [':path', '/'],
      ]),
    ).toEqual(['POST\nhttps://a.example/'])
  })

  it('are the usual ones if no header has them, or a header of more than 2048 characters', () => {
    const usual = ['/', '/webhook', '/webhooks', '/hooks'].map((path) => `POST\nhttps://localhost${path}`)
    expect(begins([])).toEqual(usual)
    expect(begins([[':path', `/${'a'.repeat(2048)}`]])).toEqual(usual)
    expect(begins([[':path', `/${'a'.repeat(2047)}`]])).toHaveLength(1)
  })
})

it.each([
  [SECRET_HYPOTHESES, examples.SECRET_EXAMPLES],
  [NONCE_HYPOTHESES, examples.NONCE_EXAMPLES],
  [TIMESTAMP_HYPOTHESES, examples.TIMESTAMP_EXAMPLES],
  [BODY_HYPOTHESES, examples.BODY_EXAMPLES],
  [LAYOUT_HYPOTHESES, examples.LAYOUT_EXAMPLES],
  [DIGEST_HYPOTHESES, examples.DIGEST_EXAMPLES],
  [JSON_WRITERS.map(({ writer }) => ({ what: writer })), examples.JSON_EXAMPLES],
])('every hypothesis has one example, in the order of the table', (rows, known) => {
  expect(Object.keys(known)).toEqual(rows.map(({ what }) => what))
})

it('every fix is used', () => {
  const folder = new URL('../../src/diagnose/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const sources = files.filter((name) => name !== 'fixes.ts').map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const unused = Object.keys(FIXES).filter((id) => !sources.some((source) => source.includes(`'${id}'`)))
  expect(unused).toEqual([])
})

it('no fix passes a secret as an argument, which every process can read', () => {
  const shellLines = Object.values(FIXES).flatMap((fix: Fix) => fix.lines?.shell ?? [])
  expect(shellLines.length).toBeGreaterThan(10)
  for (const line of shellLines) expect(line).not.toMatch(/-hmac|-macopt|key:/)
})

it.runIf(isInstalled('python3'))('the fix for the digest in a shell prints the signature of message.bin', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inbound-webhook-auth-'))
  try {
    // The worked example of docs/send/index.md.
    const message = '1700000000:6f9619ff-8b86-4d01-b42d-00cf4fc964ff:{"event":"invoice.paid"}'
    writeFileSync(join(folder, 'message.bin'), message)
    const env = { ...process.env, WEBHOOK_SECRET: 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE' }
    const printed = execFileSync('sh', ['-c', FIXES.send_hex.lines.shell], { cwd: folder, env, encoding: 'utf8' })
    expect(printed).toBe('89d2bafb2f4f7df548d8d3a266bf57deccecd53c40bb48f32ce52e240290a8ec\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const ODD_INPUTS = [
  '',
  ' ',
  '\n',
  '%',
  '%zz',
  '{',
  '[',
  '"',
  '\\',
  '=',
  '--x\r\n',
  '\ufeff',
  '\ufffd',
  '€',
  '\ud83d\ude00',
  'hex:ff',
  'hex:00ff',
]

it('no row throws for odd input', () => {
  for (const input of ODD_INPUTS) {
    for (const row of BODY_HYPOTHESES) row.apply(bytesOf(input), CONTEXT)
    for (const row of [...SECRET_HYPOTHESES, ...NONCE_HYPOTHESES]) row.apply(input, CONTEXT)
  }
})

it('Node skips a hash that it lacks', () => {
  const key = utf8('key')
  expect(NODE_PRIMITIVES.hash('none' as 'md5', [key])).toBeUndefined()
  expect(NODE_PRIMITIVES.hmac('none' as 'md5', key, [key])).toBeUndefined()
})

it('a hash that the platform lacks is skipped', () => {
  const primitives = { ...NODE_PRIMITIVES, hash: () => undefined, hmac: () => undefined }
  const input = { algorithm: 'md5', key: utf8('key'), message: [utf8('message')] } as const
  for (const row of DIGEST_HYPOTHESES) expect(row.apply(input, { ...CONTEXT, primitives })).toBeUndefined()
  for (const row of [...SECRET_HYPOTHESES, ...BODY_CHANGES].filter(({ code }) => code.endsWith('_hashed'))) {
    expect(
      (row.apply as (input: unknown, context: RequestContext) => unknown)('abc', { ...CONTEXT, primitives }),
    ).toBeUndefined()
  }
})

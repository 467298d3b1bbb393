import { createHmac } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyChanges, ENDINGS } from '../../src/diagnose/body.js'
import type { Choice } from '../../src/diagnose/choice.js'
import { digestChoices } from '../../src/diagnose/digest.js'
import { diagnose } from '../../src/diagnose/index.js'
import { layoutChoices, layoutText, nonceChoices, timestampChoices } from '../../src/diagnose/message.js'
import { keyChoices } from '../../src/diagnose/secret.js'
import { NONCE, NOW, SECRET, signatureOf, signedRequest, TIMESTAMP } from '../support/request.js'

// Every hypothesis is found when it is what happened, within the bound on the work.

const right = digestChoices([32])[0]?.value

/** What is found when `message` was signed with this key. */
async function findingsFor(
  message: string | Buffer,
  body: string | Buffer,
  key: Buffer = Buffer.from(SECRET),
  secret = SECRET,
) {
  const signature = right?.make(key, [Buffer.from(message)]).toString('hex') ?? ''
  const request = signedRequest({ body, signature })
  return (await diagnose(request, secret, { now: () => NOW })).findings
}

/** The finding that a hypothesis should give, or one that is cheaper and comes to the same bytes. */
function expectNamed(findings: Awaited<ReturnType<typeof findingsFor>>, choice: Choice<unknown>): void {
  expect(findings.map(({ code }) => code)).not.toContain('signature_mismatch')
  const [dimension] = choice.deviation?.code.split('_') ?? []
  const named = findings.slice(0, 2).map(({ code }) => code)
  expect(named.some((code) => code.startsWith(`${dimension}_`) || /^(body|message)_/.test(code))).toBe(true)
}

const PREFIX = `${TIMESTAMP}:${NONCE}:`

describe('the body that was signed', () => {
  /** Bodies to which between them every change makes a difference. */
  const samples = [
    '{"a":1,"b":"x y","c":{"d":true,"e":null},"f":"it\'s <b> \\" \\n é e\u0301 ﬁ € \u2126"}\n',
    'a=x+y%C3%9F&b=%7E&payload=%7B%22a%22%3A1%7D&data=1&body=2',
    '"{\\"a\\":1}"',
    'line one\r\nline two  \nline three',
    '{  "a": 1,  "b": 2}',
    Buffer.from('eyJhIjoxfQ=='),
    '7b2261223a317d',
    '\ufeffa body',
    Buffer.from('{"name":"Zo\xeb"}', 'latin1'),
    'Zo\ufffd',
    'Zo\u00c3\u00ab',
    '5 \u00e2\u201a\u00ac',
    Buffer.from('35208078', 'hex'),
    'a=1&b=True&c=x',
    '{"a":true,"b":null,"c":"\'(*)!"}',
    Buffer.from('a body', 'utf16le'),
    'a &quot;body&quot; \\n &lt;with&gt; &#039;it&#039; &amp; that',
    '%7B%22a%22%3A1%7D',
    'Zoë',
    '5 €',
    'a=x%20y',
    '[{"a":1}]',
    gzipSync('a body'),
    deflateSync('a body'),
    deflateRawSync('a body'),
    brotliCompressSync('a body'),
    'it is "quoted" \\ and\u0000cut',
    "a=https://a/%C3%A9'&b=1",
    '"eyJhIjoxfQ=="',
    `${Array.from({ length: 8 }, (_, part) => `--b\r\nContent-Type: text/plain\r\n\r\npart ${part}\r\n`).join('')}--b--`,
  ].map((sample) => Buffer.from(sample))

  const tried = bodyChanges(false).map((change) => {
    const body = samples.find((sample) => change.value(sample)?.equals(sample) === false)
    return [change.deviation?.what, change, body ?? Buffer.from('a body')] as const
  })

  it.each(tried)('is %s', async (_, change, body) => {
    const signed = change.value(body)
    expect(signed).toBeDefined()
    expectNamed(await findingsFor(Buffer.concat([Buffer.from(PREFIX), signed ?? body]), body), change)
  })

  it.each(ENDINGS.slice(1).map((ending) => [ending.deviation?.what, ending] as const))(
    'is the body %s',
    async (_, ending) => {
      const body = Buffer.from('a body\r\n')
      const [kept, added] = ending.value(body)
      expectNamed(await findingsFor(`${PREFIX}${kept}${added}`, body), ending)
    },
  )
})

describe('the key that was used', () => {
  const secrets = [
    SECRET,
    ' "q+%41&\\n$a $$#c=d;e,f:g é" ',
    'whsec_c2VjcmV0cw==',
    'v1:00112233ff',
    '<it\'s "a" & b>',
    '\ufeffa-b_c\n',
  ]
  const tried = secrets.flatMap((secret) =>
    keyChoices([secret], '42')
      .filter(
        ({ cost, deviation }) =>
          cost > 0 && (secret === SECRET ? cost <= 6 : cost <= 5 && deviation?.code !== 'secret_placeholder'),
      )
      .map((choice) => [choice.deviation?.what, secret, choice] as const),
  )
  it.each(tried)('is %s: %j', async (_, secret, choice) => {
    expectNamed(await findingsFor(`${PREFIX}a body`, 'a body', choice.value, secret), choice)
  })
})

describe('the message that was signed', () => {
  const received = { webhookId: '42', timestamp: TIMESTAMP, nonce: NONCE, headers: [] }
  const parts: Record<string, string> = { timestamp: TIMESTAMP, nonce: NONCE, body: 'a body' }
  const layouts = layoutChoices(received).filter(({ cost }) => cost > 0 && cost <= 5)
  it.each(layouts.map((choice) => [layoutText(choice.value), choice] as const))('is %s', async (_, choice) => {
    const message = choice.value
      .map((part) => (typeof part === 'symbol' ? parts[String(part.description)] : part))
      .join('')
    expectNamed(await findingsFor(message, 'a body'), choice)
  })

  const timestamps = timestampChoices(TIMESTAMP, NOW).filter(({ cost }) => cost > 0 && cost <= 6)
  it.each(timestamps.map((choice) => [choice.value, choice] as const))(
    'has the timestamp %j',
    async (timestamp, choice) => {
      expectNamed(await findingsFor(`${timestamp}:${NONCE}:a body`, 'a body'), choice)
    },
  )

  const nonces = nonceChoices(received).filter(({ cost }) => cost > 0)
  it.each(nonces.map((choice) => [choice.value, choice] as const))('has the nonce %j', async (nonce, choice) => {
    expectNamed(await findingsFor(`${TIMESTAMP}:${nonce}:a body`, 'a body'), choice)
  })
})

describe('the digest', () => {
  it.each([16, 20, 28, 32, 48, 64])('of %i bytes is found, however it is made', async (size) => {
    for (const choice of digestChoices([size]).filter(({ cost }) => cost <= 8)) {
      const digest = choice.value.make(Buffer.from(SECRET), [Buffer.from(`${PREFIX}a body`)])
      expect(digest).toHaveLength(size)
      const request = signedRequest({ signature: digest.toString('hex') })
      const { genuine, findings } = await diagnose(request, SECRET, { now: () => NOW })
      expect(genuine).toBe(choice.deviation === undefined)
      if (choice.deviation !== undefined) expect(findings[0]).toMatchObject({ code: choice.deviation.code })
    }
  })
})

describe('two of the usual mistakes at once', () => {
  // Made here without the library's words for them.
  const bodies: Record<string, (body: string) => string> = {
    body_newline: (body) => `${body}\n`,
    body_json: (body) => body.replaceAll(',', ', ').replaceAll(':', ': '),
    body_not_signed: () => '',
    body_encoding: (body) => `\ufeff${body}`,
  }
  const secrets: Record<string, (secret: string) => string | Buffer> = {
    secret_whitespace: (secret) => `${secret}\n`,
    secret_quotes: (secret) => `"${secret}"`,
    secret_encoding: (secret) => Buffer.from(secret, 'hex'),
    secret_prefix: (secret) => `whsec_${secret}`,
  }
  const messages: Record<string, (timestamp: string, nonce: string, body: string) => string> = {
    message_layout: (timestamp, nonce, body) => `${timestamp}.${nonce}.${body}`,
    message_timestamp: (timestamp, nonce, body) => `${timestamp}000:${nonce}:${body}`,
    message_nonce: (timestamp, nonce, body) => `${timestamp}:${nonce.toUpperCase()}:${body}`,
  }
  const signatures: Record<string, (digest: Buffer) => string> = {
    signature_format: (digest) => digest.toString('base64'),
    signature_truncated: (digest) => digest.toString('hex').slice(0, 40),
  }
  const secret = '00112233445566778899aabbccddeeff'
  const body = '{"a":1,"b":[true,null]}'

  it.each(Object.keys({ ...bodies, ...secrets, ...messages, ...signatures }))(
    'are both named: %s and another',
    async (one) => {
      const others = fc.constantFrom(...Object.keys({ ...bodies, ...secrets, ...messages, ...signatures }))
      const kind = (code: string) => code.split('_')[0]
      await fc.assert(
        fc.asyncProperty(
          others.filter((other) => kind(other) !== kind(one)),
          async (other) => {
            const chosen = <T>(table: Record<string, T>): T | undefined => table[one] ?? table[other]
            const signedBody = chosen(bodies)?.(body) ?? body
            const key = chosen(secrets)?.(secret) ?? secret
            const plain = `${TIMESTAMP}:${NONCE}:${signedBody}`
            const message = chosen(messages)?.(TIMESTAMP, NONCE, signedBody) ?? plain
            const digest = right?.make(Buffer.from(key as string), [Buffer.from(message)]) ?? Buffer.alloc(0)
            const signature = chosen(signatures)?.(digest) ?? digest.toString('hex')
            const { findings } = await diagnose(signedRequest({ body, signature }), secret, { now: () => NOW })
            expect(findings.map(({ code }) => code).sort()).toEqual([one, other].sort())
          },
        ),
        { numRuns: 6 },
      )
    },
  )
})

describe('milliseconds that the header does not have', () => {
  const body = '{"a":1,"b":[true,null]}'
  const spaced = '{"a": 1, "b": [true, null]}'
  it.each([
    ['alone', body, SECRET, ['message_timestamp']],
    ['and a line feed after the body', `${body}\n`, SECRET, ['message_timestamp', 'body_newline']],
    ['and other white space', spaced, SECRET, ['message_timestamp', 'body_json']],
    ['and a line feed after the secret', body, `${SECRET}\n`, ['secret_whitespace', 'message_timestamp']],
  ])('are found %s', async (_, signed, key, codes) => {
    const findings = await findingsFor(`1700000000123:${NONCE}:${signed}`, body, Buffer.from(key))
    expect(findings.map(({ code }) => code)).toEqual(codes)
  })

  it.each([
    ['', ['timestamp_unit']],
    ['\n', ['body_newline', 'timestamp_unit']],
  ])('and seconds that were signed are one mistake: %j', async (end, codes) => {
    const signature = signatureOf(TIMESTAMP, NONCE, body + end, SECRET)
    const { webhookId, headers } = signedRequest({ signature })
    const request = { webhookId, headers: { ...headers, 'x-timestamp': '1700000000123' }, body }
    const { findings } = await diagnose(request, SECRET, { now: () => NOW })
    expect(findings.map(({ code }) => code)).toEqual(codes)
  })
})

describe("what Go's Sum appends to its argument", () => {
  const nothing = right?.make(Buffer.from(SECRET), []) ?? Buffer.alloc(0)
  it.each([
    ['a body', 'hex'],
    ['a body', 'base64'],
    ['a long body '.repeat(300), 'hex'],
    ['a long body '.repeat(300), 'base64'],
  ] as const)('is found: %#', async (body, encoding) => {
    const signature = Buffer.concat([Buffer.from(PREFIX + body), nothing]).toString(encoding)
    const { findings } = await diagnose(signedRequest({ body, signature }), SECRET, { now: () => NOW })
    expect(findings).toMatchObject([
      {
        code: 'message_layout',
        message: expect.stringContaining('an empty message'),
        fix: expect.stringContaining('mac.Sum(nil)'),
      },
      { code: 'signature_format', message: expect.stringContaining('other bytes before the digest') },
    ])
  })
})

it.each([
  ['sha512', 'SHA-512'],
  ['sha384', 'SHA-384'],
])('names %s though it was cut to the length of SHA-256', async (algorithm, name) => {
  const signature = createHmac(algorithm, SECRET).update(`${PREFIX}a body`).digest('hex').slice(0, 64)
  const { findings } = await diagnose(signedRequest({ signature }), SECRET, { now: () => NOW })
  expect(findings).toMatchObject([{ code: 'signature_algorithm', message: expect.stringContaining(name) }])
})

it('names a secret and a message that are both in UTF-16', async () => {
  const signature = createHmac('sha256', Buffer.from(SECRET, 'utf16le'))
    .update(PREFIX + 'a body', 'utf16le')
    .digest('hex')
  const { findings } = await diagnose(signedRequest({ signature }), SECRET, { now: () => NOW })
  expect(findings).toMatchObject([{ code: 'body_encoding', message: expect.stringContaining('keyed by the secret') }])
})

it.each([
  [`{${NONCE.toUpperCase()}}`, NONCE],
  [NONCE, `{${NONCE.toUpperCase()}}`],
])('names the braces of a GUID that was sent as %s', async (sent, signed) => {
  const signature = signatureOf(TIMESTAMP, signed, 'a body', SECRET)
  const { findings } = await diagnose(signedRequest({ nonce: sent, signature }), SECRET, { now: () => NOW })
  expect(findings).toMatchObject([{ code: 'message_nonce', message: expect.stringContaining('braces') }])
})

it.each<[string, (digest: Buffer) => string]>([
  ['decimal numbers, as Python prints lists', (digest) => `[${[...digest].join(', ')}]`],
  ['one decimal number', (digest) => String(BigInt(`0x${digest.toString('hex')}`))],
  ['its bytes as they are', (digest) => digest.toString('latin1')],
  ['its bytes decoded as UTF-8', (digest) => digest.toString('utf8')],
])('names a digest that was sent as %s', async (what, print) => {
  const signature = print(createHmac('sha256', SECRET).update(`${PREFIX}a body`).digest())
  const { findings } = await diagnose(signedRequest({ signature }), SECRET, { now: () => NOW })
  expect(findings).toMatchObject([{ code: 'signature_format', message: expect.stringContaining(what) }])
})

it('is not made up: a signature that nothing gives is explained by nothing', async () => {
  for (let index = 0; index < 10; index++) {
    const signature = signatureOf(TIMESTAMP, NONCE, `another body ${index}`, SECRET).slice(0, index % 2 === 0 ? 64 : 8)
    const { findings } = await diagnose(signedRequest({ signature }), SECRET, { now: () => NOW })
    expect(findings.at(-1)).toMatchObject({ code: 'signature_mismatch' })
  }
})

describe('which of the two bodies is wrong is told apart:', () => {
  const text = '{"c":"Zoë"}'
  it.each([
    ['UTF-8 signed, Latin-1 sent', text, Buffer.from(text, 'latin1'), /in UTF-8, which arrived in Latin-1/],
    ['Latin-1 signed, UTF-8 sent', Buffer.from(text, 'latin1'), text, /in Latin-1 instead of UTF-8/],
    ['UTF-8 signed, UTF-8 twice sent', text, twice(text), /in UTF-8, which arrived encoded twice/],
    ['UTF-8 twice signed, UTF-8 sent', twice(text), text, /in UTF-8 twice/],
    ['a hash of Ruby 3.4', '{"a" => {"b-c" => nil}}', '{"a":{"b-c":null}}', /inspect prints it since 3\.4, not/],
    ['symbols of Ruby 3.4', '{a: {"b-c": nil}}', '{"a":{"b-c":null}}', /since 3\.4, its keys being symbols/],
    ["Jackson's lines signed, compact sent", '{\n  "a" : [ 1, 2 ],\n  "b" : 2\n}', '{"a":[1,2],"b":2}', /Jackson/],
  ])('%s', async (_, signed, received, message) => {
    const [first] = await findingsFor(Buffer.concat([Buffer.from(PREFIX), Buffer.from(signed)]), received)
    expect(first?.message).toMatch(message)
  })

  function twice(once: string): Buffer {
    return Buffer.from(Buffer.from(once).toString('latin1'))
  }
})

describe('a mismatch that nothing explains', () => {
  const unexplained = (body: string | Buffer, signature: string) =>
    diagnose(signedRequest({ body, signature }), SECRET, { now: () => NOW })

  it('is no sign of U+FFFD in a body that holds other bytes that are no UTF-8', async () => {
    const { findings } = await unexplained(Buffer.from('8950ffefbfbd00', 'hex'), '0'.repeat(64))
    expect(findings.map(({ code }) => code)).toEqual(['signature_mismatch'])
  })

  it('may be of a compressed body that was inflated on the way, which cannot be proved', async () => {
    const { webhookId, headers, body } = signedRequest({ signature: '0'.repeat(64) })
    const request = { webhookId, headers: { ...headers, 'content-encoding': 'gzip' }, body }
    const { findings } = await diagnose(request, SECRET, { now: () => NOW })
    expect(findings).toMatchObject([
      { code: 'body_compressed', message: expect.stringContaining('cannot be proved') },
      { code: 'signature_mismatch' },
    ])
  })

  it('may be of a part of a multipart body that has no end', async () => {
    const body = '--b\r\n\r\nwhole\r\n--b\r\n\r\nno end'
    const { findings } = await unexplained(body, signatureOf(TIMESTAMP, NONCE, 'no end', SECRET))
    expect(findings.map(({ code }) => code)).toEqual(['signature_mismatch'])
  })

  it('says how long a signature of another length is', async () => {
    const { findings } = await unexplained('a body', 'f'.repeat(40))
    expect(findings[0]?.message).toMatch(/it has 40 hex digits\.$/)
  })

  it('takes no time for the digits of a number that none has', async () => {
    for (const body of ['1'.repeat(65_000), `[${'9'.repeat(20_000)}]`]) {
      const start = process.cpuUsage()
      await unexplained(body, '0'.repeat(64))
      // It took a minute; this bound is for slow machines.
      expect(process.cpuUsage(start).user / 1e6).toBeLessThan(20)
    }
  })
})

import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { findLeaks } from '../../../test/support/leaks.js'
import { everyThird, IS_WHOLE } from '../../../test/support/whole.js'
import { findingsText } from '../../src/cli/output/findings.js'
import { styleOf } from '../../src/cli/output/terminal.js'
import { type Diagnosis, diagnose, type Finding, LANGUAGES } from '../../src/diagnose/index.js'
import { diagnoseBriefly } from './brief-search.js'
import { CAPTURED, type Captured } from './captured.js'

/** Requests whose cause would need too many guesses. `diagnose` cannot explain them, and must not name a wrong cause. */
const UNEXPLAINED = [
  'a large integer that was rounded on the way',
  'milliseconds with their fraction in the message, json.dumps',
  'milliseconds with their fraction in the message, secret with newline',
]

/** Requests of four kinds that `npm test` searches whole, too. */
const ALWAYS_SEARCHED = [
  'SHA-256 of the body',
  'Perl: pretty',
  'Node: HMAC twice, dots',
  'curl -d took the line breaks out',
]

const third = new Set(everyThird(CAPTURED))
const TRIED = CAPTURED.filter((request) => third.has(request) || ALWAYS_SEARCHED.includes(request.name))

describe('the first or second finding names the mistake of a broken request', () => {
  it('is checked with many requests', () => {
    expect(CAPTURED.length).toBeGreaterThan(250)
  })

  it.each(UNEXPLAINED)('%s is unexplained', async (name) => {
    const { findings } = await diagnoseCaptured(requestNamed(name))
    expect(findings.map(({ code }) => code)).toEqual(['signature_mismatch'])
  })

  const explained = TRIED.filter(({ name }) => !UNEXPLAINED.includes(name))
  // The search for leaks reads each finding in nine languages, which takes long.
  const searchedForLeaks = new Set(everyThird(explained))
  it.each(explained.map((request) => [request.name, request] as const))('%s', async (_, request) => {
    const { codes, secret } = request
    const { genuine, findings, language } = await diagnoseCaptured(request)
    if (isLeftOut(request, findings)) {
      expect(findings.at(-1)).toMatchObject({ code: 'signature_mismatch' })
      leftOut.push(request)
      return
    }
    expect(findings.map(({ code }) => code).slice(0, 2)).toSatisfy((found: string[]) =>
      found.some((code) => codes.includes(code)),
    )
    if (request.side !== undefined) expect(findings[0]?.side).toBe(request.side)
    if (request.only) expect(findings).toHaveLength(1)
    for (const words of request.says ?? []) expect(JSON.stringify(findings[0])).toContain(words)
    if (language !== undefined)
      for (const { fixes } of findings) expect([undefined, language]).toContain(Object.keys(fixes)[0])
    expect(genuine).toBe(findings.every(({ code }) => code === 'secret_exposed'))
    for (const { message, fix, side } of findings) {
      expect(message).toMatch(/^[A-Z].*\.$/s)
      expect(fix).toMatch(side === 'unknown' ? /^On the sender's side: .*\nOn the receiver's side: / : /^[A-Z]/)
    }
    if (!searchedForLeaks.has(request)) return
    for (const one of [secret].flat()) expect(findLeaks(printed(findings), one, textOf(request))).toEqual([])
  })

  it('only a few need more than a brief search', () => {
    expect(leftOut.length).toBeLessThan(TRIED.length / 5)
  })

  it.each(
    explained
      .filter(({ codes }) => codes.length === 1 && codes[0] !== 'signature_mismatch')
      .map((request) => [request.name, request] as const),
  )('the first finding for one mistake: %s', async (_, request) => {
    const { findings } = await diagnoseCaptured(request)
    if (!leftOut.includes(request)) expect(request.codes).toContain(findings[0]?.code)
  })
})

describe('no finding says that a clock is wrong if nobody knows when the request arrived', () => {
  it.each(TRIED.map((request) => [request.name, request] as const))('%s', async (_, request) => {
    // A search changes nothing about the clock.
    const { genuine, findings } = await diagnoseBriefly(requestOf(request), request.secret, undefined, 0)
    const codes = findings.map(({ code }) => code)
    expect(codes.slice(0, -1).filter((code) => code.startsWith('clock_'))).toEqual([])
    expect(genuine).toBe(false)
    expect(['clock_behind', 'clock_ahead', 'clock_time_zone']).not.toContain(codes.at(-1))
  })
})

describe('a secret that was sent is the first finding, and is shown nowhere', () => {
  const exposed = TRIED.filter(({ codes }) => codes.includes('secret_exposed'))
  it.each(exposed.map((request) => [request.name, request] as const))('%s', async (_, request) => {
    const { findings } = await diagnoseCaptured(request)
    const secret = String(request.secret)
    expect(findings[0]).toMatchObject({ code: 'secret_exposed', side: 'unknown' })
    const text = printed(findings)
    const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
    const forms = [
      secret,
      secret.replace('whsec_', ''),
      base64,
      Buffer.from(secret).toString('hex'),
      encodeURIComponent(secret),
    ]
    for (const form of [...forms, Buffer.from(`api:${secret}`).toString('base64').slice(8, -4)])
      expect(text).not.toContain(form)
  })
})

describe('no four characters of the secret are printed, plain, in hex or in base64', () => {
  const SECRETS = [
    'kQ7z+Xw93/Vb0',
    ' kQ7z+Xw93/Vb0',
    'kQ7z\u200bXw93/Vb0',
    '"kQ7z+Xw93/Vb0"',
    '$kQ7z+Xw93/Vb0',
    '<kQ7z+Xw93/Vb0>',
  ]

  it.each(SECRETS)('if nothing explains the signature: %j', async (secret) => {
    const request = { ...requestNamed(UNEXPLAINED[0]), secret }
    const { findings } = await diagnoseBriefly(requestOf(request), secret, { now: () => request.now })
    expect(findings.at(-1)).toMatchObject({ code: 'signature_mismatch' })
    expect(findLeaks(printed(findings), secret, textOf(request))).toEqual([])
  })

  it.each([
    ['kQ7z', 'The secret begins with kQ7z.'],
    ['z+Xw', 'z+Xw93'],
    ['6b51', 'SHA-256: 6b5137'],
    ['a1E3', 'a1E3eitY'],
    ['UTd6', 'UTd6K1h3'],
  ])('the search for leaks finds %s', (piece, text) => {
    expect(findLeaks(text, 'kQ7z+Xw93/Vb0', '')).toContain(piece)
    expect(findLeaks(text, 'kQ7z+Xw93/Vb0', text)).toEqual([])
  })
})

function requestNamed(name: string | undefined): Captured {
  const found = CAPTURED.find((request) => request.name === name)
  if (found === undefined) throw new Error(`No captured request has the name ${name}.`)
  return found
}

/** The requests that were diagnosed, so that each is searched once. */
const diagnosed = new Map<Captured, Promise<Diagnosis>>()

function diagnoseCaptured(request: Captured): Promise<Diagnosis> {
  const diagnosis = diagnosed.get(request) ?? search(request)
  diagnosed.set(request, diagnosis)
  return diagnosis
}

/** Searches briefly first, because a search that finds nothing takes long. `npm test` does no more, except for a few requests. */
async function search(request: Captured): Promise<Diagnosis> {
  const clock = { now: () => request.now }
  const brief = await diagnoseBriefly(requestOf(request), request.secret, clock)
  return isNamed(request, brief.findings) || isLeftOut(request, brief.findings)
    ? brief
    : diagnose(requestOf(request), request.secret, clock)
}

/** Requests that need a whole search, and did not get one. */
const leftOut: Captured[] = []

function isLeftOut(request: Captured, findings: readonly Finding[]): boolean {
  return !isNamed(request, findings) && !IS_WHOLE && !ALWAYS_SEARCHED.includes(request.name)
}

/** Returns whether a finding names the cause. */
function isNamed({ codes }: Captured, findings: readonly Finding[]): boolean {
  return findings.some(({ code }) => codes.includes(code))
}

function requestOf({ method, path, headers, body }: Captured) {
  return { webhookId: '42', method, path, headers, body: Buffer.from(body, 'base64') }
}

/** Returns findings as the command line prints them, with every language, and as JSON. */
function printed(findings: readonly Finding[]): string {
  const all = LANGUAGES.map((language) => findingsText(findings, styleOf(new PassThrough()), language))
  return [...all, JSON.stringify(findings)].join('\n')
}

/** The parts of a request that may be printed with any secret. */
function textOf({ now, headers, body }: Captured): string {
  const bytes = Buffer.from(body, 'base64')
  const hash = createHash('sha256').update(bytes).digest('hex')
  const punctuation = JSON.stringify({ side: 'sender' })
  return [JSON.stringify(headers), bytes.toString(), hash, new Date(now).toISOString(), punctuation].join('\n')
}

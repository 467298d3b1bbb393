import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Diagnosis, Side } from '../../src/diagnose/index.js'
import { findLeaks } from '../leaks.js'

/** A broken request as a sender made it. */
export interface Captured {
  readonly name: string
  /** Where it comes from: a public report, a twin of a report, or a program that makes one mistake. */
  readonly source: 'report' | 'twin' | 'program'
  /** The codes that name the cause. If the cause can be explained in two ways, there are two. */
  readonly codes: readonly string[]
  /** The codes of the request's other mistakes, if only all of them together explain the signature. */
  readonly others?: readonly string[]
  /** The side of the first finding. */
  readonly side?: Side
  /** Words that the first finding must have. */
  readonly says?: readonly string[]
  /** Words that no finding has, and codes of findings that would be untrue. */
  readonly notSays?: readonly string[]
  readonly never?: readonly string[]
  /** Whether there must be no other finding. */
  readonly only?: boolean
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly now: number
  readonly secret: string | string[]
  readonly headers: Readonly<Record<string, string>>
  readonly method?: string
  readonly path?: string
  /** The body, in base64. */
  readonly body: string
}

/** One request per line, as programs in nine languages sent them. Together they use every hypothesis. */
export const CAPTURED: readonly Captured[] = readFileSync(new URL('captured.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

/** Requests whose cause would need too many guesses. `diagnose` must not name a wrong cause for them. */
export const UNEXPLAINED = [
  'a large integer that was rounded on the way',
  'milliseconds with their fraction in the message, json.dumps',
]

export const named = (all: readonly Captured[]) => all.map((request) => [request.name, request] as const)

export function requestOf({ method, path, headers, body }: Captured) {
  return { webhookId: '42', method, path, headers, body: Buffer.from(body, 'base64') }
}

/** Expects that the first finding names the mistake, and that nothing prints the secret. */
export function expectMistake(request: Captured, { valid, findings, language }: Diagnosis): void {
  const { codes, secret, side, only, says = [], notSays = [], never = [] } = request
  expect(UNEXPLAINED.includes(request.name) ? ['signature_mismatch'] : codes).toContain(findings[0]?.code)
  if (side !== undefined) expect(findings[0]?.side).toBe(side)
  if (only) expect(findings).toHaveLength(1)
  for (const words of says) expect(JSON.stringify(findings[0])).toContain(words)
  for (const words of notSays) expect(JSON.stringify(findings)).not.toContain(words)
  for (const code of never) expect(findings.map((finding) => finding.code)).not.toContain(code)
  for (const { fixes } of findings) expect([undefined, language]).toContain(Object.keys(fixes)[language ? 0 : -1])
  expect(valid).toBe(findings.every(({ code }) => code === 'secret_leaked'))
  for (const one of [secret].flat()) expect(findLeaks(JSON.stringify(findings), one, textOf(request))).toEqual([])
}

/** The parts of a request that may be printed with any secret. */
export function textOf({ now, headers, body }: Captured): string {
  const bytes = Buffer.from(body, 'base64')
  const [timestamp, nonce] = ['x-timestamp', 'x-nonce'].map((name) => new Headers(headers).get(name))
  const hashes = [bytes, `${timestamp}:${nonce}:`].map((start) => createHash('sha256').update(start))
  const hash = hashes.map((one, index) => (index === 0 ? one : one.update(bytes)).digest('hex')).join()
  const fields = JSON.stringify({ code: '', side: 'sender', message: '', fix: '', fixes: {}, evidence: '' })
  return [JSON.stringify(headers), bytes.toString(), hash, new Date(now).toISOString(), fields].join('\n')
}

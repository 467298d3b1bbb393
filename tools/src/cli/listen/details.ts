import { readHeaders } from '../../../../src/rules/headers.js'
import { base64 } from '../../bytes.js'
import { valuesOf } from '../../capture/headers.js'
import { maskBytes, maskSecrets } from '../../diagnose/mask-secrets.js'
import { NODE_PRIMITIVES } from '../../node-primitives.js'
import { isSignedBy, receivedMessage, schemeOf, startOf } from '../../schemes.js'
import type { Details, Summary } from '../../workbench/live-data.js'
import { checkRules, type RuleResult } from '../../workbench/report.js'
import type { Kept } from './kept-requests.js'
import type { Report } from './report.js'

const MAX_TEXT = 200

export function summaryOf({ id, report, received }: Kept, secrets: readonly string[]): Summary {
  const { time, method, path, status, ok, reason, detail, findings, differences = [] } = report
  const short = (text: string) => {
    const masked = maskSecrets(text, secrets)
    return masked.length > MAX_TEXT ? `${masked.slice(0, MAX_TEXT)}…` : masked
  }
  const [agent = ''] = received === undefined ? [] : valuesOf(received.headers, 'user-agent')
  const first = findings[0]?.message ?? differences[0]
  const texts = { path: short(path), detail: short(detail), finding: first && short(first), agent: short(agent) }
  return { id, time, method, status, ok, reason, ...texts }
}

export function detailsOf(kept: Kept, secrets: readonly string[]): Details<Uint8Array> {
  const { report, received } = kept
  const { forwarded, differences = [], savedAs, findings } = report
  const details = { summary: summaryOf(kept, secrets), forwarded, differences, savedAs }
  if (received === undefined) return details
  const { method, path, headers: lines, body, time, signedMessage } = received
  const scheme = schemeOf(lines)
  const headers = readHeaders(lines, [scheme.headers])
  const message = [receivedMessage(headers, body, scheme)]
  const isRight = isSignedBy(NODE_PRIMITIVES, scheme, String(headers.signature), message, secrets)
  const arrival = [time, 'by the clock of listen'] as const
  const rules = checkRules(headers, arrival, isRight, time, scheme)
  return {
    ...details,
    report: {
      request: `${method} ${path}`,
      notes: [],
      start: startOf(scheme, headers),
      body: maskBytes(body, secrets),
      arrival,
      rules: [...rules.slice(0, -1), replayRule(report, scheme.isStandard ? 'attempt' : 'nonce')],
      valid: report.ok,
      findings,
      language: report.language,
      signedMessage: signedMessage && maskBytes(signedMessage, secrets),
    },
  }
}

function replayRule({ ok, reason, detail }: Report, what: 'attempt' | 'nonce'): RuleResult {
  const rule = { name: `The ${what} is new on this listener`, reason: 'replayed_nonce' } as const
  if (ok) return { ...rule, status: 'met', detail: `No accepted request had this ${what} before.` }
  if (reason === 'replayed_nonce') return { ...rule, status: 'broken', detail: `Accepted before: ${detail}.` }
  return { ...rule, status: 'not checked', detail: `The ${what} is checked last, after the signature.` }
}

/** Returns a document for the page as JSON. In strings, each piece of a secret is masked. Bytes are written in base64. */
export function maskedJson(document: object, secrets: readonly string[]): string {
  return JSON.stringify(document, (_, value) => {
    if (typeof value === 'string') return maskSecrets(value, secrets)
    return value instanceof Uint8Array ? base64(value) : value
  })
}
